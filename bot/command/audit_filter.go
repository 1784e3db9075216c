package command

import (
	"fmt"
	"strings"
	"time"

	"maru/bot/audit"
	"maru/config"
)

// AuditFilter selects entries of the audit log. Zero fields match everything.
type AuditFilter struct {
	Who   string    // a platform id, "U1", or one in full, "slack/T1/U1"
	What  string    // "setting.set", or its first word for all of a kind
	Since time.Time // not older
	Words string    // occurs in what, who or detail, ignoring case
}

// readAuditFilter parses `who:U1 what:setting since:7d` in any order; all other words are search terms.
func readAuditFilter(text string, now time.Time) (AuditFilter, error) {
	var f AuditFilter
	var words []string
	for _, w := range strings.Fields(text) {
		name, value, _ := strings.Cut(w, ":")
		switch name {
		case "who":
			f.Who = value
			if m := mentionForm.FindStringSubmatch(value); m != nil {
				f.Who = m[1]
			}
		case "what":
			f.What = value
		case "since":
			at, err := ReadSince(value, now)
			if err != nil {
				return AuditFilter{}, err
			}
			f.Since = at
		default:
			words = append(words, w)
		}
	}
	f.Words = strings.Join(words, " ")
	return f, nil
}

// ReadSince parses an age, "7d" or "12h", or a day, "2026-11-21", in now's time zone.
func ReadSince(text string, now time.Time) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, nil
	}
	ago, err := config.ParseSpan(text)
	if err != nil || ago < 0 {
		return time.Time{}, fmt.Errorf("%q is not a time: write 12h, 7d or 2026-11-21", text)
	}
	return now.Add(-ago), nil
}

// Fits reports whether an entry matches the filter.
func (f AuditFilter) Fits(e audit.Entry) bool {
	switch {
	case f.Who != "" && f.Who != e.Who && f.Who != e.Team+"/"+e.Who:
	case f.What != "" && e.What != f.What && !strings.HasPrefix(e.What, f.What+"."):
	case e.At.Before(f.Since):
	default:
		return strings.Contains(strings.ToLower(e.What+" "+e.Who+" "+string(e.Detail)), strings.ToLower(f.Words))
	}
	return false
}
