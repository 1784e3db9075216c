package config

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Hours are a part of every day, such as from 22:00 to 08:00. The zero value is
// no part of it.
type Hours struct {
	From, To time.Duration // since midnight, by the clock on the wall; To may lie before From: then it is the next day's
}

// ParseHours reads "22:00-08:00", or "off" for none.
func ParseHours(text string) (Hours, error) {
	text = strings.TrimSpace(text)
	if text == "off" || text == "" {
		return Hours{}, nil
	}
	from, to, ok := strings.Cut(strings.NewReplacer("~", "-", "–", "-", " ", "").Replace(text), "-")
	a, err1 := time.Parse("15:04", from)
	b, err2 := time.Parse("15:04", to)
	if !ok || err1 != nil || err2 != nil || a.Equal(b) {
		return Hours{}, errors.New("use two different times such as 22:00-08:00, or off")
	}
	return Hours{From: clockOf(a), To: clockOf(b)}, nil
}

// clockOf is how far the clock on the wall is past midnight.
func clockOf(t time.Time) time.Duration {
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// String is what ParseHours reads.
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
	y, m, d := now.Date()
	if c >= h.To {
		d++
	}
	// Minutes, not a duration since midnight: days on which clocks change are
	// not 24 hours long.
	return time.Date(y, m, d, 0, int(h.To/time.Minute), 0, 0, now.Location()), true
}
