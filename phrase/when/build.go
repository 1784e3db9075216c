package when

import (
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// eitherWay makes the rule of a day and a month that may be either way round, by the weekday beside them: the sooner one that is on it.
func (f facts) eitherWay(now time.Time) (Rule, error) {
	f.order = false
	r, err := f.rule(now)
	f.month, f.dom = time.Month(f.dom), int(f.month)
	if other, wrong := f.rule(now); wrong == nil && (err != nil || other.At.Before(r.At)) {
		return other, nil
	}
	return r, err
}

// rule makes the rule of the facts. now's zone is that of the days.
func (f facts) rule(now time.Time) (Rule, error) {
	if f.every {
		return f.cron(now)
	}
	if f.order {
		return f.eitherWay(now)
	}
	if f.span > 0 && !f.hasClock {
		return Rule{At: now.AddDate(0, f.spanMonths, f.spanDays).Add(f.span).Truncate(time.Second)}, nil
	}
	hour, minute := f.clock(now)
	y, m, d := now.Date()
	on := func(y int, m time.Month, d int) time.Time {
		return dated(y, m, d, hour, minute, now.Location())
	}
	var at time.Time
	switch {
	case f.hasDay && f.day == 0 && !f.hasClock && f.part == 0 && !f.same && !on(y, m, d).After(now): // "today"
		return Rule{}, ErrVague
	case f.also != 0, f.workday, f.nths != 0, f.doms != 0: // two times of one day; a weekday by its number; two days
		return Rule{}, ErrTime
	case f.nth != 0:
		first := on(y, m, 1)
		if f.nextUnit == months+1 {
			first = on(y, m+1+time.Month(f.further), 1)
		}
		if at = nthWeekday(first, time.Weekday(bits.TrailingZeros(uint(f.days))), f.nth); at.IsZero() {
			return Rule{}, ErrTime
		}
	case !f.date.IsZero():
		at = on(f.date.Year(), f.date.Month(), f.date.Day())
	case f.hasDay:
		if at = on(y, m, d+f.day); f.day == 0 && f.hasClock && f.hour == 0 && f.minute == 0 { // the midnight of today is to come
			at = on(y, m, d+1)
		}
	case f.spanDays > 0 || f.spanMonths > 0:
		to := now.AddDate(0, f.spanMonths, f.spanDays)
		if to.Day() != d && f.spanDays == 0 { // a month without that day: its last
			to = to.AddDate(0, 0, -to.Day())
		}
		if at = on(to.Year(), to.Month(), to.Day()); !f.hasClock && f.part == 0 {
			at = to.Truncate(time.Second)
		}
	case f.days != 0:
		return f.onWeekday(now, on)
	case f.nextUnit == weeks+1:
		at = on(y, m, d+(8-weekdayFromMonday(now))+7*f.further) // Monday
	case f.nextUnit == months+1:
		m += time.Month(f.further)
		if at = on(y, m+1, max(f.dom, 1)); f.dom < 0 {
			at = on(y, m+2, 0)
		} else if at.Day() != max(f.dom, 1) {
			return Rule{}, ErrTime
		}
	case f.month != 0:
		if f.month < 1 || f.month > 12 || f.dom < 1 || f.dom > 31 {
			return Rule{}, ErrTime
		}
		if year := f.inFullYear(now); year > 0 {
			if at = on(year, f.month, f.dom); at.Day() != f.dom {
				return Rule{}, ErrTime
			}
			break
		}
		for n := 0; n <= 8 && (at.IsZero() || !at.After(now) || at.Day() != f.dom); n++ { // 29 February comes within eight years
			at = on(y+n, f.month, f.dom)
		}
		if at.Day() != f.dom {
			return Rule{}, ErrTime
		}
	case f.quarter:
		at = on(y, (m+2)/3*3+1, 0)
	case f.dom < 0:
		at = on(y, m+1, 0)
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
	if f.said != 0 && f.said&(1<<int(at.Weekday())) == 0 {
		return Rule{}, OffDay{at}
	}
	return Rule{At: at}, nil
}

// dated returns a moment by the clock of a zone. One that the clock leaves out when it is put forward is as much later as the clock is
// put: 2:30 in the night of the change is 3:30, as for what repeats.
func dated(y int, m time.Month, d, hour, minute int, zone *time.Location) time.Time {
	at := time.Date(y, m, d, hour, minute, 0, 0, zone)
	if gap := ((hour%24*60 + minute) - (at.Hour()*60 + at.Minute()) + 24*60) % (24 * 60); gap > 0 && gap <= mostGap {
		return at.Add(time.Duration(gap) * time.Minute)
	}
	return at
}

// mostGap is how far a clock is put forward at most, in minutes.
const mostGap = 180

// onWeekday returns the next of the named weekdays, or that of this or of the next week.
func (f facts) onWeekday(now time.Time, on func(int, time.Month, int) time.Time) (Rule, error) {
	y, m, d := now.Date()
	if f.weekOff > 0 {
		monday := d - weekdayFromMonday(now) + 1
		if f.weekOff == 1 {
			monday += 7 + 7*f.further
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

func (f facts) clock(now time.Time) (hour, minute int) {
	switch {
	case f.same:
		return now.Hour(), now.Minute()
	case f.hasClock:
		return f.hour, f.minute
	case f.part > 0:
		return f.part, 0
	}
	return defaultHour, 0
}

// Bounds of steps.
const (
	mostDays   = 366
	mostWeeks  = 52
	mostMonths = 12
)

// cron makes the rule of what repeats.
func (f facts) cron(now time.Time) (Rule, error) {
	switch {
	case f.unit == seconds, f.unit == minutes && f.n < leastMinutes:
		return Rule{}, ErrTooOften
	case f.unit == minutes && f.n == 60, f.unit == hours && f.n == 1:
		return Rule{Cron: "0 * * * *"}, nil
	case f.unit == minutes && 60%f.n == 0:
		return Rule{Cron: "*/" + strconv.Itoa(f.n) + " * * * *"}, nil
	case f.unit == hours && f.n > 0 && f.n < 24 && 24%f.n == 0:
		return Rule{Cron: "0 */" + strconv.Itoa(f.n) + " * * *"}, nil
	case f.unit == minutes, f.unit == hours:
		return Rule{}, ErrInterval
	}
	on, ok := f.onDays(now)
	if !ok || f.n < 1 {
		return Rule{}, ErrTime
	}
	if !f.enough() {
		return Rule{}, ErrVague
	}
	hour, minute := f.clock(now)
	rule := Rule{Cron: strconv.Itoa(minute) + " " + f.hours(hour) + " " + on}
	if f.n > 1 {
		rule.From, rule.Step = rule.Next(now, now.Location()), f.n
	}
	return rule, nil
}

// hours returns the field of an expression for an hour and those named beside it.
func (f facts) hours(hour int) string { return listed(f.also|1<<(hour%24), 0, 23) }

// leastMinutes is how often something may repeat at most, for intervals of any number of minutes to be understood.
const leastMinutes = 15

// onDays returns the last three fields of an expression.
func (f facts) onDays(now time.Time) (string, bool) {
	switch {
	case f.unit == days && f.n <= mostDays:
		return "* * *", true
	case f.unit == weekdays && f.n == 1:
		return "* * 1-5", true
	case f.unit == weeks && f.n <= mostWeeks:
		set := f.days
		if set == 0 {
			set = 1 << int(now.Weekday())
		}
		if set == workweek {
			return "* * 1-5", true
		}
		if set&1 != 0 { // Sunday is the last
			set = set&^1 | 1<<7
		}
		return "* * " + strings.ReplaceAll(listed(set, 1, 7), "7", "0"), true
	case f.unit == months && f.nth != 0 && f.n == 1:
		day := strings.TrimPrefix(listed(f.days, 0, 6), ",")
		var on []string
		for n, numbers := 1, f.nths|1<<max(f.nth, 0); n <= 5; n++ {
			if numbers&(1<<n) != 0 {
				on = append(on, day+"#"+strconv.Itoa(n))
			}
		}
		if f.nth < 0 || f.nths&1 != 0 {
			on = append(on, day+"#L")
		}
		return "* * " + strings.Join(on, ","), true
	case f.workday && f.unit == months && f.n == 1:
		if f.dom < 0 {
			return "LW * *", true
		}
		return "1W * *", true
	case f.workday:
		return "", false
	case f.unit == months && f.nth == 0 && f.doms != 0 && f.dom <= 31:
		return listed(f.doms|1<<f.dom, 1, 31) + " * *", true
	case f.unit == months && f.nth == 0 && f.n <= mostMonths && f.dom <= 31:
		if f.dom < 0 {
			return "L * *", true
		}
		return strconv.Itoa(max(f.dom, 1)) + " * *", true
	case f.unit == quarters && f.n == 1 && f.nth == 0 && f.doms == 0 && f.dom < 0:
		return "L 3,6,9,12 *", true
	case f.unit == quarters && f.n == 1 && f.nth == 0 && f.doms == 0 && f.dom <= 1:
		return "1 1,4,7,10 *", true
	case f.unit == years && f.n == 1 && f.month >= 1 && f.month <= 12 && f.dom >= 1 && f.dom <= 31:
		return strconv.Itoa(f.dom) + " " + strconv.Itoa(int(f.month)) + " *", true
	}
	return "", false
}

// listed lists the numbers of a set by bit, in order.
func listed(set, from, to int) string {
	var out []string
	for n := from; n <= to; n++ {
		if set&(1<<n) != 0 {
			out = append(out, strconv.Itoa(n))
		}
	}
	return strings.Join(out, ",")
}

// nthWeekday returns the nth of a weekday in the month of a day, the last for a negative n; zero if there is none.
func nthWeekday(first time.Time, day time.Weekday, n int) time.Time {
	at := first.AddDate(0, 0, (int(day)-int(first.Weekday())+7)%7)
	if n > 0 {
		at = at.AddDate(0, 0, 7*(n-1))
	} else {
		for at.AddDate(0, 0, 7).Month() == first.Month() {
			at = at.AddDate(0, 0, 7)
		}
	}
	if at.Month() != first.Month() {
		return time.Time{}
	}
	return at
}
