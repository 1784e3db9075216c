// Package when reads times out of people's words, in Korean and English ("every weekday at 9:30", "매주 월요일 9시에"), and
// says them back. [Read] finds a [Rule] in a text, [Rule.Next] computes when it is due, [Rule.Words] puts it in words.
//
// A reading is never in the past. The package knows nothing of schedules, and does not decide whether a message asks for
// one: that is maru/phrase/intent's.
package when

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	cron "github.com/netresearch/go-cron"

	"maru/phrase"
)

// Errors of rules, for callers that say them in a person's language.
var (
	ErrCron     = errors.New("when: this is no cron expression")
	ErrNever    = errors.New("when: the rule never comes true")
	ErrTooOften = errors.New("when: the rule comes true too often")
	ErrPast     = errors.New("when: the time is over")
	ErrTime     = errors.New("when: there is no such time")
	ErrInterval = errors.New("when: the interval does not divide an hour or a day")

	// Kinds of ErrTime with a reason of their own.
	ErrHoliday = fmt.Errorf("%w: it depends on holidays", ErrTime)
	ErrExcept  = fmt.Errorf("%w: a rule cannot leave out these days", ErrTime)
	ErrWithin  = fmt.Errorf("%w: an interval cannot be limited to hours or days", ErrTime)
	ErrBounds  = fmt.Errorf("%w: a rule has no first or last day", ErrTime)
	ErrOrder   = fmt.Errorf("%w: day and month may be either way round", ErrTime)
	ErrWeekday = fmt.Errorf("%w: the date is not on that weekday", ErrTime)
	ErrEve     = fmt.Errorf("%w: no rule is so many days before these", ErrTime)
	ErrVague   = fmt.Errorf("%w: the words name no day or hour", ErrTime)
	ErrSeveral = fmt.Errorf("%w: one rule has not so many days or hours", ErrTime)
	ErrEvent   = fmt.Errorf("%w: it is counted from an unknown time", ErrTime)
	ErrZone    = fmt.Errorf("%w: no time zone has this offset", ErrTime)
)

// OffDay is ErrWeekday with the date that was said.
type OffDay struct{ At time.Time }

func (e OffDay) Error() string { return ErrWeekday.Error() }
func (e OffDay) Unwrap() error { return ErrWeekday }

// Words returns the date and the weekday that it is on.
func (e OffDay) Words(lang string) (date, weekday string) {
	return e.At.Format(phrase.Say(lang, "when.month_day")), dayName(int(e.At.Weekday()), lang)
}

// Rule says when something is due: once, or again and again. The zero Rule is never due.
type Rule struct {
	At   time.Time `json:"at,omitzero"`    // once, at this moment
	Cron string    `json:"cron,omitempty"` // five fields: minute, hour, day of the month, month, weekday

	// Step lets a rule be due only in every so many of what its expression repeats by: weeks where it names weekdays, months
	// where it names days of the month, else days. From is the first time; 0 and 1 are every one.
	Step int       `json:"step,omitempty"`
	From time.Time `json:"from,omitzero"`
}

// Repeats reports whether the rule is due again and again.
func (r Rule) Repeats() bool { return r.Cron != "" }

// IsZero reports whether it is no rule.
func (r Rule) IsZero() bool { return r == Rule{} }

// parser reads five fields, with names of days and months, "1#1" for the first Monday, "5#L" for the last Friday, "L" for the
// last day of the month, and the descriptors @daily and so on. Seconds, "@every" and
// time zones in the expression are refused: see ParseCron.
func parser() cron.Parser {
	return cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor | cron.Extended)
}

// maxCron bounds an expression, in bytes.
const maxCron = 100

// ParseCron reads a cron expression of five fields or a descriptor such as "@daily".
func ParseCron(expr string) (Rule, error) {
	expr = strings.Join(strings.Fields(expr), " ")
	if expr == "" || len(expr) > maxCron || strings.Contains(expr, "=") || strings.HasPrefix(expr, "@every") || expr == "@reboot" {
		return Rule{}, ErrCron
	}
	if _, err := parser().Parse(expr); err != nil {
		return Rule{}, fmt.Errorf("%w: %w", ErrCron, err)
	}
	return Rule{Cron: numberedCron(expr)}, nil
}

// descriptors are the expressions for which names stand.
var descriptors = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// numberedCron returns an expression of five fields with numbers for the names of weekdays and months: only those have words.
func numberedCron(expr string) string {
	if fields, ok := descriptors[strings.ToLower(expr)]; ok {
		return fields
	}
	f := strings.Fields(expr)
	if len(f) != 5 {
		return expr
	}
	f[3], f[4] = strings.ToLower(f[3]), strings.ToLower(f[4])
	for m := time.January; m <= time.December; m++ {
		f[3] = strings.ReplaceAll(f[3], strings.ToLower(m.String()[:3]), strconv.Itoa(int(m)))
	}
	f[4] = strings.ReplaceAll(strings.ReplaceAll(f[4], "sun-sun", "sun"), "-sun", "-7")
	for i, day := range englishDays() {
		f[4] = strings.ReplaceAll(f[4], day[:3], strconv.Itoa(i))
	}
	named := strings.ReplaceAll(strings.Join(f, " "), "l", "L") // the last
	if _, err := parser().Parse(named); err != nil {
		return expr
	}
	return named
}

// Next returns the first time after a moment at which the rule is due by the clocks of a zone, zero if there is none. Where
// clocks are put forward, a time that they skip is due just after the gap; where they are put back, a time that comes
// twice is due the first time only, unless the rule is due every hour.
func (r Rule) Next(after time.Time, zone *time.Location) time.Time {
	if r.Cron == "" {
		if r.At.After(after) {
			return r.At
		}
		return time.Time{}
	}
	s, err := parser().Parse(r.Cron)
	if err != nil {
		return time.Time{}
	}
	local := after.In(zone)
	next := s.Next(local)
	for !next.IsZero() && (!r.hourly() && again(next) || r.skips(next, zone)) {
		next = s.Next(next)
	}
	return next
}

// skips reports whether a time of the expression is between two steps.
func (r Rule) skips(at time.Time, zone *time.Location) bool {
	f := strings.Fields(r.Cron)
	if r.Step <= 1 || len(f) != 5 {
		return false
	}
	from, at := r.From.In(zone), at.In(zone)
	n := 0
	switch {
	case f[4] != "*":
		n = (dayNumber(at)-weekdayFromMonday(at))/7 - (dayNumber(from)-weekdayFromMonday(from))/7
	case f[2] != "*":
		n = (at.Year()-from.Year())*12 + int(at.Month()) - int(from.Month())
	default:
		n = dayNumber(at) - dayNumber(from)
	}
	return n < 0 || n%r.Step != 0
}

// dayNumber counts days of the calendar; Monday is a multiple of seven and one.
func dayNumber(t time.Time) int {
	y, m, d := t.Date()
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(time.Date(1969, 12, 28, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
}

// hourly reports whether the rule is due at every hour, so that the hour which comes twice counts twice.
func (r Rule) hourly() bool {
	f := strings.Fields(r.Cron)
	return r.Cron == "@hourly" || len(f) == 5 && strings.HasPrefix(f[1], "*")
}

// again reports whether the clocks showed the time of day before already, since they were put back a moment ago.
func again(b time.Time) bool {
	for _, back := range []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour} {
		earlier := b.Add(-back)
		_, was := earlier.Zone()
		_, is := b.Zone()
		if time.Duration(was-is)*time.Second == back { // clocks went back by that much in between, so they read the same
			return true
		}
	}
	return false
}

// Check returns why a rule cannot be kept: it is over, never due, or due more often than every least.
func (r Rule) Check(now time.Time, zone *time.Location, least time.Duration) error {
	next := r.Next(now, zone)
	switch {
	case next.IsZero() && r.Repeats():
		return ErrNever
	case next.IsZero():
		return ErrPast
	case !r.Repeats():
		return nil
	}
	for range checked {
		after := r.Next(next, zone)
		if after.IsZero() {
			return nil
		}
		if after.Sub(next) < least {
			return ErrTooOften
		}
		next = after
	}
	return nil
}

// checked is how many times of a rule Check looks at: those of a rule within an hour and within a day show in the first.
const checked = 50
