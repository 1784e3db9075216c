package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// Questions of trust ("내 말 녹음되나요?", "do you tell my boss what I ask?") have many forms and few words. Such a question consists of
// words of trust alone, so that one more noun (a salary, a medical certificate) leaves it to the documents; it names the talk with the
// assistant, for which "here" is not enough; and it has a worry, which says what to answer. What may be told of customers, people and
// third parties is a rule of the team, and is in the documents.
var (
	// worriesEn and worriesKo are the worries, the first that a question has counts.
	worriesEn = []worry{
		{AboutTraining, pattern.New(`\b(?:train|learn)\w*\b.*\b(?:my|our|me|us|what|this|these)\b|\buse(?:d|s)?\b.* (?:to|for|in) (?:train|learn)\w*`)},
		{AboutReach, pattern.New(`\b(?:(?:listen|listens|listening) (?:to|in on)|watching) (?:us\b|everyone|everybody|everything|(?:all )?(?:of )?(?:our|the) \w+s\b|(?:what|everything) (?:i|we)\b)|^(?:do|are) you (?:ever |always |actually |secretly )?(?:see|seeing|read|reading) (?:all|every|everyone|everything|our|my (?:dms|private|direct))\b`)},
		{AboutSafety, pattern.New(`\b(?:safe|safely|trust|sensitive|leak|leaks|leaked|against)\b|\b(?:go|send|sent|shared?)\b.*\b(?:openai|chatgpt|outside|third)\b`)},
		{AboutStorage, pattern.New(`\b(?:records?|recorded|recording|logs?|logged|logging|track|tracks|tracked|tracking|stored|saved|saving|storing)\b`)},
		{AboutReaders, pattern.New(`\b(?:private|confidential|secret|anonymous|anonymously|notified|reported|shared?|shares|monitor|monitors|monitored|monitoring|sees?|reads?|access)\b|\b(?:knows?|told)\b.* what (?:i|we)\b|\btells? (?:any|some|every|my|our|others|other|people|hr)`)},
	}
	worriesKo = []worry{
		{AboutTraining, pattern.New(`학습|훈련`)},
		{AboutSafety, pattern.New(`(?i)안전|믿어도|유출|새나|OpenAI|오픈AI|챗GPT|외부\S*(?:나가|전송|보내)|민감\S*(?:말해도|입력해도|써도|물어봐도|물어볼|올려도)`)},
		{AboutReaders, pattern.New(`(?:물어|질문하|너|여기)\S*익명|익명\S*물어|비밀(?:[^번]|$)|보고|공유(?:[^해]|$)|감시|모니터링|알려지|(?:누가|사람|팀원|팀장|상사|사장|대표|인사팀|회사|관리자|운영자)\S*(?:알게|전달|열람|확인|읽|보여|보이|볼수|봐|보나|보는|보니)`)},
		{AboutStorage, pattern.New(`녹음|녹화|기록|저장|수집|로그|추적|남나|남아|남는|남니`)},
	}

	// talkHereEn and talkHereKo name the talk with the assistant.
	talkHereEn = pattern.New(`\b(?:you|maru|(?:this|these|our) (?:bot|chats?|conversations?|dms?)|(?:these|our) messages|(?:what|whatever|anything|things|stuff|when|everything) (?:i|we) (?:ask|say|tell|type|write|send|share|said|asked|told|typed|wrote|post|paste|upload)|my questions?\b(?:.* (?:to|with|by) |$)|my questions (?:be |get |being )?(?:recorded|logged|private|confidential|used|shared|stored|saved)|my (?:messages|chats|conversations)\b.*\b(?:openai|chatgpt))\b|\b(?:private|confidential|anonymous) is this$|^is this (?:private|confidential|anonymous|recorded|logged|being recorded)$`)
	talkHereKo = pattern.New(`(?:내|제|우리|저희)(?:가)?(?:말|얘기|이야기|질문|대화|메시지|채팅|개인메시지|DM)|(?:내|제|우리|저희)가?(?:너한테|너에게|여기서?|여기에)?(?:한|쓴|물어본|말한|적은|보낸|입력한|질문한)|여기(?:서|에서|에)?(?:한|쓴|물어본|말한|적은|입력한|질문한)|이(?:대화|채팅|봇)|너|넌|니가|마루|대화내용|질문하면|물어보면|물어볼|물어봐도|입력해도|(?:^|[^테게])말해도|개인메시지`)

	// wordsEn are the words of such questions.
	wordsEn = set(`who what can could do does did will would is are be being am may should any anyone anybody someone somebody everyone everybody
else other others people see sees seeing read reads reading access have has know knows get gets tell tells telling told share shares sharing shared
send sends sent record records recorded recording log logs logged logging store stores stored storing save saves saved saving keep keeps kept
track tracks tracked tracking monitor monitors monitored monitoring listen listens listening watch watching train training
trained learn learns learning use uses used using private confidential secret anonymous anonymously safe safely secure trust trusted public visible leak
leaked leaks notified reported report reports my our me i you your maru we us boss manager managers lead leads hr company employer admin admins team
teammates colleagues coworkers operator it ai openai chatgpt google third party parties outside to the a an of in on from with by
for about when against how ask asks asked asking say said saying type typed typing write wrote paste pasting data info information sensitive
stuff things thing anything everything whatever this these that chats chat conversation conversations messages message questions question dms dm
direct history here ever really actually always secretly all bot or go goes`)
	// wordsKo match what such a question is made of, written without spaces.
	wordsKo = pattern.New(`(?i)^(?:내가|제가|우리가|저희가|내|제|우리|저희|너|넌|니가|마루|여기서|여기에|여기|이대화|이채팅|이봇|이|대화내용|대화|채팅방|채팅|개인메시지|메시지|개인DM|DM|질문|내용|얘기|이야기|글|데이터|정보|말|` +
		`한|쓴|물어본|올린|말한|적은|보낸|입력한|질문한|쓰는|하는|질문하면|물어보면|물어보|물어볼|물어봐도|물어봐|입력해도|말해도|올려도|써도|` +
		`녹음|녹화|기록|저장|보관|수집|로그|추적|학습|훈련|감시|모니터링|보고|공유|열람|확인|전송|전달|유출|보내|나가|새나가|비밀|비공개|익명|보장|안전|믿어도|민감한|민감|` +
		`누가|다른|사람|팀원|팀장|상사|사장|대표|인사팀|회사|관리자|운영자|님|들|외부|서버로|서버에|클라우드|AI|인공지능|OpenAI|오픈AI|챗GPT|` +
		`알게|알려지|보여|보이|볼수|봐|보나|보는|보니|읽|남나|남아|남는|남니|당하|시키|시켜|쓰이|쓰여|사용|` +
		`은|는|가|을|를|에서도|에서|에게도|에게|한테도|한테|에|의|으로|로|도|랑|와|과|다|모두|전부|혹시|진짜|정말|같은|거|것|건|걸|게|고|` +
		`있는|있나|있어|있|되는|되나|되|돼|됩니까|하나|하고|하니|하|해|합니까|는거|나|니|냐|야|이야|인가|아니야|아니|괜찮|아|어|까|습니까|지|요|수)+$`)
	// asksWhatKo are asking words, with which no order is given.
	asksWhatKo = pattern.New(`어디|언제|얼마|며칠|누가|누구|무슨|어떤|뭐|왜`)
	// storesKo orders something where no question mark makes a question of it: "이 대화 저장해".
	storesKo = pattern.New(`(?:저장|기록|보관|수집|전송|녹음|녹화|삭제|폐기|처리|관리|학습|훈련|공유|보고)(?:해|시켜)$`)
	// followUp asks whether it has seen or done one thing, such as reading a message: no matter of trust.
	followUp = pattern.New(`^(?:can|could|do|does|are|were) (?:you|u|maru) (?:\w+ )?(?:see|seeing|seen|read|reading|get|access|track|tracking)\b(?: (?:(?:this|that|it)(?: (?:message|question|file|link|thread|channel))?|(?:my|the|our) (?:\w+ )?(?:message|question|text|file)))?$|` +
		`^(?:did|have) (?:you|u|maru)\b|^do (?:you|u) (?:know|remember)\b|^(?:do|does|are) (?:you|u|maru) (?:\w+ )?(?:listen|listening|watching|have access)\b(?: to (?:me|this|it))?$`)
	// othersDeedEn and othersDeedKo ask what somebody of the team does with what they hear, where the talk with the assistant is not named: HR has
	// rules for that.
	othersDeedEn = pattern.New(`^(?:do|does|did|will|would|can|could|may|is|are) ` + othersEn + ` (?:ever |always |actually |really |secretly )*(?:share|sharing|tell|telling|report|reporting|record|recording|keep|keeping|store|storing|save|saving|send|sending|use|using)\b`)
	othersDeedKo = pattern.New(`(?:팀원|팀장|상사|사장|대표|인사팀|회사|관리자|사람)(?:님|들)*(?:이|가|은|는|도).*(?:공유|보고|기록|저장|전달|녹음|수집)[하해합할]`)
	toBot        = pattern.New(`\b(?:you|maru|here|bot|(?:this|these) \w+)\b|너|넌|니가|마루|여기|이대화|이채팅|이봇|(?:내|제|우리|저희)(?:대화|채팅|메시지)`)
	// ownDeed asks what to do, and orders something.
	ownDeed = pattern.New(`^(?:can|could|may|should|shall) (?:i|we) (?:share|send|type|write|say|tell|paste|post)\b|^(?:how|where|who|when|what) (?:do|can|should|could|to|must|would)\b (?:i|we)\b|^(?:can|could|will|would) (?:you|u)\b|^(?:do|did|have|should|must) (?:i|we)\b|^how (?:do|does|to|can)\b|^(?:can|could|may) (?:i|we) (?:log|record|save|store|keep|track|read|see|access|use|get)\b`)
)

// worry is a worry with what to answer.
type worry struct {
	what About
	is   *pattern.Pattern
}

// asksTrust returns what a question of trust is about, in the form of [AsksAbout]: in small letters, Korean without spaces.
func asksTrust(text string, korean bool) (About, bool) {
	worries, others := worriesKo, othersDeedEn
	if korean {
		others = othersDeedKo
	}
	if others.MatchString(text) && !toBot.MatchString(text) {
		return "", false
	}
	if korean {
		if !talkHereKo.MatchString(text) || !wordsKo.MatchString(text) {
			return "", false
		}
	} else {
		worries = worriesEn
		if !talkHereEn.MatchString(text) || ownDeed.MatchString(text) {
			return "", false
		}
		for _, w := range strings.Fields(text) {
			if !wordsEn[w] {
				return "", false
			}
		}
	}
	for _, w := range worries {
		if w.is.MatchString(text) {
			return w.what, true
		}
	}
	return "", false
}
