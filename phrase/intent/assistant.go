package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// ofYou is what may follow in a question about the assistant. "What do you do about harassment" and "what can you tell me about pets"
// have a subject of their own.
const ofYou = `(?:[\s,]+(?:do|doing|made|called|named|able|capable|to|of|help|with|running|run|on|based|using|use|know|for|me|us|in|a|this|channel|here|then|exactly|actually|anyway|best|maru|else|besides|other|than|apart|from|answering|answer|questions?))*`

// aBot are names for the assistant, toBot words by which something is said to be given to it: other systems take documents as well.
const (
	aBot  = `(?:(?:this|the)\s+(?:chat\s?)?(?:bot|assistant))`
	toBot = `(?:here|to\s+(?:you|maru|` + aBot + `)|in\s+this\s+(?:chat|channel|thread))`
)

var assistant = pattern.New(`(?i)^\s*(?:도움말|도와\s*줘|help|자기\s*소개\S*|사용법\S*|(?:(?:너|네|니|당신|마루)[는의은가]?|넌)\s*(?:이름\S*\s*)?(?:누구|뭐|무슨|어떤|사람|봇|AI|누가|뭘)\S*(?:\s+\S+){0,3}|누가\s*(?:너를?|널)\s*만들\S*|(?:(?:너|넌|마루)[는은]?\s*)?(?:뭐|뭘|무엇을?|어떤\s*(?:걸|거|것|일을?)|무슨\s*(?:일을?|거))\s*(?:(?:해\s*줄|도와\s*줄|할)\s*수\s*있\S*|(?:할|해\s*줄)\s*줄\s*(?:알|아)\S*)|(?:(?:너|넌|마루)[는은]?\s*)?(?:무슨|어떤)\s*기능\S*\s*있\S*|(?:너|넌|너는|마루는?)\s*(?:몇\s*살|나이|생일|고향|어디\s*(?:살|출신))\S*(?:\s+\S+)?|(?:(?:지금|너|넌|이거|혹시)\s*)*(?:진짜\s*)?(?:사람|봇|로봇|AI|인공지능)(?:이랑|하고|이야|이에요|이세요|이니|인가요?|이냐|예요|야|인\s*거)\S*(?:\s+\S+){0,5})[\s?!.~]*$|^\s*(?:` +
	`(?:(?:who|what|(?:which|what)\s+model)\s+(?:are|can|do|made)\s+you\b|how\s+(?:can\s+you\s+help|do\s+(?:you\s+work|i\s+use\s+you))\b)` + ofYou + `|what(?:\s+is|['’]?s)\s+` + aBot + `(?:\s+(?:for|about|called))?|what\s+(?:can|does)\s+` + aBot + `\s+do` + ofYou + `|` +
	`how\s+(?:do|can|should)\s+(?:i|we)\s+(?:add|upload|share|give\s+you|feed\s+you)\s+(?:(?:an?|my|our|the|more|new|some)\s+){0,2}(?:documents?|docs?|files?|pdfs?)\s+` + toBot + `|` +
	`(?:이|여기)\s*(?:챗봇|봇)(?:은|는|이)?\s*(?:(?:뭐|무엇)(?:야|예요|에요|이야|이에요|인가요|임|지|죠|니)?|(?:뭐|뭘|무엇을?|무슨|어떤)\s*(?:하|할|해|도와|일(?:을|\s?하)|용도|역할|기능|봇|챗봇)\S*(?:\s+\S+){0,3})|(?:여기(?:에|다|에다)?|너(?:한테|에게)|마루(?:한테|에게|에))\s*(?:문서|파일|자료)\p{Hangul}?\s*(?:어떻게|어디에|어디로)\s*(?:올|추가|넣|등록|드려|드리|줘|주)\S*|` +
	`what\s+(?:is|'s)\s+your\s+name)[\s?!.~]*$`)

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
var being = pattern.New(`^(?:(?:who|what) (?:are|r) (?:you|u)(?: really)?|who (?:you|u)|who is this bot|what(?:'?s| is) (?:your|ur) (?:name|age|job|birthday|purpose)(?: bot)?|(?:about|more about|something about|a bit about) (?:you|u|yourself)|how old (?:are|r) (?:you|u)|` +
	`(?:when|where) (?:were|was) (?:you|u) (?:born|made|created|built)|who (?:made|created|built|wrote|programmed) (?:you|u)|who(?:'s| is| are) your (?:creators?|makers?|founders?)|where (?:are (?:you|u) from|do (?:you|u) (?:live|come from))|(?:are|r) (?:you|u)(?: sure (?:that )?you'?re| really| just)?(?: an?| the)? (?:` + beingEn + `|` + staffEn + `)|(?:are|r) (?:you|u)(?: even| really| for)? real(?: or fake)?|(?:are|r) (?:you|u) ai[ -]powered|` +
	`(?:(?:you|u) (?:are|r)|you'?re)(?: an?| the| just an?)? ` + beingEn + `|am i (?:talking|speaking|chatting) (?:to|with) an? ` + beingEn + `(?: or (?:you )?(?:an? )?` + beingEn + `)?|(?:who|whom)(?: am)? i (?:talking|speaking|chatting) (?:to|with)|(?:do|have) (?:you|u) (?:have |got )?an? (?:name|birthday|job))(?: maru)?$`)

// addressed matches what opens a question put to the assistant and is no part of what is asked.
var addressed = pattern.New(`^(?:(?:ok|okay|hey|hi|so|please|maru|bot|(?:can|could|will|would) (?:you|u) (?:please )?tell me|tell me|do (?:you|u) know) )+`)

// OfAssistant reports whether a text asks what the assistant is or does: "너 누구야?", "what can you do here?".
func OfAssistant(text string) bool {
	if assistant.MatchString(text) {
		return true
	}
	said := strings.Join(fields(unasked.Replace(text)), " ")
	return being.MatchString(said[len(addressed.FindString(said)):])
}
