package when

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"maru/phrase/pattern"
)

// koreanDay reads days that are counted or named within a month: "이틀 뒤", "사흘마다", "말일", "the last Friday of the month".
func (p *reader) koreanDay(i int) int {
	t := p.at(i)
	switch t.kind {
	case dayCount:
		if n := p.again(i + 1); n > 0 && !p.f.dated() && !p.f.every {
			p.f.every, p.f.unit, p.f.n = true, days, t.n
			if p.at(i+1).kind == skipped {
				p.f.n++
			}
			return 1 + n
		}
		if p.at(i+1).kind == after && p.setDay(t.n) {
			return 2
		}
		return 0
	case monthDay:
		if next := p.at(i + 1); t.m == afterMonth || t.m == afterParticle && (next.kind != glue && next.kind != every || next.word != t.word) { // "월말 보고서"
			return 0
		}
		if p.at(i+1).kind == every && !p.f.dated() && !p.f.every { // 월말마다
			p.f.every, p.f.unit, p.f.n, p.f.dom = true, months, 1, t.n
			if t.step == quarters {
				p.f.unit = quarters
			}
			return 2
		}
		if p.f.every && (p.f.unit == months || p.f.unit == quarters) && p.f.dom == 0 && p.f.nth == 0 || !p.f.dated() && !p.f.every {
			p.f.dom = t.n
			return 1
		}
		return 0
	}
	return p.nthDay(i)
}

// nthDay reads a weekday by its number within a month, "first Monday of the month", and the last day of one; after
// "every" and "매달" without naming the month again.
func (p *reader) nthDay(i int) int {
	if p.f.dated() || p.f.nth != 0 {
		return 0
	}
	if p.at(i).m == endSign {
		return endOf(p, i)
	}
	before := p.f
	n := p.nthIn(i)
	if n == 0 {
		return 0
	}
	if k := p.nextMonth(i + n); k > 0 && !p.f.every {
		p.f.nextUnit = months + 1
		return n + k
	}
	k := p.everyMonth(i + n)
	if q := p.ofThe(quarters, i+n); q > 0 && p.f.dom != 0 && !p.f.workday && !p.f.every {
		p.f.every, p.f.unit, p.f.n = true, quarters, 1
		return n + q
	}
	if p.f.every && p.f.unit == quarters && p.f.dom != 0 && !p.f.workday {
		return n
	}
	each := p.at(i+n).kind == every && p.at(i+n).word == p.at(i+n-1).word // 첫째 주 월요일마다
	if each {
		k++
	}
	monthly := each || p.f.every && p.f.unit == months || k > 0 || p.at(i-1).kind == every && (p.f.nth != 2 || p.at(i).kind != nth || p.f.nths != 0)
	if !monthly {
		p.f = before
		return 0
	}
	p.f.every, p.f.unit, p.f.n = true, months, 1
	return n + k
}

// nthIn reads "first Monday", "last day", "둘째 주 월요일", "두 번째 월요일".
func (p *reader) nthIn(i int) int {
	j, nr := i+1, p.at(i).n
	switch {
	case p.at(i).kind == number && p.at(j).kind == nthSign && nr <= 5:
		j++
	case p.at(i).kind != nth:
		return 0
	case p.at(j).kind == nthSign: // 첫 번째
		j++
	}
	if u := p.at(j); u.kind == unit && u.n == weeks {
		j++
	}
	more, k := moreNths(p, j)
	if d := p.at(k); more != 0 && d.kind == weekday && bits.OnesCount(uint(d.n)) == 1 {
		p.f.nth, p.f.nths, p.f.days = nr, more, d.n
		return k + 1 - i
	}
	switch d := p.at(j); {
	case (d.kind == unit || d.kind == descriptor) && d.n == weekdays && (nr == 1 || nr == -1) && !p.working(d): // 첫 평일
		p.f.dom, p.f.workday = nr, true
	case d.kind == weekday && bits.OnesCount(uint(d.n)) == 1:
		p.f.nth, p.f.days = nr, d.n
	case d.kind == unit && d.n == days && (nr == 1 || nr == -1):
		p.f.dom = nr
	case d.kind == glue && d.m == glueDay && (nr == 1 || nr == -1): // 마지막 날
		p.f.dom = nr
	case d.kind == glue && d.n == glueOf && nr == 1 && p.everyMonth(j) > 0: // first of the month
		p.f.dom = nr
		return j - i
	case nr == 1 && p.f.every && p.f.unit == months && p.at(i-1).kind == glue && p.at(i-2).n == glueOn: // "each month on the first"
		p.f.dom = nr
		return j - i
	default:
		return 0
	}
	return j + 1 - i
}

// moreNths reads further numbers of a weekday after the first, "2nd and 4th Friday", "첫째 셋째 주 월요일", by bit, and returns where they end.
func moreNths(p *reader, i int) (set, end int) {
	for {
		j := i
		for p.at(j).kind == glue && p.at(j).n != glueAt && p.at(j).n != glueOn {
			j++
		}
		t := p.at(j)
		if t.kind != nth && t.kind != ordinal || t.m == endSign || t.n > 5 {
			return set, i
		}
		set |= 1 << max(t.n, 0)
		if i = j + 1; p.at(i).kind == nthSign {
			i++
		}
		if u := p.at(i); u.kind == unit && u.n == weeks {
			i++
		}
	}
}

// endOf reads "end of the month", which is one, "end of every quarter" and "end of next month".
func endOf(p *reader, i int) int {
	j := i + 1
	if of := p.at(j); of.kind != glue || of.n != glueOf || p.f.every {
		return 0
	}
	again, off := false, 0
	for ; ; j++ {
		switch p.at(j).kind {
		case glue:
			continue
		case every:
			again = true
			continue
		case next, this:
			if off = 2; p.at(j).kind == next {
				off = 1
			}
			continue
		}
		break
	}
	u := p.at(j)
	switch {
	case u.kind == unit && u.n == weeks && !again: // "end of next week"
		if p.f.days = 1 << time.Friday; off == 1 {
			p.f.weekOff = 1
		}
		if !p.f.hasClock {
			p.f.hasClock, p.f.hour, p.f.loose = true, anchors["end"].at/60, true
		}
		return j + 1 - i
	case u.kind != unit || u.n != months && (u.n != quarters || off == 1):
		return 0
	case u.n == quarters && !again:
		p.f.quarter = true
	case again:
		p.f.every, p.f.unit, p.f.n = true, u.n, 1
	case off == 1:
		p.f.nextUnit = months + 1
	}
	p.f.dom = -1
	return j + 1 - i
}

// everyMonth reads "of the month", "of each month".
func (p *reader) everyMonth(i int) int { return p.ofThe(months, i) }

// ofThe reads "of the", "of each" and a unit.
func (p *reader) ofThe(of, i int) int {
	j := i
	for p.at(j).kind == glue || p.at(j).kind == every {
		j++
	}
	if u := p.at(j); j > i && u.kind == unit && u.n == of {
		return j + 1 - i
	}
	return 0
}

// nextMonth reads "of next month".
func (p *reader) nextMonth(i int) int {
	j := i
	for p.at(j).kind == glue {
		j++
	}
	if u := p.at(j + 1); p.at(j).kind == next && u.kind == unit && u.n == months {
		return j + 2 - i
	}
	return 0
}

// working reports whether a token means days on which people work, which depends on holidays, and not Monday to Friday.
func (p *reader) working(t token) bool {
	w := strings.ToLower(p.text[t.from:t.to])
	return strings.Contains(w, "work") || strings.Contains(w, "business") || strings.Contains(w, "업일") || strings.Contains(w, "무일")
}

// moreDays reads further days of a month after the first, "the 1st and 15th", "1일과 15일", and returns how many tokens they have.
// before are the facts without the first.
func (p *reader) moreDays(before facts, i int) int {
	if !p.f.every || p.f.unit != months || p.f.dom <= 0 || before.dom == p.f.dom || p.f.workday || p.f.nth != 0 {
		return 0
	}
	n := 0
	for {
		j := i + n
		for p.at(j).kind == glue {
			j++
		}
		d, k := p.at(j), 1
		if j == i+n && (j == 0 || p.text[p.list[j-1].to-1] != ',') && (d.kind != number || p.at(j+1).kind != daySign) { // "10일 20일" needs no more
			return n
		}
		if d.kind == number && p.at(j+1).kind == daySign {
			k = 2
		} else if d.kind != ordinal {
			return n
		}
		if d.n < 1 || d.n > 31 {
			return n
		}
		p.f.doms |= 1 << d.n
		n = j + k - i
	}
}

var (
	// Korean words after a day that make it part of the task: one that describes a noun, "추석에 쓸 선물", and a question within the
	// text, "1/3 끝났는지".
	described = pattern.New(`^\s*(?:\p{Hangul}*[는던]|[쓸낼할갈볼줄될살올]|\p{Hangul}+[할될])\s`)
	ofTask    = pattern.New(described.String() + `|[는은을던한된인할될갈올]지[를도]?\s`)

	// English words before a day that do so: "the plan for next week".
	topicOf = pattern.New(`(?i)\b(?:of|about)\s+(?:the\s+)?$`)
	topic   = pattern.New(`(?i)\b(?:for|of|about)\s+(?:the\s+)?$`)
)

// dayOfVerb finds the Korean day that was not read and stands just before what is to be done, "금요일에 알려줘". It returns the tokens after
// the first and the last of it.
func dayOfVerb(p *reader) (from, to int) {
	for i := len(p.list) - 1; i > 0 && hangul(p.text); i-- {
		end := i + dayAt(p, i)
		if end > i && p.at(end).kind == glue {
			end++
		}
		if end > i && !p.used[i] && bareVerb.MatchString(p.text[p.at(end-1).to:]) {
			return i + 1, end
		}
	}
	return 0, 0
}

// nearer reads a text again without days that stand apart from the hour. It returns that reading if another day stands just before
// the hour or verb, and nil if none does: in "월말에 낼 보고서 오늘 5시에 알려줘" the month's end is the report's.
func (p *reader) nearer() *reader {
	from, to := p.clockAt, p.clockAt
	if !p.f.hasClock {
		from, to = dayOfVerb(p)
	}
	if p.f.every || !p.f.dated() || p.dayAt >= from {
		return nil
	}
	for ; from > 0 && p.used[from-1]; from-- {
	}
	for ; to < len(p.list) && p.used[to]; to++ {
	}
	first := p.dayAt
	for first < from && p.used[first] && dayAt(p, first) == 0 {
		first++
	}
	list := listEnd(p, first)
	several := p.used[first] && list > first+dayAt(p, first)
	for several && p.at(list).kind == glue {
		list++
	}
	if from <= p.dayAt || several && list >= from || !several && !p.f.hasClock { // "3일과 4일 9시에"
		return nil
	}
	end := p.list[to-1]
	if hangul(p.text) {
		if end.kind != glue && !bareVerb.MatchString(p.text[end.to:]) || described.MatchString(p.text[end.to:]) { // "화요일 5시 회의"
			return nil
		}
	} else if !topic.MatchString(p.text[:p.list[p.dayAt].from]) {
		return nil
	}
	q := &reader{list: slices.Clone(p.list), text: p.text}
	for i := p.dayAt; p.used[i] || several && i < list; i++ {
		q.list[i].kind = other
	}
	if q.run(); q.used[from-1] && q.f.hasClock == p.f.hasClock && (q.f.every || q.f.dated()) {
		return q
	}
	return nil
}
