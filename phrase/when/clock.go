package when

import "strings"

// ahead is how long before an hour something is due that is asked for "before" it, in minutes.
const ahead = 30

// halfHours are the hours that 오전 and 오후 stand for alone, by the hour at which they begin.
var halfHours = map[int]int{0: 9, 12: 14}

// clock reads a time of day: "9:30", "9 am", "오후 3시 반", "noon", "아침".
func (p *reader) clock(i int) int {
	if p.f.hasClock {
		if n := p.ofPart(i); n > 0 {
			return n
		}
		if n := p.exactly(i); n > 0 {
			return n
		}
		return p.clockToo(i)
	}
	if p.f.span > 0 {
		return 0
	}
	j, shift, named := i, -1, false
	part := 0
	if t := p.at(j); t.kind == half {
		shift, part = t.n, max(t.m, 0)
		j++
	}
	t := p.at(j)
	hour, minute := 0, 0
	if t.kind == thirty && p.at(j+1).kind == past { // "half past nine"
		minute = 30
		j += 2
		t = p.at(j)
	} else if p.halfHour(j) {
		minute = 30
		j++
		t = p.at(j)
	}
	loose := t.loose
	signHour, signMinute, signs := clockSign(p, j)
	switch {
	case t.kind == clock:
		hour, minute, named = t.n, t.m, !t.open
		j++
	case signs > 0:
		hour, minute, named = signHour, signMinute, true
		j += signs
	case t.kind == number && t.n <= 24 && p.at(j+1).kind == hourSign:
		hour = t.n
		j += 2
		if p.at(j).kind == thirty {
			minute = 30
			j++
		} else if p.at(j).kind == number && p.at(j+1).kind == minuteSign {
			minute = p.at(j).n
			j += 2
		}
	case t.kind == number && t.n <= 24:
		hour = t.n
		j++
	case j == i+1 && part == 0 && p.f.part == 0 && hangul(p.text[p.at(i).from:p.at(i).to]): // "내일 오후"
		p.f.part = halfHours[shift]
		return 1
	case part > 0 && p.f.part == 0: // "tomorrow morning"
		p.f.part = part
		return j - i
	default:
		return 0
	}
	if u := p.at(j); u.kind == half && shift < 0 {
		shift = u.n
		j++
	}
	open := shift < 0 && !named && hour >= 1 && hour <= 12
	switch {
	case shift == 12 && hour == 12 && part == 21, shift == 0 && hour == 12: // 밤 12시, 12 am
		hour = 0
	case shift == 12 && hour < 12:
		hour += 12
	case shift < 0 && !named && hour >= 1 && hour <= 6: // of the two, the one in which people work
		if p.f.part == 0 || p.f.part >= 12 {
			hour += 12
		}
	case shift < 0 && p.f.part > 12 && hour < 12:
		hour += 12
	}
	if hour > 24 || minute > 59 || hour == 24 && minute > 0 {
		return 0
	}
	if p.at(j).kind == before { // 5시 10분 전
		j++
		if minute > 0 && p.at(j-2).kind == minuteSign {
			minute = -minute
		} else {
			minute -= ahead
		}
		hour, minute = (hour*60+minute+24*60)/60%24, (minute+60)%60
	}
	if u := p.at(j + 1); p.at(j).kind == number && (u.kind == minuteSign || u.kind == unit && u.n == hours) && p.at(j+2).kind == before { // 점심시간 10분 전
		by := p.at(j).n
		if u.kind == unit {
			by *= 60
		}
		at := (hour*60 + minute - by + 24*60) % (24 * 60)
		hour, minute = at/60, at%60
		j += 3
	}
	if p.at(j).kind == every && p.at(j).word == p.at(j-1).word { // 9시마다
		switch onDays := p.f.days != 0 && p.f == (facts{days: p.f.days}); {
		case p.f.every:
		case onDays: // 월요일이랑 수요일 10시마다
			p.f.every, p.f.unit, p.f.n = true, weeks, 1
		case p.f.dated():
			return 0
		default:
			p.f.every, p.f.unit, p.f.n = true, days, 1
		}
		j++
	}
	p.f.hasClock, p.f.hour, p.f.minute, p.f.open, p.f.loose = true, hour, minute, open, loose
	return j - i
}

// clockToo reads another hour after the first: "9 am and 5 pm", "10시랑 4시".
func (p *reader) clockToo(i int) int {
	if !listedHour(p, i, false) {
		return 0
	}
	other := reader{list: p.list, used: p.used, text: p.text}
	other.f.part = p.f.part
	n := other.clock(i)
	if n == 0 || !other.f.hasClock || other.f.minute != p.f.minute {
		return 0
	}
	p.f.also |= 1 << (other.f.hour % 24)
	p.used[i-1] = true
	return n
}

// halfHour reports whether "half" begins an hour as in "half seven", which is 7:30.
func (p *reader) halfHour(i int) bool {
	t, after := p.at(i+1), p.at(i+2)
	if p.at(i).kind != thirty || t.kind != number || t.n > 12 || after.kind == unit || strings.HasPrefix(strings.ToLower(p.text[t.from:]), "a") || hangul(p.text[p.at(i).from:p.at(i).to]) {
		return false
	}
	last := p.at(i - 1)
	return last.kind == glue && last.n == glueAt || p.f.dated() || p.f.every || after.kind == half
}

// pastClock reads "quarter past four", "ten to five", "10 minutes before 5".
func (p *reader) pastClock(i int) int {
	if p.f.hasClock || p.f.span > 0 {
		return 0
	}
	t, j := p.at(i), i+1
	minute := t.n
	switch {
	case t.kind == unit && t.n == quarters:
		minute = 15
	case t.kind == number && t.n == 1 && p.at(j).kind == unit && p.at(j).n == quarters: // "a quarter"
		minute = 15
		j++
	case t.kind != number || t.n < 1 || t.n > 59:
		return 0
	}
	named := minute == 15 && j > i && p.at(j-1).kind == unit
	if u := p.at(j); u.kind == unit && u.n == minutes {
		named = true
		j++
	}
	led := p.at(i-1).kind == glue && p.at(i-1).n == glueAt
	sign := 1
	switch k := p.at(j).kind; {
	case k == past:
	case k == after && named && p.at(j+1).loose: // "an hour after lunch"
	case k == before && named, k == until && (named || led && minute%5 == 0 && p.at(j+1).kind == number): // "9 to 5" is a range
		sign = -1
	default:
		return 0
	}
	hour := reader{list: p.list, used: p.used, text: p.text}
	hour.f.part = p.f.part
	n := hour.clock(j + 1)
	if n == 0 || !hour.f.hasClock || hour.f.minute != 0 && !named {
		return 0
	}
	at := (hour.f.hour*60 + hour.f.minute + sign*minute + 24*60) % (24 * 60)
	p.f.hasClock, p.f.hour, p.f.minute, p.f.open = true, at/60, at%60, hour.f.open
	return j + 1 + n - i
}

// exactly reads an hour after a point of the day, which it is closer than: "저녁 먹고 9시쯤".
func (p *reader) exactly(i int) int {
	if t := p.at(i); !p.f.loose || t.loose || t.kind == half && p.at(i+1).kind != number {
		return 0
	}
	was := p.f
	p.f.hasClock, p.f.loose, p.f.part = false, false, max(was.hour, 1)
	if n := p.clock(i); n > 0 && p.f.hasClock {
		return n
	}
	p.f = was
	return 0
}

// ofPart reads the part of the day after an hour: "7 in the evening", "10 at night".
func (p *reader) ofPart(i int) int {
	t := p.at(i)
	if t.kind != half || t.m < 0 || !p.f.open || p.f.part > 0 {
		return 0
	}
	j := i - 1
	for p.at(j).kind == glue || p.at(j).kind == after {
		j--
	}
	if j < 0 || !p.used[j] || hangul(p.text[t.from:t.to]) {
		return 0
	}
	p.mark(p.list[j].from, t.from)
	p.f.ofDay(t.n)
	return 1
}

// ofDay puts an hour that is open into a half of the day: 0 or 12.
func (f *facts) ofDay(half int) {
	switch f.open = false; {
	case half == 12 && f.hour < 12:
		f.hour += 12
	case half == 0 && f.hour >= 12:
		f.hour -= 12
	}
}

// timesPer reads "twice a day", "하루에 두 번", "주 3회".
func (p *reader) timesPer(i int) int {
	if p.f.dated() || p.f.every {
		return 0
	}
	t := p.at(i)
	j, count := i, 0
	switch {
	case t.kind == timesOf:
		count, j = t.n, i+1
	case t.kind == number && p.at(i+1).kind == times && !hangul(p.text[t.from:t.to]):
		count, j = t.n, i+2
	}
	if count > 0 { // English: the unit follows
		for p.at(j).kind == glue || p.at(j).kind == every || p.at(j).kind == number && p.at(j).n == 1 {
			j++
		}
		u := p.at(j)
		if u.kind != unit && u.kind != descriptor || hangul(p.text[t.from:t.to]) {
			return 0
		}
		p.f.every, p.f.unit, p.f.n, p.f.count = true, u.n, 1, count
		return j + 1 - i
	}
	unitOf := days
	switch u := p.at(i + 1); {
	case t.kind == dayWord && t.n == 1 && hangul(p.text[t.from:t.to]):
		j = i + 1
	case t.kind == unit && (t.n == weeks || t.n == months):
		unitOf, j = t.n, i+1
	case t.kind == number && t.n == 1 && u.kind == unit && (u.n == weeks || u.n == months):
		unitOf, j = u.n, i+2
	default:
		return 0
	}
	for p.at(j).kind == glue {
		j++
	}
	switch c := p.at(j); {
	case c.kind == timesOf:
		count, j = c.n, j+1
	case c.kind == number && p.at(j+1).kind == times:
		count, j = c.n, j+2
	}
	if count == 0 {
		return 0
	}
	p.f.every, p.f.unit, p.f.n, p.f.count = true, unitOf, 1, count
	return j - i
}

// everyEnd reads "분기 말마다", "월말마다", with the unit at i.
func everyEnd(p *reader, i int) int {
	t, d := p.at(i), p.at(i+1)
	if t.n != months && t.n != quarters || d.kind != monthDay || p.at(i+2).kind != every || p.f.dated() || p.f.every {
		return 0
	}
	p.f.every, p.f.unit, p.f.n, p.f.dom = true, t.n, 1, d.n
	return 3
}

// enough reports whether the facts name as many times as they say that there are.
func (f facts) enough() bool {
	named := 1
	for hours := f.also; hours != 0; hours &= hours - 1 {
		named++
	}
	switch {
	case f.count <= 1:
		return true
	case f.unit == days:
		return f.hasClock && named == f.count
	case f.unit == weeks:
		weekdays := 0
		for days := f.days; days != 0; days &= days - 1 {
			weekdays++
		}
		return weekdays*named == f.count
	}
	return false
}
