package extractive

import (
	"strings"
	"unicode"

	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// kind is what a person wants, as far as plain cues tell.
type kind int

const (
	wantsDocuments kind = iota // a question or key words: the documents' business
	wantsGreeting
	wantsThanks
	wantsBye
	scolds          // an insult
	wantsAbout      // who are you, what can you do
	wantsArithmetic // arg: the expression
	wantsClock      // arg: IANA zone, "" for here
	wantsWeather    // arg: the place, "" if it was not said
	wantsWiki       // arg: what to look up
	wantsWeb        // arg: what to search for
	wantsFile       // arg: the file's name
	wantsRecall     // something about this conversation
	wantsRemember   // arg: what to keep in mind
	wantsCode       // needs a real model
	wantsWriting    // needs a real model
	wantsDeed       // needs a real model with tools: a reminder, a mail, preparations
	tells           // a statement, not a question
	wantsNothing    // no words at all
)

// aside reports whether the documents have no say in it even when passages
// were retrieved.
func (k kind) aside() bool { return k != wantsDocuments && k != tells }

// wish is a kind with its argument.
type wish struct {
	kind kind
	arg  string
	days int // from today: "내일" is 1

	day map[string]any // by its place in the calendar, as the clock takes it; nil for none
}

// wish reads the question. The order matters: the narrow readings come first.
func (a *ask) wish() wish {
	q := a.question
	if e, ok := a.goesOn(); ok {
		return wish{kind: wantsArithmetic, arg: e}
	}
	w := wishOf(q)
	if w.kind == wantsGreeting || w.kind == wantsThanks {
		// "안녕? 연차는 며칠이야?" asks for the second part
		if rest := afterGreeting(q); rest != "" {
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
	if len(words(q)) == 0 {
		if e, ok := arithmetic(q); ok {
			return wish{kind: wantsArithmetic, arg: e}
		}
		return wish{kind: wantsNothing}
	}
	for _, read := range []func(string) (wish, bool){
		readArithmetic, readRemember, readRecall, readClock, readWeather,
		readSearch, readFile, readSmallTalk, readMaking, readDeed, readStatement,
	} {
		if w, ok := read(q); ok {
			return w
		}
	}
	return wish{kind: wantsDocuments}
}

func readArithmetic(q string) (wish, bool) {
	e, ok := arithmetic(q)
	return wish{kind: wantsArithmetic, arg: e}, ok
}

var (
	recallKo = strings.Fields(`뭐라고했 뭐라했 뭐라그랬 말했지 말했었 말했더라 했더라 라고했지 라고했어 기억나 기억하 기억해 이전대화 대화내용 지금까지대화 우리대화 무슨얘기 무슨이야기 어떤얘기 내이름 제이름 내가누구 나는누구 제가누구`)
	// saidKo tell that 아까 is about what was said; with other words it points to the subject
	// of before ("아까 그거 늦으면 어떻게 돼?").
	saidKo   = strings.Fields(`말 얘기 이야기 물어 물었 질문 라고 했지 했더 했어 했나 뭐였 무엇이었 보냈 올렸 적었 썼`)
	recallEn = []string{"did i say", "did i tell", "did i ask", "did i mention", "did i just", "i said", "i told you", "i mentioned", "i asked", "do you remember", "do you recall", "my name", "who am i", "last message", "last question", "previous message", "previous question", "our conversation", "this conversation", "conversation so far", "we talk", "we discuss", "have i told", "have i said"}
)

// ownSaying asks for what the person said themselves: "내가 어느 팀에서 일한다고 했지?". Without
// them it may be about what a document said.
var ownSaying = expression(`^\s*(?:내가|제가|나는|저는|난|전)\s.*(?:다|라|자)고\s*(?:말)?(?:했|하였)`)

func readRecall(q string) (wish, bool) {
	if wantsRecap(q) {
		return wish{kind: wantsRecall}, true
	}
	if !isQuestion(q) {
		return wish{}, false
	}
	sq := squash(q)
	earlier := hasAny(sq, "아까", "방금") && hasAny(sq, saidKo...)
	return wish{kind: wantsRecall}, earlier || firstSaid.MatchString(q) || hasAny(sq, recallKo...) || ownSaying.MatchString(q) || hasAny(lower(q), recallEn...)
}

// readRemember finds "remember that …" and "… 기억해줘".
func readRemember(q string) (wish, bool) {
	body, ok := intent.Remember(fit.OneLine(q))
	return wish{kind: wantsRemember, arg: body}, ok
}

// asciiLower is s with small letters for A to Z: unlike of others, of these both take a byte.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func trimAny(s string, tails ...string) string {
	for _, t := range tails {
		if r, ok := strings.CutSuffix(s, t); ok {
			return strings.TrimSpace(r)
		}
	}
	return s
}

var (
	codeThing = strings.Fields(`코드 함수 스크립트 프로그램 파이썬 자바스크립트 타입스크립트 정규식 쿼리 알고리즘 function script python javascript typescript golang regex sql code program algorithm bug`)
	codeVerb  = strings.Fields(`짜줘 짜 작성 만들어 구현 고쳐 디버그 리팩터 write implement debug fix refactor generate`)
	makingKo  = []string{"시를써", "시써", "써줘", "써주세요", "지어줘", "작성해줘", "작성해주", "요약해줘", "요약해주"}
	makingEn  = []string{"translate", "tell me a joke", "a joke", "poem", "write a ", "write an ", "write me", "brainstorm", "draft a", "draft an", "summarize this", "summarise this"}
)

// madeKo is a thing that is made, with the word that asks for it, without spaces. Alone it is what documents
// may tell of: a translation has a fee, a draft has a deadline.
var madeKo = expression(`(?:번역|농담|소설|노래|초안)\p{Hangul}{0,3}?(?:해줘|해주|해줄|해달라|해봐|부탁|써줄|써봐|만들어줘|만들어주|불러줘|불러주|불러봐|들려|잡아줘|잡아주|하나(?:만|$))|번역(?:해|좀|하면)?$|번역하면(?:뭐|어떻)`)

// readMaking finds wishes for something new: code, translations, texts.
func readMaking(q string) (wish, bool) {
	if strings.Contains(q, "```") {
		return wish{kind: wantsCode}, true
	}
	var thing, verb bool
	for _, w := range words(q) {
		thing = thing || hasPrefixOf(w, codeThing)
		verb = verb || hasPrefixOf(w, codeVerb)
	}
	if thing && verb {
		return wish{kind: wantsCode}, true
	}
	return wish{kind: wantsWriting}, hasAny(squash(q), makingKo...) || madeKo.MatchString(squash(q)) || hasAny(lower(q), makingEn...)
}

var (
	deedKo = expression(`(?:다고|라고|는\s*걸|는\s*것을)\s*(?:나중에\s*)?(?:알려|전해|말해|보내)\s*(?:줘|주세요|줄래|주라)\S{0,2}\s*[.!~?]*$|` +
		`(?:리마인더|알림|알람|이메일|메일|문자|메시지|쪽지)\S*\s*(?:\S+\s+){0,2}(?:보내|설정해|맞춰|울려|예약해|전송해|걸어)\s*(?:줘|주세요|줄래|주라)\S{0,2}\s*[.!~?]*$|` +
		`준비\s*(?:좀\s*)?해\s*(?:줘|주세요|줄래|주라)\S{0,2}\s*[.!~?]*$`)
	deedEn = expression(`(?i)^\W*(?:please\s+|(?:can|could|would|will)\s+you\s+(?:please\s+)?)?(?:remind\s+(?:me|us|him|her|them)\b|set\s+(?:up\s+)?(?:a|an|my)\s+(?:reminder|alarm)\b|(?:send|write)\s+(?:\w+\s+){0,3}(?:e-?mails?|mails?|messages?|reminders?)\b|e-?mail\s+\w+|prepare\s+\w+)`)
)

// readDeed finds wishes that somebody carry something out. What documents may tell how
// to do ("book a room") is left to them.
func readDeed(q string) (wish, bool) {
	return wish{kind: wantsDeed}, deedKo.MatchString(q) || deedEn.MatchString(q) || laterOn(q)
}

func hasPrefixOf(w string, list []string) bool {
	for _, p := range list {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	return false
}

// isQuestion reports whether q asks for something, in either language.
func isQuestion(q string) bool { return intent.Question(q) || intent.Request(q) }

var (
	tellKo = []string{"야", "이다", "입니다", "예요", "에요", "해요", "합니다", "했어", "했어요", "했습니다", "거든", "거든요", "아해", "있다", "없다", "인데", "임", "랍니다", "래", "이래", "할게", "할게요", "같아", "같아요", "싶어", "싶어요", "왔어", "갔어", "됐어", "졌어", "하다", "한다"}
	tellEn = set(`i i'm im i've my we we're our call he she they it's it thanks ok okay yes no yeah nope sure great nice good cool`)
)

// needKo and needEn are what people say who want something or are in trouble:
// "노트북이 고장 났어요", "I want to work from abroad" ask without asking.
var (
	needKo = []string{"싶어", "싶은데", "싶습니다", "고장", "잃어버", "분실", "도난", "안돼", "안되", "안나와", "안켜", "안열", "아파", "아픈", "아플", "늦을", "필요해", "필요한데", "깜빡", "까먹", "받았", "왔는데", "눌렀", "눌러버", "걸렸", "걸려서"}
	needEn = []string{" want to ", " need ", " would like ", " d like ", " looking for ", " lost ", " stolen ", " broke ", " broken ", " forgot ", " missed ", " can't ", " cannot ", " doesn't work ", " not working ", " isn't working ", " stopped working ", " sick ", " ill ", " running late ", " resigning ", " quitting ", " clicked ", " spilled ", " leaked ", " hacked ", " locked out ", " injured ", " got hurt "}
)

// ofOneself is what people tell of themselves in the plain form of verbs, by which nothing else
// would tell it from key words: "나는 고양이 두 마리를 키워".
var ofOneself = expression(`(?:^|[.!,]\s+)(?:나는|저는|난|전|나도|저도|내가|제가|우리는|저희는)\s[^.!?]*[어아워와해려져셔쳐녀겨여써봐](?:요)?$`)

// proposesKo ends what people suggest to each other: "3시로 하자", "내일 만납시다". A defect (제품 하자) is none.
var proposesKo = expression(`(?:[로게지고도록기만]\s*하자|(?:만나|모이|먹|가|보|두|쓰|놓|끝내|시작하|진행하|미루|바꾸|옮기|정하|쉬)자|[가-힣]시다|하죠|시죠)$`)

// readStatement finds sentences that tell something: "내 이름은 철수야",
// "I work in Busan". Bare key words ("연차 규정") are no statement.
func readStatement(q string) (wish, bool) {
	if isQuestion(q) || hasAny(squash(q), needKo...) || hasAny(" "+strings.Join(words(q), " ")+" ", needEn...) {
		return wish{}, false
	}
	if correction.Opens(q) {
		return wish{kind: tells}, true
	}
	ws := words(q)
	end := strings.TrimRightFunc(q, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if hangul(q) {
		for _, e := range tellKo {
			if strings.HasSuffix(end, e) && (len(ws) > 1 || strings.HasSuffix(q, ".")) {
				return wish{kind: tells}, true
			}
		}
		return wish{kind: tells}, len(ws) > 1 && proposesKo.MatchString(end) || hasAny(squash(q), "불러줘", "불러주세요") || intent.Courtesy(q) || ofOneself.MatchString(end)
	}
	if nameIn(q) != "" || intent.Courtesy(q) || tellEn[ws[0]] && (len(ws) > 2 || intent.Courtesy(q)) {
		return wish{kind: tells}, true
	}
	verb := false
	for _, w := range ws[1:] {
		verb = verb || w == "is" || w == "are" || w == "was" || w == "were"
	}
	return wish{kind: tells}, verb && len(ws) > 2
}

// personal reports whether the question could be about what the person said
// before: there is something before it.
func (a *ask) personal() bool {
	return len(a.before)+len(a.older) > 0 || strings.Contains(a.system, ": ")
}

func lower(s string) string { return strings.ToLower(fit.OneLine(s)) }
