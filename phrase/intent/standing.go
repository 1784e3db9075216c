package intent

import "maru/phrase/pattern"

// Words of sentences about how things are or are done, rather than about a change; see [Lasting].
var (
	joking = pattern.New(`(?i)ㅋㅋ|농담|🤣|😂|\b(?:lol|lmao|rofl|haha+|jk|just\s+kidding)\b`)
	// fleeting is said of what is over tomorrow.
	fleeting = pattern.New(`(?i)\b(?:today|tonight|yesterday|tomorrow|this\s+(?:morning|afternoon|evening|time|week|month|one)|right\s+now|just|last\s+night|currently|again|already|still)\b|` +
		`오늘|지금|방금|어제|내일|모레|아까|이따|조금\s?전|이번|다음\s?(?:주|달)|아직|벌써`)
	ownAffair = pattern.New(`(?i)\b(?:i|i['’](?:m|ll|ve|d)|me|my|mine)\b|(?:^|\s)(?:저|나|난|전|저는|나는|제가|내가|제|내)\s`)
	habitEn   = pattern.New(`(?i)\bwe\s+(?:usually|normally|generally|always|never|only)\s|\bevery\s+(?:week|month|quarter|year|sprint|other\s+\w+|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|` +
		`\b(?:each|per)\s+(?:day|week|month|quarter|year|sprint)\b|\b(?:first|second|third|last)\s+\w+day\s+of\s+(?:the|each|every)\s+month\b|^(?:please\s+)?(?:always|never)\s+(?:add|ask|book|call|check|commit|deploy|file|keep|leave|log|merge|open|post|push|put|review|run|send|share|tag|tell|test|update|use|write)\b|` +
		`\bneeds?\s+(?:at\s+least\s+)?(?:one|two|three|four|\d+)\s+(?:approvals?|reviews?|reviewers?|people|signatures?)\b|\bon\s+(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|` +
		`\b(?:have|has)\s+to\s+be\s+(?:in|done|sent|filed|approved|signed)\s+by\b|\b(?:is|are)\s+(?:written|done|made|approved|signed|handled|owned)\s+by\b`)
	dailyEn    = pattern.New(`(?i)\bevery\s+(?:day|morning|evening)\b`)
	settledEn  = pattern.New(`(?i)\b(?:it|that)(?:['’]?s|\s+is)\s+settled\b|^final\s+(?:call|decision)\b`)
	factEn     = pattern.New(`(?i)^(?:(?:fyi|note|heads\s+up|reminder)\b[:,]?\s+)?(?:(?:the|our|all)\s+|[\p{L}-]+\s+(?:hours|address|number|code|password|limit)\s+).*\b(?:is|are|starts?|begins?|ends?|runs?|expires?|costs?|opens?|closes?|caps?)\b`)
	concreteEn = pattern.New(`(?i)\d|https?://|[a-z]\.[a-z]|(?:^|\s)[#@]\w|\bpage\s+(?:one|two|three|four|five)\b`)
	habitKo    = pattern.New(`매주|매달|매월|매일|매년|격주|항상|언제나|보통|원칙|반드시|무조건|요일마다|(?:첫|둘|셋|넷)째\s?주|마지막\s?주|\S부터\s.*까지|(?:아|어|셔|해)야\s?(?:해요|합니다|돼요|됩니다)`)
	aboutKo    = pattern.New(`^(?:참고로\s|공지\s)?(?:\S+\s){0,4}?\S*[가-힣A-Za-z0-9](?:은|는|에는|에선|에서는)\s`)
	concreteKo = pattern.New(`\d|https?://|[a-z]\.[a-z]|(?:^|\s)[#@]\S|주소|번호|비밀번호|담당|적혀\s?있|옆에|아래에|위에`)
	standsKo   = pattern.New(`(?:이에요|예요|입니다|있어요|있습니다|돼요|됩니다|해요|합니다|아요|어요|주세요|(?:[가-힣]니다))[.!]*$`)
	overKo     = pattern.New(`[었았였했됐났갔왔](?:어요|습니다|네요|죠|다|음|는데)`)
	agreedKo   = pattern.New(`(?:확정|합의)(?:입니다|이에요|됐|되었|했)`)
)

// standing reports whether a sentence says how things are or are done here: a fact with a value, a habit, a rule.
func standing(text string) bool {
	if fleeting.MatchString(text) || ownAffair.MatchString(text) {
		return false
	}
	if hangul(text) {
		says := aboutKo.MatchString(text) && (concreteKo.MatchString(text) || habitKo.MatchString(text)) || habitKo.MatchString(text)
		return agreedKo.MatchString(text) || says && standsKo.MatchString(text) && !overKo.MatchString(text)
	}
	return habitEn.MatchString(text) || settledEn.MatchString(text) || (factEn.MatchString(text) || dailyEn.MatchString(text)) && concreteEn.MatchString(text)
}
