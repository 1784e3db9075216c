package when

import (
	"strconv"
	"strings"
	"time"

	"maru/phrase/pattern"
)

// Dates in numbers whose year has two digits or stands last: "26.12.24", "'26. 12. 24.(목)", "12/24/26", "24.12.2026", "29.12.".
var (
	// The groups hold an apostrophe, the year, the month, the day and a weekday in brackets with and without them.
	yearFirst = pattern.New(`(['’‘]?)\b(2\d|3\d)(?:\.\s?(\d{1,2})\.\s?(\d{1,2})\.?|/(\d{1,2})/(\d{1,2}))((?:\s?[(\[（]\s?(` + oneWeekday + `)\s?[)\]）])?)`)
	// The groups hold two numbers that are a day and a month, with dots or slashes, and the year.
	yearLast    = pattern.New(`\b(?:(\d{1,2})\.(\d{1,2})\.(20\d\d|2\d|3\d)|(\d{1,2})/(\d{1,2})/(20\d\d|2\d|3\d))\b`)
	dayMonthDot = pattern.New(`\b(\d{1,2})\.(\d{1,2})\.(?:\s|$)`)

	// dateLed matches what precedes an English date in numbers.
	dateLed = pattern.New(`(?i)(?:^|\b(?:on|by|at|me|us|reminder|for|until|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?)\s+)$`)
)

// shortDates writes such dates out, where they are no version or number of the task. doubt reports that a year of two digits may be none.
func shortDates(text string, ofTask func(from, to int) bool) (edits []edit, doubt bool) {
	if hangul(text) {
		for _, m := range yearFirst.FindAllStringSubmatchIndex(text, -1) {
			month, day := group(text, m, 3)+group(text, m, 5), group(text, m, 4)+group(text, m, 6)
			begins := m[0] == 0 || strings.ContainsRune(" \t\n(", rune(text[m[0]-1]))
			sure := m[2] < m[3] || m[14] < m[15]
			if !begins || ofTask(m[0], m[1]) || !sure && !dayGoesOn.MatchString(text[m[1]:]) {
				continue
			}
			e := edit{from: m[0], to: m[1], with: "20" + group(text, m, 2) + "-" + month + "-" + day, first: m[0], date: m[14] - 1}
			if _, err := time.Parse("2006-1-2", e.with); err != nil {
				continue
			}
			if m[16] >= 0 {
				e.days = weekdayBit(group(text, m, 8))
			}
			edits, doubt = append(edits, e), doubt || !sure
		}
		return edits, doubt
	}
	write := func(from, to, day, month int, year string) {
		if month < 1 || month > 12 || day < 1 || day > 31 || !dateLed.MatchString(text[:from]) || !thenGoesOn.MatchString(text[to:]) {
			return
		}
		edits = append(edits, edit{from: from, to: to, with: strings.TrimSpace(strconv.Itoa(day) + " " + time.Month(month).String() + " " + year)})
	}
	for _, m := range yearLast.FindAllStringSubmatchIndex(text, -1) {
		first, second := atoi(group(text, m, 1)+group(text, m, 4)), atoi(group(text, m, 2)+group(text, m, 5))
		year := group(text, m, 3) + group(text, m, 6)
		if len(year) == 2 {
			year = "20" + year
		}
		switch slashes := m[8] >= 0; {
		case second > 12: // 12/24/26
			first, second = second, first
		case slashes && first <= 12 && first != second: // either way round
			if dateLed.MatchString(text[:m[0]]) && thenGoesOn.MatchString(text[m[1]:]) {
				edits = append(edits, edit{from: m[0], to: m[1], with: "on " + text[m[8]:m[11]]})
			}
			continue
		}
		write(m[0], m[1], first, second, year)
	}
	for _, m := range dayMonthDot.FindAllStringSubmatchIndex(text, -1) {
		write(m[0], m[5]+1, atoi(group(text, m, 1)), atoi(group(text, m, 2)), "")
	}
	return edits, false
}

// dateBehindHour reports whether a Korean date is between the hour and a noun, "점심 먹고 12월 10일 발표 자료": it may be the
// noun's.
func dateBehindHour(p *reader) bool {
	if !hangul(p.text) || !p.f.hasClock || p.dayAt <= p.clockAt || p.f.month == 0 && p.f.date.IsZero() {
		return false
	}
	end := p.dayAt
	for end < len(p.list) && p.used[end] {
		end++
	}
	last := p.at(end - 1)
	return last.kind != glue && end < len(p.list) && !bareVerb.MatchString(p.text[last.to:])
}

// atoi reads digits, 0 for none.
func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
