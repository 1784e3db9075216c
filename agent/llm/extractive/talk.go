package extractive

import (
	"regexp"
	"strings"
)

var (
	hello   = regexp.MustCompile(`(?i)^(?:안녕(?:하세요|하십니까|하신가요|히 주무셨어요)?|하이|헬로|반가워요?|반갑습니다|좋은\s*아침(?:이에요|입니다)?|hi|hello|hey|howdy|greetings|good\s+(?:morning|afternoon|evening))(?:[\s,.!?~^]+|$)(?:(?:마루(?:야|님|봇)?|maru|there|everyone|all|bot|여러분)(?:[\s,.!?~^]+|$))?`)
	thanks  = regexp.MustCompile(`(?i)^(?:고마워요?|고맙습니다|감사(?:해요?|합니다|드려요|드립니다)?|땡큐|ㄱㅅ|thanks(?:\s+a\s+lot|\s+so\s+much)?|thank\s+you(?:\s+(?:so|very)\s+much)?|thx|ty|cheers)(?:[\s,.!?~^]+|$)`)
	bye     = regexp.MustCompile(`(?i)^(?:잘\s*가|잘\s*있어|안녕히\s*\S+|수고(?:해|하세요|했어|하셨어요|하셨습니다)?|바이|bye(?:\s+bye)?|goodbye|see\s+(?:you|ya)(?:\s+\w+)?|good\s+night)[\s,.!~^]*$`)
	aboutKo = strings.Fields(`뭐할수있 무엇을할수있 뭘할수있 뭐를할수있 어떤걸할수있 할수있는게 할수있는일 할줄아 넌누구 너는누구 누구세요 너누구 네이름 너이름 너의이름 당신은누구 당신의이름 자기소개 너뭐야 넌뭐야 너는뭐야 뭐하는봇 무슨봇 어떻게써 사용법`)
	aboutEn = []string{"what can you do", "who are you", "what are you", "your name", "how can you help", "what do you do", "introduce yourself", "how do you work", "how do i use you"}
)

// readSmallTalk finds greetings, thanks and questions about the bot itself.
func readSmallTalk(q string) (wish, bool) {
	t := strings.TrimSpace(q)
	switch l := lower(strings.TrimRight(t, " ?!.~")); {
	case l == "help" || l == "도움말" || l == "도와줘" || l == "헬프":
		return wish{kind: wantsAbout}, true
	case hasAny(squash(q), aboutKo...) && len(content(q)) <= 3, hasAny(lower(q), aboutEn...) && len(content(q)) <= 3:
		return wish{kind: wantsAbout}, true
	case bye.MatchString(t):
		return wish{kind: wantsBye}, true
	case hello.MatchString(t):
		return wish{kind: wantsGreeting}, true
	case thanks.MatchString(t):
		return wish{kind: wantsThanks}, true
	default:
		return wish{}, false
	}
}

// afterGreeting returns what follows a greeting or thanks, "" if it is nothing
// of weight.
func afterGreeting(q string) string {
	rest := strings.TrimSpace(q)
	for _, re := range []*regexp.Regexp{hello, thanks} {
		rest = strings.TrimSpace(rest[len(re.FindString(rest)):])
	}
	if rest == strings.TrimSpace(q) || len(words(rest)) == 0 {
		return ""
	}
	if len(content(rest)) == 0 && !isQuestion(rest) {
		return ""
	}
	return rest
}

// talk answers without passages and tools.
func talk(a *ask, w wish) string {
	switch w.kind {
	case wantsGreeting:
		return a.in("안녕하세요, 마루예요. 팀 문서에서 답을 찾아 출처와 함께 알려 드려요. 예: “연차는 며칠이야?”",
			"Hello, I am Maru. I look up answers in your team's documents and show where they come from. Try: “How many days of annual leave do I have?”")
	case wantsThanks:
		return a.in("천만에요. 더 궁금한 것이 있으면 물어보세요.", "You are welcome. Ask whenever there is more.")
	case wantsBye:
		return a.in("네, 또 만나요!", "See you!")
	case wantsAbout:
		return about(a)
	case wantsRecall:
		return tellRecalled(a)
	case wantsRemember:
		return a.in("네, 이 대화에서 기억해 둘게요: “", "Noted for this conversation: “") + clip(oneLine(w.arg), 300) + "”"
	case tells:
		return acknowledge(a)
	case wantsArithmetic:
		return a.missing("계산기", "the calculator")
	case wantsClock:
		return a.missing("시계", "the clock")
	case wantsWeather:
		return missingWeather(a, w)
	case wantsWiki:
		return a.missing("위키백과 검색", "Wikipedia search")
	case wantsWeb:
		return a.missing("웹 검색", "web search")
	case wantsFile:
		return a.missing("파일 읽기", "file reading")
	case wantsCode, wantsWriting:
		return a.in("글이나 코드를 새로 쓰는 일은 내장 모델로는 할 수 없어요. 관리자가 언어 모델(OPENAI_API_KEY 또는 OPENAI_BASE_URL)을 연결하면 할 수 있어요.",
			"Writing something new, text or code, is beyond the built-in model. It works once an admin connects a language model (OPENAI_API_KEY or OPENAI_BASE_URL).")
	case wantsNothing:
		return a.in("무엇을 도와드릴까요? 질문을 글로 적어 주세요.", "What can I do for you? Please write your question in words.")
	default:
		return unknown(a)
	}
}

func about(a *ask) string {
	return a.in(`저는 마루예요. 지금은 언어 모델 없이 내장 모델로 동작하고 있어요. 할 수 있는 일:
- 팀 문서에서 답이 되는 문장을 찾아 출처 번호와 함께 인용하기
- 계산, 날짜와 시간, 그리고 연결된 도구(날씨, 검색) 쓰기
- 이 대화에서 들은 것 기억하기

글을 새로 쓰거나 추론이 필요한 일은 언어 모델을 연결하면 할 수 있어요.`,
		`I am Maru, running on the built-in model, without a language model. I can:
- find the sentences in your team's documents that answer a question, and quote them with their sources
- calculate, tell date and time, and use the tools that are connected (weather, search)
- remember what was said in this conversation

Writing and reasoning need a language model to be connected.`)
}

func (a *ask) missing(ko, en string) string {
	return a.in("지금은 쓸 수 있는 도구가 없어서 답할 수 없어요: "+ko+".", "I cannot answer that now: "+en+" is not available here.")
}

func missingWeather(a *ask, w wish) string {
	if w.arg == "" && a.tool("weather") != nil {
		return a.in("어느 도시의 날씨를 알려 드릴까요?", "For which city?")
	}
	return a.in("날씨 도구가 연결되어 있지 않아요. 관리자가 OPENWEATHER_API_KEY를 설정하면 쓸 수 있어요.",
		"The weather tool is not connected. It works once an admin sets OPENWEATHER_API_KEY.")
}

// unknown is said when neither documents, tools nor conversation help.
func unknown(a *ask) string {
	if s, score := a.recollect(); score >= 0.75 {
		return a.recalled(s)
	}
	return a.in("문서에서 이 질문의 답을 찾지 못했어요. 다른 낱말로 물어보시거나, 관련 문서를 올려 주세요.",
		"The documents do not say anything about this. Try other words, or add a document about it.")
}

// acknowledge answers a statement; a name gets its due.
func acknowledge(a *ask) string {
	if n := nameIn(a.question); n != "" {
		return a.in("반가워요, "+n+" 님. 이 대화에서 기억할게요.", "Nice to meet you, "+n+". I will remember that in this conversation.")
	}
	if onlyFiller(words(a.question)) {
		return a.in("네. 더 궁금한 것이 있으면 물어보세요.", "All right. Ask whenever there is more.")
	}
	return a.in("네, 이 대화에서 기억해 둘게요.", "Noted. I will remember that in this conversation.")
}
