package when

import (
	"strings"
	"time"

	"maru/phrase/pattern"
)

// Dates as offices write them: with the weekday in brackets, "12월 4일(금)", "12/4(금)", "Dec 4 (Fri)", "금요일(4일)"; and with dots
// between their numbers, "2026.12.4", "2026. 12. 4.". The groups hold the day, the brackets and the weekday.
var (
	dayBefore = pattern.New(`(?i)((?:\d{1,2}\s?일|\b\d{1,2}[./]\d{1,2}\.?|\b\d{4}[./-]\s?\d{1,2}[./-]\s?\d{1,2}\.?|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?|` +
		`\b\d{1,2}(?:st|nd|rd|th)?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s\d{4})?))\s?([(\[（]\s?(` + oneWeekday + `)\s?[)\]）])`)
	dayWithin = pattern.New(`(?i)(` + oneWeekday + `)(\s?[(（]\s?)(?:\d{1,2}월\s?)?(?:\d{1,2}일|\d{1,2}/\d{1,2})(\s?[)）])`)
	dayThen   = pattern.New(`(?i)(?:\d{1,2}\s?일|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{1,2}(?:st|nd|rd|th)?|\b\d{1,2}(?:st|nd|rd|th)?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?),?\s(?:on\s)?` +
		`([월화수목금토일](?:요일|욜)|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)`)
	dotted   = pattern.New(`\b(\d{4})\.\s?(\d{1,2})\.\s?(\d{1,2})\.?`)
	bareDots = pattern.New(`(?:^|[\s(])(\d{1,2})([./])(\d{1,2})\.?\s?[(\[（]`)
)

// oneWeekday is the name of one weekday, in full or short.
const oneWeekday = `(?:[월화수목금토일](?:요일|욜)?|(?:mon|tue|tues|wed|weds|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?)`

// plainDates returns a text with such dates as the reader knows them, of the same length, and the weekdays by bit that it says beside a date.
func plainDates(text string) (string, int) {
	out, said := []byte(text), 0
	space := func(from, to int) {
		copy(out[from:to], strings.Repeat(" ", to-from))
	}
	for _, m := range dayBefore.FindAllStringSubmatchIndex(text, -1) {
		said |= weekdayBit(text[m[6]:m[7]])
		if d := bareDots.FindStringSubmatchIndex(text[max(0, m[0]-1):m[1]]); d != nil && hangul(text) { // 12/4(금), 12.4(금)
			from := max(0, m[0]-1)
			day := text[from+d[2]:from+d[3]] + "월" + text[from+d[6]:from+d[7]] + "일"
			space(from+d[2], m[1])
			copy(out[from+d[2]:], day)
			continue
		}
		space(m[4], m[5])
	}
	for _, m := range dayWithin.FindAllStringSubmatchIndex(text, -1) {
		said |= weekdayBit(text[m[2]:m[3]])
		space(m[2], m[5])
		space(m[6], m[7])
	}
	for _, m := range dayThen.FindAllStringSubmatchIndex(text, -1) {
		said |= weekdayBit(text[m[2]:m[3]])
		space(m[2], m[3])
	}
	for _, m := range dotted.FindAllStringSubmatchIndex(text, -1) {
		space(m[0], m[1])
		copy(out[m[0]:], text[m[2]:m[3]]+"-"+text[m[4]:m[5]]+"-"+text[m[6]:m[7]])
	}
	return string(out), said
}

// weekdayBit is the bit of a weekday by its first letters.
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

// dateBehind reads a date behind a weekday, "Thursday, December 10", "Tuesday the 15th", "Friday 12/11", which says which one is meant, and
// returns how many tokens it has.
func dateBehind(p *reader, i int) int {
	j := i
	for p.at(j).kind == glue && p.at(j).n != glueOf && p.at(j).n != glueAt {
		j++
	}
	days, n := p.f.days, 0
	p.f.days = 0
	switch t, u := p.at(j), p.at(j+1); {
	case t.kind == month:
		n = p.monthDay(j)
	case t.kind == number && (u.kind == month || u.kind == monthSign):
		n = p.counted(j)
	case t.kind == slash && j > 0 && t.n >= 1 && t.m >= 1:
		was := p.used[j-1]
		p.used[j-1] = true
		if n = p.slashDate(j); n == 0 {
			p.used[j-1] = was
		}
	case t.kind == ordinal && t.n >= 1 && t.n <= 31:
		p.f.dom, n = t.n, 1
		if of := p.at(j + 1); of.kind == glue && of.n == glueOf && p.at(j+2).kind == month {
			p.f.month, n = time.Month(p.at(j+2).n), 3+p.yearAfter(j+3)
		}
	case t.kind == date:
		p.f.date, n = t.at, 1
	}
	if n == 0 {
		p.f.days = days
		return 0
	}
	p.f.said = days
	return j - i + n
}

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

// numbered reads "2nd" in front of a weekday as "second".
func numbered(list []token) []token {
	for i, t := range list {
		if t.kind == ordinal && t.n >= 1 && t.n <= 5 && i+1 < len(list) && list[i+1].kind == weekday {
			list[i].kind = nth
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
	case led && t.m == 4 && t.n/100 < 24 && t.n%100 < 60 && u.kind != half && u.kind != unit:
		return t.n / 100, t.n % 100, 1
	case u.kind == unit && u.n == hours && u.word == t.word && u.to == t.to+1 && t.n <= 24 && (led || i > 0 && p.used[i-1] && t.n > 12 && last.kind != glue && last.kind != after):
		if k := p.at(i + 2).kind; k != after && k != soon && k != before && k != number {
			return t.n, 0, 2
		}
	}
	return 0, 0, 0
}

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

// dateLeft reports whether something that looks like a date was left unread beside the time: "26.12.04 오후 3시에".
func dateLeft(p *reader) bool {
	for i, t := range p.list {
		if p.used[i] || t.kind != ordinal && t.kind != month && !looksDated.MatchString(p.text[t.from:t.to]) {
			continue
		}
		if before := p.at(i - 1); i > 0 && p.used[i-1] && before.kind != glue || i+1 < len(p.list) && p.used[i+1] {
			return true
		}
	}
	return false
}

// weekBehind reads the week behind a weekday, "Friday next week", "Wednesday of this week". In Korean it stands before.
func weekBehind(p *reader, i int) int {
	j := i
	for p.at(j).kind == glue && p.at(j).n != glueAt {
		j++
	}
	t, u := p.at(j), p.at(j+1)
	if t.kind != next && t.kind != this || u.kind != unit || u.n != weeks || hangul(p.text) {
		return 0
	}
	if p.f.weekOff = 2; t.kind == next {
		p.f.weekOff, p.f.further = 1, t.n
	}
	return j + 2 - i
}
