package when

import (
	"strings"

	"maru/phrase/pattern"
)

// An anchor is a point of the day that people name by what they do then. Its clock depends on whether it is before, at or after it.
type anchor struct{ before, at, after int } // minutes of the day

// clockOf returns a time of day in minutes.
func clockOf(hour, minute int) int { return 60*hour + minute }

// anchors are by their first words.
var anchors = map[string]anchor{
	"출근": {clockOf(8, 30), clockOf(9, 0), clockOf(9, 30)}, "퇴근": {clockOf(17, 30), clockOf(18, 0), clockOf(18, 30)},
	"점심": {clockOf(11, 30), clockOf(12, 0), clockOf(13, 0)}, "저녁": {clockOf(18, 0), clockOf(19, 0), clockOf(20, 0)}, "아침": {clockOf(7, 30), clockOf(8, 0), clockOf(9, 0)},
	"자": {clockOf(22, 0), clockOf(22, 0), clockOf(22, 0)}, "취침": {clockOf(22, 0), clockOf(22, 0), clockOf(22, 0)}, "일어나": {clockOf(7, 0), clockOf(7, 0), clockOf(7, 0)}, "기상": {clockOf(7, 0), clockOf(7, 0), clockOf(7, 0)},
	"work": {clockOf(8, 30), clockOf(9, 0), clockOf(18, 30)}, "lunch": {clockOf(11, 30), clockOf(12, 0), clockOf(13, 0)}, "dinner": {clockOf(18, 0), clockOf(19, 0), clockOf(20, 0)},
	"breakfast": {clockOf(7, 30), clockOf(8, 0), clockOf(9, 0)}, "bed": {clockOf(22, 0), clockOf(22, 0), clockOf(22, 0)}, "bedtime": {clockOf(22, 0), clockOf(22, 0), clockOf(22, 0)},
	"end": {clockOf(16, 30), clockOf(17, 0), clockOf(17, 30)}, "first": {clockOf(9, 0), clockOf(9, 0), clockOf(9, 0)},
}

// Words of anchors. The groups hold what precedes, and the name; in Korean the name and what follows it.
var (
	anchorEn = pattern.New(`(?i)\b(?:(before|after|by|at|around|over)\s+)?(?:the\s+)?(?:((?:end|close)\s+of\s+(?:the\s+)?(?:business\s+|work(?:ing)?\s+)?(?:day|business|play|work|today)|eod|cob|eob)|(first)\s+thing(?:\s+in\s+the\s+morning)?)\b|` +
		`\b(before|after|at|over)\s+()()(work|lunch|dinner|breakfast|bed|bedtime)\b`)
	anchorKo = pattern.New(`(?:^|\s)((?:(출근|퇴근)\s?(?:하기\s?|시간\s?)?(직?전|하자마자|할\s?때|해서|하면|하고(?:\s?나(?:서|면))?|시간|길|무렵|즈음|이후|후|뒤)|(점심|저녁|아침)\s?(?:식사\s?|밥\s?)?(?:먹기\s?)?(직?전|시간|때|먹고(?:\s?(?:나서|나면|난\s?(?:뒤|후)))?|먹은\s?(?:뒤|후)|이후|후|뒤)|` +
		`(자|취침|일어나)(기\s?전|\s?전|자마자|서|면)|(기상)\s?(하자마자|후|직후))(?:에|쯤|쯤에|까지)?)(?:[\s,.!?]|$)`)
	// afterKo matches how Korean says that something follows an anchor.
	afterKo = pattern.New(`^(?:하고|먹고|먹은|이후|후|뒤|직후)`)
	// countedKo matches an anchor from which a span is counted: "퇴근 30분 전".
	countedKo = pattern.New(`(?:^|\s)((출근|퇴근|점심|저녁)(?:\s?시간)?)\s+\d+\s?(?:분|시간)\s?전`)
	sameHour  = pattern.New(`(?i)\b(?:at\s+)?(?:this|(?:the\s+)?same)\s+time\b|(?:^|\s)(?:이|지금|같은)\s?(?:시간|시각|맘때)(?:에|쯤|쯤에)?(?:[\s,.!?]|$)`)
)

// spanAhead matches a span at the end of what is in front of an anchor.
var spanAhead = pattern.New(`(?i)\b(?:min(?:ute)?s?|hours?|hrs?)\s+$`)

// anchored puts one token in place of the words of an anchor, and of "this time".
func anchored(text string, list []token) []token {
	for _, m := range anchorEn.FindAllStringSubmatchIndex(text, -1) {
		how, name := group(text, m, 1)+group(text, m, 4), group(text, m, 7)
		switch {
		case m[6] >= 0 && strings.HasSuffix(strings.ToLower(text[:m[6]]), "the "): // "the first thing on the list"
			continue
		case m[6] >= 0:
			name = "first"
		case m[4] >= 0:
			name = "end"
		}
		if how != "" && spanAhead.MatchString(text[:m[0]]) { // "10 minutes before lunch" is counted from lunch
			list = replaced(list, m[0]+len(how), m[1], anchors[strings.ToLower(name)].token(false, false))
			continue
		}
		list = replaced(list, m[0], m[1], anchors[strings.ToLower(name)].token(strings.ToLower(how) == "before", strings.ToLower(how) == "after"))
	}
	for _, m := range anchorKo.FindAllStringSubmatchIndex(text, -1) {
		name := group(text, m, 2) + group(text, m, 4) + group(text, m, 6) + group(text, m, 8)
		how := group(text, m, 3) + group(text, m, 5) + group(text, m, 7) + group(text, m, 9)
		list = replaced(list, m[2], m[3], anchors[name].token(strings.HasSuffix(how, "전"), afterKo.MatchString(how)))
	}
	for _, m := range countedKo.FindAllStringSubmatchIndex(text, -1) {
		list = replaced(list, m[2], m[3], anchors[group(text, m, 2)].token(false, false))
	}
	for _, m := range sameHour.FindAllStringIndex(text, -1) {
		list = replaced(list, m[0], m[1], token{kind: sameTime})
	}
	return list
}

func group(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

// token returns the clock of an anchor.
func (a anchor) token(before, after bool) token {
	at := a.at
	switch {
	case before:
		at = a.before
	case after:
		at = a.after
	}
	return token{kind: clock, n: at / 60, m: at % 60, loose: true}
}

// replaced puts a token in place of all those that begin within a range of the text.
func replaced(list []token, from, to int, t token) []token {
	out, done := make([]token, 0, len(list)), false
	for _, old := range list {
		if old.to <= from || old.from >= to {
			out = append(out, old)
			continue
		}
		if !done {
			t.from, t.to, t.word, done = old.from, old.to, old.word, true
			out = append(out, t)
			continue
		}
		out[len(out)-1].to = old.to
	}
	return out
}
