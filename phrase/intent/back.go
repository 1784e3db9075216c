package intent

import "maru/phrase/pattern"

// Questions and requests about the conversation itself, and for a sum.
var (
	saidBack = pattern.New(`(?i)뭐라고?\s*(?:했|그랬)|말했(?:지|더라)|라고\s*했지|기억(?:나|하)|대화\s*내용|(?:무슨|어떤)\s*(?:얘기|이야기)|[내제]\s*이름|(?:아까|방금)\s.*(?:말|얘기|이야기|물어|물었|질문|했|뭐였)|` +
		`(?:내가|제가)\s+(?:\S+\s+){0,2}?(?:뭐|뭘|무슨|어떤|무엇)\S*\s*(?:\S+\s+)?(?:물어\s?봤|물었|말했|말씀\s?드렸|질문했|여쭤\s?봤|여쭸|얘기했)(?:었|였)?(?:지|더라|더라고|어|나|냐|니|는지|죠|던가|습니까)?요?[\s?？!.~ㅋㅎㅠ]*$|^\s*(?:내가|제가|나는|저는)\s.*[다라자]고\s*(?:말)?했|\bdid\s+i\s+(?:just\s+)?(?:say|tell|ask|mention)\b|\bi\s+(?:said|told\s+you|mentioned|asked)\b|\bdo\s+you\s+(?:remember|recall)\b|\bmy\s+name\b|\bwho\s+am\s+i\b|\b(?:last|previous)\s+(?:message|question)\b|\b(?:our|this)\s+conversation\b|\bwe\s+(?:talk|discuss)`)
	recap = pattern.New(`(?i)(?:대화|얘기|이야기|논의|스레드)\S*(?:\s+\S+){0,3}?\s*(?:요약|정리)(?:\s*(?:좀\s*)?(?:해|부탁)|[\s.!~]*$)|` +
		`\b(?:summari[sz]e|sum\s+up|(?:summary|recap)\s+of)\b.{0,40}\b(?:conversation|discussion|chat|thread|so\s+far|we(?:'ve)?\s+(?:said|talked|discussed))\b|^\W*recap\W*$`)
	computes = pattern.New(`\d\s*\pL{0,4}\s*[-+*/×÷]\s*\d|계산|(?i)\b(?:calculate|compute)\b`)
)

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
