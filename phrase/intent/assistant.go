package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// A question what the assistant does consists of these words alone: any other is its subject, as in "what do you do about
// harassment" and "너 이거 할 수 있어?". Features, prices and services of "you" are those of a company to its customers.
var (
	itselfEn = set("you u your ur you're yourself")
	opensEn  = set("what what's whats which how tell show list explain describe introduce give")
	beforeEn = set("can could would will you u please")
	restEn   = set(`maru bot chatbot assistant can could should may might do does are r is be able to of this the me us with for i we using ask talk use work works help introduce all kind kinds sort sorts type types thing
		things stuff question questions else exactly actually really even best at here around our team channel in so and just some any a an everything anything then anyway besides other than apart from start get
		started supposed meant lot quick intro introduction there please pls not short brief overview summary examples example answer answering skills abilities have`)
	// ableEn are what it can do. These words tell of it in some company only: see [ableAt].
	ableEn = set("helpful capable capabilities skillset purpose point role good useful about commands rundown help")

	nounsKo = `(?:능력|역할|기능|정체|용도|이름|소개|사용[법방])\p{Hangul}{0,5}`
	ableKo  = pattern.New(`^(?:(?:뭐|뭘|뭔|뭡|무엇|누구|무슨|어떤|대해|존재)\p{Hangul}{0,5}|` + nounsKo + `)$`)
	ownKo   = pattern.New(`^(?:능력|역할|기능|정체|용도|이름)(?:[이은]|[이가]?\s?뭐\S*)?$`)
	usedKo  = pattern.New(`^(?:쓰|써|사용|이용|도와|활용)`)
	restKo  = pattern.New(`^(?:(?:하|해|할|도와|도울|도움|물어|질문|사용|이용|쓰|써|만들|만든|알|아[는세니나]|방법|가능|있|[돼되될]|말씀|말해|설명|부탁|안녕|반가|처음|애|봇이|챗봇이)\p{Hangul}{0,5}|어떻게|누가|일[을이은]?|일들[을이은]?|[거게건걸못]|분\p{Hangul}{0,4}|궁금\p{Hangul}{0,4}|(?:얘기|이야기)해\p{Hangul}{0,3}|하시는분|것[을은이]?|` +
		`[거겁](?:야|예요|니까)|수|줄|줘요?|주세요|주[시실]\p{Hangul}{0,4}|법|잘|봐요?|좀|한번|다|전부|간단히|혹시|저기요?|지금|주로|보통|그럼|근데|진짜|정확히|도대체|대체|여기(?:서|에|에서|에다)?는?|먼저|자기|마루[야님])$`)
	itselfKo = pattern.New(`^(?:(?:너|당신|마루|마루님|이봇|이챗봇)(?:[은는이가을를의도에]|한테|에게)|너|당신|이봇|이챗봇|넌|널|네가|니가)$`)
	joined   = strings.NewReplacer("이 봇", "이봇", "이 챗봇", "이챗봇", "여기 봇", "이봇", "여기 챗봇", "이챗봇", "챗 봇", "챗봇")
)

// Questions what the assistant does that need no word for it, and how it is given documents: other systems take documents as well.
var (
	offersKo = pattern.New(`^(?:도움말|도와\s?줘|사용\s?(?:법|방법)(?:[을이])?(?:\s?좀)?(?:\s?(?:알려|설명\s?(?:좀\s)?해?)\s?(?:줘|주)\S*)?|자기\s?소개(?:를)?(?:\s?좀)?(?:\s?(?:한번\s)?(?:해|부탁)\S*(?:\s(?:봐|줘|주|드려|볼)\S*)?)?|누구(?:세요|신가요|신지|시죠|십니까)|정체가\s?뭐\S*|누가\s?(?:너를?|널)\s?만들\S*|넌?\s?누가\s?만들\S*|` +
		`(?:여기서는?\s?)?(?:뭐|뭘|무엇을?|어떤\s?(?:걸|거|것|일을?|도움을?)|무슨\s?(?:일을?|거))\s?(?:(?:해\s?줄|해\s?주실|도와\s?줄|도와\s?주실|할|하실)\s?수\s?있\S*|(?:할|해\s?줄)\s?줄\s?[알아]\S*)|(?:할|해\s?줄)\s?수\s?있는\s?(?:게|거|건|걸|것|일)\S?\s?(?:[이은]\s?)?(?:뭐|무엇|뭔|알려|말해)\S*(?:\s\S+)?|(?:무슨|어떤)\s?기능\S*\s?있\S*|` +
		`(?:여기(?:에|서)?(?:는|다)?\s?)?(?:뭐|뭘|무엇을|어떤\s?(?:걸|것을?|질문을?)|무슨\s?질문을?)(?:부터)?\s?(?:물어\s?(?:볼|봐도|보면)|질문\s?(?:할|해도|하면))\s?(?:수\s?있|돼|되)\S*|(?:이거|이건)?\s?(?:뭐\s?하는|무슨\s?일\s?하는)\s?(?:봇|챗봇)[이인]\S+|` +
		`(?:너|넌|마루)[는은가]?\s?(?:몇\s?살|나이|생일|고향|어디\s?(?:살|출신))\S*(?:\s\S+)?|(?:(?:저기요?|지금|너|넌|이거|혹시)\s?)*(?:진짜\s?)?(?:사람|봇|로봇|ai|인공지능)(?:이랑|하고|이야|이에요|이세요|이니|인가요?|이냐|예요|야|인\s?거)\S*(?:\s\S+){0,5}|` +
		`(?:여기(?:에|다|에다)?|너(?:한테|에게)|마루(?:한테|에게|에))\s?(?:문서|파일|자료)\p{Hangul}?\s?(?:어떻게|어디에|어디로)\s?(?:올|추가|넣|등록|드려|드리|줘|주)\S*)$`)
	offersEn = pattern.New(`^(?:help|(?:what is|what's|whats|who is|who's) (?:an? )?(?:maru|(?:this|the) (?:chat ?)?(?:bot|assistant))(?: for| about| called)?|how (?:do|can|should) (?:i|we) (?:add|upload|share|give you|feed you) (?:(?:an?|my|our|the|more|new|some) ){0,2}(?:documents?|docs?|files?|pdfs?) (?:here|to (?:you|maru|(?:this|the) (?:chat ?)?(?:bot|assistant))|in this (?:chat|channel|thread)))$`)
)

// ableAt reports whether the i-th of English words says what the assistant does or is for: what it does or helps with, what one asks
// it or uses it for, how it works. "How do you do" is a greeting, and "what can I ask you to do" asks for leave.
func ableAt(words []string, i int) bool {
	at := func(k int) string {
		if k < 0 || k >= len(words) {
			return ""
		}
		return words[k]
	}
	last, next := at(i-1), at(i+1)
	self := itselfEn[next] || next == "maru" || next == "this" && (at(i+2) == "bot" || at(i+2) == "assistant")
	switch words[i] {
	case "do":
		return words[0] != "how" && (itselfEn[last] || last == "maru" || last == "bot" || last == "assistant" || last == "can" || last == "all" || last == "does")
	case "ask", "use", "using", "talk":
		return self && at(i+2) != "to"
	case "work", "works":
		return (itselfEn[last] || last == "maru" || last == "bot" || last == "assistant") && last != "your" && last != "ur" && next == ""
	case "introduce":
		return next == "yourself"
	case "able":
		return next == "to"
	case "skills", "abilities":
		return last == "your" || last == "ur" || next == "do" && at(i+3) == "have"
	}
	return ableEn[words[i]]
}

// asksOfferEn reports whether English words ask what the assistant is or does.
func asksOfferEn(words []string) bool {
	for i, w := range words { // "could you please introduce yourself"
		if opensEn[w] {
			words = words[i:]
			break
		}
		if !beforeEn[w] {
			break
		}
	}
	you, able := false, false
	for i, w := range words {
		last, next := words[max(0, i-1)], words[min(i+1, len(words)-1)]
		switch {
		case w == "this" && next != "bot" && next != "assistant" && next != "channel" && next != "chat", (w == "team" || w == "channel") && (last == "your" || last == "ur"):
			return false // something said before, or somebody else
		case itselfEn[w], (w == "bot" || w == "assistant" || w == "chatbot") && (last == "this" || last == "the"), w == "maru" && last != "do" && last != "help" && i > 0:
			you = true
		case !restEn[w] && !ableEn[w] && !opensEn[w]:
			return false
		}
		able = able || ableAt(words, i)
	}
	return you && able && opensEn[words[0]]
}

// asksOfferKo does so for Korean words. A bare 마루 or 네 is the assistant before its name, role and the like only: else it is a call,
// or a yes.
func asksOfferKo(words []string) bool {
	you, able := false, false
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case itselfKo.MatchString(w), (w == "네" || w == "니") && ownKo.MatchString(next), (w == "마루" || w == "마루님") && ableKo.MatchString(next):
			you = true
		case ableKo.MatchString(w), w == "어떻게" && usedKo.MatchString(next), w == "누가" && strings.HasPrefix(next, "만들"):
			able = true
		case !restKo.MatchString(w):
			return false
		}
	}
	return you && able
}

// What people ask whether the assistant is: a program, with any adjectives, a person, or a colleague; and what may follow.
const (
	programEn = `(?:(?:[a-z][a-z-]+ ){0,2}(?:bot|chat ?bot|slack ?bot|robot|ai|ai agent|assistant|(?:ai|language) model|llm|(?:chat ?)?gpt|machine|computer|program|software|app|application|tool|simulation))`
	personEn  = `(?:(?:real |actual |live |living )?(?:human(?: being)?|man|woman|girl|boy|person))`
	staffEn   = `(?:(?:new |real |human |fellow )?(?:employee|intern|colleague|co-?worker|team ?mate|team member))`
	beingEn   = `(?:` + programEn + `|` + personEn + `)(?: or (?:just )?(?:an? |the )?(?:` + programEn + `|` + personEn + `))?` + madeEn
	madeEn    = `(?: or what| (?:made|built|created|developed|designed|trained|powered|run) by [a-z]+(?: [a-z]+)?)?`
)

// being matches questions what the assistant is, in lower case, without punctuation and what opens them. "You" is their subject or
// object: "can you tell me what the job is?" is none of them.
var being = pattern.New(`^(?:(?:who|what)(?: model)? (?:are|r) (?:you|u)(?: for)?(?: really)?|who (?:you|u)|who is this bot|what(?:'?s| is) (?:your|ur) (?:name|age|job|birthday|purpose)(?: bot)?|(?:about|more about|something about|a bit about) (?:you|u|yourself)|how old (?:are|r) (?:you|u)|` +
	`(?:when|where) (?:were|was) (?:you|u) (?:born|made|created|built)|who (?:made|created|built|wrote|programmed) (?:you|u)|who(?:'s| is| are) your (?:creators?|makers?|founders?)|where (?:are (?:you|u) from|do (?:you|u) (?:live|come from))|(?:are|r) (?:you|u)(?: sure (?:that )?you'?re| really| just)?(?: an?| the)? (?:` + beingEn + `|` + staffEn + `)|(?:are|r) (?:you|u)(?: even| really| for)? real(?: or fake)?|(?:are|r) (?:you|u) ai[ -]powered|` +
	`(?:(?:you|u) (?:are|r)|you'?re)(?: an?| the| just an?)? ` + beingEn + `|am i (?:talking|speaking|chatting) (?:to|with) an? ` + beingEn + `(?: or (?:you )?(?:an? )?` + beingEn + `)?|(?:who|whom)(?: am)? i (?:talking|speaking|chatting) (?:to|with)|(?:do|have) (?:you|u) (?:have |got )?an? (?:name|birthday|job))(?: maru)?$`)

// addressed matches what opens a question put to the assistant and is no part of what is asked.
var addressed = pattern.New(`^(?:(?:ok|okay|hey|hi|hello|so|please|pls|maru|bot|good (?:morning|afternoon|evening)|(?:can|could|will|would) (?:you|u) (?:please )?(?:tell me|explain)|tell me|do (?:you|u) know) )+`)

// adverbs are left out of what is asked.
var adverbs = pattern.New(`\b(?:exactly|actually|really|even|just) `)

// OfAssistant reports whether a text asks what the assistant is or does: "너 누구야?", "what can you do here?".
func OfAssistant(text string) bool {
	words := fields(unasked.Replace(text))
	said := strings.Join(words, " ")
	asked := adverbs.ReplaceAllString(said[len(addressed.FindString(said)):], "")
	if asked == "" {
		return false
	}
	return offersEn.MatchString(asked) || being.MatchString(asked) || offersKo.MatchString(said) || asksOfferEn(strings.Fields(asked)) || asksOfferKo(strings.Fields(joined.Replace(said)))
}

// thisKo and thisEn are questions what the assistant is or does while nothing has been said: it is what "this" is then.
var (
	thisKo = pattern.New(`^(?:(?:근데|그럼|저기요?|혹시|안녕하세요|안녕)[,.!\s]*)*(?:(?:이거|이건|이게)\s*(?:뭐(?:야|예요|에요|죠|지|냐|니|임)?|뭔가요|무엇인가요|뭐\s?하는\s?(?:거|건|것|봇|챗봇|애|앱)\S*|어떻게\s*(?:쓰|써|사용|이용)\S*(?:\s[거건돼되]\S*)?)|어떻게\s*(?:쓰|써|사용|이용)\S*(?:\s[거건돼되]\S*)?|기능이?\s*(?:좀\s*)?(?:뭐\S{0,3}|(?:알려|설명해|말해)\s?(?:줘|주)\S*)|소개\s*(?:좀\s*)?(?:해|부탁)\s?\S*|(?:어떤|무슨)\s*기능을?\s*(?:제공|지원)\S*)[?.!~\s]*$`)
	thisEn = pattern.New(`(?i)^(?:(?:so|ok|okay|hi|hey|hello|um)[,.!\s]+)*(?:how\s+do(?:es)?\s+(?:this|it)(?:\s+thing)?\s+work|how\s+(?:do|can|should)\s+(?:i|we)\s+use\s+(?:this|it)(?:\s+thing)?|what(?:['’]?s|\s+is)\s+this(?:\s+thing)?(?:\s+for)?|what\s+(?:(?:kinds?|sorts?)\s+of\s+(?:things|questions)\s+)?(?:can|should)\s+(?:i|we)\s+(?:ask|do)(?:\s+here)?)[?.!\s]*$`)
)

// AsksWhatThisIs reports whether a text asks what the assistant is or does if it is the first of a conversation: "how does this work?".
func AsksWhatThisIs(text string) bool { return thisKo.MatchString(text) || thisEn.MatchString(text) }
