package when

import "time"

// span reads "2 hours and 30 minutes" and adds it to the facts.
func (p *reader) span(i int) int {
	var sum time.Duration
	dayCount, n := 0, 0
	for {
		j := i + n
		for n > 0 && p.at(j).kind == glue {
			j++
		}
		halfAn := p.at(j).kind == thirty
		if halfAn {
			j++
		}
		t, u := p.at(j), p.at(j+1)
		if t.kind != number || t.n < 1 {
			break
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
			dayCount += 7 * t.n
		}
		if one == 0 && dayCount == was || u.kind == unit && u.n >= months && u.n != seconds {
			break
		}
		if halfAn {
			one /= 2
		}
		sum += time.Duration(t.n) * one
		n = j + 2 - i
	}
	if n == 0 || p.f.dated() || p.f.every || p.f.span > 0 || sum > 0 && p.f.hasClock {
		return 0
	}
	p.f.span, p.f.spanDays = sum, dayCount
	return n
}

// spanBefore reads "2시간 30분 뒤", "two hours later", "an hour from now".
func (p *reader) spanBefore(i int) int {
	was := p.f
	n := p.span(i)
	if n > 0 && p.at(i+n).kind == after {
		n++
		if p.at(i+n).kind == glue && p.at(i+n).n == glueNow {
			n++
		}
		return n
	}
	p.f = was
	return 0
}
