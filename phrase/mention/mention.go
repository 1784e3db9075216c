// Package mention finds the dates and times of the day that a text writes out, in every form that may be meant. What a wish means by
// them is for package when.
package mention

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"maru/phrase/pattern"
)

// Time is a date or a time of the day as a text writes it, with its position. Parts that it does not name are 0.
type Time struct {
	From, To         int // bytes of the text
	Year, Month, Day int
	Clock            bool // Hour and Minute are named
	Hour, Minute     int
	Half             bool // of the day is not named: the hour may be 12 more
}

var (
	koreanDay   = pattern.New(`(?:(\d{4})년 ?)?(\d{1,2})월 ?(\d{1,2})일`)
	koreanDom   = pattern.New(`(\d{1,2})일`)
	numericDay  = pattern.New(`(?:(\d{4})[./-])?\b(\d{1,2})[./-] ?(\d{1,2})(?:[./-](\d{4}))?(?:t|\b)`)
	monthAndDay = pattern.New(`\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? ?(\d{1,2})(?:st|nd|rd|th)?\b(?:,? ?(\d{4}))?`)
	dayMonth    = pattern.New(`\b(\d{1,2})(?:st|nd|rd|th)? (?:of )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:,? (\d{4}))?`)
	englishDom  = pattern.New(`\b(\d{1,2})(?:st|nd|rd|th)\b`)
	koreanHour  = pattern.New(`(오전|오후|아침|새벽|낮|점심|저녁|밤)? ?(\d{1,2}|열두|열한|열|한|두|세|네|다섯|여섯|일곱|여덟|아홉)(?: ?[~-] ?(\d{1,2}))? ?시(간)?(?: ?(?:(\d{1,2}) ?분|(반)))?`)
	colonHour   = pattern.New(`(오전 ?|오후 ?)?(?:\b|t)(\d{1,2}):(\d{2})(?::\d{2})?(?: ?([ap])\.?m\b)?`)
	letterHour  = pattern.New(`\b(\d{1,2})(?: ?[~-] ?(\d{1,2}))? ?(?:([ap])\.?m\b|o'clock)`)
	atHour      = pattern.New(`\b(?:at|by|from|to|until|till|before|after|around) (\d{1,2})\b`)
	midday      = pattern.New(`정오|자정|\bnoon\b|\bmidnight\b`)
	feastDay    = pattern.New(`크리스마스|성탄절|christmas|신정|새해 첫날|new year's day|발렌타인|valentine|삼일절|어린이날|현충일|광복절|개천절|한글날|핼러윈|할로윈|halloween`)
)

// feasts are the days of the year that have a name and are the same every year, by the letters they begin with.
var feasts = map[string][2]int{
	"크리스마스": {12, 25}, "성탄절": {12, 25}, "christmas": {12, 25}, "신정": {1, 1}, "새해 첫날": {1, 1}, "new year's day": {1, 1}, "발렌타인": {2, 14}, "valentine": {2, 14},
	"삼일절": {3, 1}, "어린이날": {5, 5}, "현충일": {6, 6}, "광복절": {8, 15}, "개천절": {10, 3}, "한글날": {10, 9}, "핼러윈": {10, 31}, "할로윈": {10, 31}, "halloween": {10, 31},
}

// hourWords are the hours as Korean words.
var hourWords = map[string]int{"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열한": 11, "열두": 12}

// Times lists the dates and times of the day that a text writes out, in every form that may be meant: "3/4" is two dates. It
// lists all of them, and no words that depend on the day, such as tomorrow.
func Times(text string) (out []Time) {
	if small := strings.ToLower(text); len(small) == len(text) { // else places would differ
		text = small
	}
	each := func(p *pattern.Pattern, add func(group func(int) string) []Time) {
		for _, m := range p.FindAllStringSubmatchIndex(text, -1) {
			group := func(i int) string {
				if m[2*i] < 0 {
					return ""
				}
				return text[m[2*i]:m[2*i+1]]
			}
			for _, is := range add(group) {
				if is.valid() {
					is.From, is.To = m[0], m[1]
					out = append(out, is)
				}
			}
		}
	}
	named := func(year, month, day string) []Time {
		return []Time{{Year: numeral(year), Month: strings.Index(monthLetters, month)/3 + 1, Day: numeral(day)}}
	}
	each(koreanDay, func(g func(int) string) []Time {
		return []Time{{Year: numeral(g(1)), Month: numeral(g(2)), Day: numeral(g(3))}}
	})
	each(koreanDom, func(g func(int) string) []Time { return []Time{{Day: numeral(g(1))}} })
	each(numericDay, func(g func(int) string) []Time {
		a := Time{Year: numeral(g(1) + g(4)), Month: numeral(g(2)), Day: numeral(g(3))}
		return []Time{a, {Year: a.Year, Month: a.Day, Day: a.Month}}
	})
	each(monthAndDay, func(g func(int) string) []Time { return named(g(3), g(1), g(2)) })
	each(dayMonth, func(g func(int) string) []Time { return named(g(3), g(2), g(1)) })
	each(englishDom, func(g func(int) string) []Time { return []Time{{Day: numeral(g(1))}} })
	each(feastDay, func(g func(int) string) []Time { return []Time{{Month: feasts[g(0)][0], Day: feasts[g(0)][1]}} })
	each(koreanHour, func(g func(int) string) []Time {
		if g(4) != "" { // a length
			return nil
		}
		minute := numeral(g(5))
		if g(6) != "" {
			minute = 30
		}
		list := []Time{hourOf(g(1), numeral(g(2)), minute)}
		if g(3) != "" {
			list = append(list, hourOf(g(1), numeral(g(3)), minute), hourOf("", numeral(g(2)), minute))
		}
		return list
	})
	each(colonHour, func(g func(int) string) []Time {
		return []Time{hourOf(strings.TrimSpace(g(1))+g(4), numeral(g(2)), numeral(g(3)))}
	})
	each(letterHour, func(g func(int) string) []Time {
		list := []Time{hourOf(g(3), numeral(g(1)), 0)}
		if g(2) != "" {
			list = append(list, hourOf(g(3), numeral(g(2)), 0), hourOf("", numeral(g(1)), 0))
		}
		return list
	})
	each(atHour, func(g func(int) string) []Time { return []Time{hourOf("", numeral(g(1)), 0)} })
	each(midday, func(g func(int) string) []Time {
		return []Time{{Clock: true, Hour: map[string]int{"정오": 12, "noon": 12}[g(0)]}}
	})
	return slices.DeleteFunc(slices.Clone(out), func(m Time) bool { // the day of a whole date
		return !m.Clock && m.Month == 0 && slices.ContainsFunc(out, func(o Time) bool { return o.Month > 0 && o.From <= m.From && m.To <= o.To })
	})
}

// monthLetters begin the names of months, in their order.
const monthLetters = "janfebmaraprmayjunjulaugsepoctnovdec"

// valid reports whether there is such a day and such a time.
func (m Time) valid() bool {
	if m.Clock {
		return m.Hour < 24 && m.Minute < 60
	}
	return m.Month <= 12 && m.Day >= 1 && m.Day <= 31 && (m.Month > 0 || m.Year == 0)
}

// hourOf returns a time of the day; half is the word for the half of the day, "" for none.
func hourOf(half string, hour, minute int) Time {
	m := Time{Clock: true, Hour: hour, Minute: minute}
	switch half {
	case "오전", "a":
		m.Hour %= 12
	case "오후", "p":
		if m.Hour < 12 {
			m.Hour += 12
		}
	default:
		m.Half = hour <= 12
	}
	return m
}

// Is reports whether a moment may be at the time or on the day: a day without a year is near now, one without a month within two
// months.
func (m Time) Is(at, now time.Time) bool {
	switch {
	case m.Clock:
		return at.Minute() == m.Minute && (at.Hour() == m.Hour || m.Half && at.Hour()%12 == m.Hour%12)
	case at.Day() != m.Day || m.Month > 0 && int(at.Month()) != m.Month:
		return false
	case m.Year > 0:
		return at.Year() == m.Year
	case m.Month > 0:
		return at.Year() == now.Year() || at.Year() == now.Year()+1
	}
	return at.After(now.AddDate(0, -2, 0)) && at.Before(now.AddDate(0, 2, 0))
}

// Ambiguous reports whether its text may as well be another number: 3.5 and 1/2.
func (m Time) Ambiguous(text string) bool {
	return !m.Clock && m.Year == 0 && !strings.ContainsFunc(text[m.From:m.To], unicode.IsLetter)
}

// numeral reads a number in digits or as a Korean hour, 0 for none.
func numeral(word string) int {
	if n, ok := hourWords[word]; ok {
		return n
	}
	n, _ := strconv.Atoi(word)
	return n
}
