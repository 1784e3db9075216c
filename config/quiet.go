package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"maru/phrase/pattern"
)

// Hours are a part of every day, such as from 22:00 to 08:00. The zero value is
// no part of it.
type Hours struct {
	From, To time.Duration // since midnight, by the clock on the wall; To may lie before From: then it is the next day's
}

// ParseHours reads "22:00-08:00", or "off" for none. People also write 22-8, 10pm to
// 8am, or the hour in words of any language.
func ParseHours(text string) (Hours, error) {
	text = strings.ToLower(norm.NFKC.String(strings.TrimSpace(text)))
	if text == "off" || text == "" {
		return Hours{}, nil
	}
	for _, to := range catalogueNames("hours.to") {
		text = strings.Replace(text, to, "-", 1)
	}
	from, to, ok := strings.Cut(strings.NewReplacer("~", "-", "–", "-", "—", "-", " ", "").Replace(text), "-")
	a, ok1 := parseClock(from)
	b, ok2 := parseClock(to)
	if !ok || !ok1 || !ok2 || a == b {
		return Hours{}, errors.New("use two different times such as 22:00-08:00, or off")
	}
	return Hours{From: a, To: b}, nil
}

// clock is a time of day: 8, 08:00, 8:30pm.
var clock = pattern.New(`^([0-9]{1,2})(?::([0-5][0-9]))?(am|pm)?$`)

// parseClock reads how far a time of day is past midnight; 24:00 is midnight.
func parseClock(text string) (time.Duration, bool) {
	for _, word := range catalogueNames("hours.clock") {
		text = strings.TrimSuffix(text, word)
	}
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2]) // none is 0
	switch {
	case m[3] != "" && (hour < 1 || hour > 12), hour > 24, hour == 24 && minute > 0:
		return 0, false
	case m[3] == "am":
		hour %= 12
	case m[3] == "pm":
		hour = hour%12 + 12
	}
	return time.Duration(hour%24)*time.Hour + time.Duration(minute)*time.Minute, true
}

// clockOf returns how far the clock on the wall is past midnight.
func clockOf(t time.Time) time.Duration {
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// String formats hours for ParseHours.
func (h Hours) String() string {
	if h == (Hours{}) {
		return "off"
	}
	at := func(d time.Duration) string { return fmt.Sprintf("%02d:%02d", d/time.Hour, d%time.Hour/time.Minute) }
	return at(h.From) + "-" + at(h.To)
}

// Over reports whether now, on a clock of its zone, lies within the hours, and
// when they end then.
func (h Hours) Over(now time.Time) (end time.Time, within bool) {
	if h == (Hours{}) {
		return time.Time{}, false
	}
	c := clockOf(now)
	switch {
	case h.From < h.To:
		within = h.From <= c && c < h.To
	default:
		within = c >= h.From || c < h.To
	}
	if !within {
		return time.Time{}, false
	}
	left := (h.To - c + day) % day
	end = now.Truncate(time.Minute).Add(left)
	_, change := now.ZoneBounds()
	if end.Before(change) || !change.After(now) { // none is known, or, as some leap years end, one that is no change
		return end, true
	}
	// Clock changes happen before that: wall-clock time counts, even if the end is skipped or repeated.
	if later, still := h.Over(change); still {
		return later, true
	}
	return change, true
}
