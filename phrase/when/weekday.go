package when

import (
	"math/bits"
	"strings"
)

// weekdays adds the weekdays that begin with token j and returns how many tokens they have.
func (p *reader) weekdays(j int) int {
	n := 0
	for p.at(j+n).kind == weekday {
		from := p.at(j + n).n
		p.f.days |= from
		n++
		if t := p.at(j + n); t.kind == glue && strings.HasPrefix(p.text[t.from:t.to], "에") && !joins(p, j+n) { // "금요일에 월요일 휴가라고": that is the task's
			break
		}
		k := n
		for p.at(j+k).kind == glue {
			k++
		}
		if to := p.through(j + k); to > 0 {
			return k + to
		}
		if p.at(j+k).kind != weekday {
			break
		}
		n = k
	}
	return n
}

// through reads the end of a range of weekdays that begins with the last of the facts, "through Friday", "부터 금요일까지",
// and returns how many tokens it has.
func (p *reader) through(j int) int {
	n := 0
	if k := p.at(j).kind; k == until || k == since {
		n++
	}
	last := p.at(j + n)
	if n == 0 || last.kind != weekday || p.at(j).kind == since && p.at(j+n+1).kind != until || bits.OnesCount(uint(last.n)) != 1 {
		return 0
	}
	if p.at(j).kind == since {
		n++
	}
	for day := bits.Len(uint(p.f.days)) - 1; 1<<(day%7) != last.n; day++ {
		p.f.days |= 1 << (day % 7)
	}
	p.f.days |= last.n
	return n + 1
}

// weekday reads "Friday", "Mondays", "월요일마다".
func (p *reader) weekday(i int) int {
	if p.f.every && p.f.unit == weeks && p.f.days == 0 { // "weekly on Friday"
		return p.weekdays(i)
	}
	if p.f.dated() || p.f.every {
		return 0
	}
	plural := p.at(i).m > 0
	if plural && topicOf.MatchString(p.text[:p.list[i].from]) { // "a joke about Mondays"
		return 0
	}
	n := p.weekdays(i)
	if bits.OnesCount(uint(p.f.days)) == 1 && !plural {
		if k := dateBehind(p, i+n); k > 0 {
			return n + k
		}
		if k := weekBehind(p, i+n); k > 0 {
			return n + k
		}
	}
	plural = plural || bits.OnesCount(uint(p.f.days)) > 2 // Monday through Friday
	if p.at(i+n).kind == every {
		plural = true
		n++
	}
	if plural {
		p.f.every, p.f.unit, p.f.n = true, weeks, 1
	}
	return n
}

// relative reads "next Friday", "다음 주 금요일", "next week", "this Friday".
func (p *reader) relative(i int) int {
	if p.f.dated() || p.f.every {
		return 0
	}
	n, off := 1, 2
	if p.at(i).kind == next {
		off, p.f.further = 1, p.at(i).n
	}
	u := p.at(i + 1)
	if of := p.at(i).m; of > 0 { // 차주
		u, n = token{kind: unit, n: of - 1}, 0
	}
	if u.kind == unit && (u.n == weeks || u.n == months) {
		n++
		if u.n == weeks && p.at(i+n).kind == weekday {
			p.f.weekOff = off
			return n + p.weekdays(i+n)
		}
		if d := p.at(i + n); off == 2 && u.n == months && d.kind == monthDay && p.at(i+n+1).kind != until { // 이번 달 말
			p.f.dom = d.n
			return n + 1
		}
		if off == 1 {
			p.f.nextUnit = u.n + 1
			if k := p.nthIn(i + n); u.n == months && k > 0 {
				return n + k
			}
			if u.n == months && p.at(i+n).kind == monthDay {
				p.f.dom = p.at(i + n).n
				return n + 1
			}
			if u.n == months && p.at(i+n).kind == number && p.at(i+n+1).kind == daySign {
				p.f.dom = p.at(i + n).n
				n += 2
			}
			return n
		}
		return 0
	}
	if off == 2 && u.kind == half && u.m > 0 && p.at(i).word != u.word { // "this evening"
		p.f.hasDay, p.f.part = true, u.m
		return 2
	}
	if u.kind == weekday {
		if p.f.weekOff = off; off == 2 {
			p.f.weekOff = 0
		}
		n += p.weekdays(i + 1)
		if k := dateBehind(p, i+n); k > 0 { // "next Friday the 18th"
			p.f.weekOff, p.f.further = 0, 0
			n += k
		}
		return n
	}
	return 0
}
