package intent

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// ChannelWish is what a sentence wants done with the notes of its channel.
type ChannelWish string

// The wishes of [OfChannel].
const (
	KeepNote    ChannelWish = "keep"   // remember the rest of the sentence for everybody here
	ListNotes   ChannelWish = "list"   // show what is remembered here
	ForgetNotes ChannelWish = "forget" // forget what is remembered here about the rest
)

const (
	hereEn = `(?:(?:for|in|about)\s+(?:this|the|our)\s+(?:channel|room|chat)|for\s+every(?:one|body)\s+(?:here|in\s+(?:this|the)\s+channel)|here)`
	keepEn = `(?:remember|note(?:\s+down)?|keep\s+(?:(?:this|that)\s+)?in\s+mind|don['’]?t\s+forget)`
	// hereKo is a place with the particle that makes it where something is kept.
	hereKo = `(?:(?:이|우리)\s?(?:채널|방|대화방|단톡방)|여기)(?:에서는|에서|에선|서|에다가|에다|에는|에|용으로)?`
	keepKo = `(?:기억|메모|기록)(?:을)?\s*(?:해|좀\s*해)?\s*(?:줘요?|주세요|주라|줄래|둬요?|두세요|놔줘)`
	// ourKo is the channel's memory or its people, and what is pointed at in front of it.
	ourKo    = `^(?:(?:이거|이걸|이것(?:을|도)?|이\s?내용(?:을|도)?|다음|아래)\s*)?(?:(?:이|우리|저희)\s?)?(?:채널|대화방|단톡방|방|팀)`
	putKo    = `\s*(?:좀|꼭)?\s*(?:남겨|추가|저장|적어|넣어|기록|메모|기억|보관)\s*(?:해)?\s*(?:줘요?|주세요|주라|줄래|둬요?|두세요|놔줘)?`
	ourEn    = `(?:(?:the|this|our)\s+)?(?:channel|team)(?:['’]s)?`
	notesEn  = `(?:to|in|into|for|on)\s+` + ourEn + `\s+(?:memory|notes?)`
	politeEn = `^(?:(?:hey|ok|okay|please|can\s+you|could\s+you)[,\s]+)*`
)

var (
	channelKeep = []*pattern.Pattern{
		pattern.New(`(?is)` + politeEn + keepEn + `(?:\s+(?:this|that))?\s+` + hereEn + `(?:\s+that\b)?\s*[:,\-–—]?\s*(.*)$`),
		pattern.New(`(?is)` + politeEn + hereEn + `[,:]?\s+(?:please\s+)?` + keepEn + `(?:\s+(?:this|that)\b)?\s*[:,]?\s*(.*)$`),
		pattern.New(`(?s)^` + hereKo + `\s*(?:이거|이걸|이것|다음|아래)?(?:을|를|도)?\s*(?:꼭|좀)?\s*` + keepKo + `\s*[:,.\-–—]?\s*(.*)$`),
		pattern.New(`(?is)` + politeEn + `save(?:\s+(?:this|that))?\s+(?:to|for|in)\s+(?:this|the|our)\s+channel\s*:\s*(.+)$`),
		pattern.New(`(?s)^` + hereKo + `\s*(?:메모|기록)\s*:\s*(.+)$`),
		pattern.New(`(?s)^` + keepKo + `\s*[:,]?\s*` + hereKo + `\s*[:,]\s*(.*)$`),
		pattern.New(`(?is)` + politeEn + keepEn + `(?:\s+that\b)?[:,]?\s+(.+?)[,]?\s+(?:for\s+this\s+channel|for\s+everyone\s+here)[.!]*$`),
	}
	// channelNote are wishes that name the channel's memory, with the fact after a colon.
	channelNote = []*pattern.Pattern{
		pattern.New(`(?s)` + ourKo + `(?:의)?\s?(?:기억|메모|노트|기록)(?:으로|로|에다가|에다|에)` + putKo + `\s*(?:[:–—]|\s-\s)\s*(.+)$`),
		pattern.New(`(?s)` + ourKo + `(?:에다가|에다|에|용으로)\s*(?:좀|꼭)?\s*(?:저장|적어|기록|메모|기억)\s*(?:해)?\s*(?:줘요?|주세요|주라|줄래|둬요?|두세요|놔줘)?\s*(?:[:–—]|\s-\s)\s*(.+)$`),
		pattern.New(`(?s)` + ourKo + `(?:에서|이|의)?\s*(?:기억|메모)(?:할|해야\s?할|해\s?둘|해야\s?되는)\s*(?:것|거|점|사항)\s*[:–—]\s*(.+)$`),
		pattern.New(`(?is)` + politeEn + `(?:add|save|write(?:\s+down)?|put|keep|store)\s+` + notesEn + `\s*(?::|\bthat\b)\s*(.+)$`),
		pattern.New(`(?is)` + politeEn + `(?:(?:add|save|write(?:\s+down)?|put|keep|store)\s+(?:this|that|it)\s+` + notesEn + `|(?:save|keep|pin|store)(?:\s+(?:this|that|it))?\s+for\s+` + ourEn + `)\s*:\s*(.+)$`),
		pattern.New(`(?is)` + politeEn + `(?:(?:make|add|create|leave|write)\s+an?\s+)?(?:channel|team)\s+note\s*(?::|\bthat\b)\s*(.+)$`),
	}
	// Korean with the fact before the verb: the clause may be quoted.
	channelKeepQuoted = []*pattern.Pattern{
		pattern.New(`(?s)^` + hereKo + `\s+(.+?)(?:(이라|라|다)고|(?:다|이라|라)?는\s?(?:것을|것|걸|거))?[,.]?\s*(?:(?:꼭|좀|잘)\s*)?` + keepKo + `[.!~ ]*$`),
		pattern.New(`(?s)^(.+?)(?:(이라|라|다)고|(?:다|이라|라)?는\s?(?:것을|것|걸|거))?[,.]?\s+` + hereKo + `\s*(?:(?:꼭|좀|잘)\s*)?` + keepKo + `[.!~ ]*$`),
	}
	channelForget = []*pattern.Pattern{
		pattern.New(`(?is)` + politeEn + `(?:forget|delete|remove)\s+(?:what|everything|the\s+notes?|all)\s+(?:(?:that\s+)?you\s+(?:remember|know|noted|keep)\s+)?(?:about|on|of)\s+(.+?)\s+(?:here|(?:in|for)\s+(?:this|the)\s+channel)[.!]*$`),
		pattern.New(`(?is)` + politeEn + `(?:forget|delete|remove)\s+(?:what|the\s+notes?)\s+(?:(?:that\s+)?you\s+(?:remember|know|noted|keep)\s+)?(?:here|(?:in|for)\s+(?:this|the)\s+channel)\s+(?:about|on)\s+(.+?)[.!]*$`),
		pattern.New(`(?is)` + politeEn + `(?:forget|delete|remove)\s+(?:the|this|our)\s+channel(?:['’]s)?\s+notes?\s+(?:about|on)\s+(.+?)[.!]*$`),
		pattern.New(`(?s)^` + hereKo + `\s*(.+?)(?:에\s?대해서?|에\s?관해서?)\s*(?:기억하(?:는|고\s?있는)|기억한|메모한|기억해\s?둔)\s*(?:거|것|걸|내용|메모)(?:을|를|은|는)?\s*(?:좀\s*)?(?:잊어|지워|삭제)\S*\s*\S{0,4}[.!]*$`),
	}
	channelList = []*pattern.Pattern{
		pattern.New(`(?i)` + politeEn + `(?:what\s+(?:do|have)\s+you\s+(?:remember|remembered|noted|keep)|(?:show|list|tell)\s+(?:me\s+|us\s+)?what\s+you\s+(?:remember|noted|keep))\s+(?:here|(?:for|about|in)\s+(?:this|the)\s+channel)[?.! ]*$`),
		pattern.New(`(?i)` + politeEn + `(?:(?:show|list|tell|give)\s+(?:me\s+|us\s+)?|what\s+are\s+)(?:(?:all|the|our|your|of)\s+)*(?:(?:channel(?:['’]s)?\s+notes|notes\s+(?:of|in|for|from)\s+(?:this|the|our)\s+channel)(?:\s+here)?|notes\s+here)[?.! ]*$`),
		pattern.New(`^` + hereKo + `(?:의)?\s*(?:메모|노트)(?:\s?(?:해\s?(?:둔|놓은)|한|된|남긴)\s?(?:거|것|걸|게|내용))?(?:들)?(?:을|를|이|가)?\s*(?:목록)?(?:을|를)?\s*(?:좀|다|모두|전부)?\s*(?:보여|알려|말해|뭐|무엇|있)\S{0,6}[?.! ]*$`),
		pattern.New(`^` + hereKo + `\s*(?:대해서?|대하여)?\s*(?:뭘|뭐를|뭐|무엇을|무엇)\s*기억하\S{0,8}(?:\s*있\S{1,4})?[?.! ]*$`),
		pattern.New(`^` + hereKo + `(?:이|가|의)?\s*(?:기억하(?:는|고\s?있는)|기억한|기억해\s?둔)\s*(?:거|것|걸|내용)(?:을|를|이|들)?\s*(?:좀|다|모두)?\s*(?:보여|알려|말해|뭐|무엇)\S{0,6}[?.! ]*$`),
	}
)

// asksToKeep is a wish that English puts as a question: "can you note down for the channel that …?"
var asksToKeep = pattern.New(`(?is)^(?:hey[,\s]+|please\s+)*(?:can|could)\s+you\s+(?:please\s+)?` + keepEn + `(?:\s+(?:this|that))?\s+` + hereEn + `\s+that\b`)

// OfChannel reports whether a sentence asks for something to be remembered for everybody in its channel ("remember for
// this channel: …", "이 채널에 기억해줘: …"), shown or forgotten, and what it is about. body is "" for a wish without words.
func OfChannel(text string) (wish ChannelWish, body string, ok bool) {
	text = strings.TrimSpace(text)
	for _, r := range channelList {
		if r.MatchString(text) {
			return ListNotes, "", true
		}
	}
	for _, r := range channelForget {
		if m := r.FindStringSubmatch(text); m != nil {
			return ForgetNotes, strings.TrimSpace(m[1]), true
		}
	}
	if asks := strings.TrimRight(text, " \t\n"); (strings.HasSuffix(asks, "?") || strings.HasSuffix(asks, "？")) && !asksToKeep.MatchString(asks) {
		return "", "", false
	}
	for _, r := range slices.Concat(channelKeep, channelNote) {
		if m := r.FindStringSubmatch(text); m != nil {
			return KeepNote, strings.TrimLeft(strings.TrimRight(strings.TrimSpace(m[1]), "?？ "), "?？!.,~ "), true
		}
	}
	for _, r := range channelKeepQuoted {
		if m := r.FindStringSubmatch(text); m != nil {
			return KeepNote, stated(m[1], m[2], text), true
		}
	}
	return "", "", false
}

// looseForget are requests that may mean a note of the channel, or other notes.
var looseForget = []*pattern.Pattern{
	pattern.New(`(?is)` + politeEn + `(?:forget|delete|remove|drop)\s+(?:the|this|that|our)\s+(?:notes?|memos?)\s+(?:about|on|for|that\s+says)\s+(.+?)(?:[,\s]+please)?[.!?]*$`),
	pattern.New(`(?s)^(.+?)(?:에\s?(?:대한|관한|대해\s?적은))?\s*(?:메모|노트)(?:는|를|을|도)?\s*(?:좀|이제)?\s*(?:잊어|지워|삭제|없애)\s?(?:해\s?)?(?:줘요?|주세요|줄래요?|주라|버려줘?)[.!?~ ]*$`),
}

// MayForgetNote returns what a request to delete a note is about, such as "delete the note about the stand-up". The note need not be
// one of the channel.
func MayForgetNote(text string) (about string, ok bool) {
	for _, r := range looseForget {
		if m := r.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			return strings.TrimSpace(m[1]), true
		}
	}
	return "", false
}

var (
	copulaEn = pattern.New(`(?i)\s(?:is|are|was|were|will\s+be|moved?s?(?:\s+to)?|starts?|begins?|happens?|takes?\s+place|ends?|means?|goes|has|have)(?:\s|$)|\s*[:=]\s`)
	topicKo  = pattern.New(`^(.*?\p{Hangul}{2,}?|.*?[A-Za-z0-9]+)(?:은|는|이|가)(?:\s|$)`)
)

// Topic parts a statement into what it is about and what it says of it: "The stand-up is at 10" is about the stand-up,
// "스탠드업은 10시" too. about is "" for a statement of another form.
func Topic(text string) (about, says string) {
	if m := topicKo.FindStringSubmatchIndex(text); m != nil {
		return text[:m[3]], text[m[1]:]
	}
	if at := copulaEn.FindStringIndex(text); at != nil && at[0] > 0 {
		return text[:at[0]], text[at[1]:]
	}
	return "", text
}
