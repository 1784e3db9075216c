package extractive

import (
	"fmt"
	"slices"
	"strings"
)

// Days that a question names by their place in a calendar. What they are depends on
// today, which the clock tool alone knows: the parameters are its own.
var (
	weekKo  = expression(`(?:(지지난|지난|저번|이번|다음|담|다다음)\s*주(?:의)?\s*|이번\s*)?([월화수목금토일])요일(?:에는|에|은|이|의)?(\s|[?.!]|$)`)
	weekEn  = expression(`\b(?:(this|next|the\s+coming|coming)\s+)?(monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?:\s+(?:of\s+)?(this|next|last)\s+week)?\b`)
	weeksKo = expression(`(\d{1,3})\s*주일?\s*(뒤|후|전)\s*(?:의\s*)?([월화수목금토일])요일(?:에는|에|은|이|의)?(\s|[?.!]|$)`)
	weeksEn = expression(`\b(?:the\s+)?(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\s+(?:(\d{1,3})\s+weeks?\s+(from\s+(?:now|today)|later|ago)|in\s+(\d{1,3})\s+weeks?)\b`)
	endKo   = expression(`(이번|다음|담|지난|저번)\s*달(?:의)?\s*(?:말일|마지막\s*날)(?:에는|에|은|이|의)?(\s|[?.!]|$)`)
	endEn   = expression(`\b(?:the\s+)?(?:last\s+day|end)\s+of\s+(this|next|last)\s+month\b`)
	dateKo  = expression(`(?:(\d{4})년\s*)?(\d{1,2})월\s*(\d{1,2})일(?:에는|에|은|이|의)?(\s|[?.!]|$)`)
	dateEn  = expression(`\b(?:the\s+)?` + monthDay)
	untilKo = expression(`(?:(?:오늘|지금)\s*부터\s*)?(?:(\d{4})년\s*)?(\d{1,2})월\s*(\d{1,2})일\s*까지(?:는)?\s*(?:며칠|몇\s*일)(?:이나|이|간)?(?:\s*남았\S*|\s*남아\S*|\s*남은\S*)?`)
	untilEn = expression(`\bhow\s+many\s+days\s+(?:(?:are\s+(?:there\s+)?|is\s+it\s+|do\s+we\s+have\s+)?(?:left\s+)?)?(?:from\s+(?:today|now)\s+)?(?:until|till|to|before)\s+(?:the\s+)?` + monthDay + `(?:\s+from\s+(?:today|now))?`)
)

// months are as a calendar has them.
var months = strings.Fields("january february march april may june july august september october november december")

// monthDay is a day by the name of its month, either way round, and perhaps its year.
var monthDay = func() string {
	month := `(` + strings.Join(months, "|") + `)`
	return `(?:` + month + `\s+(\d{1,2})(?:st|nd|rd|th)?|(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?` + month + `)(?:,?\s+(\d{4}))?\b`
}()

// dayIn is the day a question names, as the clock's parameters, and the question with
// the word for tomorrow in its place; nil where it names none.
func dayIn(q string) (rest string, day map[string]any) {
	if m := untilKo.FindStringSubmatch(q); m != nil {
		return strings.Replace(q, m[0], "오늘 며칠", 1), map[string]any{"until": calendarDay(m[1], number(m[2]), m[3])}
	}
	if m := untilEn.FindStringSubmatch(q); m != nil {
		return strings.Replace(q, m[0], "what day is today", 1), map[string]any{"until": englishDay(m[1:])}
	}
	if m := endKo.FindStringSubmatch(q); m != nil {
		return strings.Replace(q, m[0], " 내일 "+m[2], 1), map[string]any{"month_end": weekOf[m[1]]}
	}
	if m := endEn.FindStringSubmatch(q); m != nil {
		return strings.Replace(q, m[0], "tomorrow", 1), map[string]any{"month_end": weekOf[m[1]]}
	}
	if m := dateKo.FindStringSubmatch(q); m != nil {
		return strings.Replace(q, m[0], " 내일 "+m[4], 1), map[string]any{"date": calendarDay(m[1], number(m[2]), m[3])}
	}
	if m := dateEn.FindStringSubmatch(q); m != nil {
		return strings.Replace(q, m[0], "tomorrow", 1), map[string]any{"date": englishDay(m[1:])}
	}
	return weekdayIn(q)
}

// weekdayIn is [dayIn] for the days of a week.
func weekdayIn(q string) (rest string, day map[string]any) {
	name, week := "", ""
	if m := weekKo.FindStringSubmatch(q); m != nil {
		name, week, rest = weekdaysKo[m[2]], m[1], strings.Replace(q, m[0], " 내일 "+m[3], 1)
	} else if m := weekEn.FindStringSubmatch(q); m != nil {
		name, week, rest = m[2], m[3], strings.Replace(q, m[0], "tomorrow", 1)
		if week == "" && (m[1] == "this" || m[1] == "next") {
			week = m[1]
		}
	}
	if name == "" {
		return q, nil
	}
	day = map[string]any{"weekday": name}
	if week != "" {
		day["weeks"] = weekOf[week]
	}
	return rest, day
}

// weekdayAway is [dayIn] for a day of a week that is so many weeks away: "3주 뒤 금요일".
func weekdayAway(q string) (rest string, day map[string]any) {
	name, weeks, back := "", "", false
	if m := weeksKo.FindStringSubmatch(q); m != nil {
		name, weeks, back, rest = weekdaysKo[m[3]], m[1], m[2] == "전", strings.Replace(q, m[0], " 내일 "+m[4], 1)
	} else if m := weeksEn.FindStringSubmatch(q); m != nil {
		name, weeks, back, rest = m[1], m[2]+m[4], m[3] == "ago", strings.Replace(q, m[0], "tomorrow", 1)
	}
	if name == "" {
		return q, nil
	}
	n := number(weeks)
	if back {
		n = -n
	}
	return rest, map[string]any{"weekday": name, "weeks": n}
}

// weekOf is how many weeks or months away the one is that is called so.
var weekOf = map[string]int{
	"지지난": -2, "지난": -1, "저번": -1, "이번": 0, "다음": 1, "담": 1, "다다음": 2,
	"last": -1, "this": 0, "next": 1,
}

var weekdaysKo = map[string]string{
	"월": "monday", "화": "tuesday", "수": "wednesday", "목": "thursday", "금": "friday", "토": "saturday", "일": "sunday",
}

// englishDay is the day of [monthDay]'s groups.
func englishDay(m []string) string {
	month, day := m[0]+m[3], m[1]+m[2]
	return calendarDay(m[4], slices.Index(months, month)+1, day)
}

// calendarDay is a day as the clock takes it, without the year where none is said.
func calendarDay(year string, month int, day string) string {
	text := fmt.Sprintf("%02d-%02d", month, number(day))
	if year != "" {
		text = year + "-" + text
	}
	return text
}
