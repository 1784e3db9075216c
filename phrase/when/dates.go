package when

import (
	"slices"
	"strings"
	"time"

	"maru/phrase/pattern"
)

// Dates as offices write them: with the weekday in brackets, "12월 4일(금)", "12/4(금)", "Dec 4 (Fri)", "금요일(4일)", or after them,
// "12월 4일 금요일"; and with dots between their numbers, "2026.12.4", "2026. 12. 4.".
var (
	// The groups hold the date, the brackets and the weekday.
	dayBefore = pattern.New(`(?i)((?:\d{1,2}\s?일|\b\d{1,2}[./]\d{1,2}\.?|\b\d{4}[./-]\s?\d{1,2}[./-]\s?\d{1,2}\.?|\b` + monthName + `\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?|` +
		`\b\d{1,2}(?:st|nd|rd|th)?\s` + monthName + `\.?(?:,?\s\d{4})?))(\s?[(\[（]\s?(` + oneWeekday + `)\s?[)\]）])`)
	// The groups hold the weekday with the bracket, the weekday, the date and the second bracket.
	dayWithin = pattern.New(`(?i)(?:^|[\s,])((?:(?:이번|다다음|다음)\s?주\s?)?(` + oneWeekday + `)\s?[(（]\s?)((?:\d{1,2}월\s?)?(?:\d{1,2}일|\d{1,2}/\d{1,2}))(\s?[)）])`)
	// The groups hold the date, and the weekday without and with what precedes it.
	dayThen = pattern.New(`(?i)(\d{1,2}\s?일|\b` + monthName + `\.?\s\d{1,2}(?:st|nd|rd|th)?|\b\d{1,2}(?:st|nd|rd|th)?\s` + monthName + `\.?)(,?\s(?:on\s)?` +
		`([월화수목금토일](?:요일|욜)|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b))`)
	dotted   = pattern.New(`\b(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})\.?`)
	bareDots = pattern.New(`^(\d{1,2})[./](\d{1,2})\.?$`)

	// daysOff is a number of days, "0.5(일)".
	daysOff    = pattern.New(`^(?:0\.\d|\d{1,2}\.5)\s?[(\[（]\s?일\s?[)\]）]$`)
	behindHour = pattern.New(`(?:시|분|반|:\d\d|오전|오후|아침|점심|저녁|밤|낮|새벽|정오|자정|전|길|요일|욜)에(?:는|,)?\s['"‘“\[(]?(?:\d{4}년\s?)?(?:\d{1,2}월\s?)?$`)
	apart      = pattern.New(`^ (?:까지|부터)`) // a particle after brackets

	// What follows a weekday after a date, and a date with dots: not "Dec 11 Friday's report", "2026.1.2 버전".
	thenGoesOn   = pattern.New(`(?i)^(?:[,.!?]|\s*$|\s(?:at|to|from|by|in|about|that|morning|noon|afternoon|evening|night|remind|\d))`)
	thenGoesOnKo = pattern.New(`^(?:\s|에|까지|부터)`)
	dayGoesOn    = pattern.New(`(?i)^\s?(?:[(\[（]|에\s|까지|부터|날|자정|정오|오전|오후|아침|점심|저녁|밤|낮|새벽|(?:at\s)?\d{1,2}(?::\d\d|시|\s?[ap]\.?m\b))`)
)

const (
	// oneWeekday is the name of one weekday, in full or short, monthName that of a month in English.
	oneWeekday = `(?:[월화수목금토일](?:요일|욜)?|(?:mon|tue|tues|wed|weds|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?)`
	monthName  = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`
)

// plain is a text with such dates as the reader knows them, without the weekdays beside them: what follows a date is at it.
type plain struct {
	text  string
	edits []edit // in their order
	doubt bool   // a date may be another number
}

// edit is a change of a text.
type edit struct {
	from, to    int    // bytes of the text as it was written
	with        string // what is there instead
	at          int    // where that is in the plain text
	lead        bool   // it belongs to what follows
	days        int    // the weekday that it names by bit
	first, date int    // the first and the last byte of the written date beside it
}

// plainDates makes the plain text of one.
func plainDates(text string) plain {
	var edits []edit
	korean := hangul(text)
	ofTask := func(from, to int) bool { // it is the task's
		return behindHour.MatchString(text[:from]) && !bareVerb.MatchString(strings.TrimPrefix(text[to:], "에"))
	}
	for _, m := range dayBefore.FindAllStringSubmatchIndex(text, -1) {
		if ofTask(m[2], m[1]) || daysOff.MatchString(text[m[2]:m[1]]) {
			continue
		}
		e := edit{from: m[4], to: m[5], days: weekdayBit(text[m[6]:m[7]]), first: m[2], date: m[3] - 1}
		if d := bareDots.FindStringSubmatch(text[m[2]:m[3]]); d != nil && korean && (m[2] == 0 || strings.ContainsRune(" \t\n(", rune(text[m[2]-1]))) { // 12/4(금), 12.4(금)
			e.from, e.with = m[2], d[1]+"월"+d[2]+"일"
		}
		if apart.MatchString(text[e.to:]) {
			e.to++
		}
		edits = append(edits, e)
	}
	for _, m := range dayWithin.FindAllStringSubmatchIndex(text, -1) {
		if !ofTask(m[2], m[1]) {
			edits = append(edits, edit{from: m[2], to: m[3], lead: true, days: weekdayBit(text[m[4]:m[5]]), first: m[6], date: m[7] - 1}, edit{from: m[8], to: m[9]})
		}
	}
	for _, m := range dayThen.FindAllStringSubmatchIndex(text, -1) {
		if ofTask(m[2], m[1]) {
			continue
		}
		if thenGoesOn.MatchString(text[m[7]:]) || text[m[6]] >= 0x80 && thenGoesOnKo.MatchString(text[m[7]:]) {
			edits = append(edits, edit{from: m[4], to: m[5], days: weekdayBit(text[m[6]:m[7]]), first: m[2], date: m[3] - 1})
		}
	}
	for _, m := range dotted.FindAllStringSubmatchIndex(text, -1) {
		if dayGoesOn.MatchString(text[m[1]:]) && !ofTask(m[0], m[1]) {
			edits = append(edits, edit{from: m[0], to: m[1], with: text[m[2]:m[3]] + "-" + text[m[4]:m[5]] + "-" + text[m[6]:m[7]]})
		}
	}
	short, doubt := shortDates(text, ofTask)
	edits = append(append(edits, short...), feasts(text, ofTask)...)
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	out, done, from := plain{doubt: doubt}, strings.Builder{}, 0
	for _, e := range edits {
		if e.from < from {
			continue
		}
		done.WriteString(text[from:e.from])
		e.at, from = done.Len(), e.to
		done.WriteString(e.with)
		out.edits = append(out.edits, e)
	}
	done.WriteString(text[from:])
	out.text = done.String()
	return out
}

// written returns the range of the written text that a range of the plain one stands for, with the weekday beside it.
func (s plain) written(from, to int) (int, int) {
	begin, end := 0, 0
	for _, e := range s.edits {
		last, longer := e.at+len(e.with), e.to-e.from-len(e.with)
		switch {
		case e.lead && from == e.at:
			from, begin = e.at, e.from-e.at
		case from >= last:
			begin += longer
		case from > e.at:
			from = e.at
		}
		if to > e.at || to == e.at && e.with == "" && !e.lead {
			to, end = max(to, last), end+longer
		}
	}
	return from + begin, to + end
}

// position returns where a position of the written text is in the plain one.
func (s plain) position(at int) int {
	shorter := 0
	for _, e := range s.edits {
		if at <= e.from {
			break
		}
		shorter += min(at, e.to) - e.from - len(e.with)
	}
	return at - shorter
}

// weekdaysSaid returns the weekdays by bit that are beside dates which were read. left reports that another such date is beside the
// time, "12월 7일(월), 9일(수)": after a particle it is the task's.
func weekdaysSaid(p *reader) (said int, left bool) {
	for _, e := range p.plain.edits {
		for i, t := range p.list {
			if from, to := p.plain.written(t.from, t.to); e.days == 0 || e.date < from || e.date >= to {
				continue
			}
			if p.used[i] {
				said |= e.days
				left = left || hangul(p.text) && p.f.hasClock && p.clockAt < i && particled(p, i)
				continue
			}
			before, after := p.beside(p.text, p.plain.position(e.first), t.to)
			left = left || after || before && p.lastBefore(t.from) != glue
		}
	}
	return said, left
}

// particled reports whether a particle is between the hour and token i: "15:00에 꼭 12월 4일(금) 자료".
func particled(p *reader, i int) bool {
	for j := p.clockAt; j < i; j++ {
		if p.at(j).kind == glue || !p.used[j] {
			return true
		}
	}
	return false
}

// weekdayBit returns the bit of a weekday by its first letters.
func weekdayBit(name string) int {
	if at := strings.Index(dayLetters, name[:min(len(name), len("일"))]); at >= 0 {
		return 1 << (at / len("일"))
	}
	for i, day := range englishDays() {
		if strings.HasPrefix(day, strings.ToLower(name[:min(len(name), 3)])) {
			return 1 << i
		}
	}
	return 0
}

// writtenDate reads "2026-12-4" and "2026/12/04" at the beginning of a word, and how many bytes they have.
func writtenDate(s string) (time.Time, int) {
	for n := min(len(s), len(time.DateOnly)); n >= len("2026-1-2"); n-- {
		if n < len(s) && s[n] >= '0' && s[n] <= '9' {
			continue
		}
		for _, layout := range []string{"2006-1-2", "2006/1/2"} {
			if at, err := time.Parse(layout, s[:n]); err == nil {
				return at, n
			}
		}
	}
	return time.Time{}, 0
}

// dateBehind reads a date after a weekday, "Thursday, December 10", "Tuesday the 15th", "Friday 12/11", which says which one is meant, and
// returns how many tokens it has.
func dateBehind(p *reader, i int) int {
	j := i
	for !hangul(p.text) && p.at(j).kind == glue && p.at(j).n != glueOf && p.at(j).n != glueAt { // behind "월요일에", a date is the task's
		j++
	}
	days, n := p.f.days, 0
	p.f.days = 0
	switch t, u := p.at(j), p.at(j+1); {
	case t.kind == month:
		n = p.monthDay(j)
	case t.kind == number && (u.kind == month || u.kind == monthSign):
		n = p.counted(j)
	case t.kind == slash && j > 0 && t.n >= 1 && t.m >= 1 && (hangul(p.text) || closes(p, j+1)):
		was := p.used[j-1]
		p.used[j-1] = true
		if n = p.slashDate(j); n == 0 {
			p.used[j-1] = was
		}
	case t.kind == ordinal && t.n >= 1 && t.n <= 31:
		if of := p.at(j + 1); of.kind == glue && of.n == glueOf && p.at(j+2).kind == month {
			p.f.dom, p.f.month, n = t.n, time.Month(p.at(j+2).n), 3+p.yearAfter(j+3)
		} else if closes(p, j+1) {
			p.f.dom, n = t.n, 1
		}
	case t.kind == date:
		p.f.date, n = t.at, 1
	}
	if n == 0 {
		p.f.days = days
		return 0
	}
	p.f.said = days
	p.doubt = p.doubt || !hangul(p.text) && !closes(p, j+n) // "Friday Jan 1 is a holiday"
	return j - i + n
}

// closes reports whether no noun is at token i that what precedes it would describe, as in "the 3rd floor", "12/4 numbers": only the
// end, a comma, an hour, or a word that begins what is to be said.
func closes(p *reader, i int) bool {
	if i >= len(p.list) || strings.ContainsAny(p.text[p.list[i-1].to-1:p.list[i-1].to], ",.;:!?") {
		return true
	}
	for p.at(i).kind == glue || p.at(i).kind == after {
		if p.at(i).n == glueAt && p.at(i+1).kind == number {
			return true
		}
		i++
	}
	t := p.at(i)
	switch t.kind {
	case clock, half:
		return true
	case number:
		return p.at(i+1).kind == half || p.at(i+1).kind == hourSign
	}
	return onward.MatchString(p.text[t.from:t.to])
}

// onward matches a word that begins what is to be said, and is no subject.
var onward = pattern.New(`(?i)^(?:to|that|about|please)\b`)

// dateOfMonth reads "20th of next month" and "4th of July", which no word has to lead.
func dateOfMonth(p *reader, i int) int {
	t := p.at(i)
	if of := p.at(i + 1); of.kind != glue || of.n != glueOf || !p.datable() || t.n < 1 || t.n > 31 {
		return 0
	}
	if k := p.nextMonth(i + 1); k > 0 && !p.f.every {
		p.f.nextUnit, p.f.dom = months+1, t.n
		return 1 + k
	}
	if mo, then := p.at(i+2), p.at(i+3); mo.kind == month && (then.kind != other || i+3 == len(p.list) || goesOn.MatchString(p.text[then.from:then.to])) { // not "the 4th of July sale"
		p.f.month, p.f.dom = time.Month(mo.n), t.n
		return 3 + p.yearAfter(i+3)
	}
	return 0
}

// numbered reads "2nd" in front of a weekday as "second", and "2nd and 4th" so too, but not "on the 5th: last day".
func numbered(text string, list []token) []token {
	chain := -1 // the token that begins numbers in front of a weekday, the last of them after "and"
	for i := len(list) - 2; i >= 0; i-- {
		t, and := list[i], strings.EqualFold(text[list[i+1].from:list[i+1].to], "and")
		apart, digit := strings.HasSuffix(text[:t.to], ","), text[list[i+1].from] <= '9'
		joined := chain == i+2 && and || chain == i+1 && (digit || apart && list[chain+1].kind != weekday)
		if (t.kind == nth || t.kind == ordinal && t.n >= 1 && t.n <= 5) && (list[i+1].kind == weekday || joined) {
			list[i].kind, chain = nth, i
		}
	}
	return list
}

// deadlineSign reports whether a token ends a time within which something is to be done, "3일 안에", which is not when to say so.
func deadlineSign(p *reader, i int) bool {
	t := p.at(i)
	if t.kind != glue || t.n != glueEnd {
		return false
	}
	w := p.text[t.from:t.to]
	return strings.HasPrefix(w, "안") || strings.HasPrefix(w, "내") || strings.HasPrefix(w, "이내")
}

// clockSign reads "16h" as an hour, and "at 0930" as one with its minutes. It returns how many tokens they have.
func clockSign(p *reader, i int) (hour, minute, n int) {
	t, u, last := p.at(i), p.at(i+1), p.at(i-1)
	led := last.kind == glue && last.n == glueAt
	switch {
	case t.kind != number || t.half:
	case led && t.m == 4 && t.n/100 < 24 && t.n%100 < 60 && t.n/100 != 19 && t.n/100 != 20:
		day := u.kind == dayWord || u.kind == weekday || u.kind == glue && u.n == glueOn && p.at(i+2).kind == weekday
		if (p.text[t.from] == '0' && atOnce.MatchString(p.text[:last.from]) || day || i > 1 && p.used[i-2]) && (day || closes(p, i+1)) {
			return t.n / 100, t.n % 100, 1
		}
	case u.kind == unit && u.n == hours && u.word == t.word && u.to == t.to+1 && t.n <= 24 && (led || i > 0 && p.used[i-1] && t.n > 12 && last.kind != glue && last.kind != after):
		if day := p.at(i + 2).kind; led && (day == dayWord || day == weekday) || closes(p, i+2) {
			return t.n, 0, 2
		}
	}
	return 0, 0, 0
}

// atOnce matches what precedes an hour that begins a wish: "remind me at 0930".
var atOnce = pattern.New(`(?i)(?:^|\b(?:me|us|everyone|everybody))\s*$`)

// afterEvent reports whether "after" leads to a word that the time is counted from, "three days after Easter".
func afterEvent(p *reader, i int) bool {
	t, u := p.at(i), p.at(i+1)
	if !strings.EqualFold(p.text[t.from:t.to], "after") || u.kind != other || u.to == 0 {
		return false
	}
	return !goesOn.MatchString(p.text[u.from:u.to])
}

// goesOn matches a word that begins what is to be said, and counts from nothing: "in 3 days, after that".
var goesOn = pattern.New(`(?i)^(?:to|that|this|which|about|for|with|so|please|if|we|you|and|or|but|when)\b`)

// looksDated matches numbers that look like a date.
var looksDated = pattern.New(`^[(\[]?\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?(?:[^\d.%]|$)`)

// toward matches what is between the first and the last day of some: "Thursday, Dec 3 to Friday".
var toward = pattern.New(`(?i)^(?:to|through|thru|until|till|[~–-])$`)

// dateLeft reports whether something that looks like a date was left unread beside the time: "26.12.04 오후 3시에".
func dateLeft(p *reader) bool {
	for i, t := range p.list {
		if p.used[i] {
			continue
		}
		switch before, then := p.at(i-1).kind, p.at(i+1).kind; {
		case t.kind == ordinal, looksDated.MatchString(p.text[t.from:t.to]):
		case t.kind == month && (before == number || before == ordinal || then == number || then == ordinal):
		case (t.kind == weekday || t.kind == month) && i > 1 && p.used[i-2] && toward.MatchString(p.text[p.at(i-1).from:p.at(i-1).to]):
			return true
		case t.kind == number && then == monthSign && p.at(i+2).kind == number && p.at(i+3).kind == daySign && i > 0 && p.used[i-1] && before != glue:
			return true
		case i > 0 && p.used[i-1] && before != glue && then == number && toward.MatchString(p.text[t.from:t.to]): // 12월 3일(목) ~ 12월 5일(토)
			return true
		case i > 0 && before == weekday && !hangul(p.text) && weekAt(p, i):
		default:
			continue
		}
		if before := p.at(i - 1); i > 0 && p.used[i-1] && before.kind != glue || i+1 < len(p.list) && p.used[i+1] {
			return true
		}
	}
	return false
}

// weekBehind reads the week after a weekday, "Friday next week at 3", "Wednesday of this week". In Korean it is before.
func weekBehind(p *reader, i int) int {
	j, of := i, p.at(i).kind == glue && p.at(i).n == glueOf
	if of || strings.EqualFold(p.text[p.at(i).from:p.at(i).to], "in") {
		j++
	}
	if hangul(p.text) || !weekAt(p, j) || !of && !closes(p, j+2) {
		return 0
	}
	if p.f.weekOff = 2; p.at(j).kind == next {
		p.f.weekOff, p.f.further = 1, p.at(j).n
	}
	return j + 2 - i
}

// weekAt reports whether token i begins "next week" or "this week", and no comma is before it.
func weekAt(p *reader, i int) bool {
	t, u := p.at(i), p.at(i+1)
	return (t.kind == next || t.kind == this) && u.kind == unit && u.n == weeks && !strings.ContainsAny(p.text[p.list[i-1].to-1:p.list[i-1].to], ",.;:!?")
}
