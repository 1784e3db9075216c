package when

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// Words beside a time that limit it in a way which no rule can: a rule without them would be due when nobody meant.
var (
	// A first or last day, or a number of times.
	bounded = pattern.New(`(?i)\b(?:until|till)\s+\pL+|\bfor\s+(?:the\s+)?(?:next\s+|coming\s+)?(?:\d+|an?|one|two|three|four|five|six)\s*(?:days?|weeks?|months?)\b|` +
		`\b(?:\d+|two|three|four|five|six|ten)\s+times\b|(?:\d+|한|두|세|네|다섯|열)\s?(?:번|회)만`)
	boundedNext  = pattern.New(`(?i)\bfor\s+(?:the\s+)?(?:next|coming)\s+(?:days?|weeks?|months?)\b`)
	boundedFirst = pattern.New(`(?i)\b(?:starting|beginning)\s+(?:from\s+|on\s+|in\s+)?(?:the\s+)?(?:\pL|\d)+|\bfrom\s+(?:next\s+\pL+|tomorrow|today|now)\s+on(?:wards?)?\b`)
	koBounds     = pattern.New(`(?:[^\s]+\s)?[^\s]*(?:일|주|달|월|말|년|시|내일|모레|오늘)(?:까지만|까지|부터)(?:$|\s)|(?:[^\s]+\s)?[^\s]*(?:일|주|주일|달|개월)\s?(?:동안|간)(?:\s|$)`)
	bareVerb     = pattern.New(`^[\s,]*(?:알려|올려|보내|말해|리마인드|해\s?줘)`)
	repeated     = pattern.New(`(?i)\b(?:every|each|daily|weekly|weekdays|monthly)\b|매[일주월달년]|마다|평일|주중|격[주일]`)

	// Part of a day.
	window = pattern.New(`(?i)\b(?:during|in|within)\s+(?:the\s+)?(?:business|office|working|work|opening)\s+hours\b|\b(?:until|till)\s+\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\b)?|\bbetween\s+\d[\w:.]*\s*(?:[ap]m\s*)?and\s+\d|` +
		`\b(?:from\s+)?\d{1,2}(?::\d\d)?\s?(?:[ap]m)?\s?(?:to|till|until|-|–)\s?\d{1,2}(?::\d\d)?\s?(?:[ap]m)?(?:\s|$)|` +
		`(?:업무|영업|근무|일과)\s?시간(?:에만|에|중에|동안|대에)?(?:\s|$)|\d{1,2}시\s?(?:반\s?)?(?:부터|에서|~|-)\s?\S*\s?\d{1,2}시(?:\s?반)?\s?(?:까지|사이)?(?:에)?`)
	intervals = pattern.New(`(?i)(?:\d+|한|두|세|네|여섯)\s?(?:시간|분)\s?(?:마다|간격)|매시간?|\bevery\s+(?:\d+\s+|two\s+|three\s+|four\s+|six\s+)?(?:hours?|minutes?|mins?)\b|\bhourly\b`)
	someDays  = pattern.New(`(?i)(?:on\s+)?\b(?:weekdays|workdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|평일|주중|주말|매주\s?[월화수목금토일]|[월화수목금토일]요일`)

	// A day that is over, and one that is counted in a way that is not read.
	gone       = pattern.New(`(?i)\blast\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|지난\s?(?:주\s?)?[월화수목금토일](?:요일|욜)|(?:작년|재작년|지난해)(?:\s?\d+월\s?\d+일)?`)
	ofMonth    = pattern.New(`(?i)^\s+(?:of|in|every|each)\b`)
	leadsEvery = pattern.New(`(?i)\b(?:every|each|the)\s+$`)
	someOf     = pattern.New(`(?i)\b(?:\d+|two|three|four|five|six)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days?\s+(?:from\s+now|hence|away|later)\b`)
	counted    = pattern.New(`(?i)\bafter\s+next\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\s+week\b|\bweeks?\s+(?:from|on)\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day\b`)
)

// passed finds days that are over, and keeps their words from being read as days to come.
func (p *reader) passed(text string) [][]int {
	var out [][]int
	for _, m := range gone.FindAllStringIndex(text, -1) {
		if ofMonth.MatchString(text[m[1]:]) || leadsEvery.MatchString(text[:m[0]]) {
			continue
		}
		out = append(out, m)
		p.forget(m[0], m[1])
	}
	return out
}

// limits returns why the facts leave out what the words beside them say, nil if they do not. over are the days that are over.
func (p *reader) limits(text string, over [][]int) error {
	f := p.f
	if !f.every && !f.dated() && f.month == 0 && p.has(text, p.named(text, over, false)) {
		return ErrPast
	}
	brief := f.unit == minutes || f.unit == hours
	switch {
	case marked(p, text, someOf), !f.every && p.has(text, counted.FindAllStringIndex(text, -1)):
		return ErrTime
	case !f.dated() && f.month == 0 && (!f.every || f.unit == years) && p.has(text, p.named(text, feast.FindAllStringIndex(text, -1), true)):
		return ErrHoliday
	case f.every && p.has(text, window.FindAllStringIndex(text, -1)),
		f.every && brief && p.has(text, someDays.FindAllStringIndex(text, -1)),
		f.every && !brief && p.has(text, intervals.FindAllStringIndex(text, -1)):
		return ErrWithin
	case f.every && p.has(text, bounded.FindAllStringIndex(text, -1)), f.every && p.has(text, p.behind(text, boundedNext.FindAllStringIndex(text, -1))):
		return ErrBounds
	}
	if !f.every && !repeated.MatchString(text) {
		return nil
	}
	if p.has(text, boundedFirst.FindAllStringIndex(text, -1)) {
		return ErrBounds
	}
	for _, m := range koBounds.FindAllStringIndex(text, -1) {
		before, after := p.beside(text, m[0], m[1])
		if (after || before && bareVerb.MatchString(text[m[1]:])) && !p.taken(m[0], m[1]) { // "9시에 금요일까지 내라고": the task's
			p.mark(m[0], m[1])
			return ErrBounds
		}
	}
	return nil
}

// has takes to the time the first of the ranges of a text that is beside it or before all else and is not part of it, and reports
// whether there is one.
func (p *reader) has(text string, ranges [][]int) bool {
	for _, m := range ranges {
		if p.taken(m[0], m[1]) {
			continue
		}
		if before, after := p.beside(text, m[0], m[1]); before || after || strings.TrimSpace(text[:m[0]]) == "" {
			p.mark(m[0], m[1])
			return true
		}
	}
	return false
}

// marked takes the first match of a pattern that has words of the time to it, and reports whether there is one.
func marked(p *reader, text string, words *pattern.Pattern) bool {
	for _, m := range words.FindAllStringIndex(text, -1) {
		for i, t := range p.list {
			if p.used[i] && t.from >= m[0] && t.to <= m[1] {
				p.mark(m[0], m[1])
				return true
			}
		}
	}
	return false
}

// named leaves of the ranges, which are days, those of the time: beside it and not behind an hour with its particle, "3시에 추석 선물
// …", or, if leads is set, at the beginning without words that make it the task's, "추석에 쉬는지".
func (p *reader) named(text string, ranges [][]int, leads bool) [][]int {
	return slices.DeleteFunc(ranges, func(m []int) bool {
		before, after := p.beside(text, m[0], m[1])
		switch {
		case after:
			return false
		case before:
			return p.lastBefore(m[0]) == glue
		}
		return !leads || ofTask.MatchString(text[m[1]:])
	})
}

// behind leaves of the ranges those behind the time and at the beginning: "the plan for next week every Friday" has no last day.
func (p *reader) behind(text string, ranges [][]int) [][]int {
	return slices.DeleteFunc(ranges, func(m []int) bool {
		before, _ := p.beside(text, m[0], m[1])
		return !before && strings.TrimSpace(text[:m[0]]) != ""
	})
}

// taken reports whether all tokens of a range were read as the time.
func (p *reader) taken(from, to int) bool {
	for i, t := range p.list {
		if t.from < to && t.to > from && !p.used[i] {
			return false
		}
	}
	return true
}

// laterClock reads a Korean text again without its first hour, where that describes a noun and a later one says when: "3시 회의를 2시
// 50분에 알려줘". It returns nil if there is no such hour.
func laterClock(p *reader) *reader {
	if !p.f.hasClock || p.f.loose || p.f.also != 0 || !hangul(p.text) {
		return nil
	}
	end := p.clockAt
	for ; end < len(p.list) && p.used[end]; end++ {
		if p.list[end].kind == glue {
			return nil
		}
	}
	if joins(p, end-1) || bareHours(p, end) { // "월요일 10시, 수요일 3시에", "10시 14시에": both are meant
		return nil
	}
	for i := end + 1; i < len(p.list); i++ {
		if p.used[i] {
			continue
		}
		if hourAt(p, i) > 0 && listedHour(p, i, true) { // 월 10시 금 17시
			return nil
		}
		hour := reader{list: p.list, used: make([]bool, len(p.list)), text: p.text}
		n := hour.clock(i)
		if g := p.at(i + n); n > 0 && hour.f.hasClock && g.kind == glue && g.n == 0 && g.word == p.at(i+n-1).word {
			q := &reader{list: slices.Clone(p.list), text: p.text}
			q.forget(p.list[p.clockAt].from, p.list[end-1].to)
			q.run()
			return q
		}
	}
	return nil
}
