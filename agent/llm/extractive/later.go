package extractive

// Words that are to be said at a time still to come: "3시에 알려 줘", "tell me at 5 pm".
// A time and the wish to be told are all there is, beside one word for what about; with
// more it is a question about that time ("9시에 출근하는 사람을 알려줘").
const (
	dayKo   = `(?:오늘|내일|모레|글피|매일|매주|다음\s*주|이번\s*주|(?:다음\s*주\s*|매주\s*)?[월화수목금토일]요일|(?:\d{1,2}월\s*)?\d{1,2}일)(?:에|날)?`
	partKo  = `(?:오전|오후|아침|점심|저녁|밤|새벽|정오|자정)`
	hourKo  = `(?:` + partKo + `에?\s*)?(?:(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s*시(?:\s*(?:반|\d{1,2}\s*분))?|\d{1,2}:\d{2})(?:에|쯤(?:에)?)`
	spanKo  = `(?:\d+|한|두|세|몇)\s*(?:초|분|시간|일|주|주일|달|개월)(?:\s*반)?\s*(?:뒤|후|있다가?|이따가?|전)(?:에)?`
	exactKo = `(?:(?:` + dayKo + `\s*)?(?:` + hourKo + `|` + spanKo + `)|(?:` + dayKo + `\s+)?` + partKo + `에|` + dayKo + `|이따가?|나중에)`
	sayKo   = `(?:알려|깨워|불러|말해|얘기해|이야기해|연락해|전화해|상기시켜)\s*(?:줘|주세요|줄래|주라|주실래|주시겠어|다오)\S{0,2}`

	dayEn  = `(?:(?:on\s+|next\s+|every\s+)*(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|tonight|next\s+(?:week|month)|later)(?:\s+(?:morning|afternoon|evening|night))?`
	whenEn = `(?:(?:` + dayEn + `\s+)?(?:at|around|by)\s+(?:\d{1,2}(?::\d{2})?(?:\s*(?:am|pm|a\.m\.|p\.m\.|o'?clock))?|noon|midnight)(?:\s+` + dayEn + `)?|in\s+(?:\d+|an?|half\s+an|a\s+few)\s+(?:seconds?|minutes?|mins?|hours?|days?|weeks?)|` + dayEn + `)`
	sayEn  = `(?:tell|ping|notify|alert|nudge|wake|call|warn|text|message)\s+(?:me|us)(?:\s+(?:up|again))?|let\s+(?:me|us)\s+know(?:\s+again)?`
)

var laterWishes = []*pattern{
	expression(`^\W*` + exactKo + `\s*(?:(?:다시|꼭|좀|한\s*번(?:\s*더)?|(?:나|저|우리)(?:한테|에게)?)\s*)*` + sayKo + `\W*$`),
	expression(`^\W*(?:` + dayKo + `\s*)?(?:` + hourKo + `|` + spanKo + `)\s+[\p{Hangul}\d]{1,8}\s+(?:좀\s*|꼭\s*|다시\s*)?` + sayKo + `\W*$`),
	expression(`^\W*` + sayKo + `\s+` + exactKo + `\W*$`),
	expression(`(?i)^\W*(?:please\s+|(?:can|could|would|will)\s+you\s+(?:please\s+)?)?(?:` + sayEn + `)\s+` + whenEn + `(?:\s+please)?\W*$`),
	expression(`(?i)^\W*` + whenEn + `,?\s+(?:please\s+)?(?:` + sayEn + `)(?:\s+(?:to|that|about)\s.*)?\W*$`),
}

// askedOf is in a sentence that asks something of a time.
var askedOf = expression(`는지|인지|을지|ㄹ지|할지|누가|누구|무엇|뭐|뭘|무슨|어떤|어떻|어디|언제|얼마`)

// laterOn reports whether somebody wants to be told something at a time to come.
func laterOn(q string) bool {
	if askedOf.MatchString(q) {
		return false
	}
	for _, re := range laterWishes {
		if re.MatchString(q) {
			return true
		}
	}
	return false
}
