package config

import (
	"fmt"
	"strings"
	"time"

	"maru/phrase"
)

// day is what people mean by a day in a setting.
const day = 24 * time.Hour

// parseSpan is parseDuration with days, as in 7d.
func parseSpan(text string) (time.Duration, error) {
	if n, ok := strings.CutSuffix(strings.TrimSpace(text), "d"); ok {
		hours, err := parseDuration(n + "h")
		if err != nil || hours > maxRetention*time.Hour || hours < 0 {
			return 0, fmt.Errorf("no number of days up to %d", maxRetention)
		}
		return hours * 24, nil
	}
	return parseDuration(text)
}

// SpanText is a time as people write it in a setting: 7d, 90m, 1h30m, 0s.
func SpanText(d time.Duration) string {
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

// SpanWords is a time as people say it, such as "7 days" or "1 hour 30 minutes".
func SpanWords(d time.Duration, language string) string {
	if d <= 0 {
		return phrase.Say(language, "time.none")
	}
	var parts []string
	for _, u := range []struct {
		one  time.Duration
		unit string
	}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		n := int(d / u.one)
		d %= u.one
		switch {
		case n == 1:
			parts = append(parts, phrase.Say(language, "time."+u.unit))
		case n > 1:
			parts = append(parts, phrase.Say(language, "time."+u.unit+"s", n))
		}
	}
	return strings.Join(parts, " ")
}
