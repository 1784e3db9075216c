package when

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// attached are units that are written behind their number only: "2h", "30m".
var attached = map[string]token{
	"h": {kind: unit, n: hours}, "m": {kind: unit, n: minutes}, "d": {kind: unit, n: days}, "w": {kind: unit, n: weeks}, "ish": {kind: glue}, "-ish": {kind: glue},
}

// written are words with a digit for a sound.
var written = map[string]token{
	"2nite": {kind: dayWord, m: 21}, "2night": {kind: dayWord, m: 21}, "2day": {kind: dayWord}, "2moro": {kind: dayWord, n: 1}, "2morrow": {kind: dayWord, n: 1}, "2mrw": {kind: dayWord, n: 1},
}

// A time to which something is set: "7시 반으로 맞춰줘".
var (
	toTime = regexp.MustCompile(`^\S+로$`)
	setsTo = regexp.MustCompile(`^\s+(?:좀\s+)?(?:맞춰|설정|예약|등록|잡아|걸어)`)
)

// hourAhead matches an hour at the beginning of what follows a word.
var hourAhead = regexp.MustCompile(`^\s+(?:오전|오후|아침|점심|저녁|새벽|밤|정오|자정|\d{1,2}(?:시|:\d)|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시)`)

// handsIn matches what makes of 낼 behind it "to hand in" and not "tomorrow": "월말에 낼 보고서".
var handsIn = regexp.MustCompile(`(?:에|까지|을|를|로)\s+$`)

// twoLetters reports whether a word is two letters of weekdays: "화목", which is a word of its own without an hour.
func twoLetters(w string) bool {
	return utf8.RuneCountInString(w) == 2 && strings.Trim(w, dayLetters) == ""
}

// sinoMinute matches a Sino-Korean number of minutes: "십분", "삼십 분".
var sinoMinute = regexp.MustCompile(`^((?:[이삼사오]?십)?[일이삼사오육칠팔구]?)\s?분`)

// sinoMinutes is how many bytes the number in front of 분 has, 0 for none.
func sinoMinutes(s string) int {
	if m := sinoMinute.FindStringSubmatchIndex(s); m != nil {
		return m[3]
	}
	return 0
}

// sino is the value of a Sino-Korean number below sixty.
func sino(s string) int {
	sum, digit := 0, 0
	for _, r := range s {
		if r == '십' {
			sum, digit = 10*max(digit, 1), 0
			continue
		}
		digit = strings.IndexRune("일이삼사오육칠팔구", r)/len("일") + 1
	}
	return sum + digit
}

// vagueTime matches words that put something off without naming a time.
var vagueTime = regexp.MustCompile(`(?i)\b(?:later(?:\s+on)?|soon|sometime|some\s?day|at\s+some\s+point|eventually|in\s+a\s+(?:little\s+)?(?:bit|while|moment|sec|few\s+\pL+))\b|` +
	`(?:^|\s)(?:나중에?|(?:좀|조금|잠시|잠깐)\s?(?:이따|있다)가?|이따가?|있다가|(?:잠시|조금|얼마)\s?(?:뒤|후)에?|조만간|언젠가|곧)(?:\s|$)`)

// deadline matches the day until which something is to be done, which is not the time at which to say so.
var deadline = regexp.MustCompile(`(?:요일|욜|일|주|달|월말|말|오늘|내일|낼|모레|시|년)\s?까지(?:는|만)?(?:\s|$)`)

// eventTime matches a span that is counted from something of which no text tells the time: "10 minutes before the meeting".
var eventTime = regexp.MustCompile(`(?i)\b(?:half\s+an|\d+|an?|one|two|three|five|ten|fifteen|twenty|thirty)\s+(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?)\s+(?:before|prior\s+to|ahead\s+of|after)\s+(?:the|our|my|your|his|her|their|each|every|we|it|i|\pL+ing)\b.*|` +
	`\b(?:half\s+an|\d+|an?|one|two|three|five|ten|fifteen|twenty|thirty)\s+(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?)\s+(?:before(?:hand)?|ahead(?:\s+of\s+time)?|in\s+advance)[\s.!]*$|` +
	`(?:전날|하루\s전|당일)(?:에)?\s+(?:(?:미리|다시|꼭|좀)\s+)?(?:알려|리마인드|말해|톡|챙겨)|` +
	`(?:\d+|한|두|세|네|삼십|십|반)\s?(?:분|시간|일|주)\s?전(?:에|까지|쯤에)?(?:\s|$)`)

// pastNoun matches a word that makes "10분 전에" part of the task: 온, 보낸, 받은.
var pastNoun = regexp.MustCompile(`^\s*(?:온|한|된|간|난|\p{Hangul}+[은던낸린든])\s`)

// numberedDay matches a weekday by its number in a month. Where no month of it was read, it is not the next such day.
var numberedDay = regexp.MustCompile(`(?i)(?:(?:\d+월|이번\s?달|다음\s?달)(?:의)?\s?)?(?:첫째?|둘째|셋째|넷째|다섯째|마지막|[한두세네]\s?번째)\s?주?\s?(?:[월화수목금토일](?:요일|욜))|\b(?:second|third|fourth|fifth|last)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day\b`)

// misread reports whether a weekday was read without the number that stands in front of it.
func (p *reader) misread(text string) bool {
	if p.f.days == 0 || p.f.nth != 0 || p.f.workday || p.f.every && p.f.n > 1 {
		return false
	}
	for _, m := range numberedDay.FindAllStringIndex(text, -1) {
		for i, t := range p.list {
			if p.used[i] && t.kind == weekday && t.from >= m[0] && t.from < m[1] {
				p.mark(m[0], m[1])
				return true
			}
		}
	}
	return false
}

// whom matches who is reminded, in front of an event: "remind me an hour before our call tomorrow".
var whom = regexp.MustCompile(`(?i)\b(?:remind|nudge|ping|tell)\s+(?:me|us|\w+|the\s+\w+)\s+$`)

// event finds in a text without an hour of its own a span that is counted from something else, and marks it.
func (p *reader) event(text string) bool {
	if p.f.hasClock || p.f.span > 0 {
		return false
	}
	m := eventTime.FindStringIndex(text)
	if m == nil || hangul(text[m[0]:m[1]]) && pastNoun.MatchString(text[m[1]-1:]) {
		return false
	}
	if before, _ := p.beside(text, m[0], m[1]); p.any() && !before && !hangul(text) && !whom.MatchString(text[:m[0]]) {
		return false // "every Friday list what came in two days after the release"
	}
	to := m[1]
	if verb := eventVerb.FindStringIndex(text[m[0]:m[1]]); verb != nil {
		to = m[0] + verb[0]
	}
	p.mark(m[0], to)
	return true
}

// eventVerb matches the verb behind "전날".
var eventVerb = regexp.MustCompile(`\s+(?:(?:미리|다시|꼭|좀)\s+)?(?:알려|리마인드|말해|톡|챙겨)$`)

// An anchor is a point of the day that people name by what they do then. Its clock depends on whether it is before, at or after it.
type anchor struct{ before, at, after int } // minutes of the day

// clockOf is a time of day in minutes.
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

// Words of anchors. The groups hold what stands before, and the name; in Korean the name and what stands behind it.
var (
	anchorEn = regexp.MustCompile(`(?i)\b(?:(before|after|by|at|around|over)\s+)?(?:the\s+)?(?:((?:end|close)\s+of\s+(?:the\s+)?(?:business\s+|work(?:ing)?\s+)?(?:day|business|play|work|today)|eod|cob|eob)|(first)\s+thing(?:\s+in\s+the\s+morning)?)\b|` +
		`\b(before|after|at|over)\s+()()(work|lunch|dinner|breakfast|bed|bedtime)\b`)
	anchorKo = regexp.MustCompile(`(?:^|\s)((?:(출근|퇴근)\s?(?:하기\s?|시간\s?)?(직?전|하자마자|할\s?때|해서|하면|하고(?:\s?나(?:서|면))?|시간|길|무렵|즈음|이후|후|뒤)|(점심|저녁|아침)\s?(?:식사\s?|밥\s?)?(?:먹기\s?)?(직?전|시간|먹고(?:\s?(?:나서|나면|난\s?(?:뒤|후)))?|먹은\s?(?:뒤|후)|이후|후|뒤)|` +
		`(자|취침|일어나)(기\s?전|\s?전|자마자|서|면)|(기상)\s?(하자마자|후|직후))(?:에|쯤|쯤에|까지)?)(?:[\s,.!?]|$)`)
	// countedKo matches an anchor from which a span is counted: "퇴근 30분 전".
	countedKo = regexp.MustCompile(`(?:^|\s)((출근|퇴근|점심|저녁)(?:\s?시간)?)\s+\d+\s?(?:분|시간)\s?전`)
	sameHour  = regexp.MustCompile(`(?i)\b(?:at\s+)?(?:this|(?:the\s+)?same)\s+time\b|(?:^|\s)(?:이|지금|같은)\s?(?:시간|시각|맘때)(?:에|쯤|쯤에)?(?:[\s,.!?]|$)`)
)

// spanAhead matches a span at the end of what stands in front of an anchor.
var spanAhead = regexp.MustCompile(`(?i)\b(?:min(?:ute)?s?|hours?|hrs?)\s+$`)

// anchored puts one token in place of the words of an anchor, and of "this time".
func anchored(text string, list []token) []token {
	for _, m := range anchorEn.FindAllStringSubmatchIndex(text, -1) {
		how, name := group(text, m, 1)+group(text, m, 4), group(text, m, 7)
		switch {
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
		before := strings.HasSuffix(how, "전")
		list = replaced(list, m[2], m[3], anchors[name].token(before, !before && !strings.HasPrefix(how, "하자") && !strings.HasSuffix(how, "때") && !strings.HasSuffix(how, "해서") && !strings.HasSuffix(how, "하면") && how != "시간" && how != "길" && how != "무렵" && how != "즈음"))
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

// token is the clock of an anchor.
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

// approximate reads "around", "about" and "by" in front of an hour as part of it, and "a couple of" as two.
func approximate(text string, list []token) []token {
	for i, t := range list {
		if t.kind == other && i > 0 && list[i-1].kind == number && list[i-1].n == 1 && strings.EqualFold(text[t.from:t.to], "couple") {
			to, next := t.to, i+1
			if next < len(list) && list[next].kind == glue && list[next].n == glueOf {
				to, next = list[next].to, next+1
			}
			list[i-1].n, list[i-1].to = 2, to
			list = append(list[:i], list[next:]...)
			return approximate(text, list)
		}
		if t.kind != other || i+1 == len(list) {
			continue
		}
		switch strings.ToLower(text[t.from:t.to]) {
		case "for": // "set a timer for 25 minutes"
			if i > 0 && strings.EqualFold(text[list[i-1].from:list[i-1].to], "timer") {
				list[i].kind = after
			}
			continue
		case "around", "about", "approximately", "roughly", "circa", "by", "~":
		default:
			continue
		}
		led := i > 0 && list[i-1].kind == glue && list[i-1].n == glueAt
		next, then := list[i+1], token{}
		if i+2 < len(list) {
			then = list[i+2]
		}
		hour := next.kind == clock || next.kind == number && (then.kind == half && then.m < 0 || then.kind == hourSign)
		word := text[t.from:t.to]
		if by := strings.EqualFold(word, "by"); by && (next.kind == dayWord || next.kind == weekday || next.kind == endWeek || next.kind == monthDay) || hour {
			list[i].kind = glue
		} else if led && next.kind == number {
			list[i].kind, list[i].n = glue, glueAt
		}
	}
	return list
}
