package when

import (
	"strings"
	"time"

	"maru/phrase/pattern"
)

// A span by which something is due before the time that the text names: "a call at 3, remind me 10 minutes before", "1 day before March
// 20", "3시 회의 10분 전에 알려줘". The groups hold the span and the word that counts it back.
var (
	aheadEnd  = pattern.New(`(?i)\b(?:(?:remind|nudge|ping|tell|warn|alert|wake)\s+\S+|reminder|alarm)\s+(` + spanEn + `)\s+(before(?:hand)?|ahead(?:\s+of\s+(?:time|it))?|earlier|early|in\s+advance|prior)[\s.!?]*$`)
	aheadThen = pattern.New(`(?i)\b(` + spanEn + `)\s+(before|prior\s+to|ahead\s+of)\s+(?:(?:the|my|our|your|a|an)\s+)?(?:\pL[\pL-]*\s+){0,3}$`)
	aheadKo   = pattern.New(`(?:^|[\s,])` + spanKo + toldKo)
	// behindKo is directly after the time, besideKo after what is then, before a task in reported speech: "3시 회의 15분 전에 자료
	// 챙기라고". Without that, the span is the task's: "3시 회의 10분 전에 바뀐 자료".
	behindKo = pattern.New(`^\s*` + spanKo + `\s`)
	besideKo = pattern.New(`^(?:\s\p{Hangul}*[^\P{Hangul}에서고면])(?:\s\p{Hangul}*[^\P{Hangul}에서고면]){0,2}?\s` + spanKo + `\s.*\p{Hangul}[라자]고\s`)
)

const (
	spanEn = `(?:(?:half\s+an|\d+|an?|one|two|three|five|ten|fifteen|twenty|thirty)\s+(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?)|the\s+day)`
	spanKo = `((?:(?:\d+|한|두|세|네|십|이십|삼십)\s?(?:분|시간|일|주일?)|반\s?시간|하루|이틀|사흘|일주일)\s?전|전날)(에|쯤에?)?`
	toldKo = `\s+(?:(?:미리|다시|꼭|좀|한번)\s+)*(?:알려|알림|알람|리마인|말해|톡|챙겨|깨워|상기)`
)

// dayCounts are names of numbers of days.
var dayCounts = map[string]int{"하루": 1, "이틀": 2, "사흘": 3, "일주일": 7, "전날": 1, "the day": 1}

// ahead finds a span before the time and marks its words. It is 0 if there is none, or if the time is too coarse to count from.
func (p *reader) ahead(text string) time.Duration {
	from, mid, to := p.aheadWords(text)
	if to == 0 {
		return 0
	}
	by, ok := Span(strings.TrimSuffix(text[from:mid], "전"))
	whole := by%(24*time.Hour) == 0
	if !ok || !whole && (!p.f.hasClock || p.f.loose) || whole && !p.f.dated() && p.f.month == 0 {
		return 0
	}
	for i, t := range p.list {
		if p.used[i] && t.from < to && t.to > from {
			return 0
		}
	}
	p.mark(from, to)
	return by
}

// aheadWords returns where a span before the time is in a text, from and to, and where the word after the span begins, mid.
func (p *reader) aheadWords(text string) (from, mid, to int) {
	for _, is := range []*pattern.Pattern{aheadKo, aheadEnd} {
		if m := is.FindStringSubmatchIndex(text); m != nil {
			return m[2], m[3], max(m[3], m[5])
		}
	}
	for i, t := range p.list {
		if !p.used[i] {
			continue
		}
		if m := aheadThen.FindStringSubmatchIndex(text[:t.from]); m != nil {
			return m[2], m[3], m[5]
		}
		m := behindKo.FindStringSubmatchIndex(text[t.to:])
		if m == nil && p.f.hasClock && t.kind != glue && (i+1 == len(p.list) || !p.used[i+1]) {
			m = besideKo.FindStringSubmatchIndex(text[t.to:])
		}
		if m != nil && !pastNoun.MatchString(text[t.to+max(m[3], m[5]):]) {
			return t.to + m[2], t.to + m[3], t.to + max(m[3], m[5])
		}
	}
	return 0, 0, 0
}
