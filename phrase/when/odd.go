package when

import "maru/phrase/pattern"

// What a text says beside the facts that are read, and what makes another time of them: a rule that left it out would be due when
// nobody meant.
var (
	workday = pattern.New(`(?i)(?:첫|둘째|셋째|넷째|마지막|[한두세네]\s?번째|첫\s?번째|\d+\s?번째)\s?(?:영업일|근무일|워킹데이)|` +
		`\b(?:first|second|third|fourth|last|\d+(?:st|nd|rd|th))\s+(?:business\s+day|working\s+day|workday)\b(?:\s+of\s+(?:the|each|every|this|next)\s+month\b)?`)
	yesterday = pattern.New(`(?i)\byesterday\s+(?:at|morning|afternoon|evening|night|\d)|(?:어제|그저께|그제|엊그제)\s?(?:오전|오후|아침|점심|저녁|밤|새벽|\d+시)`)
	halfRead  = pattern.New(`[첫째]\s(?:\S째|마지막)\s(?:주\s)?(?:평일|날)`) // "첫째 마지막 평일"
	noClock   = pattern.New(`(?:^|\s)(?:오전|오후)?\s?(?:2[5-9]|[3-9]\d|\d{3,})시(?:에|쯤|반|\s|$)|\b\d{1,2}시\s?[6-9]\d분|\b(?:2[5-9]|[3-9]\d):\d\d\b|\b\d{1,2}:[6-9]\d\b`)
)

// odd returns why the facts of a text are not the time that it means, nil if they are.
func (p *reader) odd(text string) error {
	f := p.f
	switch {
	case !f.hasDay && f.date.IsZero() && yesterday.MatchString(text): // beside a day it is of what is to be said
		return ErrPast
	case !f.hasClock && noClock.MatchString(text):
		return ErrTime
	case misread(p, text), p.f.dom != 0 && marked(p, text, halfRead):
		return ErrVague
	case f.every && f.unit == quarters && p.has(text, numberedDay.FindAllStringIndex(text, -1)): // "every quarter on the first Monday"
		return ErrTime
	case p.onWorkday(text):
		return ErrHoliday
	case hoursLeft(p), daysLeft(p):
		return ErrSeveral
	case f.order && f.said == 0:
		return ErrOrder
	}
	return nil
}

// onWorkday reports whether the time is a numbered working day of a month, which depends on holidays. Where the time has a day
// already, or names a month of its own elsewhere, the words belong to the task: "every Monday at 9 … of the last business day".
func (p *reader) onWorkday(text string) bool {
	monthly := p.f.every && p.f.unit == months || !p.f.every && p.f.nextUnit == months+1
	if !monthly && (p.f.every || p.f.dated()) || p.f.dom != 0 || p.f.nth != 0 {
		return false
	}
	for _, m := range workday.FindAllStringIndex(text, -1) {
		if before, after := p.beside(text, m[0], m[1]); before || after {
			p.mark(m[0], m[1])
			return true
		}
	}
	return false
}
