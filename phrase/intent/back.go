package intent

import "maru/phrase/pattern"

// Questions and requests about the conversation itself, and for a sum.
var (
	saidBack = pattern.New(`(?i)뭐라고?\s*(?:했|그랬)|말했(?:지|더라)|라고\s*했지|기억(?:나|하)|대화\s*내용|(?:무슨|어떤)\s*(?:얘기|이야기)|[내제]\s*이름|(?:아까|방금)\s.*(?:말|얘기|이야기|물어|물었|질문|했|뭐였)|` +
		`(?:내가|제가)\s+(?:\S+\s+){0,2}?(?:뭐|뭘|무슨|어떤|무엇)\S*\s*(?:\S+\s+)?(?:물어\s?봤|물었|말했|말씀\s?드렸|질문했|여쭤\s?봤|여쭸|얘기했)(?:었|였)?(?:지|더라|더라고|어|나|냐|니|는지|죠|던가|습니까)?요?[\s?？!.~ㅋㅎㅠ]*$|^\s*(?:내가|제가|나는|저는)\s.*[다라자]고\s*(?:말)?했|\bdid\s+i\s+(?:just\s+)?(?:say|tell|ask|mention)\b|\bi\s+(?:said|told\s+you|mentioned|asked)\b|\bdo\s+you\s+(?:remember|recall)\b|\bmy\s+name\b|\bwho\s+am\s+i\b|\b(?:last|previous)\s+(?:message|question)\b|\b(?:our|this)\s+conversation\b|\bwe\s+(?:talk|discuss)`)
	// recap matches a summary of this conversation: the noun is pointed at or stands alone, and no other noun follows it.
	recap = pattern.New(`(?i)^[^\pL\pN]*(?:(?:마루야|그럼|자|음|혹시|좀|그|이|이번|우리|저희|지금|여기|현재|위|위의|앞의|방금|아까|오늘|` + untilNowKo + `|나온|나눈|오간|한|했던|있었던)[\s,]+)*(?:(?:대화|얘기|이야기|논의|스레드|쓰레드)(?:들)?(?:\s?(?:내용|사항))?(?:에서|을|를|은|는)?|` + untilNowKo + `)` +
		`(?:\s+(?:` + untilNowKo + `|내용[을를만]?|전체|전부|모두|다|쭉|좀|한\s?번|다시|나온|오간|(?:거|것|걸)|간[단략]\p{Hangul}*|짧게|빠르게|핵심만?|요점만?|[한두세네\d]+\s?(?:줄|문장)(?:로|으로)))*\s*(?:요약|정리)(?:\s*(?:좀\s*)?(?:해|부탁)|[\s.!~]*$)|` +
		`\b(?:summari[sz]e|sum\s+up|(?:summary|recap)\s+of)\s+(?:(?:for\s+(?:me|us)|all|of|the|this|that|our|whole|entire|everything|what|in)\s+)*(?:(?:conversation|discussion|chat|thread|we(?:['’]ve|\s+have)?\s+(?:said|talked|discussed))(?:\s+(?:so\s+far|(?:un)?til\s+(?:now|here)|up\s+to\s+(?:now|here)|above|here|we\s+had|today|please|pls|briefly|(?:for|in|about|with|from|since|and)\s.*))*|` +
		`(?:(?:it|things|has\s+been|was|['’]s\s+been|been|said|discussed|decided|happened)\s+)*so\s+far(?:\s+please)?)[\s.!?]*$|^\W*recap\W*$`)
	computes = pattern.New(`\d\s*\pL{0,4}\s*[-+*/×÷]\s*\d|계산|(?i)\b(?:calculate|compute)\b`)
)

const untilNowKo = `(?:지금|여태|이제|여기|현재)까지의?`

// Recap reports whether a text asks for a summary of the conversation.
func Recap(text string) bool { return recap.MatchString(text) }

// AsksToKnow reports whether a message is a question that documents may answer, and not about the conversation, a calculation
// or an action.
func AsksToKnow(text string) bool {
	tone, chats := Chats(text)
	return Question(text) && !Request(text) && !AsksBack(text) && !Computes(text) && (!chats || tone == ChatterChoice || tone == ChatterFails)
}

// AsksBack reports whether a text asks about what was said: for a summary, for something said
// before, for the speaker's own name.
func AsksBack(text string) bool {
	return Recap(text) || saidBack.MatchString(text) && (Question(text) || Request(text))
}

// Computes reports whether a text holds a calculation or asks for one.
func Computes(text string) bool { return computes.MatchString(text) }
