// Package past reads the past period that a text names: "since Monday", "지난주", "어제 3시부터". Times to come are those of
// [maru/phrase/when], which reads the days and hours of a period, too.
package past

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"maru/phrase/pattern"
	"maru/phrase/when"
)

// maxText bounds the text in which a period is looked for, in bytes.
const maxText = 4000

// Period is a period: From is its first moment, To the first one after it.
type Period struct{ From, To time.Time }

// Words of a past day, week or month; the time of day after a day is that of the reader.
const (
	pastClock = `(?:\s?(?:at\s+)?(?:\d{1,2}:\d\d(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|\bnoon)\b|\s?(?:오전|오후|아침|점심|저녁|밤|새벽)?\s?\d{1,2}시(?:\s?(?:\d{1,2}분|반))?)`
	pastDay   = `(?:the\s+)?day\s+before\s+yesterday|yesterday|today|this\s+(?:morning|afternoon|evening|week|month)|last\s+night|(?:the\s+)?(?:last|past|this|previous)\s+(?:week(?:end)?|month)|(?:the\s+)?weekend|` +
		`(?:(?:last|this|past)\s+)?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b|\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}\b|` +
		`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?\b|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|` +
		`(?:\d{1,3}|an?|one|two|three|four|five|six|seven)\s+(?:minute|hour|day|week|month)s?\s+ago|` +
		`그저께|그제|엊그제|어제|어저께|오늘(?:\s?(?:아침|오전|오후|저녁))?|어젯밤|간밤|(?:지난|저번|이번)\s?(?:주말|달)|` +
		`(?:(?:지난|저번|이번)\s?주?\s?)?[월화수목금토일]요일|(?:지난|저번|이번)\s?주|전주|주말|` +
		`\d{1,2}월\s?\d{1,2}일|(?:\d{1,3}\s?(?:분|시간|일|주|달|개월)|하루|이틀|사흘|나흘|일주일|한\s?(?:시간|주|달)|두\s?(?:시간|주|달))\s?전`
	pastMoment = `(?:(?:` + pastDay + `)(?:` + pastClock + `)?|` + pastClock + `(?:\s+(?:on\s+|of\s+)?(?:` + pastDay + `))?)`
)

var (
	pastRange = pattern.New(`(?i)(?:\b(?:between|from)\s+)?(` + pastMoment + `)\s*(?:부터|에서|~|–|-|\bto\b|\buntil\b|\btill\b|\bthrough\b|\band\b)\s*(` + pastMoment + `|\d{1,2}(?:일|st\b|nd\b|rd\b|th\b))(?:\s*까지)?`)
	pastSince = pattern.New(`(?i)(?:\b(?:ever\s+)?(?:since|from|after)\s+(` + pastMoment + `)(?:\s+on(?:wards?)?\b)?|(` + pastMoment + `)\s?(?:부터|이후(?:로|에)?|이래로?))(?:\s?(?:지금|오늘|현재)까지|\s+(?:until|till|to)\s+now)?`)
	pastLast  = pattern.New(`(?i)(?:\b(?:in|over|for|during|of)\s+)?(?:the\s+)?\b(?:last|past|previous)\s+(?:(\d{1,3}|few|couple\s+of|two|three|four|five|six|seven)\s+)?(minute|hour|day|week|month)s\b|` +
		`(?:in\s+|over\s+|for\s+|of\s+)?(?:the\s+)?\b(?:last|past)\s+(?:(\d{1,3})\s+)?(hour|day)\b|` +
		`(?:최근|지난)\s?(?:(\d{1,3})\s?(분|시간|일|주|달|개월)|(하루|이틀|사흘|나흘|일주일|한\s?(?:시간|주|달)|두\s?(?:시간|주|달)|몇\s?(?:시간|일)|며칠))\s?(?:간|동안|치|내)?`)
	pastFor    = pattern.New(`(?:^|\s)(?:(\d{1,3})\s?(시간|일|주|달|개월)\s?(?:간|동안|치)|(하루|이틀|사흘|나흘|일주일|한\s?(?:시간|주|달)|두\s?(?:시간|주|달)|며칠)(?:\s?(?:간|동안|치)|\s(요약|정리|브리핑)))`)
	pastAlone  = pattern.New(`(?i)(?:\b(?:on|of|from|for|during|over)\s+)?\b?(` + pastMoment + `)(?:['’]s\b)?(?:\s?동안)?`)
	agoEn      = pattern.New(`(?i)^(\d{1,3}|\w+)\s+(minute|hour|day|week|month)s?\s+ago`)
	agoKo      = pattern.New(`^(?:(\d{1,3})\s?(분|시간|일|주|달|개월)|(하루|이틀|사흘|나흘|일주일|한\s?(?:시간|주|달)|두\s?(?:시간|주|달)))\s?전`)
	domAlone   = pattern.New(`^(\d{1,2})(?:일|st|nd|rd|th)$`)
	relation   = pattern.New(`(?i)^(?:the\s+)?(last|past|previous|this|지난|저번|이번)\s?(주(?:\s|[월화수목금토일])?)?`)
	clockHas   = pattern.New(`(?i)` + pastClock)
	clockFirst = pattern.New(`(?i)^(` + pastClock + `)\s+(?:on\s+|of\s+)?(` + pastDay + `)$`)
	clockEnd   = pattern.New(`(?i)` + pastClock + `$`)
)

// Read finds the past period that a text names, as meant at a moment; now's zone is that of its days. A period ends now at the latest. rest is the text without the period; ok is false if the text names none.
func Read(text string, now time.Time) (s Period, rest string, ok bool) {
	if len(text) > maxText {
		return Period{}, text, false
	}
	for _, way := range []struct {
		find *pattern.Pattern
		read func(group []string) (Period, bool)
	}{
		{pastRange, func(g []string) (Period, bool) {
			from, ok := pastOf(g[1], now)
			to, also := pastEnd(g[2], from, now)
			if ok && also && !to.To.After(from.From) && !clockHas.MatchString(g[2]) { // "from Monday to Wednesday", asked on that Wednesday
				to.To = to.To.AddDate(0, 0, 7)
			}
			return Period{from.From, to.To}, ok && also
		}},
		{pastSince, func(g []string) (Period, bool) {
			from, ok := pastOf(g[1]+g[2], now)
			return Period{from.From, now}, ok
		}},
		{pastLast, func(g []string) (Period, bool) {
			return Period{back(now, g[1]+g[3]+g[5], g[2]+g[4]+g[6], g[7]), now}, true
		}},
		{pastFor, func(g []string) (Period, bool) { return Period{back(now, g[1], g[2], g[3]), now}, true }},
		{pastAlone, func(g []string) (Period, bool) { return pastOf(g[1], now) }},
	} {
		at := way.find.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		if s, ok := way.read(groups); ok && s.From.Before(s.To) && s.From.Before(now) {
			if s.To.After(now) {
				s.To = now
			}
			end := at[1]
			if n := len(at); way.find == pastFor && at[n-2] >= 0 { // 하루 요약
				end = at[n-2]
			}
			return s, strings.Trim(strings.Join(strings.Fields(text[:at[0]]+" "+text[end:]), " "), " ,;:"), true
		}
	}
	return Period{}, text, false
}

// counts are numbers in words, and days of Korean.
var counts = map[string]int{
	"": 1, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "few": 3, "couple of": 2, "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "일주일": 7, "며칠": 3,
}

// back returns the moment so many units before now; of days, weeks and months the beginning of that day. words is a number and unit in
// one: 이틀, 한 시간.
func back(now time.Time, count, unit, words string) time.Time {
	n, ok := counts[strings.ToLower(strings.Join(strings.Fields(count), " "))]
	if !ok {
		n, _ = strconv.Atoi(count) // a few digits, or none
	}
	if words = strings.ReplaceAll(words, " ", ""); words != "" {
		if n, ok = counts[words]; ok {
			unit = "일"
		} else {
			runes := []rune(words)
			n, unit = map[rune]int{'한': 1, '두': 2, '몇': 3}[runes[0]], string(runes[1:])
		}
	}
	switch strings.ToLower(unit) {
	case "minute", "분":
		return now.Add(-time.Duration(n) * time.Minute)
	case "hour", "시간":
		return now.Add(-time.Duration(n) * time.Hour)
	case "week", "주":
		return midnight(now, -7*n)
	case "month", "달", "개월":
		return midnight(now.AddDate(0, -n, 0), 0)
	}
	return midnight(now, -n)
}

// midnight returns the beginning of the day so many days after a moment's.
func midnight(at time.Time, days int) time.Time {
	y, m, d := at.Date()
	return time.Date(y, m, d+days, 0, 0, 0, 0, at.Location())
}

// pastOf returns the period of one moment's words: a day, a week, a month, or what follows a time of day.
func pastOf(words string, now time.Time) (Period, bool) {
	words = strings.ToLower(strings.TrimSpace(words))
	day := strings.TrimSpace(clockEnd.ReplaceAllString(words, ""))
	s, ok := pastDayOf(day, now)
	if day == words && clockFirst.MatchString(words) { // "5pm yesterday"
		at := clockFirst.FindStringSubmatchIndex(words)
		words = words[at[4]:at[5]] + " " + words[at[2]:at[3]]
		day = words[:at[5]-at[4]]
		s, ok = pastDayOf(day, now)
	}
	if day == words || !ok {
		return s, ok
	}
	clock := strings.TrimSpace(strings.TrimPrefix(words, day))
	local := now
	if day != "" {
		local = s.From
	}
	r := when.Read(clock, now)
	if !r.Exact || r.Rule.At.IsZero() {
		return Period{}, false
	}
	s = Period{atHour(local, r.Rule.At.In(now.Location())), now}
	if day == "" && s.From.After(now) { // "since 9pm", asked in the morning
		s.From = s.From.AddDate(0, 0, -1)
	}
	return s, true
}

// pastEnd returns the period at whose end a range ends: the moment of a time of day, else the day, week or month. A time of day alone is
// on the day on which the range begins, a day of the month alone in its month.
func pastEnd(words string, from Period, now time.Time) (Period, bool) {
	words = strings.TrimSpace(words)
	if m := domAlone.FindStringSubmatch(words); m != nil {
		day, err := strconv.Atoi(m[1])
		at := midnight(from.From, day-from.From.Day())
		return Period{at, midnight(at, 1)}, err == nil && at.Month() == from.From.Month()
	}
	to, ok := pastOf(words, now)
	if !ok || !clockHas.MatchString(words) {
		return to, ok
	}
	if clockHas.FindString(words) == words {
		to.From = atHour(from.From, to.From)
		if !to.From.After(from.From) { // from 10pm to 2am
			to.From = to.From.AddDate(0, 0, 1)
		}
	}
	return Period{from.From, to.From}, true
}

// atHour returns the hour of one moment on the day of another.
func atHour(day, hour time.Time) time.Time {
	return clockOf(day, hour.Hour(), hour.Minute())
}

// clockOf returns the moment at which the clocks show a time on the day of a moment; past 24 the next day's.
func clockOf(day time.Time, hour, minute int) time.Time {
	y, m, d := day.Date()
	return time.Date(y, m, d, hour, minute, 0, 0, day.Location())
}

// parts are the hours of parts of a day, from and to.
var parts = map[string][2]int{
	"this morning": {5, 12}, "오늘아침": {5, 12}, "오늘오전": {0, 12}, "this afternoon": {12, 18}, "오늘오후": {12, 24}, "this evening": {18, 24}, "오늘저녁": {18, 24},
	"last night": {18, 24 + 6}, "어젯밤": {18, 24 + 6}, "간밤": {18, 24 + 6},
}

// namedDays are days by their distance from today.
var namedDays = map[string]int{
	"": 0, "today": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1, "last night": -1, "day before yesterday": -2, "the day before yesterday": -2,
	"오늘": 0, "오늘아침": 0, "오늘오전": 0, "오늘오후": 0, "오늘저녁": 0, "어제": -1, "어저께": -1, "어젯밤": -1, "간밤": -1, "그저께": -2, "그제": -2, "엊그제": -2,
}

func pastDayOf(day string, now time.Time) (Period, bool) {
	key := strings.Join(strings.Fields(day), " ")
	if strings.ContainsFunc(key, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		key = strings.ReplaceAll(key, " ", "")
	}
	if n, ok := namedDays[key]; ok {
		if hours, part := parts[key]; part {
			day := midnight(now, n)
			return Period{clockOf(day, hours[0], 0), clockOf(day, hours[1], 0)}, true
		}
		return Period{midnight(now, n), midnight(now, n+1)}, true
	}
	if m := agoEn.FindStringSubmatch(day); m != nil {
		return spanFrom(back(now, m[1], m[2], ""), now), true
	}
	if m := agoKo.FindStringSubmatch(day); m != nil {
		return spanFrom(back(now, m[1], m[2], m[3]), now), true
	}
	if unit, ok := strings.CutPrefix(strings.TrimPrefix(key, "the "), "past "); ok && (unit == "week" || unit == "month") { // rolls, unlike the last week
		return Period{back(now, "1", unit, ""), now}, true
	}
	monday := midnight(now, -fromMonday(now))
	this := strings.HasPrefix(key, "this") || strings.HasPrefix(key, "이번")
	switch {
	case strings.HasSuffix(key, "weekend"), strings.HasSuffix(key, "주말"):
		if this && fromMonday(now) > 4 {
			monday = monday.AddDate(0, 0, 7)
		}
		return Period{monday.AddDate(0, 0, -2), monday}, true
	case strings.HasSuffix(key, "week"), strings.HasSuffix(key, "주"):
		if this {
			return Period{monday, monday.AddDate(0, 0, 7)}, true
		}
		return Period{monday.AddDate(0, 0, -7), monday}, true
	case strings.HasSuffix(key, "month"), strings.HasSuffix(key, "달"):
		y, m, _ := now.Date()
		if !this {
			m--
		}
		first := time.Date(y, m, 1, 0, 0, 0, 0, now.Location())
		return Period{first, first.AddDate(0, 1, 0)}, true
	}
	return calendarDay(day, now, monday)
}

// spanFrom returns the day that begins at a moment, or what follows a time of day.
func spanFrom(at, now time.Time) Period {
	if at.Equal(midnight(at, 0)) {
		return Period{at, midnight(at, 1)}
	}
	return Period{at, now}
}

// calendarDay returns the newest past day of a weekday or a date. A weekday is of the last seven days, also that of today a week ago.
func calendarDay(day string, now, monday time.Time) (Period, bool) {
	at := relation.FindStringSubmatch(day)
	bare := day
	if at != nil {
		bare = strings.TrimSpace(strings.TrimPrefix(day, at[1]))
		if strings.HasPrefix(bare, "주") {
			bare = strings.TrimSpace(strings.TrimPrefix(bare, "주"))
		}
	}
	if !strings.ContainsAny(bare, "0123456789") {
		r := when.Read(bare, now)
		if r.Rule.At.IsZero() || r.Exact {
			return Period{}, false
		}
		from := midnight(monday, fromMonday(r.Rule.At.In(now.Location())))
		switch week := at != nil && (strings.HasPrefix(at[2], "주")); {
		case week && at[1] != "이번":
			from = midnight(from, -7)
		case at != nil && (at[1] == "this" || at[1] == "이번"):
		case !from.Before(midnight(now, 0)):
			from = midnight(from, -7)
		}
		return Period{from, midnight(from, 1)}, true
	}
	r := when.Read(bare, midnight(now.AddDate(-1, 0, 0), 1))
	if slash, err := time.Parse("1/2", bare); errors.Is(r.Err, when.ErrOrder) && err == nil { // the month first
		r.Rule.At = time.Date(now.Year(), slash.Month(), slash.Day(), 0, 0, 0, 0, now.Location())
		if r.Rule.At.After(now) {
			r.Rule.At = r.Rule.At.AddDate(-1, 0, 0)
		}
	}
	from := midnight(r.Rule.At.In(now.Location()), 0)
	return Period{from, midnight(from, 1)}, !r.Rule.At.IsZero()
}

// fromMonday returns how many days a day follows the Monday of its week.
func fromMonday(day time.Time) int { return (int(day.Weekday()) + 6) % 7 }
