package builtin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/phrase"
)

// days tells about another day than today.
func days(args clockArgs, now time.Time, data map[string]any) (string, error) {
	today := midnight(now)
	base, text := today, ""
	if args.Date != "" {
		var err error
		if base, err = day(args.Date, today); err != nil {
			return "", err
		}
		text += fmt.Sprintf("\n%s is a %s, %s", base.Format(time.DateOnly), both(base), away(between(today, base)))
		data["date_weekday"], data["date_days_from_today"] = base.Weekday().String(), between(today, base)
	}
	if args.AddDays != nil {
		then := base.AddDate(0, 0, *args.AddDays)
		text += fmt.Sprintf("\n%s %+d days = %s, a %s", base.Format(time.DateOnly), *args.AddDays, then.Format(time.DateOnly), both(then))
		data["sum"] = then.Format(time.DateOnly)
	}
	for _, named := range namedDays(args, base) {
		text += fmt.Sprintf("\n%s = %s, a %s, %s", named.name, named.day.Format(time.DateOnly), both(named.day), away(between(today, named.day)))
		data["day"] = named.day.Format(time.DateOnly)
	}
	if args.Until != "" {
		until, err := day(args.Until, base)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("\nFrom %s to %s: %d days", base.Format(time.DateOnly), until.Format(time.DateOnly), between(base, until))
		data["days"] = between(base, until)
		if n := between(base, until); n >= 0 {
			text += fmt.Sprintf(", %d of them from Monday to Friday (without the first day; public holidays are counted)", workdays(base, n))
			data["weekdays"] = workdays(base, n)
		}
	}
	return text, nil
}

// namedDay is a day that is known by its place in a week or month.
type namedDay struct {
	name string
	day  time.Time
}

func namedDays(args clockArgs, base time.Time) (list []namedDay) {
	if args.Weekday != "" {
		// Weeks begin on Monday (ISO 8601), in Korea as well when people speak of
		// this week and the next.
		at := slices.Index(weekdays, args.Weekday)
		first := (int(base.Weekday()) + 6) % 7
		that := namedDay{"the coming " + args.Weekday, base.AddDate(0, 0, (at-first+7)%7)}
		if args.Weeks != nil {
			that = namedDay{fmt.Sprintf("%s, %+d weeks", args.Weekday, *args.Weeks), base.AddDate(0, 0, at-first+7**args.Weeks)}
		}
		list = append(list, that)
	}
	if args.MonthEnd != nil {
		last := time.Date(base.Year(), base.Month()+time.Month(*args.MonthEnd)+1, 0, 0, 0, 0, 0, time.UTC)
		list = append(list, namedDay{"the last day of " + last.Format("2006-01"), last})
	}
	return list
}

// weekdays are the names of the schema, from the first day of a week on.
var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// midnight gives a day as its midnight in UTC, where every day has 24 hours.
func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// day reads a day; one without its year is the next from a day on.
func day(text string, from time.Time) (time.Time, error) {
	if len(text) == len("01-02") {
		for year := from.Year(); year <= from.Year()+8; year++ { // so far apart are leap years at most
			if t, err := time.Parse(time.DateOnly, fmt.Sprintf("%04d-%s", year, text)); err == nil && !t.Before(from) {
				return t, nil
			}
		}
	}
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

// workdays counts the days from Monday to Friday among the n days after a day.
func workdays(from time.Time, n int64) int64 {
	work := n / 7 * 5
	for i := range n % 7 {
		if d := from.AddDate(0, 0, int(i)+1).Weekday(); d != time.Saturday && d != time.Sunday {
			work++
		}
	}
	return work
}

func away(n int64) string {
	switch {
	case n == 0:
		return "today"
	case n > 0:
		return fmt.Sprintf("%d days from today", n)
	}
	return fmt.Sprintf("%d days ago", -n)
}

// both returns a day's name in every language.
func both(t time.Time) string { return fmt.Sprintf("%s (%s)", t.Weekday(), weekday(t)) }

// weekday names a day in the languages other than English, for models that answer
// in one.
func weekday(t time.Time) string {
	name := t.Weekday().String()
	all := phrase.Of("time." + strings.ToLower(name)).Everywhere()
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == name }), ", ")
}
