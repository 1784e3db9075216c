package when

import (
	"strconv"
	"strings"
	"time"
)

// rule makes the rule of the facts. now's zone is that of the days.
func (f facts) rule(now time.Time) (Rule, error) {
	if f.every {
		return f.cron(now)
	}
	if f.span > 0 && !f.hasClock {
		return Rule{At: now.AddDate(0, 0, f.spanDays).Add(f.span).Truncate(time.Second)}, nil
	}
	hour, minute := f.clock()
	y, m, d := now.Date()
	on := func(y int, m time.Month, d int) time.Time {
		return time.Date(y, m, d, hour, minute, 0, 0, now.Location())
	}
	var at time.Time
	switch {
	case !f.date.IsZero():
		at = on(f.date.Year(), f.date.Month(), f.date.Day())
	case f.hasDay:
		at = on(y, m, d+f.day)
	case f.spanDays > 0:
		if at = on(y, m, d+f.spanDays); !f.hasClock && f.part == 0 {
			at = now.AddDate(0, 0, f.spanDays).Truncate(time.Second)
		}
	case f.days != 0:
		return f.onWeekday(now, on)
	case f.nextUnit == weeks+1:
		at = on(y, m, d+(8-weekdayFromMonday(now))) // Monday
	case f.nextUnit == months+1:
		at = on(y, m+1, max(f.dom, 1))
	case f.month != 0:
		if f.month < 1 || f.month > 12 || f.dom < 1 || f.dom > 31 {
			return Rule{}, ErrTime
		}
		for n := 0; n <= 8 && (at.IsZero() || !at.After(now) || at.Day() != f.dom); n++ { // 29 February comes within eight years
			at = on(y+n, f.month, f.dom)
		}
		if at.Day() != f.dom {
			return Rule{}, ErrTime
		}
	case f.dom != 0:
		if f.dom > 31 {
			return Rule{}, ErrTime
		}
		for n := 0; n <= 3 && (at.IsZero() || !at.After(now) || at.Day() != f.dom); n++ {
			at = on(y, m+time.Month(n), f.dom)
		}
	default: // an hour alone: the next time that it comes
		if at = on(y, m, d); !at.After(now) {
			at = on(y, m, d+1)
		}
	}
	if !at.After(now) {
		return Rule{}, ErrPast
	}
	return Rule{At: at}, nil
}

// onWeekday is the next of the named weekdays, or that of this or of the next week.
func (f facts) onWeekday(now time.Time, on func(int, time.Month, int) time.Time) (Rule, error) {
	y, m, d := now.Date()
	if f.weekOff > 0 {
		monday := d - weekdayFromMonday(now) + 1
		if f.weekOff == 1 {
			monday += 7
		}
		for n := range 7 {
			if at := on(y, m, monday+n); f.days&(1<<int(at.Weekday())) != 0 && at.After(now) {
				return Rule{At: at}, nil
			}
		}
		return Rule{}, ErrPast
	}
	for n := range 8 {
		if at := on(y, m, d+n); f.days&(1<<int(at.Weekday())) != 0 && at.After(now) {
			return Rule{At: at}, nil
		}
	}
	return Rule{}, ErrPast
}

// weekdayFromMonday is 1 for Monday and 7 for Sunday.
func weekdayFromMonday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

func (f facts) clock() (hour, minute int) {
	switch {
	case f.hasClock:
		return f.hour, f.minute
	case f.part > 0:
		return f.part, 0
	}
	return defaultHour, 0
}

// cron makes the rule of what repeats.
func (f facts) cron(now time.Time) (Rule, error) {
	hour, minute := f.clock()
	at := strconv.Itoa(minute) + " " + strconv.Itoa(hour%24) + " "
	switch {
	case f.unit == minutes && f.n > 0 && f.n <= 60 && 60%f.n == 0:
		if f.n == 60 {
			return Rule{Cron: "0 * * * *"}, nil
		}
		return Rule{Cron: "*/" + strconv.Itoa(f.n) + " * * * *"}, nil
	case f.unit == hours && f.n > 0 && f.n < 24 && 24%f.n == 0:
		if f.n == 1 {
			return Rule{Cron: "0 * * * *"}, nil
		}
		return Rule{Cron: "0 */" + strconv.Itoa(f.n) + " * * *"}, nil
	case f.n != 1:
		return Rule{}, ErrTime
	case f.unit == days:
		return Rule{Cron: at + "* * *"}, nil
	case f.unit == weekdays:
		return Rule{Cron: at + "* * 1-5"}, nil
	case f.unit == weeks:
		set := f.days
		if set == 0 {
			set = 1 << int(now.Weekday())
		}
		var list []string
		for _, d := range [...]int{1, 2, 3, 4, 5, 6, 0} {
			if set&(1<<d) != 0 {
				list = append(list, strconv.Itoa(d))
			}
		}
		return Rule{Cron: at + "* * " + strings.Join(list, ",")}, nil
	case f.unit == months && f.dom <= 31:
		return Rule{Cron: at + strconv.Itoa(max(f.dom, 1)) + " * *"}, nil
	}
	return Rule{}, ErrTime
}
