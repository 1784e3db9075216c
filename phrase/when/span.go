package when

import (
	"slices"
	"time"

	"maru/phrase/pattern"
)

// span reads "2 hours and 30 minutes" and adds it to the facts.
func (p *reader) span(i int) int {
	var sum time.Duration
	dayCount, monthCount, n := 0, 0, 0
	for {
		j := i + n
		for n > 0 && p.at(j).kind == glue {
			j++
		}
		halfAn := p.at(j).kind == thirty
		if halfAn {
			j++
		}
		t, u, more := p.at(j), p.at(j+1), 0
		if halfAn && t.kind == unit && t.n == hours { // 반시간
			t, u, more = token{kind: number, n: 1}, t, -1
		}
		if t.kind != number || t.n < 1 {
			break
		}
		plusHalf := t.half
		if k := p.andHalf(j + 1); k > 0 { // "one and a half hours"
			plusHalf, u, more = true, p.at(j+1+k), k
		}
		if of := p.at(j + 2); u.kind == unit && u.n == quarters && of.kind == glue && of.n == glueOf && p.at(j+3).kind == number && p.at(j+4).kind == unit && p.at(j+4).n == hours {
			t.n, u, more = 15*t.n, token{kind: unit, n: minutes}, 3 // "three quarters of an hour"
		}
		var one time.Duration
		was := dayCount
		switch {
		case u.kind == unit && u.n == minutes, u.kind == minuteSign:
			one = time.Minute
		case u.kind == unit && u.n == hours:
			one = time.Hour
		case u.kind == unit && u.n == seconds:
			one = time.Second
		case u.kind == daySign, u.kind == unit && u.n == days:
			dayCount += t.n
		case u.kind == unit && u.n == weeks:
			dayCount += 7 * t.n * max(u.step, 1)
		}
		months := monthsOf(u) * t.n
		if monthCount += months; months > mostYears*12 || months == 0 && (one == 0 && dayCount == was || u.kind == unit && u.n >= weekdays && u.n != seconds) {
			break
		}
		if halfAn {
			one /= 2
		}
		sum += time.Duration(t.n) * one
		n = j + 2 + more - i
		if k := p.andHalf(i + n); k > 0 && one == time.Hour && !plusHalf { // "an hour and a half", 한 시간 반
			plusHalf = true
			n += k
		}
		if plusHalf {
			sum += one / 2
		}
	}
	if n == 0 || p.f.dated() || p.f.every || p.f.span > 0 || sum > 0 && p.f.hasClock {
		return 0
	}
	if monthCount >= 12 && p.at(i+1).n == years && dayFrom(p, i+n) { // "1년 후 만료 목록 내일 오전에": the years are the task's
		return 0
	}
	p.f.span, p.f.spanDays, p.f.spanMonths = sum, dayCount, monthCount
	return n
}

// dayFrom reports whether a day is named at token i or after it; today is no other day.
func dayFrom(p *reader, i int) bool {
	return i < len(p.list) && slices.ContainsFunc(p.list[i:], func(t token) bool { return t.kind == weekday || t.kind == dayWord && t.n != 0 })
}

// mostYears bounds what is counted in months and years.
const mostYears = 100

// monthsOf returns how many months a unit has, 0 for those that are counted otherwise.
func monthsOf(u token) int {
	switch {
	case u.kind != unit:
		return 0
	case u.n == years:
		return 12
	case u.n == months:
		return 1
	}
	return 0
}

// spanBefore reads "2시간 30분 뒤", "two hours later", "an hour from now".
func (p *reader) spanBefore(i int) int {
	was := p.f
	n := p.span(i)
	for n > 0 && p.at(i+n).kind == glue && p.at(i+n).n == glueEnd { // 30분 정도 뒤
		n++
	}
	if k := p.at(i + n).kind; n > 0 && (k == after && !afterEvent(p, i+n) || k == soon) {
		n++
		switch t := p.at(i + n); {
		case t.kind == glue && t.n == glueNow, t.kind == dayWord && t.n == 0 && k == after: // "from today"
			n++
		case t.kind == dayWord && k == after && p.f.spanDays > 0:
			p.f.spanDays += t.n
			n++
		}
		return n
	}
	if n > 0 && wishedSpan(p, i, n) {
		p.doubt = p.doubt || i+n < len(p.list) && !closes(p, i+n) && i > 0 // "remind me 30 days notice is the rule"
		return n
	}
	p.f = was
	return 0
}

// Spans without "in": "remind me 3 weeks to ping Kim", "20 minutes remind me to check the oven".
var (
	wishAhead  = pattern.New(`(?i)(?:^|[\s!.,])(?:remind\s?(?:me|us)?|reminder|timer|alarm)[!:,]*\s+$`)
	wishBehind = pattern.New(`(?i)^(?:please\s+|pls\s+)?(?:remind|nudge|ping|wake)\s+(?:me|us)\b`)
	spanGoesOn = pattern.New(`(?i)^(?:ago|before|prior|ahead|early|earlier|late|into|in|past|per|from|after|of|each|every|a|an|until|till|notice|old|long|walk|left|to\s+(?:go|the))\b`)
	titled     = pattern.New(`(?i)\b(?:reminder|timer|alarm):\s+$`) // "Reminder: 3 days to submit timesheets" says no time
)

// wishedSpan reports whether a span of n tokens stands alone beside the words of a wish, and is when to say it.
func wishedSpan(p *reader, i, n int) bool {
	next := p.at(i + n)
	if hangul(p.text) || next.to > 0 && (spanGoesOn.MatchString(p.text[next.from:]) || titled.MatchString(p.text[:p.at(i).from])) {
		return false
	}
	for j, t := range p.list {
		switch {
		case j >= i && j < i+n:
		case t.kind == clock, t.kind == half, t.kind == hourSign, t.kind == weekday, t.kind == dayWord, t.kind == month, t.kind == every, t.kind == descriptor, t.kind == date,
			t.kind == glue && t.n == glueAt:
			return false
		}
	}
	return wishAhead.MatchString(p.text[:p.at(i).from]) || i == 0 && wishBehind.MatchString(p.text[next.from:])
}

// andHalf reads "and a half", "반" after a number or an hour, and returns how many tokens it has.
func (p *reader) andHalf(i int) int {
	j := i
	for p.at(j).kind == glue {
		j++
	}
	if t := p.at(j); j > i && t.kind == number && t.n == 1 {
		j++
	}
	if p.at(j).kind != thirty || j == i && !hangul(p.text) || p.at(j+1).kind == past {
		return 0
	}
	return j + 1 - i
}
