package when

import (
	"slices"
	"strings"
)

// hoursLeft reports whether further hours stand beside the hour that were not read, "at 0900, 1200 and 1500", "9시, 12시 반, 15시", and takes
// them.
func hoursLeft(p *reader) bool {
	if !p.f.hasClock || p.f.loose {
		return false
	}
	found := false
	for i := range p.list {
		n := hourAt(p, i)
		if p.used[i] || n == 0 {
			continue
		}
		end := i + n
		for p.at(end).kind == glue && !p.used[end] {
			end++
		}
		if listedHour(p, i, true) || end < len(p.list) && p.used[end] && joins(p, end-1) && hourAt(p, end) > 0 {
			p.mark(p.list[i].from, p.list[end-1].to)
			found = true
		}
	}
	return found
}

// listedHour reports whether an hour at token i goes on with a list of which the part before was read, "9 am and 5 pm", "10시랑 4시", "Monday at
// 9, Tuesday at 10", the last if days is set. Behind "3시에", an hour is the task's.
func listedHour(p *reader, i int, days bool) bool {
	if i > 0 && p.used[i-1] && !joins(p, i-1) && hangul(p.text) && slices.Contains([]kind{hourSign, minuteSign, thirty}, p.at(i-1).kind) {
		return days && bareHours(p, i)
	}
	j := i - 1
	for j >= 0 && (p.at(j).kind == glue && p.at(j).n != glueOf && !joins(p, j) || days && !p.used[j] && daySaid(p, j)) {
		j--
	}
	switch {
	case j < 0 || !joins(p, j):
		return false
	case strings.HasSuffix(p.text[:p.at(j).to], ","):
		return p.used[j]
	}
	return j > 0 && (p.used[j] || p.used[j-1])
}

// bareHours reports whether an hour at token i goes on with a list that nothing joins, "10시 14시에", "8시 10시 12시": in "8시 50분 9시 회의" the
// last is the task's.
func bareHours(p *reader, i int) bool {
	end := i + hourAt(p, i)
	for p.at(end).kind == glue && p.at(end).n == glueEnd {
		end++
	}
	t := p.at(end)
	return end > i && (hourAt(p, end) > 0 || t.kind == glue && strings.HasPrefix(p.text[t.from:t.to], "에"))
}

// daySaid reports whether token j names a day, also a weekday by its letter as in "월 10시, 금 17시".
func daySaid(p *reader, j int) bool {
	t := p.at(j)
	_, letter := weekdayLetters(p.text[t.from:t.to], true)
	return t.kind == weekday || t.kind == dayWord || letter
}

// joins reports whether a token joins two parts of a list: it is a word for "and" or "or", or a comma ends it.
func joins(p *reader, i int) bool {
	t := p.at(i)
	if t.to == 0 {
		return false
	}
	w := p.text[t.from:t.to]
	return strings.HasSuffix(w, ",") || strings.EqualFold(w, "or") || t.kind == glue && (t.n == glueOf && w != "of" || slices.Contains([]string{"과", "와", "랑", "이랑", "하고"}, w))
}

// hourAt returns how many tokens an hour has that begins at one, 0 if none does: a bare number is one in front of a further hour or of what
// begins what is to be said.
func hourAt(p *reader, i int) int {
	t, u := p.at(i), p.at(i+1)
	switch {
	case t.kind == clock:
		return 1
	case t.kind == half && t.m < 0:
		if n := hourAt(p, i+1); n > 0 {
			return n + 1
		}
	case t.kind != number || t.half:
	case u.kind == hourSign && t.n <= 24:
		if v := p.at(i + 2); v.kind == thirty {
			return 3
		} else if v.kind == number && p.at(i+3).kind == minuteSign {
			return 4
		}
		return 2
	case u.kind == half && u.m < 0 && t.n <= 12:
		return 2
	case hangul(p.text):
	case t.m == 4 && t.n/100 < 24 && t.n%100 < 60, t.m > 0 && t.m < 3 && t.n <= 24:
		next, joined := i+1, joins(p, i)
		if joins(p, next) {
			next, joined = next+1, true
		}
		if joined && hourAt(p, next) > 0 || !joined && closes(p, next) {
			return 1
		}
	}
	return 0
}
