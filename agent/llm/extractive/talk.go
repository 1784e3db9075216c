package extractive

import (
	"strings"

	"maru/phrase"
	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
)

// What people say without asking for anything. Acknowledgements are [intent]'s.
var (
	thanks = pattern.New(`(?i)^(?:고마워요?|고맙습니다|고맙[다네](?:요|[,.!~\s]|$)|감사(?:합니다|해요?|드려요|드립니다)|감사[,.!~^]|감사$|thx|thank(?:s|\s+you)(?:\s+(?:a\s+lot|(?:so|very)\s+much))?)(?:[\s,.!?~^]+|$)`)
	// thanksEnd matches thanks after what somebody tells.
	thanksEnd = pattern.New(`(?i)[\s,.!~ㅋㅎㅠㅜ]+(?:thanks?(?:\s+(?:a\s+lot|so\s+much))?|thank\s+(?:you|u)|thx|고마워요?|고맙습니다|감사합니다|감사해요)[\s.!~^ㅋㅎㅠㅜ]*$`)
	bye       = pattern.New(`(?i)^(?:잘\s*(?:가|자)\S{0,3}|안녕히\s*\S+|수고\p{Hangul}*|좋은\s*(?:하루|저녁|밤|주말|시간)\s*(?:되|보내)(?:세요|십시오)|(?:good)?bye|see\s+you\b.*|good\s+night)[\s,.!~^]*$`)
)

// readSmallTalk finds greetings, thanks, farewells and questions about the assistant.
func readSmallTalk(q string) (wish, bool) {
	t := strings.TrimSpace(q)
	if intent.OfAssistant(t) {
		return wish{kind: wantsAbout}, true
	}
	if bye.MatchString(t) {
		return wish{kind: wantsBye}, true
	}
	if n := len(thanks.FindString(t)); n > 0 {
		return wish{kind: wantsThanks, arg: t[n:]}, true
	}
	if tone, ok := intent.Chats(t); ok {
		if tone == intent.ChatterChoice {
			return wish{kind: wantsChoice}, true
		}
		return wish{kind: wantsChat, arg: string(tone)}, true
	}
	rest, ok := intent.Greets(t)
	return wish{kind: wantsGreeting, arg: rest}, ok
}

// replies are the sentences for what needs neither passages nor tools.
var replies = map[kind]string{
	wantsGreeting: "extractive.hello", wantsThanks: "extractive.welcome", wantsBye: "extractive.bye", wantsAbout: "extractive.about",
	wantsChoice: "extractive.chat.choice", wantsRates: "extractive.rates", wantsChannel: "extractive.no_channel", wantsUnnamed: "extractive.unnamed", wantsTongue: "extractive.tongue", wantsManner: "extractive.manner", wantsLength: "extractive.length",
	wantsWriting: "extractive.writing", wantsDeed: "extractive.deed", wantsNothing: "extractive.nothing",
	wantsArithmetic: "extractive.calculator", wantsClock: "extractive.clock", // the tool that is not there
}

// chats are the replies to small talk, by its tone.
var chats = map[intent.Chatter]string{
	intent.ChatterBored: "extractive.chat.bored", intent.ChatterLow: "extractive.chat.low", intent.ChatterGlad: "extractive.chat.glad", intent.ChatterPraise: "extractive.chat.praise",
	intent.ChatterScolds: "extractive.chat.scolds", intent.ChatterHow: "extractive.chat.how", intent.ChatterTest: "extractive.chat.test",
	intent.ChatterFails: "extractive.chat.fails",
}

// talk answers without passages and tools.
func talk(a *ask, w wish) string {
	switch w.kind {
	case wantsRecall:
		return tellRecalled(a)
	case wantsRemember:
		return a.say("extractive.noted", fit.Clip(fit.OneLine(w.arg), 300))
	case tells:
		return acknowledge(a)
	case wantsChat:
		return a.say(chats[intent.Chatter(w.arg)])
	case wantsArithmetic, wantsClock:
		return a.say("extractive.missing", phrase.Of(replies[w.kind]))
	case wantsDocuments, wantsSaid:
		return unknown(a)
	}
	return a.say(replies[w.kind])
}

// unknown is said when neither documents, tools nor conversation help.
func unknown(a *ask) string {
	if s, score := a.recollect(); score >= 0.75 {
		return a.recalled(s)
	}
	if intent.Request(a.question) && !intent.Question(a.question) && !telling.MatchString(a.question) {
		return a.say(replies[wantsDeed])
	}
	return a.say("extractive.unknown")
}

// telling are requests to say something, which documents may do; the others are to do something.
var telling = pattern.New(`(?i)(?:알려|말해|보여|찾아|설명|가르쳐|검색|요약|정리|간추|비교|나열|안내|소개|추려|골라)\p{Hangul}*|\b(?:tell|show|give|find|list|explain|describe|outline|compare|look\s+up|search|check|summari[sz]e|sum\s+up|recap|know)\b`)

// acknowledge answers a statement; a name gets its due.
func acknowledge(a *ask) string {
	if n := nameIn(a.question); n != "" {
		return a.say("extractive.met", n)
	}
	if correction.Opens(a.question) && len(a.before)+len(a.older) == 0 && !settled(a.question) {
		return a.say("extractive.nothing_before")
	}
	if intent.Courtesy(a.question) || settled(a.question) {
		return a.say("extractive.all_right")
	}
	return a.say("extractive.remembered")
}

// settled reports whether a message is a plain yes or no: "never mind", "됐어 그만".
func settled(q string) bool {
	v, _ := intent.Decide(q)
	return v != intent.None
}
