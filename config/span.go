package config

import (
	"fmt"
	"strings"
	"time"
)

// day is 24 hours, the meaning of a day in a setting.
const day = 24 * time.Hour

// ParseSpan reads a time as [SpanText] writes it: as time.ParseDuration does, and
// days, as in 7d.
func ParseSpan(text string) (time.Duration, error) {
	if n, ok := strings.CutSuffix(strings.TrimSpace(text), "d"); ok {
		hours, err := parseDuration(n + "h")
		if err != nil || hours > maxRetention*time.Hour || hours < 0 {
			return 0, fmt.Errorf("no number of days up to %d", maxRetention)
		}
		return hours * 24, nil
	}
	return parseDuration(text)
}

// SpanText returns a time as people write it in a setting: 7d, 90m, 1h30m, 0.
func SpanText(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	if d > 0 && d%day == 0 {
		return strings.TrimSuffix((d/24).String(), "h0m0s") + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
