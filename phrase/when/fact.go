package when

import (
	"time"

	"maru/phrase/pattern"
)

// fact reads one fact that begins with token i and returns how many tokens it has.
func (p *reader) fact(i int) int {
	t := p.at(i)
	switch t.kind {
	case every:
		return p.repeats(i)
	case descriptor:
		return p.descriptor(i)
	case after, thirty:
		if p.at(i+1).kind == past || p.halfHour(i) {
			return p.clock(i)
		}
		if t.kind == thirty { // 반시간 뒤
			return p.spanBefore(i)
		}
		if n := p.span(i + 1); t.kind == after && n > 0 {
			return n + 1
		}
	case number:
		return p.counted(i)
	case clock, half:
		return p.clock(i)
	case dayWord:
		return p.dayWord(i)
	case weekday:
		return p.weekday(i)
	case next, this:
		return p.relative(i)
	case month:
		return p.monthDay(i)
	case ordinal:
		return p.ordinal(i)
	case nth, dayCount, monthDay:
		return p.koreanDay(i)
	case timesOf:
		return p.timesPer(i)
	case soon:
		if k := p.at(i + 1).kind; t.m != behind && (k == clock || k == half || k == number && p.at(i+2).kind == hourSign) && p.setDay(0) {
			return 1
		}
	case sameTime:
		if !p.f.hasClock && p.f.part == 0 {
			p.f.same = true
			return 1
		}
	case endWeek:
		if !p.f.dated() && !p.f.every {
			p.f.days = 1 << time.Friday
			if !p.f.hasClock {
				p.f.hasClock, p.f.hour, p.f.loose = true, anchors["end"].at/60, true
			}
			return 1
		}
	case unit:
		if n := p.pastClock(i); n > 0 { // "quarter past nine"
			return n
		}
		if n := p.timesPer(i); n > 0 {
			return n
		}
		if n := everyEnd(p, i); n > 0 {
			return n
		}
		if p.at(i+1).kind == every && p.at(i+1).word == t.word && !p.f.dated() && !p.f.every { // 주마다
			p.f.every, p.f.unit, p.f.n = true, t.n, 1
			return 2
		}
		if t.n == days && p.at(i+1).kind == after && p.at(i+2).kind == dayWord && p.at(i+2).n == 1 { // "day after tomorrow"
			if p.setDay(2) {
				return 3
			}
		}
	case slash:
		return p.slashDate(i)
	case yearWord:
		return p.inYear(i, t.n, i+1)
	case date:
		if !p.f.dated() && !p.f.every {
			p.f.date = t.at
			return 1
		}
	}
	return 0
}

// repeats reads "every day", "every 2 hours", "every Monday and Friday", "every morning".
func (p *reader) repeats(i int) int {
	if p.f.dated() || p.f.every {
		return 0
	}
	j, n := i+1, 1
	switch p.at(j).kind {
	case number:
		n = p.at(j).n
		j++
	case alternate:
		n = 2
		j++
	case nth:
		if k := p.nthDay(j); k > 0 { // "every first Monday"
			return k + 1
		}
		if p.at(j).n != 2 {
			return 0
		}
		n = 2 // "every second day"
		j++
	}
	switch t := p.at(j); t.kind {
	case unit:
		p.f.every, p.f.unit, p.f.n = true, t.n, n*max(t.step, 1)
		if d := p.at(j + 1); (t.n == months || t.n == quarters) && n == 1 && d.kind == monthDay && d.m == afterMonth { // 매 분기 말
			p.f.dom = d.n
			j++
		}
		return j + 1 - i
	case minuteSign, daySign:
		if n > 1 {
			p.f.every, p.f.unit, p.f.n = true, minutes, n
			if t.kind == daySign {
				p.f.unit = days
			}
			return j + 1 - i
		}
	case weekday:
		p.f.every, p.f.unit, p.f.n = true, weeks, n
		return j - i + p.weekdays(j)
	case half:
		if t.m > 0 {
			p.f.every, p.f.unit, p.f.n, p.f.part = true, days, n, t.m
			return j + 1 - i
		}
	case ordinal:
		if mo := p.at(j + 2); n == 1 && p.at(j+1).kind == glue && mo.kind == month { // "every 4th of July"
			p.f.every, p.f.unit, p.f.n, p.f.dom, p.f.month = true, years, 1, t.n, time.Month(mo.n)
			return j + 3 - i
		}
		if n == 1 && t.n >= 1 && t.n <= 31 {
			p.f.every, p.f.unit, p.f.n, p.f.dom = true, months, 1, t.n
			return j + 1 - i
		}
	}
	return 0
}

// reminderAhead matches the noun after "hourly" that is due then, "daily stand-up reminder": "the weekly report" is not, nor is "the weekly
// reminder" or one that somebody is to write, which madeText matches.
var (
	reminderAhead = pattern.New(`(?i)^\s+(?:[\pL-]+\s+){0,2}?(?:reminder|alarm|nudge|ping)s?(?:\s*(?:$|[^\s\pL])|\s+(?:at|on|to|about|for|of|that|from|in|every|please|pls|thanks)\b)`)
	madeText      = pattern.New(`(?i)\b(?:draft|(?:re)?write|compose|prepare|translate|edit|review|design|summari[sz]e|send|show|e?mail|post|share|print|fix|improve|explain|find|read|check|(?:the|this|that)\s*$)`)
)

// descriptor reads "매주 월요일", "매월 1일", "평일", "daily".
func (p *reader) descriptor(i int) int {
	if p.f.dated() || p.f.every {
		return 0
	}
	t := p.at(i)
	if t.m == adverb && i+1 < len(p.list) && p.at(i+1).kind == other && p.text[t.to-1] != ',' && (!reminderAhead.MatchString(p.text[t.to:]) || madeText.MatchString(p.text[:t.from])) { // "the weekly report"
		return 0
	}
	p.f.every, p.f.unit, p.f.n = true, t.n, max(t.step, 1)
	n := 1
	if p.at(i+n).kind == every { // "평일마다"
		n++
	}
	if t.n == months {
		if k := p.nthDay(i + n); k > 0 {
			return n + k
		}
	}
	if t.n == months && p.at(i+n).kind == number && p.at(i+n+1).kind == daySign {
		p.f.dom = p.at(i + n).n
		n += 2
	}
	if d := p.at(i + n); (t.n == months || t.n == quarters) && d.kind == monthDay && d.m == afterMonth { // 매월 말
		p.f.dom = d.n
		n++
		if p.at(i+n).kind == every {
			n++
		}
	}
	if t.n == weeks && p.at(i+n).kind == weekday {
		n += p.weekdays(i + n)
		if p.at(i+n).kind == every { // 격주 금요일마다
			n++
		}
	}
	return n
}

// counted reads what begins with a number: a span, an interval, a clock, a day.
func (p *reader) counted(i int) int {
	t, u := p.at(i), p.at(i+1)
	if n := p.timesPer(i); n > 0 {
		return n
	}
	if n := p.intervalAfter(i); n > 0 {
		return n
	}
	if n := p.pastClock(i); n > 0 {
		return n
	}
	if n := p.spanBefore(i); n > 0 {
		return n
	}
	if _, _, n := clockSign(p, i); n > 0 {
		return p.clock(i)
	}
	if t.m == 4 && u.kind == unit && u.n == years { // 2026년 12월 24일
		return p.inYear(i, t.n, i+2)
	}
	if t.m == 2 && t.n >= 20 && u.kind == unit && u.n == years { // 26년 12월 24일
		return p.inYear(i, 2000+t.n, i+2)
	}
	switch {
	case u.kind == hourSign, u.kind == half && u.m < 0, p.at(i-1).kind == glue && p.at(i-1).n == glueAt && t.n <= 24:
		return p.clock(i)
	case u.kind == nthSign: // "두 번째 월요일"
		return p.koreanDay(i)
	case u.kind == monthSign && p.at(i+2).kind == number && p.at(i+3).kind == daySign && p.datable():
		p.f.month, p.f.dom = time.Month(t.n), p.at(i+2).n
		return 4
	case u.kind == daySign && !deadlineSign(p, i+2) && (p.f.every && p.f.unit == months && p.f.dom == 0 || !p.f.dated() && !p.f.every):
		p.f.dom = t.n
		return 2
	case u.kind == month && p.datable(): // "3 December"
		p.f.month, p.f.dom = time.Month(u.n), t.n
		return 2 + p.yearAfter(i+2)
	}
	return 0
}

// intervalAfter reads "2시간마다", "30분마다".
func (p *reader) intervalAfter(i int) int {
	u := p.at(i + 1)
	n, step := p.again(i+2), 0
	if n == 0 || p.f.dated() || p.f.every {
		return 0
	}
	if p.at(i+2).kind == skipped { // 한 주 걸러
		step = 1
	}
	switch u.kind {
	case unit:
		p.f.unit = u.n
	case minuteSign:
		p.f.unit = minutes
	case daySign:
		p.f.unit = days
	default:
		return 0
	}
	p.f.every, p.f.n = true, p.at(i).n+step
	return 2 + n
}

// again reads "마다", "걸러" and "에 한 번" after an interval.
func (p *reader) again(i int) int {
	switch {
	case p.at(i).kind == every, p.at(i).kind == skipped:
		return 1
	case p.at(i).kind == glue && p.at(i+1).kind == number && p.at(i+1).n == 1 && p.at(i+2).kind == times:
		return 3
	}
	return 0
}

// datable reports whether a month with a day may follow.
func (p *reader) datable() bool {
	return !p.f.dated() && (!p.f.every || p.f.unit == years && p.f.month == 0)
}

func (f facts) dated() bool {
	return f.hasDay || f.days != 0 || f.dom != 0 || f.spanDays > 0 || f.spanMonths > 0 || f.span > 0 || !f.date.IsZero() || f.nextUnit != 0
}

func (p *reader) setDay(n int) bool {
	if p.f.dated() || p.f.every {
		return false
	}
	p.f.hasDay, p.f.day = true, n
	return true
}

func (p *reader) dayWord(i int) int {
	t := p.at(i)
	if n := p.timesPer(i); n > 0 {
		return n
	}
	if n := p.again(i + 1); n > 0 && t.n == 1 && t.m == 0 && !p.f.dated() && !p.f.every { // 하루 걸러, 하루에 한 번
		p.f.every, p.f.unit, p.f.n = true, days, 1
		if p.at(i+1).kind == skipped {
			p.f.n = 2
		}
		return 1 + n
	}
	if t.n == 1 && deadlineSign(p, i+1) || !p.setDay(t.n) { // 하루 안에
		return 0
	}
	p.f.part = max(p.f.part, t.m)
	if p.f.open && t.m > 12 { // "at 11 tonight"
		p.f.ofDay(12)
	}
	switch u := p.at(i + 1); {
	case t.n == 1 && u.kind == after: // 하루 뒤
		return 2
	case t.n == 1 && u.kind == dayWord && u.n == 2: // 내일 모레
		p.f.day = 2
		return 2
	}
	return 1
}

// monthDay reads "December 3rd".
func (p *reader) monthDay(i int) int {
	d := p.at(i + 1)
	if d.kind != number && d.kind != ordinal || !p.datable() {
		return 0
	}
	p.f.month, p.f.dom = time.Month(p.at(i).n), d.n
	return 2 + p.yearAfter(i+2)
}

// ordinal reads "the 15th", "3rd of December".
func (p *reader) ordinal(i int) int {
	t := p.at(i)
	if p.f.every && p.f.unit == months && p.f.dom == 0 {
		p.f.dom = t.n
		return 1
	}
	if p.f.nextUnit == months+1 && p.f.dom == 0 && p.at(i-1).kind == glue { // "next month on the 3rd"
		p.f.dom = t.n
		return 1
	}
	if n := dateOfMonth(p, i); n > 0 {
		return n
	}
	if p.f.dated() || p.f.every || p.at(i-1).n != glueOn && p.at(i-2).n != glueOn || p.at(i-1).kind != glue { // "the 2nd year" is no day
		return 0
	}
	j := i + 1
	for p.at(j).kind == glue {
		j++
	}
	p.f.dom = t.n
	also, last := 0, i+1
	for p.at(last).kind == glue && p.at(last).n == glueOf && p.at(last+1).kind == ordinal {
		also |= 1 << p.at(last+1).n
		last += 2
	}
	if k := p.everyMonth(last); k > 0 && last > i+1 { // "the 5th and 20th of each month"
		p.f.every, p.f.unit, p.f.n, p.f.doms = true, months, 1, also
		return last - i + k
	}
	if k := p.everyMonth(i + 1); k > 0 { // "the 15th of every month"
		p.f.every, p.f.unit, p.f.n = true, months, 1
		return 1 + k
	}
	if of := p.at(last); last > i+1 && of.kind == glue && of.n == glueOf && p.at(last+1).kind == month { // "on the 3rd and 4th of January"
		last += 2
	}
	if last > i+1 && closes(p, last) { // "on the 1st and 15th to pay"
		p.f.doms = also
		return last - i
	}
	if p.at(j).kind == month {
		p.f.month = time.Month(p.at(j).n)
		return j + 1 - i + p.yearAfter(j+1)
	}
	return 1
}
