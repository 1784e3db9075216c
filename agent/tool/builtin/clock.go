package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent/tool"
	"maru/phrase"
)

// clock tells date and time.
type clock struct{ zone *time.Location }

// NewClock returns the current_time tool. zone is that of people who have none;
// the time itself comes with each call. The program that offers it should embed
// the zone database: import _ "time/tzdata".
func NewClock(zone *time.Location) tool.Tool {
	if zone == nil {
		zone = time.UTC
	}
	return clock{zone}
}

const clockWords = `Tells the current date, time and weekday, in the person's time zone or at a place. With date it tells that day's weekday and how far it is; with until the days between; with add_days the day that many days later (earlier if negative). Use it for everything that depends on today.`

// Spec implements tool.Tool.
func (clock) Spec() tool.Spec {
	return tool.Spec{
		Name:        "current_time",
		Title:       phrase.Of("builtin.doing.clock"),
		Description: clockWords,
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"place":{"type":"string","maxLength":64,"description":"city, country or IANA time zone, e.g. 서울, New York, Europe/Paris; leave out for the person's own"},
			"date":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}$","description":"a day instead of today, YYYY-MM-DD"},
			"until":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}$","description":"count the days from date (or today) to this day, YYYY-MM-DD"},
			"add_days":{"type":"integer","minimum":-366000,"maximum":366000,"description":"days to add to date (or today)"}},
			"additionalProperties":false}`),
		Policy:  tool.Policy{ReadOnly: true, Idempotent: true},
		Timeout: 5 * time.Second,
	}
}

// clockArgs are the tool's arguments.
type clockArgs struct {
	Place   string `json:"place"`
	Date    string `json:"date"`
	Until   string `json:"until"`
	AddDays *int   `json:"add_days"`
}

// Call implements tool.Tool.
func (c clock) Call(_ context.Context, call tool.Call) (tool.Result, error) {
	var args clockArgs
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	zone, err := c.where(args.Place, call.TimeZone)
	if err != nil {
		return tool.Result{}, err
	}
	now := call.Now.In(zone)
	name := zone.String()
	if name == "Local" { // the machine's own zone, which says only its abbreviation
		name = now.Format("MST")
	}
	text := fmt.Sprintf("Now: %s, %s (%s), %s (%s), week %d", now.Format("2006-01-02 15:04:05"), now.Weekday(),
		weekday(now), name, now.Format("UTC-07:00"), week(now))
	data := map[string]any{"now": now.Format(time.RFC3339), "zone": name, "weekday": now.Weekday().String()}
	more, err := days(args, now, data)
	if err != nil {
		return tool.Result{}, err
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		return tool.Result{}, fmt.Errorf("encode result: %w", err)
	}
	return tool.Result{Text: text + more, Data: encoded}, nil
}

// where chooses the zone: the place asked for, the person's, the program's.
func (c clock) where(place, own string) (*time.Location, error) {
	if place != "" {
		if zone, ok := zoneOf(place); ok {
			return zone, nil
		}
		return nil, bad(fmt.Sprintf("The time zone of %q is not known. Give an IANA name such as America/New_York, or a large city nearby.", place),
			phrase.Of("builtin.no_zone", place))
	}
	if zone, err := time.LoadLocation(own); err == nil && own != "" && own != "Local" {
		return zone, nil
	}
	return c.zone, nil
}

// days tells about another day than today.
func days(args clockArgs, now time.Time, data map[string]any) (string, error) {
	today := midnight(now)
	base, text := today, ""
	if args.Date != "" {
		var err error
		if base, err = day(args.Date); err != nil {
			return "", err
		}
		text += fmt.Sprintf("\n%s is a %s (%s), %s", args.Date, base.Weekday(), weekday(base), away(between(today, base)))
		data["date_weekday"], data["date_days_from_today"] = base.Weekday().String(), between(today, base)
	}
	if args.AddDays != nil {
		then := base.AddDate(0, 0, *args.AddDays)
		text += fmt.Sprintf("\n%s %+d days = %s, a %s (%s)", base.Format(time.DateOnly), *args.AddDays, then.Format(time.DateOnly), then.Weekday(), weekday(then))
		data["sum"] = then.Format(time.DateOnly)
	}
	if args.Until != "" {
		until, err := day(args.Until)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("\nFrom %s to %s: %d days", base.Format(time.DateOnly), args.Until, between(base, until))
		data["days"] = between(base, until)
	}
	return text, nil
}

// midnight gives a day as its midnight in UTC, where every day has 24 hours.
func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

func day(text string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, bad(fmt.Sprintf("%s is not a day of the calendar. Give YYYY-MM-DD.", text),
			phrase.Of("builtin.no_day", text))
	}
	return t, nil
}

// between counts the days from one midnight to another. Durations end after 292
// years, seconds do not.
func between(a, b time.Time) int64 { return (b.Unix() - a.Unix()) / 86400 }

func away(n int64) string {
	switch {
	case n == 0:
		return "today"
	case n > 0:
		return fmt.Sprintf("%d days from today", n)
	}
	return fmt.Sprintf("%d days ago", -n)
}

// weekday names a day in the languages other than English, for models that answer
// in one.
func weekday(t time.Time) string {
	name := t.Weekday().String()
	all := phrase.Of("time." + strings.ToLower(name)).Everywhere()
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == name }), ", ")
}

func week(t time.Time) int {
	_, w := t.ISOWeek()
	return w
}
