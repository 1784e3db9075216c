package when

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// hoursLeft reports whether further hours are beside the hour that were not read, "at 0900, 1200 and 1500", "9시, 12시 반, 15시", and takes
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
// 9, Tuesday at 10", the last if days is set. After "3시에", an hour is the task's.
func listedHour(p *reader, i int, days bool) bool {
	if i > 0 && p.used[i-1] && !joins(p, i-1) && hangul(p.text) && slices.Contains([]kind{hourSign, minuteSign, thirty}, p.at(i-1).kind) {
		return days && bareHours(p, i)
	}
	j := i - 1
	for j >= 0 && days && !p.used[j] && daySaid(p, j) {
		j--
	}
	if j < i-1 && j > 0 && p.used[j] && slices.Contains([]kind{hourSign, minuteSign, thirty}, p.at(j).kind) { // 월 10시 금 17시
		return true
	}
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
	return end > i && (hourAt(p, end) > 0 || t.kind == glue && strings.HasPrefix(p.text[t.from:t.to], "에") && !described.MatchString(p.text[t.to:])) // "10시에 시작하는 회의"
}

// daysLeft reports whether further days are beside the day that were not read, "every Tuesday and the 1st", "Jan 2 and Feb 3", "3일과 4일에", or
// whether one time is to be on several weekdays, and takes them.
func daysLeft(p *reader) bool {
	if !p.f.every && !p.f.dated() && p.f.month == 0 {
		return false
	}
	found := false
	for i := range p.list {
		n := dayAt(p, i)
		j, end := i-1, i+n
		for j >= 0 && p.at(j).kind == glue && p.at(j).n != glueAt && !joins(p, j) {
			j--
		}
		if n == 0 || j < 0 {
			continue
		}
		last, comma := j, strings.HasSuffix(p.text[:p.at(j).to], ",")
		if !comma {
			last = max(j-1, 0)
		}
		listed := joins(p, j) && (ofDay(p, last) || !comma) && (p.used[last] != p.used[i] || p.used[i] && !p.f.every && p.f.said == 0 && p.at(i).kind == weekday)
		if listed && last > 0 && strings.EqualFold(p.text[p.list[last-1].from:p.list[last-1].to], "between") { // "between Monday and Friday"
			p.doubt, listed = true, false
		}
		bare := hangul(p.text) && !p.used[i] && j == i-1 && p.used[j] && p.at(j).kind == daySign && strings.HasPrefix(p.text[p.at(end-1).to:], "에")
		if bare || listed && (p.used[i] && ofDay(p, last) || !p.used[i] && (hangul(p.text) || closes(p, listEnd(p, i)) || p.at(end).kind == glue && p.used[end])) {
			p.mark(p.list[i].from, p.list[end-1].to)
			found = true
		} else if listed && !p.used[i] && p.at(last).kind == p.at(i).kind { // "the 3rd, 4th floor inspection"
			p.doubt = true
		}
	}
	both := p.f.nth != 0 && p.f.dom > 0 // "the last Friday and the 15th"; or a bill due on the 5th
	p.doubt = p.doubt || both
	return found || both && nthAndDay.MatchString(p.text)
}

// listEnd returns the token after a list of days that begins at token i.
func listEnd(p *reader, i int) int {
	for n := dayAt(p, i); n > 0; n = dayAt(p, i) {
		i += n
		next := i
		for p.at(next).kind == glue && p.at(next).n != glueAt || joins(p, next) {
			next++
		}
		if dayAt(p, next) == 0 || next == i && !joins(p, i-1) {
			return i
		}
		i = next
	}
	return i
}

// nthAndDay matches a weekday of the month and a day of it that are joined.
var nthAndDay = pattern.New(`(?i)[월화수목금토일]요일(?:과|와|이랑|하고|,)\s?\d{1,2}일|day\s+(?:and|&)\s+(?:on\s+)?(?:the\s+)?\d{1,2}(?:st|nd|rd|th)`)

// choices matches two days or hours of which one is meant, "3일이나 4일에".
var choices = pattern.New(`(?:[월화수목금토일]요일|\d일|오늘|내일|\d시)이?나\s(?:[월화수목금토일]요일|\d{1,2}월\s?\d{1,2}일|\d{1,2}일|내일|모레|\d{1,2}시)(?:에|\s|$)`)

// ofDay reports whether token j ends a day.
func ofDay(p *reader, j int) bool {
	for n := 0; n < 4 && j >= n; n++ {
		if k := dayAt(p, j-n); k == n+1 {
			return true
		}
	}
	return false
}

// dayAt returns how many tokens a day has that begins at one, 0 if none does. A bare number is one after a month and a day: "January 3 and 4".
func dayAt(p *reader, i int) int {
	t, u := p.at(i), p.at(i+1)
	switch {
	case t.kind == weekday, t.kind == dayWord, t.kind == slash, t.kind == date, t.kind == ordinal && t.n <= 31:
		return 1
	case t.kind == month && (u.kind == number || u.kind == ordinal), t.kind == number && u.kind == month, t.kind == number && u.kind == daySign:
		return 2
	case t.kind == number && u.kind == monthSign && p.at(i+2).kind == number && p.at(i+3).kind == daySign:
		return 4
	case t.kind == number && t.m < 3 && t.n <= 31 && behindMonth(p, i):
		return 1
	}
	return 0
}

// behindMonth reports whether token i goes on with a list of days after a month's name.
func behindMonth(p *reader, i int) bool {
	j := i - 1
	if !joins(p, j) {
		return false
	}
	for j > 0 && (joins(p, j) || p.at(j).kind == number || p.at(j).kind == ordinal) {
		j--
	}
	return j >= 0 && p.used[j] && p.at(j).kind == month
}

// parted reads days with slashes or dots between them, "Mon/Wed/Fri", "3일·4일에"; nil if it is something else.
func parted(w, body string, start int) []token {
	parts := strings.FieldsFunc(body, func(r rune) bool { return r == '/' || r == '·' })
	if len(parts) < 2 {
		return nil
	}
	var out []token
	at := 0
	for _, part := range parts {
		from := at + strings.Index(body[at:], part)
		list := wordTokens(part)
		if k := list[0].kind; k != weekday && k != dayWord && (len(list) < 2 || k != number || list[1].kind != daySign && list[1].kind != monthSign) {
			return nil
		}
		if at > 0 {
			out = append(out, token{kind: glue, n: glueOf, from: start + at, to: start + from})
		}
		for _, t := range list {
			t.from, t.to = t.from+start+from, t.to+start+from
			out = append(out, t)
		}
		at = from + len(part)
	}
	out[len(out)-1].to = len(w)
	return out
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
	return strings.HasSuffix(w, ",") || slices.Contains([]string{"or", "또는", "혹은", "아니면"}, strings.ToLower(w)) || t.kind == glue && (t.n == glueOf && w != "of" || slices.Contains([]string{"과", "와", "랑", "이랑", "하고"}, w))
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
