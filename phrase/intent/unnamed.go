package intent

import "maru/phrase/pattern"

// Requests about something that only a file, a message before or a link can tell, and about the language of answers.
var (
	unnamedKo = pattern.New(`^(?:(?:이거|이것|이걸|이게|그거|그것|그걸|저거|(?:이|그|저|위|아래|방금|아까)\s?(?:둘|두\s?개|셋|파일|문서|글|내용|링크|표|사진|이미지|답변?|대답|것|거|메시지))(?:들)?(?:을|를|은|는|만)?\s*)?(?:(?:좀|다시|한번|짧게|간단히|쉽게)\s*)*` +
		`(?:요약|비교|정리|분석|검토|확인|설명|보여|읽어|봐)(?:을|를)?\s*(?:좀\s*)?(?:해|부탁)?\s*(?:줘요?|주세요|줄래요?|주라|드려요|해요|봐요?)?[.!~ㅠㅜ\s]*$|` +
		`^(?:그거|이거|그것|이것)\s?말고\s?(?:다른|딴)\s?(?:거|것|걸|게|건)(?:\s?(?:줘|주세요|보여줘|알려줘|없어|는))?[.!?~\s]*$`)
	unnamedEn = pattern.New(`(?i)^(?:(?:please|pls|can\s+you|could\s+you|hey|hi|ok|now)[,\s]+)*(?:(?:summari[sz]e|compare|explain|review|analy[sz]e|shorten|simplify|read|proofread)\s+(?:this|that|it|these|those|them|both|the\s+following)(?:\s+(?:two|three|both|files?|one|ones|documents?|docs?|texts?|pages?|links?|things?|messages?))*|` +
		`(?:show|give|tell)\s+me\s+(?:that|it|the\s+(?:last|previous)\s+(?:answer|one))\s+again|(?:something|anything)\s+else|(?:try\s+)?another\s+one|not\s+that\s+one)(?:\s+(?:for\s+me|please|pls|thanks))*[.!?\s]*$`)
	tongueKo = pattern.New(`^(?:(?:이제부터|앞으로|다음부터|이제|그냥|좀)\s*)*(?:영어|한국어|한글|영문|우리말)로(?:만)?\s*(?:좀\s*)?(?:대답|답변?|말|얘기|이야기|응답)(?:을)?\s*(?:좀\s*)?(?:해|하|부탁)\s*(?:줘요?|주세요|줄래요?|줄\s?수\s?있\p{Hangul}+|라|요|자|드려요|합니다)?[.!?~\s]*$`)
	tongueEn = pattern.New(`(?i)^(?:(?:do|can)\s+you\s+(?:also\s+)?(?:speak|understand|know|answer\s+in)\s+(?:english|korean)(?:\s+too)?[?.!\s]*|(?:(?:please|pls|can\s+you|could\s+you|from\s+now\s+on|hey|ok|now)[,\s]+)*(?:answer|reply|respond|speak|talk|write)(?:\s+(?:to\s+)?(?:me|us))?\s+(?:only\s+)?in\s+(?:english|korean)(?:\s+(?:please|pls|only|from\s+now\s+on))*[.!?\s]*)$`)
)

// PointsAtNothing reports whether a text asks to do something with what it does not name: "summarise this", "이 둘 비교해줘".
func PointsAtNothing(text string) bool {
	return unnamedKo.MatchString(text) || unnamedEn.MatchString(text)
}

// Manners of speech that a text may choose.
var (
	mannerKo = pattern.New(`^(?:(?:너|넌|너는|이제부터|앞으로는?|다음부터|이제|그냥|좀|나한테|저한테|나에게|저에게|우리한테|저희한테)\s*)*(?:반말|존댓말|존대말|높임말|경어|존대|편하게\s?말)(?:로만|로|을|를|만)?\s*(?:좀\s*)?(?:대답|답변?|말|얘기|이야기|사용)?(?:을)?\s*(?:해|써|하|쓰|놔|놓)\s?(?:` + koGives + `|라|요|자)?[.!~\s]*$`)
	mannerEn = pattern.New(`(?i)^(?:(?:please|pls|can\s+you|could\s+you|from\s+now\s+on|hey|ok|now)[,\s]+)*(?:be|sound|speak|talk|write|answer|reply)(?:\s+(?:to|with)\s+(?:me|us))?\s+(?:(?:a\s+bit|a\s+little|more|less|very|so)\s+)*(?:formal(?:ly)?|informal(?:ly)?|casual(?:ly)?|polite(?:ly)?|friendly|professional(?:ly)?)(?:\s+(?:please|pls|with\s+(?:me|us)|from\s+now\s+on))*[.!\s]*$`)
)

// Lengths and amounts of detail that a text may choose for answers in general: they are named, or it says that it holds from now on.
var (
	lengthKo = pattern.New(`^(?:(?:이제부터|앞으로는?|다음부터|이제|그냥|좀|항상|늘|나한테|저한테)\s*)*(?:(?:답변|대답|응답|답)(?:은|는|을|를|도)?\s*(?:(?:항상|늘|좀|더)\s*)*` + lengthsKo + `\s*(?:좀\s*)?(?:(?:답|대답|답변|말|얘기|응답|설명)(?:을)?\s*)?|(?:(?:항상|늘|좀|더)\s*)*` + lengthsKo + `\s*(?:좀\s*)?(?:답|대답|답변|응답)(?:을)?\s*)(?:해|하|부탁)\s?(?:` + koGives + `|드려요?|드립니다|라|요|자)?[.!~\s]*$`)
	lengthEn = pattern.New(`(?i)^(?:(?:please|pls|can\s+you|could\s+you|from\s+now\s+on|always|hey|ok|now)[,\s]+)*(?:(?:keep|make|give|write)\s+(?:(?:me|us|all|your|the|my)\s+)*` + lengthsEn + `(?:answers|replies|responses)|(?:keep|make)\s+(?:(?:all|your|the|my)\s+)+(?:answers|replies|responses)\s+` + lengthsEn +
		`|(?:answer|reply|respond)(?:\s+(?:to\s+)?(?:me|us))?\s+(?:more\s+)?(?:briefly|concisely|in\s+(?:short|brief|more\s+detail|detail)))(?:\s*(?:please|pls|from\s+now\s+on|always))*[.!\s]*$`)
)

const (
	lengthsKo = `(?:짧게|간단히|간단하게|간결하게|간략하게|길게|자세히|자세하게|상세히|상세하게|핵심만|요점만|[한두세네]\s?(?:줄|문장)(?:로|으로))`
	lengthsEn = `(?:(?:a\s+(?:bit|little)|more|less|very|so|as|much|nice\s+and)\s+)*(?:(?:short|shorter|brief|briefer|concise|long|longer|detailed|crisp|to\s+the\s+point)(?:\s*,\s*|\s+and\s+|\s+|\b))+`
)

// ChoosesLength reports whether a text only says how long answers are to be: "답변은 짧게 해줘", "keep your answers short".
func ChoosesLength(text string) bool { return lengthKo.MatchString(text) || lengthEn.MatchString(text) }

// ChoosesManner reports whether a text only says in which manner to speak: "존댓말 써줘", "be more formal".
func ChoosesManner(text string) bool { return mannerKo.MatchString(text) || mannerEn.MatchString(text) }

// ChoosesTongue reports whether a text only says in which language to answer: "영어로 대답해줘".
func ChoosesTongue(text string) bool { return tongueKo.MatchString(text) || tongueEn.MatchString(text) }
