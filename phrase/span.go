package phrase

import "time"

// Span returns a duration in words, such as "7 days" or "1 hour 30 minutes". It rounds up to
// at least a second.
func Span(d time.Duration) Sentence {
	if d <= 0 {
		return Of("time.none")
	}
	d = max(d, time.Second)
	var parts []Sentence
	for _, u := range []struct {
		one  time.Duration
		unit string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d / u.one); n > 0 {
			parts = append(parts, Of("time."+u.unit+"s", n))
		}
		d %= u.one
	}
	return Join(" ", parts...)
}
