package extractive

import (
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag/answer"
)

// kind is what a person wants, as far as plain cues tell: the reason for a route.
type kind string

const (
	wantsDocuments  kind = "a question that documents may answer" // or key words
	wantsGreeting   kind = "a greeting"                           // arg: what follows it
	wantsThanks     kind = "thanks"                               // arg: what follows them
	wantsBye        kind = "a farewell"
	wantsChat       kind = "small talk"  // arg: its tone
	wantsChoice     kind = "what to eat" // a matter of taste, but documents may hold a menu
	wantsAbout      kind = "a question about the assistant"
	wantsArithmetic kind = "arithmetic"                      // arg: the expression
	wantsClock      kind = "a question for the time or date" // arg: IANA zone, "" for here
	wantsRates      kind = "money in another currency"       // needs exchange rates
	wantsChannel    kind = "what was said in a channel"      // which nothing here reads
	wantsRecall     kind = "a question about the conversation"
	wantsSaid       kind = "a question about what people wrote"         // which documents may answer, too
	wantsRemember   kind = "something to remember"                      // arg: what to keep in mind
	wantsWriting    kind = "a wish for something new to be written"     // needs a real model: code, a text, a translation
	wantsDeed       kind = "a wish that something be done"              // needs a real model with tools: weather, a search, a mail, preparations
	wantsUnnamed    kind = "a request about something that is not here" // "summarise this", with no file and nothing said before
	wantsTongue     kind = "a language to answer in"
	wantsManner     kind = "a manner to speak in"       // which needs a real model
	wantsLength     kind = "how long answers are to be" // which needs a real model, too
	tells           kind = "a statement, not a question"
	wantsNothing    kind = "no words"
)

// aside reports whether the documents have no say in it even when passages
// were retrieved.
func (k kind) aside() bool {
	return k != wantsDocuments && k != wantsSaid && k != tells && k != wantsChoice
}

// wish is a kind with its argument.
type wish struct {
	kind kind
	arg  string
	days int // from today: "내일" is 1

	from, to string // days for the clock, as 2006-01-02: a day, or both ends of a count
}

// wish reads the question. The order matters: the narrow readings come first.
func (a *ask) wish() wish {
	if w, ok := a.readDays(); ok {
		return w
	}
	w := wishOf(a.question)
	if w.kind == wantsGreeting && len(answer.Subject(w.arg)) > 0 || w.kind == wantsThanks && asksOn(w.arg) { // "hi, my laptop is broken"
		a.question = w.arg
		w = wishOf(w.arg)
	}
	if w.kind == wantsChat && intent.Chatter(w.arg) == intent.ChatterFails && a.asksOn() { // what fails was named before
		w = wish{kind: wantsDocuments}
	}
	if (w.kind == wantsDocuments || w.kind == wantsSaid) && a.personal() {
		if s, score := a.recollect(); score >= whollySaid && a.recalls(s.text) {
			return wish{kind: wantsRecall}
		}
	}
	first := len(a.before)+len(a.older) == 0 && !a.shared && !a.quotes
	if w.kind == wantsDocuments && (introduces(a.question) || first && intent.AsksWhatThisIs(a.question)) {
		return wish{kind: wantsAbout}
	}
	if w.kind == wantsDocuments && first && intent.PointsAtNothing(a.question) {
		return wish{kind: wantsUnnamed}
	}
	if _, ok := intent.OfTalk(a.question, nil); ok && w.kind == wantsDocuments && len(a.before)+len(a.older) == 0 {
		return wish{kind: wantsChannel}
	}
	if w.kind == wantsSaid && a.personal() && intent.AsksBack(a.question) && !a.offers("search_messages") {
		return wish{kind: wantsRecall} // of what was said, this conversation is all that is in reach
	}
	return w
}

// introduces reports whether a message tells something and asks what the assistant is: "just got added here. what are you for?"
func introduces(q string) bool {
	said := prose.Sentences(q)
	last := len(said) - 1
	return last >= 0 && intent.OfAssistant(said[last]) && !slices.ContainsFunc(said[:last], func(s string) bool { return isQuestion(s) || needs.MatchString(s) })
}

// asksOn reports whether thanks go on with a question, a need or Korean key words ("감사합니다 연차 규정"), rather than with praise.
func asksOn(rest string) bool {
	return isQuestion(rest) || needs.MatchString(rest) ||
		phrase.Spoken(rest, "") == "ko" && len(answer.Words(rest)) > 1 && !told.MatchString(strings.TrimRight(rest, " .!~?…"))
}

// offers reports whether a tool may be called.
func (a *ask) offers(name string) bool {
	return slices.ContainsFunc(a.req.Tools, func(t llm.Tool) bool { return t.Name == name })
}

// exchange matches an amount of money with another currency that it is to be in.
var exchange = pattern.New(`(?i)(?:\d\s*(?:천|만|억)?\s*(?:` + currency + `)|(?:` + currency + `|[$€£¥₩])\s*\d)\S*\s+(?:\S+\s+){0,3}?(?:(?:to|in|into|as)\s+(?:the\s+)?(?:us\s+)?(?:` + currency + `)\b|(?:한국\s*|미국\s*|일본\s*)?(?:원화?|달러|유로|엔화?|위안화?|파운드)(?:로|으로)(?:\s|$|[?.!]))`)

const currency = `usd|krw|eur|jpy|gbp|cny|dollars?|won|euros?|yen|yuan|pounds?\s+sterling|달러|원|유로|엔|위안|파운드`

var (
	// rate matches questions for an amount.
	rate = pattern.New(`(?i)얼마|몇|환산|환전|바꾸|바꿔|\bhow\s+(?:much|many)\b|\bwhat(?:['’]?s|\s+is|\s+are)\s+(?:[$€£¥₩]\s*)?\d|\bconvert(?:ing)?\b|\bexchange\s+rate\b|\b(?:value\s+of|worth)\b`)
	// money matches amounts and currencies by themselves.
	money = pattern.New(`(?i)\d[\d,.]*\s*(?:천|만|억)?|(?:` + currency + `)(?:[을를]|으?로)?|화(?:[을를]|로)|[$€£¥₩]`)
)

// exchanges reports whether a text asks for an amount of money in another currency. "Are expenses over 500 dollars paid in won?" does not.
func exchanges(q string) bool {
	return exchange.MatchString(q) && (rate.MatchString(q) || len(answer.Subject(money.ReplaceAllString(q, " "))) == 0)
}

// maxRead bounds how much of a question is read for what it wants, in runes.
const maxRead = 1 << 10

func wishOf(q string) wish {
	q = fit.Cut(q, maxRead)
	if e, ok := arithmetic(q); ok {
		return wish{kind: wantsArithmetic, arg: e}
	}
	if len(answer.Words(q)) == 0 {
		return wish{kind: wantsNothing}
	}
	if body, ok := intent.Remember(fit.OneLine(q)); ok {
		return wish{kind: wantsRemember, arg: body}
	}
	if intent.AsksWhoSaid(q) {
		return wish{kind: wantsSaid, arg: fit.Clip(fit.OneLine(q), 300)} // a question is its own best query
	}
	if intent.AsksBack(q) {
		return wish{kind: wantsRecall}
	}
	if exchanges(q) {
		return wish{kind: wantsRates}
	}
	if intent.ChoosesTongue(q) {
		return wish{kind: wantsTongue}
	}
	if intent.ChoosesManner(q) {
		return wish{kind: wantsManner}
	}
	if intent.ChoosesLength(q) {
		return wish{kind: wantsLength}
	}
	for _, read := range []func(string) (wish, bool){readClock, readSmallTalk, readBeyond, readStatement} {
		if w, ok := read(q); ok {
			if before := thanksEnd.ReplaceAllString(q, ""); w.kind == tells && before != q && nameIn(q) == "" && len(answer.Words(before)) <= 3 { // "덕분에 살았다, 고마워"
				return wish{kind: wantsThanks}
			}
			return w
		}
	}
	return wish{kind: wantsDocuments}
}

// asksOn reports whether a person asked for documents before.
func (a *ask) asksOn() bool {
	return slices.ContainsFunc(a.before, func(m llm.Message) bool { return m.Role == llm.User && wishOf(m.Content).kind == wantsDocuments }) ||
		slices.ContainsFunc(a.older, func(t turn) bool { return !t.own && wishOf(t.text).kind == wantsDocuments })
}

// asked matches the words that may precede the verb of a request.
const asked = `(?:(?:now|then|and|also|please|kindly|just|quickly|ok(?:ay)?|so)\s+){0,3}`

// Openings and ends of requests.
const (
	toDo   = `(?:^|[.!?\n])\W*` + asked + `(?:(?:can|could|will|would)\s+you\s+(?:help\s+(?:me|us)\s+(?:to\s+)?)?` + asked + `|i\s+(?:want|need)\s+you\s+to\s+)?`
	giveKo = `(?:줘|주세요|주라|줄래|줄\s*수|주실\s*수|주실래|주시겠|주십시오)`
)

// Wishes beyond this model: something new to write, and something to do. Nouns alone are none of them: a
// translation has a fee, a draft has a deadline, and documents tell of both. Nor are questions about writing: who drafts the minutes, how
// to debug the pipeline.
var (
	writing = pattern.New("(?i)```|" + `(?:코드|함수|스크립트|시|소설|농담|노래|초안|번역|글)\p{Hangul}{0,3}?\s*(?:(?:하나|좀)\s*)?(?:해|짜|써|지어|작성해|만들어|불러|잡아)\s*` + giveKo + `|번역하면\s*[?.!]*$|(?:영어|한국어|한글|일본어|일어|중국어|독일어|프랑스어|불어|스페인어|베트남어|태국어|러시아어)로\s*(?:는\s*)?(?:(?:뭐|뭔|무엇|무슨\s*말)(?:야|예요|이야|에요|이에요|인가요|인지|지|죠|니|임|라고|라)?(?:\s*(?:해|하|불러|부르|말해|말하)\S*)?|어떻게\s*(?:되|돼|말|표현|부르|불러|읽)\S*(?:\s*해\S*)?)[\s?.!~]*$|` +
		`\bhow\s+(?:do|would|can|to)\s+(?:(?:you|i|we)\s+)?say\b.+\bin\s+(?:english|korean|japanese|chinese|german|french|spanish|italian|vietnamese|thai|russian|hindi|portuguese)\b|` +
		`(?:^|[.!?:;,\n])\W*` + asked + `(?:help\s+me(?:\s+to)?\s+)?(?:translate|(?:tell|say|share|know|hear|make)\b.{0,40}\bjokes?\b|(?:write|draft|debug|implement)\s+(?:me\s+)?(?:an?|the|some|this|my))\b|` +
		`\b(?:(?:can|could|would)\s+you|do\s+you\s+know|please)\b.{0,30}\bjokes?\b|\btell\s+me\s+a(?:\s+\w+)?\s+joke\b|make\s+me\s+laugh|(?:\bplease|(?:^|[.!?:;,\n]|\b(?:and|but|so|hey|hi|hello|maru))\W*(?:can|could|will|would)\s+you|\b(?:want|need|like)\s+you\s+to)\s+` + asked + `(?:help\s+me(?:\s+to)?\s+)?(?:translate|(?:write|draft|debug|implement)\s+(?:me\s+)?(?:an?|the|some|this|my))\b`)
	doing = pattern.New(`(?i)[다라]고\s*(?:알려|전해|말해)\s*(?:줘|주세요)\S{0,2}\s*[.!~?]*$|(?:리마인더|알림|메일|문자|메시지)\S*\s*(?:\S+\s+){0,2}(?:보내|설정해|예약해)\s*(?:줘|주세요)\S{0,2}\s*[.!~?]*$|` +
		`^\W*(?:please\s+|(?:can|could|will)\s+you\s+(?:please\s+)?)?(?:remind\s+\w+|set\s+(?:an?|my)\s+(?:reminder|alarm)|send\s+(?:\w+\s+){0,3}(?:e-?mails?|messages?)|e-?mail\s+\w+)\b|` +
		`투표\S*\s*(?:\S+\s+){0,2}?(?:올려|만들어|열어|해|진행해)\s*` + giveKo + `|(?:한테|에게|들께)\s*(?:\S+\s+){0,3}?물어\s*봐\s*` + giveKo + `|` + toDo + `(?:make|create|start|run|set\s+up|post|open)\s+(?:(?:me|us)\s+)?an?\s+(?:\w+\s+)?(?:poll|vote|survey)\b|` + toDo + `ask\s+(?:the|everyone|everybody|my|our|them|him|her)\b|` +
		`날씨\p{Hangul}?\s*(?:어때|알려|[?]?\s*$)|(?:위키\p{Hangul}*|웹|인터넷)에서\s.*(?:찾아|검색).*` + giveKo + `|\bweather\s+(?:in|like|today|tomorrow)\b|` + toDo + `search\b.*\b(?:web|internet|online|wikipedia)\b`)
)

// readBeyond finds wishes that need a real model.
func readBeyond(q string) (wish, bool) {
	if doing.MatchString(q) {
		return wish{kind: wantsDeed}, true
	}
	return wish{kind: wantsWriting}, writing.MatchString(q)
}

var (
	// told is the ending of what people tell, in the plain and the polite form of verbs.
	told   = pattern.New(`(?:야|[가-힣][다요]|[어아여해려워와]|인데|거든|할게|[하가보두쉬]자)$`)
	tellEn = set(`i i'm im i've my we we're our he she they it's`)
	// needs is what people say who want something or are in trouble: they ask without asking.
	needs = pattern.New(`(?i)싶|여쭤\s?[봐볼보]|여쭙|여쭈|고장|잃어버|분실|(?:^|\s)안\s|늦|아[파픈플]|필요|깜빡|까먹었|잊어버렸|받았|왔는데|눌렀|(?:확인|검토|조사|정리|찾아|알아)\p{Hangul}{0,3}(?:래요?|랍니다|라는데\p{Hangul}*|라네요?|라고\s*(?:하|해)\p{Hangul}*)\s*[.!~]*$|\b(?:want|need|lost|stolen|broken?|forgot|missed|can't|cannot|sick|late|clicked|leaked|locked)\b`)
)

// readStatement finds sentences that tell something: "내 이름은 철수야",
// "I work in Busan". Bare key words ("연차 규정") are no statement.
func readStatement(q string) (wish, bool) {
	if intent.Courtesy(q) || settled(q) || correction.Opens(q) || nameIn(q) != "" {
		return wish{kind: tells}, true
	}
	if slices.ContainsFunc(prose.Sentences(q), isQuestion) || needs.MatchString(q) {
		return wish{}, false
	}
	ws, end := answer.Words(q), strings.TrimRight(q, " .!~?…")
	if phrase.Spoken(q, "") != "ko" {
		verb := false
		for _, w := range ws[1:] {
			verb = verb || w == "is" || w == "are" || w == "was" || w == "were"
		}
		return wish{kind: tells}, len(ws) > 2 && (verb || tellEn[ws[0]])
	}
	return wish{kind: tells}, (len(ws) > 1 || strings.HasSuffix(q, ".")) && told.MatchString(end)
}

// isQuestion reports whether q asks for something, in either language.
func isQuestion(q string) bool { return intent.Question(q) || intent.Request(q) }

// personal reports whether something was said before that the question could be about.
func (a *ask) personal() bool {
	return len(a.before)+len(a.older) > 0 || strings.Contains(a.system, ": ")
}
