package rag

import (
	"strings"

	"maru/phrase/pattern"
)

// How an answer is to be written is no part of what is asked: "summarise the leave policy in one line", "연차 규정 표로 정리해줘". It
// is at an end of a request to tell something. A question whether something must be short, or who tidies up, asks about it.
var (
	tellsEn  = pattern.New(`(?i)^\W*(?:(?:please|pls|hey|hi|ok|so|and|maru|(?:can|could|would|will)\s+you(?:\s+please)?)[\s,]+)*(?:summari[sz]e|sum\s+up|explain|describe|tell|give|list|show|outline|walk)\b`)
	mannerEn = `(?:(?:in|using)\s+(?:just\s+|only\s+|at\s+most\s+|about\s+)?(?:one|two|three|four|five|a\s+few|a\s+couple\s+of|\d{1,2})\s+(?:short\s+|simple\s+|brief\s+|quick\s+)?(?:lines?|sentences?|paragraphs?|bullets?|bullet\s+points?)|in\s+(?:a\s+(?:nutshell|sentence|paragraph)|simple\s+(?:terms|words)|plain\s+(?:english|words|language)|layman['’]?s\s+terms|bullet\s+points|bullets)|` +
		`as\s+(?:an?\s+)?(?:(?:short|simple|quick)\s+)?(?:bullet(?:ed)?\s+(?:points|list)|bullets|table|list|bullet\s+points)|like\s+i(?:['’]?m|\s+am)\s+(?:five|5|a\s+(?:child|kid|beginner|toddler))|for\s+dummies)`
	endsEn    = pattern.New(`(?i)[\s,]*\b` + mannerEn + `(?:,?\s+(?:please|pls))?([\s.!?]*)$`)
	beginsEn  = pattern.New(`(?i)^\W*` + mannerEn + `[\s,:]+`)
	stepsEn   = pattern.New(`(?i)[\s,]*\bstep[\s-]by[\s-]step([\s.!?]*)$`)
	summaryEn = pattern.New(`(?i)^\W*(?:(?:please|pls|hey|hi|ok|so|and|maru|(?:can|could|would|will)\s+you(?:\s+please)?)[\s,]+)*(?:(?:(?:gimme|(?:give|write|make|show|provide|send|get)(?:\s+(?:me|us))?|what(?:['’]?s|\s+is|\s+are)|i\s+(?:need|want))\s+)?(?:(?:an?|the)\s+)?(?:(?:short|brief|quick|concise|simple|one[\s-]line|high[\s-]level|bullet[\s-]point)\s+)*(?:summary|overview|rundown|run-down|recap|gist|basics|low-?down|highlights|key\s+points|main\s+points|short\s+version|tl;?dr)\s+(?:of|on|about)\s+|` +
		`(?:summari[sz]e|sum\s+up|recap)\s+|tl;?dr[\s:,]+|what(?:['’]?s|\s+is)\s+the\s+(?:deal|story)\s+with\s+(?:the\s+|our\s+)?)([^?:,]+?)(?:\s+(?:stuff|thing|part|section|bit))?[\s.!?]*$`)
	askingEn = pattern.New(`(?i)\b(?:what|how|when|where|who|whom|whose|which|why)\b`)

	// dealWith asks about a contract with a party, which has a name.
	dealWith = pattern.New(`\bdeal with (?:the |our )?\p{Lu}`)

	howEn = pattern.New(`(?i)^\W*(?:(?:hey|hi|ok|so|and|maru)[\s,]+)*how\b`)

	mannerKo = pattern.New(`(?:^|\s)(?:(?:딱\s?)?(?:한|두|세|네|\d{1,2})\s?(?:줄|문장|마디)(?:로|으로)만?|(?:표|목록|불릿|리스트|개조식|글머리\s?기호)(?:로|으로)|단계별로|한눈에(?:\s?보기\s?좋게|\s?보이게)?|(?:초등학생|아이|신입)도?\s?(?:이해하(?:기\s?쉽)?게|알기\s?쉽게)|(?:이해하기|알기|보기)\s?쉽게|간단(?:히|하게)|짧게|간략(?:히|하게)|쉽게|(?:핵심|요점)만)(?:\s+좀)?` +
		`\s+((?:요약|정리|설명|알려|말해|소개|간추려|대답|보여|나열|가르쳐)\s?(?:좀\s?)?(?:해\s?)?(?:줘|주|부탁|달라)\S*[\s.!?~]*)$`)
	summaryKo = pattern.New(`(\p{Hangul}{2,}?)(?:에\s?대해서?|에\s?관해서?|[을를]|에\s?대한)?\s+(?:좀\s*)?(?:요약(?:\s?(?:좀\s*)?(?:해\s?)?(?:(?:줘|주|부탁|달라)\S*)?)?|(?:정리|간추려)\s?(?:좀\s*)?(?:해\s?)?(?:줘|주|부탁|달라)\S*)[\s.!?~]*$`)
	askingKo  = pattern.New(`누가|누구|언제|어떻게|어디|어느|왜(?:\s|$)|뭐|뭘|무엇|얼마|며칠|몇`)
)

// unmannered returns a request to tell something without words for the form of the answer. A request for a summary of something
// named becomes one to be told about it, which is searched and answered the same way. Other texts are returned as they are.
func unmannered(question string) string {
	asked := question
	if begun := beginsEn.ReplaceAllString(asked, ""); begun != asked && (tellsEn.MatchString(begun) || askingEn.MatchString(begun)) {
		asked = begun
	}
	if tellsEn.MatchString(asked) {
		asked = endsEn.ReplaceAllString(asked, "$1")
	}
	if tellsEn.MatchString(asked) || howEn.MatchString(asked) {
		asked = stepsEn.ReplaceAllString(asked, "$1")
	}
	if m := summaryEn.FindStringSubmatch(asked); m != nil && !askingEn.MatchString(m[1]) && !dealWith.MatchString(asked) {
		asked = "tell me about " + m[1]
	}
	asked = mannerKo.ReplaceAllString(asked, " $1")
	if !askingKo.MatchString(asked) {
		asked = summaryKo.ReplaceAllString(asked, "${1} 알려줘")
	}
	if asked = strings.TrimSpace(asked); asked == "" {
		return question
	}
	return asked
}
