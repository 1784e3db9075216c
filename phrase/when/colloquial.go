package when

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// attached are units that are written after their number only: "2h", "30m".
var attached = map[string]token{
	"h": {kind: unit, n: hours}, "m": {kind: unit, n: minutes}, "d": {kind: unit, n: days}, "w": {kind: unit, n: weeks}, "ish": {kind: glue}, "-ish": {kind: glue},
}

// written are words with a digit for a sound, signs for words, and words that say no time but consist of such as do.
var written = map[string]token{
	"전날": {}, "전날에": {},
	"2nite": {kind: dayWord, m: 21}, "2night": {kind: dayWord, m: 21}, "2day": {kind: dayWord}, "2moro": {kind: dayWord, n: 1}, "2morrow": {kind: dayWord, n: 1}, "2mrw": {kind: dayWord, n: 1},
	"&": {kind: glue, n: glueOf}, "및": {kind: glue, n: glueOf},
}

// A time to which something is set: "7시 반으로 맞춰줘".
var (
	toTime = pattern.New(`^\S+로$`)
	setsTo = pattern.New(`^\s+(?:좀\s+)?(?:맞춰|설정|예약|등록|잡아|걸어)`)
)

// hourAhead matches an hour at the beginning of what follows a word.
var hourAhead = pattern.New(`^\s+(?:오전|오후|아침|점심|저녁|새벽|밤|정오|자정|\d{1,2}(?:시|:\d)|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시)`)

// handsIn matches what makes of 낼 after it "to hand in" and not "tomorrow": "월말에 낼 보고서".
var handsIn = pattern.New(`(?:에|까지|을|를|로)\s+$`)

// meets matches what is in front of a person's name.
var meets = pattern.New(`(?i)\b(?:call|phone|tell|ask|text|email|message|dm|ping|nudge|meet|thank|invite|pay|help|notify|with)\s+$`)

// people takes names and greetings for what they are: "eve" is a time only in small letters after a day, Noon is a person whom one calls, and so
// are Thu and May where the time was named before.
func people(text string, list []token) []token {
	timed := false
	for i, t := range list {
		word := strings.TrimRight(text[t.from:t.to], ",;:.!?")
		named := word != "" && word[0] >= 'A' && word[0] <= 'Z'
		met := named && meets.MatchString(text[:t.from])
		switch {
		case t.kind == half && i > 0 && strings.EqualFold(text[list[i-1].from:list[i-1].to], "good"): // "good morning!"
			met = true
		case strings.EqualFold(word, "eve"):
			met = named || i == 0 || !slices.Contains([]kind{dayWord, weekday, this, every, next}, list[i-1].kind)
		case t.kind == clock && word == "Noon":
		case t.kind == month, t.kind == weekday && len(word) == 3:
			met = met && timed
		default:
			timed = timed || t.kind == clock || t.kind == number || t.kind == dayWord
			continue
		}
		if met {
			list[i] = token{from: t.from, to: t.to, word: t.word}
		}
	}
	return list
}

// twoLetters reports whether a word is two letters of weekdays: "화목", which is a word of its own without an hour.
func twoLetters(w string) bool {
	return utf8.RuneCountInString(w) == 2 && strings.Trim(w, dayLetters) == ""
}

// sinoMinute matches a Sino-Korean number of minutes: "십분", "삼십 분".
var sinoMinute = pattern.New(`^((?:[이삼사오]?십)?[일이삼사오육칠팔구]?)\s?분`)

// sinoMinutes returns how many bytes the number in front of 분 has, 0 for none.
func sinoMinutes(s string) int {
	if m := sinoMinute.FindStringSubmatchIndex(s); m != nil {
		return m[3]
	}
	return 0
}

// sino returns the value of a Sino-Korean number below sixty.
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
var vagueTime = pattern.New(`(?i)\b(?:later(?:\s+on)?|soon|sometime|some\s?day|at\s+some\s+point|eventually|in\s+a\s+(?:little\s+)?(?:bit|while|moment|sec|few\s+\pL+))\b|` +
	`(?:^|\s)(?:나중에?|(?:좀|조금|잠시|잠깐)\s?(?:이따|있다)가?|이따가?|있다가|(?:잠시|조금|얼마)\s?(?:뒤|후)에?|조만간|언젠가|곧)(?:\s|$)`)

// deadline matches the day until which something is to be done, which is not the time at which to say so.
var deadline = pattern.New(`(?:요일|욜|일|주|달|월말|말|오늘|내일|낼|모레|시|년)\s?까지(?:는|만)?(?:\s|$)|(?:\d+\s?(?:일|주일?|개월|달|시간|분)|하루|이틀|사흘|나흘|일주일|한\s?달|한\s?시간)\s?(?:안에|안으로|내로|내에|이내에?)(?:\s|$)`)

// eventTime matches a span that is counted from something of which no text tells the time: "10 minutes before the meeting".
var eventTime = pattern.New(`(?i)\b(?:half\s+an|\d+|an?|the|one|two|three|five|ten|fifteen|twenty|thirty)\s+(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?)\s+(?:before|prior\s+to|ahead\s+of|after)\s+(?:the|our|my|your|his|her|their|each|every|we|it|i|\pL+ing)\b.*|` +
	`\b(?:half\s+an|\d+|an?|one|two|three|five|ten|fifteen|twenty|thirty)\s+(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?)\s+(?:before(?:hand)?|ahead(?:\s+of\s+time)?|in\s+advance)[\s.!]*$|` +
	`(?:전날|하루\s전|당일)(?:에)?\s+(?:(?:미리|다시|꼭|좀)\s+)?(?:알려|리마인드|말해|톡|챙겨)|` +
	`(?:\d+|한|두|세|네|삼십|십|반)\s?(?:분|시간|일|주)\s?전(?:에|까지|쯤에)?(?:\s|$)`)

// eventOnly matches a wish for a reminder at something of which no text tells the time: "remind me before the meeting".
var eventOnly = pattern.New(`(?i)\b(?:remind|nudge|ping)\s+(?:me|us)\s+((?:(?:right|just)\s+)?(?:before|after|once)\s+(?:the|our|my|i|we|christmas|xmas|new\s+year|valentine|halloween|easter|thanksgiving)\b.*)$`)

// dayBehind and dayAheadKo match "before" beside the day that a text names, which is too late. A span with a number, "2 days before", is counted.
var (
	dayBehind  = pattern.New(`(?i)\b(?:(?:(?:the|an?|few|couple|of|some|several)\s+)*(?:minutes?|hours?|days?|nights?|evenings?|mornings?|weeks?|months?)\s+)?(?:before|prior\s+to|ahead\s+of)\s+(?:the\s+|on\s+)?$`)
	dayAheadKo = pattern.New(`^\s*이?전(?:에|까지)(?:\s|$)`)
)

// pastNoun matches a word that makes "10분 전에" part of the task: 온, 보낸, 받은.
var pastNoun = pattern.New(`^\s*(?:온|한|된|간|난|\p{Hangul}+[은던낸린든])\s`)

// numberedDay matches a weekday by its number in a month. Where no month of it was read, it is not the next such day.
var numberedDay = pattern.New(`(?i)(?:(?:\d+월|이번\s?달|다음\s?달)(?:의)?\s?)?(?:첫째?|둘째|셋째|넷째|다섯째|마지막|[한두세네]\s?번째)\s?주?\s?(?:[월화수목금토일](?:요일|욜))|\b(?:first|second|third|fourth|fifth|last)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day\b`)

// misread reports whether a weekday was read without the number that is in front of it.
func misread(p *reader, text string) bool {
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
var whom = pattern.New(`(?i)\b(?:remind|nudge|ping|tell)\s+(?:me|us|\w+|the\s+\w+)\s+$`)

// event finds in a text without an hour of its own a span that is counted from something else, or a day before which something is to be
// done, marks it and returns why it is no time.
func event(p *reader, text string) error {
	if p.f.hasClock || p.f.span > 0 {
		return nil
	}
	if m := eventOnly.FindStringSubmatchIndex(text); m != nil && !p.any() {
		p.mark(m[2], m[3])
		return ErrEvent
	}
	if p.f.dated() && !p.f.every {
		day, last := p.at(p.dayAt), p.dayAt
		for last+1 < len(p.list) && p.used[last+1] {
			last++
		}
		end := p.at(last).to
		another := slices.ContainsFunc(p.list, func(t token) bool {
			return t.from > day.to && (t.kind == weekday || t.kind == dayWord || t.kind == monthDay)
		})
		if m := dayBehind.FindStringIndex(p.text[:day.from]); m != nil && !another {
			p.mark(m[0], day.to)
			return ErrVague
		}
		if n := len(dayAheadKo.FindString(p.text[end:])); n > 0 && !another && !pastNoun.MatchString(p.text[end+n:]) {
			p.mark(day.from, end+n)
			return ErrVague
		}
	}
	m := eventTime.FindStringIndex(text)
	if m == nil || hangul(text[m[0]:m[1]]) && pastNoun.MatchString(text[m[1]-1:]) {
		return nil
	}
	if before, _ := p.beside(text, m[0], m[1]); p.any() && !before && !hangul(text) && !whom.MatchString(text[:m[0]]) {
		return nil // "every Friday list what came in two days after the release"
	}
	to := m[1]
	if verb := eventVerb.FindStringIndex(text[m[0]:m[1]]); verb != nil {
		to = m[0] + verb[0]
	}
	p.mark(m[0], to)
	return ErrEvent
}

// eventVerb matches the verb after "전날".
var eventVerb = pattern.New(`\s+(?:(?:미리|다시|꼭|좀)\s+)?(?:알려|리마인드|말해|톡|챙겨)$`)

// setFor matches a reminder and the hour for which it is set: "alarm for 7", but not "reminder for 4 people".
var setFor = pattern.New(`(?i)^(?:reminder|alarm|nudge)s?\s+for\s+\d{1,2}(?::\d\d)?(?:[\s,.!]*$|[,:]|\s+(?:to|on|about|that|sharp|in\s+the|today|tonight|tomorrow|tm\w*|this|next|every|each|weekdays|(?:mon|tue|wed|thu|fri|sat|sun)\w*)\b)`)

// wakes matches alarms, which are more often for the early morning than other reminders.
var wakes = pattern.New(`(?i)\b(?:alarms?|wake)\b|알람|깨워|일어나|기상`)

// early puts the open hour of an alarm, 4 to 6, into the morning of a later day, and into the next morning where that comes first.
func (f *facts) early(text string, now time.Time) {
	if !f.open || f.hour < 16 || f.hour > 18 || f.part >= 12 || !wakes.MatchString(text) {
		return
	}
	later := f.hour*60+f.minute <= now.Hour()*60+now.Minute()
	if today := f.hasDay && f.day == 0; today || !f.every && !f.dated() && !later {
		return
	}
	f.ofDay(0)
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
		case "for":
			switch {
			case i == 0:
			case strings.EqualFold(text[list[i-1].from:list[i-1].to], "timer"): // "set a timer for 25 minutes"
				list[i].kind = after
			case setFor.MatchString(text[list[i-1].from:]): // "an alarm for 7"
				list[i].kind, list[i].n = glue, glueAt
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
