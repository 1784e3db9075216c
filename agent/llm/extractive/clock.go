package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
	"maru/phrase/zone"
	"maru/rag/answer"
)

// clockCues are what a question for the time or the date says, with the words that may be beside it.
var clockCues = struct {
	ask, place, bare *pattern.Pattern
	beside           map[string]bool
}{
	ask: pattern.New(`(?i)몇\s*시|(?:현재|지금)\s*(?:시각|시간)|(?:오늘|내일|어제).*(?:며칠|날짜|요일)|무슨\s*요일|(?:지금|현재|올해|이번\s*달|오늘).*몇\s*[년월]|` +
		`\b(?:time|date|day)\b|\b(?:what|which)(?:['’]s|\s+is)?\s+(?:the\s+)?(?:current\s+)?(?:year|month)\b`),
	place:  pattern.New(`시간|시각`), // asks for the time where a place is beside it; alone it is that of the documents
	bare:   pattern.New(`^\s*(?:the\s+|current\s+|local\s+)*time\b|(?:시간|시각)\s*(?:은|는|이|좀)?\s*\W*$`),
	beside: set(`이었어 이었지 년 년도 년이야 월 월이야 이번 달 달은 지금 현재 오늘 오늘부터 내일 올해 시각 시간 시 시야 시예요 시인가요 시지 날짜 날짜야 요일 요일이야 요일이었어 며칠 며칠이야 며칠이었어 time date day today today's now current currently right clock month year`),
}

// duty matches a question for the time at which people may or must do something ("what time do I have to be in by?"). The clock
// cannot answer it.
var duty = pattern.New(`\b(?:do|does|did|can|should|must|may)\s+(?:i|we|they)\b`)

// readClock finds questions for the time or date now, here or in a known place.
// "회의는 몇 시야?" is about the meeting: a word is left over.
func readClock(q string) (wish, bool) {
	l, days := dayAway(lower(q))
	l, there := placeIn(l)
	if duty.MatchString(l) {
		return wish{}, false
	}
	if !clockCues.ask.MatchString(l) && (there == "" || !clockCues.place.MatchString(l)) {
		return wish{}, false
	}
	if !isQuestion(q) && len(answer.Words(q)) > 2 && (there == "" || !clockCues.bare.MatchString(l)) {
		return wish{}, false
	}
	for _, w := range answer.Words(l) {
		if !clockCues.beside[w] && !hollow(w) {
			return wish{}, false
		}
	}
	return wish{kind: wantsClock, arg: there, days: days}, true
}

// placeIn finds the first place that a question names, and returns the rest with the place's time zone.
func placeIn(q string) (rest, there string) {
	ws := answer.Words(q)
	for i, w := range ws {
		if i+1 < len(ws) {
			if name, ok := zone.Named(w + ws[i+1]); ok && strings.Contains(q, w+" "+ws[i+1]) {
				return strings.Replace(q, w+" "+ws[i+1], " ", 1), name
			}
		}
		for n := len([]rune(w)); n > 0; n-- { // a particle may follow a Korean name
			place := string([]rune(w)[:n])
			if name, ok := zone.Named(place); ok && (place == w || startsInHangul(w) && n > 1) {
				return strings.Replace(q, place, " ", 1), name
			}
		}
	}
	return q, ""
}

// span is so many days or weeks from today: "100일 뒤", "3 weeks ago".
var span = pattern.New(`(\d{1,4})\s*(일|주일?)\s*(뒤|후|전)(?:에는|에|는|은|의|이|가)?(?:\s|[?.!]|$)|\b(?:in\s+)?(\d{1,4})\s+(day|week)s?(?:\s+(from\s+(?:now|today)|later|ago)\b|\s*[?.!]*$)`)

// dayAway reads how many days from today a question means, and leaves the word for tomorrow in the place of a span.
func dayAway(q string) (rest string, days int) {
	if m := span.FindStringSubmatch(q); m != nil {
		days = number(m[1] + m[4])
		if m[2] != "일" && m[5] != "day" {
			days *= 7
		}
		if m[3] == "전" || m[6] == "ago" {
			days = -days
		}
		return strings.Replace(q, m[0], " 내일 ", 1), days
	}
	for _, d := range []struct {
		word string
		days int
	}{
		{"그글피", 4}, {"글피", 3}, {"내일모레", 2}, {"the day after tomorrow", 2}, {"day after tomorrow", 2}, {"모레", 2}, {"내일", 1}, {"tomorrow", 1},
		{"그저께", -2}, {"그제", -2}, {"day before yesterday", -2}, {"어제", -1}, {"yesterday", -1},
	} {
		if strings.Contains(q, d.word) {
			return strings.Replace(q, d.word, "내일 ", 1), d.days
		}
	}
	return q, 0
}

func startsInHangul(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.Is(unicode.Hangul, r)
}
