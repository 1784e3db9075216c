package when

import "regexp"

// What a text says beside the facts that are read, and what makes another time of them: a rule that left it out would be due when
// nobody meant.
var (
	workday = regexp.MustCompile(`(?i)(?:첫|둘째|셋째|넷째|마지막|[한두세네]\s?번째|첫\s?번째|\d+\s?번째)\s?(?:영업일|근무일|평일|워킹데이)|` +
		`\b(?:first|second|third|fourth|last|\d+(?:st|nd|rd|th))\s+(?:business\s+day|working\s+day|workday|weekday)\b`)
	except = regexp.MustCompile(`(?i)\b(?:except|excluding|but\s+not|other\s+than|apart\s+from)\s+(?:for\s+)?(?:on\s+)?(?:the\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|` +
		`\b(?:except|excluding|but\s+not|apart\s+from)\s+(?:for\s+)?(?:on\s+)?(?:the\s+)?(?:weekends?|(?:public\s+|bank\s+)?holidays?)\b|` +
		`(?:[월화수목금토일]요일|주말|공휴일|휴일|명절|첫째\s?주|마지막\s?주)(?:에|은|는|만|을|를)?\s?(?:빼고|제외|말고|아닌)`)
	yesterday = regexp.MustCompile(`(?i)\byesterday\s+(?:at|morning|afternoon|evening|night|\d)|(?:어제|그저께|그제|엊그제)\s?(?:오전|오후|아침|점심|저녁|밤|새벽|\d+시)`)
	noClock   = regexp.MustCompile(`(?:^|\s)(?:오전|오후)?\s?(?:2[5-9]|[3-9]\d|\d{3,})시(?:에|쯤|반|\s|$)|\b\d{1,2}시\s?[6-9]\d분|\b(?:2[5-9]|[3-9]\d):\d\d\b|\b\d{1,2}:[6-9]\d\b`)
)

// odd returns why the facts of a text are not the time that it means, nil if they are.
func (f facts) odd(text string) error {
	switch {
	case !f.hasDay && f.date.IsZero() && yesterday.MatchString(text): // beside a day it is of what is to be said
		return ErrPast
	case workday.MatchString(text), except.MatchString(text), !f.hasClock && noClock.MatchString(text):
		return ErrTime
	}
	return nil
}
