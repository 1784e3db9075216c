package when

import (
	"strings"
	"time"
)

// inYear reads the month and day at j in a year: 2026, or so many years from this one.
func (p *reader) inYear(i, year, j int) int {
	if p.at(j).kind != number || p.at(j+1).kind != monthSign || p.at(j+2).kind != number || p.at(j+3).kind != daySign || p.f.dated() || p.f.every {
		return 0
	}
	p.f.month, p.f.dom, p.f.year = time.Month(p.at(j).n), p.at(j+2).n, year+1
	return j + 4 - i
}

// yearAfter reads the year after a month and a day, "3 March 2027", "March 3 next year".
func (p *reader) yearAfter(j int) int {
	switch t, u := p.at(j), p.at(j+1); {
	case p.f.every:
	case t.kind == number && t.m == 4 && u.kind != unit:
		p.f.year = t.n + 1
		return 1
	case (t.kind == next || t.kind == this) && u.kind == unit && u.n == years:
		if p.f.year = 1; t.kind == next {
			p.f.year = 2
		}
		return 2
	}
	return 0
}

// inFullYear returns the year of the facts in full, 0 if they name none.
func (f facts) inFullYear(now time.Time) int {
	switch {
	case f.year == 0:
		return 0
	case f.year <= 10: // counted from this year
		return now.Year() + f.year - 1
	}
	return f.year - 1
}

// slashDate reads "12/24" where it is a day: at the beginning, beside other words of a time, or with what makes a day of it. After
// "5시에" it is the task's without a particle: "5시에 1/3 끝났는지 알려줘". The month is first in Korean; in English, numbers that may
// be either way round are refused.
func (p *reader) slashDate(i int) int {
	t, last, following := p.at(i), p.at(i-1), p.at(i+1)
	join := strings.ToLower(p.text[following.from:following.to])
	if p.f.dated() || p.f.every || following.kind == glue && (following.n == glueOf || join == "의") { // a third of something
		return 0
	}
	korean := hangul(p.text)
	m, d := t.n, t.m
	if !korean && m > 12 {
		m, d = d, m
	}
	led := last.kind == glue && (last.n == glueOn || last.n == glueAt)
	switch following.kind {
	case half, clock, hourSign:
		led = true
	case glue:
		led = led || following.n == glueOn || following.n == glueAt || strings.HasPrefix(join, "에")
	}
	open := i == 0 && !ofTask.MatchString(p.text[t.to:]) || i > 0 && p.used[i-1] && (!korean || last.kind != glue)
	if !led && (!open || m < 1 || m > 12 || d < 1 || d > 31) {
		return 0
	}
	p.f.order = !korean && m <= 12 && d <= 12 && m != d
	p.f.month, p.f.dom = time.Month(m), d
	return 1
}
