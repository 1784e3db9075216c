package extractive

import (
	"strings"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// opening is what people say before they thank or wave aside: "네 감사합니다", "ok thanks".
const opening = `(?:(?:네|넵|넹|예|응|어|아|오|와|오케이|오키|ㅇㅋ|좋아요?|알겠어요?|알겠습니다|그렇군요|그렇구나|아니야?|아니에요|ok|okay|oh|ah|great|cool|perfect|nice|good|alright|all\s+right|got\s+it|no|yes|yeah|yep)[\s,.!~]+)*`

var (
	hello  = expression(`(?i)^(?:안녕(?:하세요|하십니까|하신가요|히 주무셨어요)?|하이|헬로|반가워요?|반갑습니다|좋은\s*아침(?:이에요|입니다)?|hi|hello|hey|howdy|greetings|good\s+(?:morning|afternoon|evening))(?:[\s,.!?~^]+|$)(?:(?:마루(?:야|님|봇)?|maru|there|everyone|all|bot|여러분)(?:[\s,.!?~^]+|$))?`)
	thanks = expression(`(?i)^` + opening + `(?:고마워요?|고맙습니다|감사(?:해요?|합니다|드려요|드립니다)?|땡큐|ㄱㅅ|thanks(?:\s+a\s+lot|\s+so\s+much)?|thank\s+you(?:\s+(?:so|very)\s+much)?|thx|ty|cheers)(?:[\s,.!?~^]+|$)`)
	bye    = expression(`(?i)^` + opening + `(?:잘\s*가|잘\s*있어|안녕히\s*\S+|수고(?:해|하세요|했어|하셨어요|하셨습니다)?|바이|bye(?:\s+bye)?|goodbye|see\s+(?:you|ya)(?:\s+\w+)?|good\s+night)[\s,.!~^]*$`)
	// waved is all that is said by who wants nothing more: "됐어", "never mind".
	waved   = expression(`(?i)^` + opening + `(?:됐어요?|됐습니다|괜찮아요?|괜찮습니다|아니야|아니에요|아녜요|아무것도\s*아니(?:야|에요)|알았어요?|알겠어요?|알겠습니다|그렇구나|그렇군요|오케이|never\s*mind|nvm|forget\s+(?:about\s+)?it|(?:it'?s\s+|that'?s\s+|i'?m\s+)?(?:ok|okay|fine|alright|all\s+good)|no\s+(?:problem|worries)|got\s+it|i\s+see)[\s.!~^ㅎㅋㅠ]*$`)
	aboutKo = strings.Fields(`뭐할수있 무엇을할수있 뭘할수있 뭐를할수있 어떤걸할수있 뭐해줄수있 뭘해줄수있 무엇을해줄수있 뭐를해줄수있 해줄수있는게 해줄수있는일 뭘도와줄수있 무엇을도와줄수있 뭐도와줄수있 할수있는게 할수있는일 할줄아 넌누구 너는누구 누구세요 너누구 네이름 너이름 너의이름 당신은누구 당신의이름 자기소개 너뭐야 넌뭐야 너는뭐야 뭐하는봇 무슨봇 어떻게써 사용법`)
	aboutEn = []string{"what can you do", "who are you", "what are you", "your name", "how can you help", "what do you do", "introduce yourself", "how do you work", "how do i use you"}
)

// What people say to see whom they have before them, whatever the form.
var (
	aboutYou = expression(`(?i)^(?:(?:혹시|근데|야|hey|so|wait)[\s,]+)*(?:` +
		`(?:(?:너는?|넌|네가|니가|당신은?|마루(?:는|야|님은?)?)[\s,]*)(?:진짜\s*|정말\s*|그냥\s*)?(?:사람|인간|로봇|챗?봇|인공지능|기계|AI|(?:챗\s*)?GPT)(?:이야|야|이니|니|인가요?|이에요|예요|이세요|이냐|냐|입니까)?|` +
		`(?:너는?|넌|당신은?|마루는?)?\s*(?:무슨|어떤)\s*(?:언어\s*)?(?:모델|LLM)(?:을|로|이)?\s*(?:써|쓰|사용|돌아|이?야|이?에요|예요|인가|니)\S*|` +
		`(?:누가\s*(?:너를?|널|당신을|마루를?)|(?:너는?|넌|당신은|마루는)\s*누가)\s*(?:만들|개발)\S*|` +
		`(?:are|r)\s+(?:you|u)\s+(?:(?:a|an|really|actually|just)\s+)*(?:(?:real\s+)?(?:human|person|robot|(?:chat\s*)?bot|machine)|real|AI|(?:chat)?GPT)(?:\s+or\s+[\w\s]{1,30})?|` +
		`who\s+(?:made|built|created|developed|programmed|wrote)\s+(?:you|u|maru)|` +
		`(?:what|which)\s+(?:language\s+)?(?:model|LLM|AI)\s+(?:are\s+(?:you|u)|(?:do|r)\s+(?:you|u)\s+\w+|is\s+this|powers\s+you)|` +
		`심심해\S*|심심하\S*|놀아\s*(?:줘|주세요)|i'?\s?a?m\s+bored` +
		`)[\s?!.~]*$`)
	called  = expression(`(?i)^(?:마루(?:야|님|봇)?|maru|저기요?|여기요|거기\s*(?:누구\s*)?(?:있어|계세요)\S*|테스트(?:\s*중)?|test(?:ing)?|ping|(?:is\s+)?any(?:one|body)\s+(?:there|here))[\s,.!?~]*$`)
	scolded = expression(`(?i)^(?:(?:너는?|넌|이|야|아|진짜|정말|완전|마루(?:는|야)?|you(?:'?re)?|ur|are|so|really|very|just|this\s+is|that'?s|what|such|an?|maru|stupid|fucking)[\s,]+)*` +
		`(?:바보|멍청|멍충|병신|등신|쓰레기|닥쳐|꺼져|시발|씨발|ㅅㅂ|ㅂㅅ|한심|답답|짜증|쓸모\s*없|stupid|dumb|idiot|moron|useless|worthless|trash|garbage|annoying|suck|crap|bullshit|shut\s+up|fuck(?:\s+(?:you|u|off))?|wtf)` +
		`\S{0,6}(?:\s+(?:bot|ai|maru|machine))?[\s.!?~ㅋㅎㅠ]*$`)
)

// readSmallTalk finds greetings, thanks, scolding and questions about the bot itself.
func readSmallTalk(q string) (wish, bool) {
	t := strings.TrimSpace(q)
	switch l := lower(strings.TrimRight(t, " ?!.~")); {
	case l == "help" || l == "도움말" || l == "도와줘" || l == "헬프":
		return wish{kind: wantsAbout}, true
	case hasAny(squash(q), aboutKo...) && len(subject(q)) <= 3, hasAny(lower(q), aboutEn...) && len(subject(q)) <= 3:
		return wish{kind: wantsAbout}, true
	case aboutYou().MatchString(t):
		return wish{kind: wantsAbout}, true
	case scolded().MatchString(t):
		return wish{kind: scolds}, true
	case called().MatchString(t):
		return wish{kind: wantsGreeting}, true
	case bye().MatchString(t):
		return wish{kind: wantsBye}, true
	case hello().MatchString(t):
		return wish{kind: wantsGreeting}, true
	case thanks().MatchString(t):
		return wish{kind: wantsThanks}, true
	case waved().MatchString(t):
		return wish{kind: tells}, true
	default:
		return wish{}, false
	}
}

// afterGreeting returns what follows a greeting or thanks, "" if it is nothing
// of weight.
func afterGreeting(q string) string {
	rest := strings.TrimSpace(q)
	for _, re := range []pattern{hello, thanks} {
		rest = strings.TrimSpace(rest[len(re().FindString(rest)):])
	}
	if rest == strings.TrimSpace(q) || len(words(rest)) == 0 {
		return ""
	}
	if len(subject(rest)) == 0 && !isQuestion(rest) {
		return ""
	}
	return rest
}

// talk answers without passages and tools.
func talk(a *ask, w wish) string {
	switch w.kind {
	case wantsGreeting:
		return a.say("extractive.hello")
	case wantsThanks:
		return a.say("extractive.welcome")
	case wantsBye:
		return a.say("extractive.bye")
	case scolds:
		return a.say("extractive.sorry")
	case wantsAbout:
		return a.say("extractive.about")
	case wantsRecall:
		return tellRecalled(a)
	case wantsRemember:
		return a.say("extractive.noted", fit.Clip(fit.OneLine(w.arg), 300))
	case tells:
		return acknowledge(a)
	case wantsArithmetic:
		return a.missing("extractive.calculator")
	case wantsClock:
		return a.missing("extractive.clock")
	case wantsWriting:
		return a.say("extractive.writing")
	case wantsDeed:
		return a.say("extractive.deed")
	case wantsNothing:
		return a.say("extractive.nothing")
	default:
		return unknown(a)
	}
}

// missing says that a tool is not there.
func (a *ask) missing(key string) string { return a.say("extractive.missing", phrase.Of(key)) }

// unknown is said when neither documents, tools nor conversation help.
func unknown(a *ask) string {
	if s, score := a.recollect(); score >= 0.75 {
		return a.recalled(s)
	}
	return a.say("extractive.unknown")
}

// acknowledge answers a statement; a name gets its due.
func acknowledge(a *ask) string {
	if n := nameIn(a.question); n != "" {
		return a.say("extractive.met", n)
	}
	if intent.Courtesy(a.question) || waved().MatchString(strings.TrimSpace(a.question)) {
		return a.say("extractive.all_right")
	}
	return a.say("extractive.remembered")
}
