package extractive

import (
	"strings"

	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// kind is what a person wants, as far as plain cues tell: the reason for a route.
type kind string

const (
	wantsDocuments  kind = "a question that documents may answer" // or key words
	wantsGreeting   kind = "a greeting"
	wantsThanks     kind = "thanks"
	wantsBye        kind = "a farewell"
	scolds          kind = "an insult"
	wantsAbout      kind = "a question about the assistant"
	wantsArithmetic kind = "arithmetic"                      // arg: the expression
	wantsClock      kind = "a question for the time or date" // arg: IANA zone, "" for here
	wantsRecall     kind = "a question about the conversation"
	wantsRemember   kind = "something to remember"                  // arg: what to keep in mind
	wantsWriting    kind = "a wish for something new to be written" // needs a real model: code, a text, a translation
	wantsDeed       kind = "a wish that something be done"          // needs a real model with tools: weather, a search, a mail, preparations
	tells           kind = "a statement, not a question"
	wantsNothing    kind = "no words"
)

// aside reports whether the documents have no say in it even when passages
// were retrieved.
func (k kind) aside() bool { return k != wantsDocuments && k != tells }

// wish is a kind with its argument.
type wish struct {
	kind kind
	arg  string
	days int // from today: "내일" is 1
}

// wish reads the question. The order matters: the narrow readings come first.
func (a *ask) wish() wish {
	w := wishOf(a.question)
	if w.kind == wantsGreeting || w.kind == wantsThanks {
		// "안녕? 연차는 며칠이야?" asks for the second part
		if rest := afterGreeting(a.question); rest != "" {
			w = wishOf(rest)
			a.question = rest
		}
	}
	if w.kind == wantsDocuments && a.personal() {
		if s, score := a.recollect(); score >= known && a.recalls(s.text) {
			return wish{kind: wantsRecall}
		}
	}
	return w
}

// known is how much of a question somebody's words must hold to be what it asks for.
const known = 0.99

// maxRead bounds how much of a question is read for what it wants, in bytes.
const maxRead = 2 << 10

func wishOf(q string) wish {
	if len(q) > maxRead {
		q = strings.ToValidUTF8(q[:maxRead], "")
	}
	if e, ok := arithmetic(q); ok {
		return wish{kind: wantsArithmetic, arg: e}
	}
	if len(words(q)) == 0 {
		return wish{kind: wantsNothing}
	}
	if body, ok := intent.Remember(fit.OneLine(q)); ok {
		return wish{kind: wantsRemember, arg: body}
	}
	if asksBack(q) {
		return wish{kind: wantsRecall}
	}
	for _, read := range []func(string) (wish, bool){readClock, readSmallTalk, readBeyond, readStatement} {
		if w, ok := read(q); ok {
			return w
		}
	}
	return wish{kind: wantsDocuments}
}

// Wishes beyond this model: something new to write, and something to do. Nouns alone are none of them: a
// translation has a fee, a draft has a deadline, and documents tell of both.
var (
	writing = expression("(?i)```|" + `(?:코드|함수|스크립트|프로그램|파이썬|정규식|쿼리|알고리즘|시|소설|농담|노래|초안|번역|글)\p{Hangul}{0,3}?\s*(?:하나(?:만)?\s*|좀\s*)?(?:해|짜|써|지어|작성해|구현해|만들어|불러|들려|잡아)\s*(?:줘|주|줄|달라|봐)|번역(?:해|좀|하면)?\s*[?.!]*$|(?:요약|작성)해\s*(?:줘|주)|` +
		`\b(?:translate|brainstorm|summari[sz]e\s+this|tell\s+me\s+a\s+joke|(?:write|draft|implement|debug|refactor|generate)\s+(?:me\s+)?(?:an?|the|some|this|my)\b)`)
	doing = expression(`(?i)(?:다고|라고|는\s*걸|는\s*것을)\s*(?:나중에\s*)?(?:알려|전해|말해|보내)\s*(?:줘|주세요|줄래|주라)\S{0,2}\s*[.!~?]*$|` +
		`(?:리마인더|알림|알람|이메일|메일|문자|메시지|쪽지)\S*\s*(?:\S+\s+){0,2}(?:보내|설정해|맞춰|울려|예약해|전송해|걸어)\s*(?:줘|주세요|줄래|주라)\S{0,2}\s*[.!~?]*$|준비\s*(?:좀\s*)?해\s*(?:줘|주세요|줄래|주라)\S{0,2}\s*[.!~?]*$|` +
		`\d\s*시에\s*(?:\S+\s+)?(?:알려|깨워|불러|말해)\s*(?:줘|주세요)|^\W*(?:please\s+|(?:can|could|would|will)\s+you\s+(?:please\s+)?)?(?:remind\s+(?:me|us|him|her|them)\b|set\s+(?:up\s+)?(?:a|an|my)\s+(?:reminder|alarm)\b|(?:send|write)\s+(?:\w+\s+){0,3}(?:e-?mails?|mails?|messages?|reminders?)\b|e-?mail\s+\w+|prepare\s+\w+)|` +
		`(?:날씨|기온)(?:는|가|은|를)?\s*(?:어때|알려|궁금|몇|[?]?\s*$)|(?:위키\p{Hangul}*|웹|인터넷|구글|네이버)(?:에서|으로|로)?\s.*(?:찾아|검색)|\bweather\s+(?:in|like|today|tomorrow)\b|\bweather\s*\??$|\b(?:search|look\s+up|google)\b.*\b(?:web|internet|online|wikipedia)\b`)
)

// readBeyond finds wishes that need a real model.
func readBeyond(q string) (wish, bool) {
	if doing().MatchString(q) {
		return wish{kind: wantsDeed}, true
	}
	return wish{kind: wantsWriting}, writing().MatchString(q)
}

var (
	tellKo = []string{"야", "이다", "입니다", "예요", "에요", "해요", "합니다", "했어", "했어요", "했습니다", "거든", "거든요", "아해", "있다", "없다", "인데", "임", "랍니다", "래", "이래", "할게", "할게요", "같아", "같아요", "왔어", "갔어", "됐어", "졌어", "하다", "한다"}
	tellEn = set(`i i'm im i've my me we we're our call he she they it's it thanks ok okay yes no yeah nope sure great nice good cool`)
	// needs is what people say who want something or are in trouble: they ask without asking.
	needs = expression(`(?i)싶|고장|잃어버|분실|도난|안\s*(?:돼|되|나와|켜|열)|아파|아픈|아플|늦을|필요|깜빡|까먹|받았|왔는데|눌렀|눌러버|걸렸|걸려서|\b(?:want|need|would like|looking for|lost|stolen|broken?|forgot|missed|can't|cannot|(?:does|is)n't|not working|stopped|sick|ill|late|resigning|quitting|clicked|spilled|leaked|hacked|locked|injured|hurt)\b`)
	// ofOneself is what people tell of themselves in the plain form of verbs, or propose: "나는 고양이 두 마리를 키워", "3시로 하자".
	ofOneself = expression(`(?:^|[.!,]\s+)(?:나는|저는|난|전|나도|저도|내가|제가|우리는|저희는)\s[^.!?]*[어아워와해려져셔쳐녀겨여써봐](?:요)?$|[로게지고도록기만]\s*하자$|(?:만나|모이|먹|가|보|두|쓰|놓|끝내|시작하|진행하|미루|바꾸|옮기|정하|쉬)자$|\S\s\S*[가-힣]시다$|불러\s*(?:줘|주세요)$`)
)

// readStatement finds sentences that tell something: "내 이름은 철수야",
// "I work in Busan". Bare key words ("연차 규정") are no statement.
func readStatement(q string) (wish, bool) {
	if intent.Courtesy(q) || correction.Opens(q) || nameIn(q) != "" {
		return wish{kind: tells}, true
	}
	if isQuestion(q) || needs().MatchString(q) {
		return wish{}, false
	}
	ws, end := words(q), strings.TrimRight(q, " .!~?…")
	if !hangul(q) {
		verb := false
		for _, w := range ws[1:] {
			verb = verb || w == "is" || w == "are" || w == "was" || w == "were"
		}
		return wish{kind: tells}, len(ws) > 2 && (verb || tellEn[ws[0]])
	}
	for _, e := range tellKo {
		if strings.HasSuffix(end, e) && (len(ws) > 1 || strings.HasSuffix(q, ".")) {
			return wish{kind: tells}, true
		}
	}
	return wish{kind: tells}, ofOneself().MatchString(end)
}

// isQuestion reports whether q asks for something, in either language.
func isQuestion(q string) bool { return intent.Question(q) || intent.Request(q) }

// personal reports whether the question could be about what the person said
// before: there is something before it.
func (a *ask) personal() bool {
	return len(a.before)+len(a.older) > 0 || strings.Contains(a.system, ": ")
}
