package when

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"maru/phrase/pattern"
)

// Span reads a text that is nothing but a span of time, "an hour", "30분", "하루".
func Span(text string) (time.Duration, bool) {
	if n := dayCounts[strings.ToLower(strings.TrimSpace(text))]; n > 0 {
		return time.Duration(n) * 24 * time.Hour, true
	}
	p := &reader{list: tokens(text), text: text}
	p.used = make([]bool, len(p.list))
	n := p.span(0)
	for n > 0 && p.at(n).kind == glue {
		n++
	}
	if n == 0 || n < len(p.list) {
		return 0, false
	}
	return p.f.span + time.Duration(p.f.spanDays)*24*time.Hour, true
}

// bareHour matches an hour that only "to" tells from another number: "move it to 6".
var bareHour = pattern.New(`^\d{1,2}$`)

// timesOfDay matches an expression for times of the day, not for every so many minutes or hours.
var timesOfDay = pattern.New(`^\d+ [\d,]+ `)

// Names reports whether a text is nothing but a time or a span to which something can be moved: "4시", "6", "an hour".
func Names(text string) bool {
	p, rest := moving(text)
	_, span := Span(text)
	return span || p.any() && rest == ""
}

// moving reads the time to which something is moved, and what else the text says.
func moving(text string) (p *reader, rest string) {
	if bareHour.MatchString(text) {
		text = "at " + text
	}
	p = &reader{list: tokens(text), text: text}
	p.run()
	rest, _ = p.rest(text)
	return p, rest
}

// Moved returns the rule at the time that a text names, "4시", "Friday", "tomorrow at 5". What the text leaves open stays: the day where it
// names an hour, the hour where it names a day. now's zone is that of the clock and of the days.
func (r Rule) Moved(text string, now time.Time) (Rule, error) {
	p, rest := moving(text)
	f := p.f
	switch {
	case !p.any() || rest != "":
		return Rule{}, ErrVague
	}
	if err := p.odd(p.text); err != nil {
		return Rule{}, err
	}
	if f.part > 0 && !f.hasClock {
		f.hasClock, f.hour = true, f.part
	}
	days := f.dated() || f.month != 0
	if was, _, one := r.clock(now.Location()); one && !days && !f.every {
		f.nearer(was)
	}
	switch {
	case !days && !f.every && !f.hasClock: // "this time"
		return Rule{}, ErrVague
	case f.every || days && !r.Repeats():
		if !f.hasClock && f.span == 0 && (!f.every || f.unit != hours && f.unit != minutes) {
			var ok bool
			if f.hour, f.minute, ok = r.clock(now.Location()); !ok {
				return Rule{}, ErrVague
			}
			f.hasClock = true
		}
		rule, err := f.rule(now)
		return r.kept(rule, f), err
	case !r.Repeats() && f.also != 0: // once, at two hours
		return Rule{}, ErrTime
	case !r.Repeats():
		y, m, d := r.At.In(now.Location()).Date()
		at := dated(y, m, d, f.hour, f.minute, now.Location())
		if !at.After(now) {
			return Rule{}, ErrPast
		}
		return Rule{At: at}, nil
	}
	fields := strings.Fields(r.Cron)
	if len(fields) != 5 {
		return Rule{}, ErrVague
	}
	if days { // only of what is due by weekdays can the day be told from a date
		if f.days == 0 || f.weekOff != 0 || f.nth != 0 || fields[2] != "*" || fields[3] != "*" || fields[4] == "*" || strings.Contains(fields[4], "#") {
			return Rule{}, ErrVague
		}
		fields[4] = strings.ReplaceAll(listed(f.days&^1|f.days&1<<7, 1, 7), "7", "0")
	}
	if f.hasClock {
		if _, _, one := r.clock(now.Location()); !one && (f.also == 0 || !timesOfDay.MatchString(r.Cron)) {
			return Rule{}, ErrVague
		}
		fields[0], fields[1] = strconv.Itoa(f.minute), f.hours(f.hour)
	}
	r.Cron = strings.Join(fields, " ") // Step and From stay: the weeks between are the same
	return r, nil
}

// nearer puts an hour that is open into the afternoon where that is nearer to the hour that it replaces: 8 instead of 17 is 20.
func (f *facts) nearer(was int) {
	if f.open && f.hour < 12 && max(was-f.hour-12, f.hour+12-was) < was-f.hour {
		f.ofDay(12)
	}
}

// kept returns what another rule by the same weeks, days or months leaves as it is: the days where it names none, and which of every so many.
func (r Rule) kept(rule Rule, f facts) Rule {
	was, is := strings.Fields(r.Cron), strings.Fields(rule.Cron)
	if len(was) != 5 || len(is) != 5 || (was[2] == "*") != (is[2] == "*") || (was[4] == "*") != (is[4] == "*") {
		return rule
	}
	if f.unit == weeks && f.days == 0 || f.unit == months && f.dom == 0 && f.nth == 0 {
		rule.Cron = strings.Join(append(is[:2], was[2:]...), " ")
	}
	if rule.Step == r.Step {
		rule.From = r.From
	}
	return rule
}

// Shifted returns the rule a span later, or earlier for a negative one; of what repeats only within its day.
func (r Rule) Shifted(by time.Duration, now time.Time) (Rule, error) {
	if !r.Repeats() {
		at := r.At.Add(by)
		if !at.After(now) {
			return Rule{}, ErrPast
		}
		return Rule{At: at}, nil
	}
	hour, minute, ok := r.clock(now.Location())
	days := int(by / (24 * time.Hour))
	at := hour*60 + minute + int(by%(24*time.Hour)/time.Minute)
	if !ok || at < 0 || at >= 24*60 {
		return Rule{}, ErrVague
	}
	fields := strings.Fields(r.Cron)
	if days != 0 {
		if !r.onDays(fields, days) {
			return Rule{}, ErrEve
		}
		if !r.From.IsZero() {
			r.From = r.From.AddDate(0, 0, days)
		}
	}
	fields[0], fields[1] = strconv.Itoa(at%60), strconv.Itoa(at/60)
	r.Cron = strings.Join(fields, " ")
	return r, nil
}

// onDays moves the days of an expression by so many, and reports whether it has a form for them: every month has 28 days, and the last
// one is that before the first.
func (r Rule) onDays(fields []string, by int) bool {
	if fields[3] != "*" {
		return false
	}
	if fields[2] == "*" {
		week, ok := numbers(fields[4], 0, 7)
		if fields[4] == "*" {
			return true
		}
		if !ok || len(week) > 1 && r.Step > 1 {
			return false
		}
		for i := range week {
			week[i] = ((week[i]+by)%7 + 7) % 7
		}
		slices.Sort(week)
		fields[4] = strings.ReplaceAll(join(slices.Compact(week)), " ", "")
		return true
	}
	month, ok := numbers(fields[2], 1, 28)
	if !ok || fields[4] != "*" {
		return false
	}
	if fields[2] == "1" && by == -1 {
		fields[2] = "L"
		return true
	}
	for i := range month {
		if month[i] += by; month[i] < 1 || month[i] > 28 {
			return false
		}
	}
	fields[2] = strings.ReplaceAll(join(month), " ", "")
	return true
}

// clock returns the one time of day at which the rule is due, false if it has several.
func (r Rule) clock(zone *time.Location) (hour, minute int, ok bool) {
	if !r.Repeats() {
		at := r.At.In(zone)
		return at.Hour(), at.Minute(), true
	}
	fields := strings.Fields(r.Cron)
	if len(fields) != 5 {
		return 0, 0, false
	}
	minute, err := strconv.Atoi(fields[0])
	hour, err2 := strconv.Atoi(fields[1])
	return hour, minute, err == nil && err2 == nil
}

// Called reports whether a text is nothing but words for the time at which something is due next: "3pm", "월요일".
func Called(text string, next, now time.Time) bool {
	p := &reader{list: tokens(text), text: text}
	p.run()
	if rest, _ := p.rest(text); !p.any() || rest != "" || next.IsZero() {
		return false
	}
	next = next.In(now.Location())
	day := dayNumber(next) - dayNumber(now)
	switch f := p.f; {
	case f.hasClock && (f.hour%24 != next.Hour() || f.minute != next.Minute()),
		f.days != 0 && f.days&(1<<int(next.Weekday())) == 0,
		f.hasDay && f.day != day,
		f.dom > 0 && f.dom != next.Day(),
		f.month != 0 && f.month != next.Month():
		return false
	default:
		return f.hasClock || f.days != 0 || f.hasDay || f.dom > 0
	}
}
