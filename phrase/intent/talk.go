package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// maxTalk bounds a request for what was said in a channel, in characters: a longer text has a subject of its own.
const maxTalk = 200

// Parts of requests for what was said in a channel. What a request has besides them, and besides a topic, makes it another one.
var (
	talkNamed = pattern.New(`#([\p{L}\d_-]+)`)
	talkRoom  = pattern.New(`(?i)\b(?:(?:in|on|of|from)\s+)?(?:this|the|our)\s+(?:channel|chat\s?room|room)\b|(?:이|우리|해당|현재)\s?(?:채널|대화방|단톡방|톡방|방)|채널`)
	talkHere  = pattern.New(`(?i)\b(?:(?:in|around|over)\s+)?here\b|여기`)
	// talkMissed matches requests that mean the channel without naming it.
	talkMissed = pattern.New(`(?i)\bcatch\s+me\s+up\b|\bbring\s+me\s+up\s+to\s+(?:speed|date)\b|\b(?:what|everything|anything|stuff|messages?)\s+(?:(?:that\s+)?(?:did\s+i|have\s+i|i(?:['’]ve|\s+have)?))\s+miss(?:ed)?\b|\bdid\s+i\s+miss\s+(?:anything|something|much)\b|` +
		`(?:밀린|밀려\s?있는|놓친|못\s?본|못\s?읽은|안\s?읽은|쌓인)\s?(?:거|것|게|걸|얘기|이야기|대화|메시지|톡|글|내용)\S{0,3}|(?:없는|없던|없었던|비운|쉬는|휴가\s?간)\s?(?:동안|사이)에?`)
	talkWish = pattern.New(`(?i)\b(?:summari[sz]e|summari[sz]ing|summary|sum(?:s|ming)?\s+up|recap|digest|tl;?dr|highlights|key\s+points|(?:what|which|any)\s+(?:(?:new|big|key|important)\s+)?(?:decisions?|news|action\s+items?|to-?dos|conclusions?|outcomes?|topics)|anything\s+new|run-?down|overview|gist|fill\s+me\s+in|catch(?:ing)?\s+up|updates?)\b|` +
		`\bwhat(?:['’]s|['’]ve|\s+(?:is|was|were|has|have|did|all))?\s+(?:(?:been|people|everyone|everybody|we|they|you\s+all|folks|the\s+team)\s+)*(?:happen(?:s|ed|ing)?|go(?:ing|es)\s+on|went\s+on|new|discuss(?:ed|ing)?|talk(?:ed|ing)?\s+about|said|say(?:ing)?|decided?|chatt?(?:ed|ing)\s+about)\b|` +
		`요약|정리|브리핑|리캡|간추려|훑어|따라잡|업데이트|(?:무슨|어떤|뭔|뭐)\s?(?:얘기|이야기|말|대화|일|논의|내용|메시지)\S{0,2}\s*(?:가|들?이)?\s*(?:(?:오[가고갔]|나[왔오눴누]|했|하[고는]|있[었어]|됐|되었|올라[왔오]|생[겼기])\S*(?:\s?(?:있\S{0,4}|갔\S{0,4}))?|들?\s*$)|뭐라고?들?\s?(?:했|하|그랬)\S*|(?:결정|합의|논의)\S{0,2}\s(?:거|것|사항)\S{0,3}|(?:나온|오간|오고\s?간|나눈|올라온|있었던)\s?(?:얘기|이야기|대화|메시지|글|일|내용)\S{0,2}`)
	// talkStates matches texts that hand a summary over, and orders to change something.
	talkStates = pattern.New(`(?i)^(?:(?:hi|hey|hello|ok|okay|so|all|team|everyone)[\s,!]+)*(?:here(?:['’]s|\s+(?:is|are|comes|you\s+go))\b|(?:this|that|it)(?:['’]s|\s+(?:is|was))\s+(?:an?|the|my|our)\b|i(?:['’]ve|\s+have)?\s+(?:made|wrote|updated|summari[sz]ed)\b)|` +
		`^(?:(?:please|pls|maru|hey|just|can\s+you|could\s+you|would\s+you)[\s,]+)*update\s+(?:this|the|our|here|it|#|\S*\s*channel)|업데이트(?:를|도)?\s?(?:좀\s?)?(?:해|하[자고는세]|부탁|할게|했)|(?:요약|정리)(?:본|글)?\s?(?:입니다|이에요|예요|이야|했(?:어요|습니다|다|음)|해\s?(?:뒀|놨|두었|놓았|드렸)\S*)[\s.!~]*$`)
	// talkTopic matches what a request limits itself to; the answer follows it.
	talkTopic = pattern.New(`(?i)\b(?:about|regarding|concerning|related\s+to|on\s+the\s+topic\s+of)\s+.+$|\S+(?:\s\S+){0,3}?(?:에\s?(?:대해서?|대한|관해서?|관한)|관련(?:해서|한|된)?)(?:\s|$)`)
	talkOther = pattern.New(`(?i)매일|매주|매월|매달|마다\b|\b(?:every|each|daily|weekly)\b|스레드|쓰레드|\bthreads?\b|파일|문서|링크|녹음|\b(?:files?|documents?|links?|recordings?)\b|https?://|` +
		`채널\s?(?:이름|소개|설명|주제|규칙|설정|목록|메모|권한|멤버)|\bchannel(?:['’]s)?\s+(?:names?|topics?|rules?|settings?|descriptions?|members?|notes?|list)\b`)
	// talkFiller matches words that say nothing more.
	talkFiller = pattern.New(`(?i)\b(?:please|pls|plz|can|could|would|will|you|me|us|a|an|the|of|on|in|for|from|to|with|and|i|we|they|he|hi|hey|hello|maru|give|get|show|tell|make|(?:write|send)\s+(?:me|us)|do|let|know|want|need|like|d|m|ve|s|am|was|is|are|be|been|has|have|had|did|it|that|this|all|everything|anything|every|what|which|who|any|quick(?:ly)?|short(?:ly)?|brief(?:ly)?|small|nice|bullet|points?|` +
		`messages?|conversations?|discussions?|chats?|talks?|posts|stuff|things?|news|people|everyone|everybody|team|so|far|up|just|now|latest|recent|lately|today|thanks|thank|while|was|away|out|gone|off|back|action\s+items?|to-?dos|conclusions?|outcomes?|topics?|made|reached|taken|agreed|were|came|come|there|happened|happening|going|went|said|discussed|decided|decisions?|english|korean|sentences?|lines?)\b|` +
		`(?:^|\s)(?:그럼|그|좀|한번|한\s?번|다시|간단히|간단하게|짧게|빠르게|빨리|핵심만?|중요한|주요|전체|전부|모두|다|쭉|그동안|동안|사이|최근|요즘|오늘|오전|오후|아침|지금까지|내가|제가|나|저|마루야?|안녕|혹시|휴가|자리\s?비운|없는|오간|오고\s?간|나온|나눈|있었던|있던|올라온|했던|한|된|된\s?것|쓴|온)(?:에서?|을|를|은|는|이|가)?` + `|` +
		`(?:액션\s?아이템|할\s?일|투두|결론|이슈|안건|결정|얘기|이야기|대화|메시지|메세지|글|톡|내용|것|거|걸|말|논의|소식|일|사항|포인트|채팅|흐름)(?:들)?(?:에서?|을|를|은|는|이|가|만|도)?|(?:세|네|다섯|\d+)\s?(?:줄|문장)(?:로|으로)?|한국어로|영어로|한글로|` +
		`(?:좀\s?)?(?:해|하여|부탁|드려|드립니다)\S{0,6}|수(?:가|는)?\s?있\S{0,3}|해|줘\S{0,2}|주세요|주라|줄래?\S?|\S+\s다녀왔\S*|주실\S*\s?수?\S*|있(?:어|나|을까|었)\S{0,2}|보여|알려|말해|궁금\S{0,4}|했\S{0,4}|됐\S{0,3}|뭐야|뭐지|뭔지|뭐|어때|싶어\S?`)
	particleKo = pattern.New(`^(?:에서는|에서도|에서|에는|에|은|는|이|가|을|를|의|도|만|들|랑|과|와|로|으로|요|서)+$`)
)

// Talk is a request for what was said in channels.
type Talk struct {
	Channels []string // names that stood after "#"; none: the channel in which it is asked
	Room     bool     // it says "channel" of the one in which it is asked; "here", or nothing, may mean a thread
}

// OfTalk reports whether a text asks what was said in a channel ("summarise this channel", "놓친 얘기 정리해줘"). The text is without
// the period that it names. known are names of channels that the text mentions.
func OfTalk(text string, known []string) (Talk, bool) {
	if utf8.RuneCountInString(text) > maxTalk || strings.Contains(strings.TrimSpace(text), "\n") || talkOther.MatchString(text) || talkStates.MatchString(strings.TrimSpace(text)) {
		return Talk{}, false
	}
	var t Talk
	rest := talkNamed.ReplaceAllStringFunc(text, func(name string) string {
		name = channelName(name[1:], known)
		t.Channels = append(t.Channels, name)
		return " "
	})
	t.Room = talkRoom.MatchString(rest)
	missed := talkMissed.MatchString(rest)
	wished := talkWish.MatchString(rest)
	if !missed && !(wished && (len(t.Channels) > 0 || t.Room || talkHere.MatchString(rest))) {
		return Talk{}, false
	}
	for _, p := range []*pattern.Pattern{talkMissed, talkWish, talkTopic, talkRoom, talkHere} {
		rest = p.ReplaceAllString(rest, " ")
	}
	for range 2 { // neighbours share the space between them
		rest = talkFiller.ReplaceAllString(rest, " ")
	}
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !particleKo.MatchString(word) {
			return Talk{}, false
		}
	}
	return t, true
}

// channelName returns the name at the beginning of the word after "#": a known one, or the word without a Korean particle.
func channelName(word string, known []string) string {
	best := ""
	for _, name := range known {
		if strings.HasPrefix(word, name) && len(name) > len(best) {
			best = name
		}
	}
	if best != "" {
		return best
	}
	for _, end := range []string{"에서는", "에서", "에는", "에", "은", "는", "이", "을", "를", "의"} {
		if bare, ok := strings.CutSuffix(word, end); ok && bare != "" && !hangul(bare) {
			return bare
		}
	}
	return word
}
