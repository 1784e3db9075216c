package intent

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
	"maru/phrase/zone"
)

// About is a subject of questions about the assistant's own set-up.
type About string

// The subjects of [AsksAbout].
const (
	AboutStorage   About = "storage"   // where messages are kept, and what is done with them
	AboutReaders   About = "readers"   // who can read what is written
	AboutReach     About = "reach"     // which channels and messages it can see
	AboutModel     About = "model"     // which language model it uses
	AboutTraining  About = "training"  // whether models learn from messages
	AboutCost      About = "cost"      // what it costs
	AboutRetention About = "retention" // how long messages are kept
	AboutOff       About = "off"       // how to silence or remove it
	AboutInternet  About = "internet"  // whether it searches the web
	AboutSafety    About = "safety"    // what may be told to it
	AboutZone      About = "zone"      // its author's time zone, to be another one
)

// maxAbout bounds a question about the set-up, in bytes.
const maxAbout = 160

// Parts of English questions. They need the assistant, or what is written to it, in them: documents tell of other data,
// models and costs, and "you" is the company to a customer.
const (
	thisBot = `(?:maru|this (?:chat ?)?(?:bot|assistant))`
	youEn   = `(?:you|u|` + thisBot + `)`
	// toUsEn is what was written to the assistant.
	toUsEn = `(?:(?:the |my |our )?` + talkEn + ` (?:with|to) ` + youEn + `|(?:the |my |our )?(?:` + talkEn + `|questions?|` + dataEn + `) here|` +
		`(?:what|whatever|everything|anything|the (?:things|stuff|messages|files|data|documents)(?: that)?|messages|things|stuff|files|data) (?:i|we) (?:write|type|say|tell|send|share|ask|post|upload|wrote|typed|said|told|sent|shared|asked|posted|uploaded)(?: in)? (?:here|(?:(?:to|with) )?` + youEn + `|this chat)(?: here)?|` +
		`this (?:chat|conversation|convo|dm)|our (?:chat|conversation|convo))`
	talkEn = `(?:messages?|chats?|conversations?|(?:chat|message|conversation) (?:history|logs?))`
	// saidEn adds the asker's messages; where a team keeps its data, information and files is for its documents.
	saidEn   = `(?:` + toUsEn + `|(?:(?:all|any) (?:of )?)?(?:my|our) (?:private |own |old )?` + talkEn + `)`
	dataEn   = `(?:data|info|information|files?|uploads?|documents?|docs)`
	ourData  = `(?:(?:all|any) (?:of )?)?(?:my|our) (?:private |own |personal )?` + dataEn
	othersEn = `(?:(?:other |the |my |our |all )*(?:people|others|users|boss|manager|lead|coworkers?|co-workers?|colleagues?|teammates?|team|admins?|company|employer|it|hr|operators?|owner)|any(?:one|body)(?: else)?|every(?:one|body)(?: else)?|some(?:one|body)(?: else)?)`
	readEn   = `(?:read|see|access|view|look at|get at|find)`
	trainEn  = `(?:train|learn)(?:ing|ed|s)?`
	modelEn  = `(?: (?:an? |the |your |any )?(?:ai|models?|llms?|yourself|itself|` + youEn + `))`
)

var setUpEn = []struct {
	what About
	is   *pattern.Pattern
}{
	{AboutZone, pattern.New(`^(?:i'?m (?:now )?in [\p{L} ]{2,30} |i(?:'ve)? moved to [\p{L} ]{2,30} )?(?:can you |could you )?(?:please )?(?:change|set|update|switch|fix) my time ?zone(?: to \S+(?: \S+){0,3})?$`)},
	{AboutTraining, pattern.New(`^(?:(?:do|does|did|are|is|will|would|have) (?:` + youEn + `|your (?:model|ai|maker|provider)) (?:ever |going to |gonna |being |be )*` + trainEn + modelEn + `? (?:(?:on|from|with|using|by) (?:` + saidEn + `|` + ourData + `)|(?:on|from) (?:me|us))|` +
		`(?:is|are|will|does|do) (?:(?:` + saidEn + `|` + ourData + `) (?:be |being |get |getting |going to be |ever )*used (?:to |for |in )` + trainEn + modelEn + `|` + toUsEn + ` (?:be |being |get |getting |going to be |ever )*used (?:to |for |in )` + trainEn + `)|` +
		`(?:do|does|are|will) ` + youEn + ` (?:use|using) (?:` + saidEn + `|` + ourData + `) (?:to|for) ` + trainEn + modelEn + `?)$`)},
	{AboutRetention, pattern.New(`^(?:(?:for )?how long (?:do|will|are|can|does|is) (?:` + youEn + ` (?:keep|keeping|store|storing|save|saving|remember|retain|hold|hold on to) ` + saidEn + `|` + thisBot + ` (?:keep|keeping|store|storing|save|saving|remember|retain|hold|hold on to) ` + ourData + `|` + saidEn + ` (?:be |get |stay )?(?:kept|stored|saved|retained|remembered|stay|last))(?: for)?|` +
		`when (?:are|is|do|does|will) ` + saidEn + ` (?:be |get )?(?:deleted|removed|erased|expire|gone)|when (?:do|will|does) ` + youEn + ` (?:delete|remove|erase|forget) ` + saidEn + `|(?:do|does) ` + youEn + ` (?:ever |automatically )*(?:delete|remove|erase) ` + saidEn + `)$`)},
	{AboutStorage, pattern.New(`^(?:where (?:are|is|do|does|will) ` + saidEn + ` (?:all |get |be |being |actually )*(?:stored|saved|kept|hosted|recorded|logged|end up|ends up|go|goes|going|live|lives|land)(?: to)?|where (?:(?:do|does|are|is|will) ` + youEn + ` (?:store|save|keep|put|log|storing|saving|keeping) ` + saidEn + `|(?:does|is|will) ` + thisBot + ` (?:store|save|keep|put|log|storing|saving|keeping) ` + ourData + `)|` +
		`(?:are|is|do|does) (?:` + youEn + ` (?:store|save|keep|log|record|storing|saving|keeping|logging|recording) ` + saidEn + `|` + thisBot + ` (?:store|save|keep|log|record|storing|saving|keeping|logging|recording) ` + ourData + `)|(?:is|are|will|do|does) ` + saidEn + ` (?:all |get |be |being )*(?:stored|saved|logged|recorded|kept|leave|leaving)(?: (?:anywhere|somewhere|on (?:a|your) servers?|in the cloud|our (?:network|servers?|company)))?|` +
		`what (?:happens|happening) (?:to|with) ` + saidEn + `|what (?:do|does|will) ` + youEn + ` do with ` + saidEn + `|(?:what|which) (?:data|info|information) (?:do|does) ` + thisBot + ` (?:collect|store|keep|save|have|log)(?: (?:about|from|on|of) (?:me|us))?)$`)},
	{AboutReaders, pattern.New(`^(?:(?:who|who else|what people|which people) (?:all )?(?:can|could|may|will|has|is able to|gets to) (?:else )?(?:to )?(?:have access to|access to|` + readEn + `) ` + saidEn + `|who (?:reads|sees) ` + saidEn + `|(?:can|could|will|do|does|may) ` + othersEn + ` (?:also |in )?(?:here )?` + readEn + ` ` + toUsEn + `|` +
		`(?:is|are) (?:` + toUsEn + `) (?:really |kept |all )*(?:private|confidential|secret|public|visible(?: to .{1,30})?|between us))$`)},
	{AboutReach, pattern.New(`^(?:(?:can|could|do|does|are|is) ` + youEn + ` (?:also |always |even |able to |actually |secretly )*(?:see|read|access|have access to|look into|listen(?:ing)? (?:to|in on)|monitor(?:ing)?|watch(?:ing)?|track(?:ing)?|reading|seeing|spy(?:ing)? on) (?:` + saidEn + `|(?:(?:all|any|every|the|my|our|other|others'|other people's|people's|everyone's|everyone else's) (?:of )?)*(?:(?:private|secret|locked|other|direct|public|closed) )+(?:channels?|dms?|messages?|conversations?|chats?|threads?)|` +
		`(?:all|every|any) (?:of )?(?:the |our )?(?:channels?|dms?|messages?|conversations?|chats?)|(?:my |our |other |everyone's |people's |other people's )?dms|everything (?:i|we) (?:say|write|type))|(?:what|which) (?:channels?|messages?|conversations?) (?:can|do|are) ` + youEn + ` (?:able to )?(?:see|read|access|have access to|listen to|in))$`)},
	{AboutModel, pattern.New(`^(?:(?:which|what)(?: (?:ai|language|large|kind|type|sort|version|of|gpt))* (?:model|llm|ai|gpt)(?: version)? (?:are|do|does|is|r|powers|runs) ` + youEn + `(?: (?:using|use|running|run|based|built|powered|on|by|with|now|right now|currently|from|here|made))*|(?:what(?:'s| is|s)) (?:your (?:(?:ai|language) model|llm)|the (?:ai |language )?(?:model|llm) (?:behind|under|inside) ` + youEn + `)|` +
		`(?:are|is|do|does) ` + youEn + ` (?:really |actually |just |run on |running on |based on |powered by |built on )*(?:chat ?gpt|gpt\S*|openai|claude|anthropic|gemini|llama|mistral|qwen|deepseek|copilot|an? llm)(?: (?:model|underneath|under the hood))?)$`)},
	{AboutCost, pattern.New(`^(?:(?:how much|what) (?:do|does|will|would) (?:using |to use )?` + youEn + ` cost(?: (?:me|us))?(?: to use)?|(?:how much|what) (?:does|will|would) (?:it|this) cost (?:(?:me|us) )?(?:to (?:use|ask|talk to|chat with|run|message|have)) ` + youEn + `|is (?:using |asking )` + youEn + ` (?:free|paid|expensive)(?: of charge)?|` +
		`(?:are you free (?:to use|of charge)|is ` + thisBot + ` (?:free|paid|expensive)(?: to use| of charge)?)|` +
		`(?:do|does|will|must|am|are) (?:i|we|my (?:team|company)|anyone|somebody|someone) (?:have to |need to |going to |get |be )*(?:pay|paying|charged|billed)(?: extra| money| anything)? (?:for|to use|when (?:i|we) (?:ask|use))(?: using| asking)? ` + youEn + `|is (?:it|this) free to (?:use|ask|talk to) ` + youEn + `)$`)},
	{AboutOff, pattern.New(`^how (?:do|can|could|would|should|to) (?:(?:i|we|you) )?(?:(?:make|get) ` + youEn + ` (?:to )?(?:stop|shut up|be quiet|leave|go away|quiet)|(?:stop|mute|disable|silence|remove|uninstall|pause|deactivate|kill|get rid of|kick(?: out)?|turn off|switch off|shut (?:up|down|off)) ` + youEn + `|(?:turn|switch|shut|kick) ` + youEn + ` (?:off|up|down|out))(?: (?:from|in|for) (?:this |the |our |my )?(?:channel|thread|server|workspace|chat|talking|answering|replying|here|a while))?$`)},
	{AboutInternet, pattern.New(`^(?:(?:can|could|do|does|are|is) ` + youEn + ` (?:able to |also |even )*(?:google|(?:search|browse|surf|google|look (?:things|stuff) up on)(?: the)? (?:web|internet|net|online|google|things online|stuff online))|(?:can|could|are|is) ` + youEn + ` (?:able to |also |even )*(?:access|use|go on|reach|connected to) the (?:web|internet|net))(?: for (?:me|us))?$`)},
}

// Parts of Korean questions, written without spaces. Their ends tell a question about what is done ("저장돼?") from a
// wish ("저장해 줘") and from a question about what to do ("저장하려면?").
const (
	youKo = `(?:너|넌|네가|니가|너는|너도|널|너를|당신|당신은|당신을|마루|마루는|마루야|마루도|마루를|(?:이|여기)(?:챗봇|봇)(?:은|는|도|을|를)?)`
	// toUsKo is what was written to the assistant.
	toUsKo = `(?:(?:` + iKo + `)?(?:여기(?:에서|에|서|다가|다)?|(?:너|마루|이봇)(?:한테|에게))` + didKo + `(?:` + talkKo + `|글|말|질문|데이터|자료|정보|파일|문서|이야기|얘기|내용|거|것|걸|게|건)|` +
		`(?:(?:우리|저희|내|제)?(?:가)?(?:너|마루|이봇)(?:와의|랑한|와한|하고한|랑나눈|와나눈|하고나눈))(?:` + talkKo + `|말|얘기|이야기)|이(?:대화|채팅)(?:방|창)?)` + endsKo
	// saidKo adds the asker's messages; where a team keeps its data and files is for its documents.
	saidKo   = `(?:` + toUsKo + `|(?:(?:우리|저희|내|제|나의|저의)(?:가)?(?:나눈)?|` + iKo + didKo + `)` + talkKo + endsKo + `|` + iKo + `한말` + endsKo + `|대화(?:내용|기록|내역)` + endsKo + `)`
	iKo      = `(?:내가|제가|우리가|저희가)`
	didKo    = `(?:쓴|쓰는|적은|적는|보낸|올린|올리는|한|하는|말한|말하는|물어본|나눈|입력한|남긴|공유한)`
	talkKo   = `(?:메시지|메세지|대화|채팅|톡)`
	endsKo   = `(?:들|내용|기록|내역)*(?:은|는|이|가|을|를|도)?(?:다|모두|전부)?`
	othersKo = `(?:다른(?:사람|직원|팀원|팀)(?:들)?|남|남들|누가|누구|아무나|모두|팀장|상사|사장|대표|관리자|운영자|회사|동료|인사팀|누군가)(?:님)?(?:들)?(?:이|가|도|은|는|한테|에게|까지)?`
	// isSoKo ends the stem of a verb as a question about what is so.
	isSoKo  = `(?:니|냐|나|나요|는가요?|는거\S{0,4}|는건\S{0,4}|는지\S{0,2}|고있\S{0,4})`
	doKo    = `(?:하` + isSoKo + `|시키` + isSoKo + `|해요?|합니까|되` + isSoKo + `|되어있\S{0,4}|돼요?|될까요?|돼있\S{0,4}|됩니까)`
	useKo   = `(?:쓰` + isSoKo + `|써요?|씁니까|쓰이` + isSoKo + `|쓰여요?|(?:사용|활용|이용)` + doKo + `)`
	seeKo   = `(?:(?:볼|읽을|열람할|접근할)수(?:도)?있(?:` + isSoKo + `|어요?|습니까|을까요?|지|죠)|(?:보|보이|읽)` + isSoKo + `|봐요?|보여요?|읽어요?|접근(?:가능\S{0,4}|` + doKo + `)|감시` + doKo + `)`
	modelKo = `(?:AI|인공지능|LLM|언어모델|모델)`
)

var setUpKo = []struct {
	what About
	is   *pattern.Pattern
}{
	{AboutZone, pattern.New(`(?i)^(?:나|난|저|전)?(?:(?:내|제|나의|저의)(?:시간대|타임존)(?:을|를|는|은)?(?:\S{2,20}?(?:으로|로))?|(?:시간대|타임존)(?:을|를|는|은)?(\S{2,20}?(?:으로|로)))(?:바꿔|바꾸|변경|설정|맞춰|맞추)(?:해|하)?` + koGives + `?$`)},
	{AboutTraining, pattern.New(`(?i)^(?:` + youKo + `)?(?:` + saidKo + `|(?:우리|저희|내|제)(?:회사|팀)?(?:의)?데이터(?:들)?)(?:으로|로|을|를|가지고|갖고|에서)?(?:` + youKo + `)?(?:` + modelKo + `(?:을|를)?)?(?:학습|훈련)(?:도|을|를)?(?:` + doKo + `|(?:에|용으로)(?:도)?` + useKo + `)$|` +
		`^` + youKo + `(?:우리|저희|내|제)(?:회사|팀)?(?:의)?(?:자료|정보|파일|문서|내용|기록)(?:들)?(?:으로|로|을|를|가지고|갖고|에서)(?:학습|훈련)(?:도|을|를)?(?:` + doKo + `|(?:에|용으로)(?:도)?` + useKo + `)$`)},
	{AboutRetention, pattern.New(`(?i)^(?:` + youKo + `)?` + saidKo + `(?:언제까지|얼마나(?:오래|동안)?|얼마동안|며칠(?:동안|간|이나)?|몇(?:일|달|개월|년)(?:동안|간|이나)?)(?:(?:보관|저장|유지|기억|보존)` + doKo + `|남` + isSoKo + `|남아\S{0,4}|(?:가지|갖)고있\S{0,4})$|` +
		`^` + saidKo + `언제(?:삭제` + doKo + `|폐기` + doKo + `|(?:지워지|지우|없어지|사라지)` + isSoKo + `|(?:지워|없어|사라)(?:져요?|집니까))$`)},
	{AboutStorage, pattern.New(`(?i)^(?:` + youKo + `)?` + saidKo + `(?:어디(?:에다?|로|다|서)?|어딘가에?|어느서버에|서버에|외부(?:로|에)|클라우드에)?(?:(?:저장|보관|기록|수집|전송)` + doKo + `|(?:쌓이|가|나가|남)` + isSoKo + `|쌓여요?|나가요?|남아요?|남아있\S{0,4})$|` +
		`^` + saidKo + `(?:어디로가요?|어떻게(?:(?:처리|사용|관리)?` + doKo + `))$|^` + youKo + `(?:무슨|어떤)(?:정보|데이터)(?:를)?(?:(?:수집|저장)` + doKo + `|모으` + isSoKo + `|모아요?|가져가` + isSoKo + `)$`)},
	{AboutReaders, pattern.New(`(?i)^` + saidKo + `누가(?:다)?` + seeKo + `$|^누가` + saidKo + seeKo + `$|^` + toUsKo + othersKo + `(?:다)?` + seeKo + `$|^` + othersKo + toUsKo + seeKo + `$|^` + toUsKo + `(?:비밀|비공개|공개)(?:이야|이에요|인가요?|인거\S{0,4}|이니|이냐|야|` + doKo + `|(?:이)?보장` + doKo + `|(?:이)?유지` + doKo + `)$`)},
	{AboutReach, pattern.New(`(?i)^(?:` + youKo + privateKo + seeKo + `|` + privateKo + `(?:(?:볼|읽을)수(?:도)?있(?:니|냐)|(?:보|읽)(?:니|냐)))$|^` + youKo + saidKo + seeKo + `$`)},
	{AboutModel, pattern.New(`(?i)^(?:` + youKo + `(?:지금|현재)?(?:무슨|어떤|뭔|어느)(?:AI|인공지능|언어|LLM|GPT)?(?:모델|엔진|AI|인공지능|LLM)|(?:지금|현재)?(?:무슨|어떤|뭔|어느)(?:AI|인공지능|언어)모델)(?:(?:을|를)?` + useKo + `|(?:으로|로)(?:돌아가|움직이|동작하|작동하)` + isSoKo + `|(?:으로|로)(?:돌아가요?|움직여요?|동작해요?|작동해요?)|이?야|이?에요|예요|이?니|인가요?)$|` +
		`^` + youKo + `(?:는|은)?(?:혹시)?(?:챗지피티|챗?GPT\S{0,4}?|클로드|제미나이|라마|chatgpt|openai|오픈AI)(?:야|이야|이니|니|예요|이에요|인가요?|기반\S{0,4}|맞\S{0,4}|(?:를|을)?` + useKo + `)$`)},
	{AboutCost, pattern.New(`(?i)^` + youKo + `(?:는|은)?` + usingKo + `(?:에|은|는)?(?:돈|비용|요금)(?:이|은|도|을)?(?:얼마나?)?(?:들|드는|드나|드니|청구|내야|받|얼마)\S{0,6}$|^` + youKo + `(?:는|은)?(?:사용료|이용료|요금)(?:이|가|은|는)?(?:얼마|있)\S{0,6}$|^` + youKo + `(?:는|은)?(?:` + usingKo + `)?(?:는|은)?(?:무료|공짜|유료)(?:야|예요|이야|인가요?|니|임|인거\S{0,4}|맞\S{0,3})$|^` + youKo + `(?:` + usingKo + `)?얼마(?:야|예요|에요|임|지|들|드)\S{0,6}$`)},
	{AboutOff, pattern.New(`(?i)^` + youKo + `(?:이?(?:채널|서버|스레드)에서)?(?:좀)?(?:어떻게(?:하면)?)?(?:좀)?(?:` + silenceKo + `(?:려면|는방법|는법|고싶\S{0,3})|(?:중지|삭제|음소거|차단|제거)방법)(?:은|을|이)?(?:(?:어떻게|어떡|뭐|알려|있|가르쳐)\S{0,6})?$|^` + youKo + `어떻게(?:` + silenceKo + `(?:지|니|냐|나|나요|면\S{0,4}|는거\S{0,4})|꺼요?|멈춰요?)$`)},
	{AboutInternet, pattern.New(`(?i)^(?:` + youKo + `(?:인터넷|웹|구글|온라인)(?:에서|으로|에)?(?:검색|접속|연결|서핑)?|(?:인터넷|웹|구글)(?:에서)?검색)(?:도|을|은|이)?(?:할수있|할줄|되|돼|가능|하니|하나요)\S{0,6}$`)},
}

// Parts of single Korean subjects.
const (
	privateKo = `(?:(?:다른|남의|모든|우리|내|제|다른사람(?:들)?의?|다른사람(?:들)?끼리)?(?:비공개|비밀|개인|다른|잠긴|모든|전체)+(?:채널|대화방|채팅방|메시지|대화|채팅|스레드|DM|디엠)|(?:(?:내|제|우리|남의|다른사람(?:들)?)(?:의)?)?(?:DM|디엠)|(?:남의|다른사람(?:들)?의?|다른사람(?:들)?끼리(?:한|하는)?)(?:대화|메시지|채팅))(?:의)?(?:내용|대화|메시지|글)?(?:도|을|를|은|는|까지)?(?:다|모두|전부)?`
	usingKo   = `(?:쓰는데|쓰는건|쓰는거|사용하는데|사용하는거|이용하는데|쓰려면|쓰면|사용하면|사용하려면|이용하면|이용|사용|부르면|한테물어보면)`
	silenceKo = `(?:끄|멈추|내보내|쫓아내|없애|빼|(?:조용히|그만|중지|삭제|음소거|차단|제거|말못하게)(?:하|시키))`
)

// AsksAbouts returns the subjects of a message that asks nothing but questions of [AsksAbout], one or several: "Where are my
// messages stored, and who can read them?". The later ones may leave out what the first named.
func AsksAbouts(text string) (subjects []About) {
	if what, ok := AsksAbout(text); ok {
		return []About{what}
	}
	if len(text) > 2*maxAbout {
		return nil
	}
	marked := strings.ContainsAny(text, "?？")
	for _, part := range sentences.Split(joints.ReplaceAllString(text, ". $1"), -1) {
		part = strings.TrimSpace(part)
		if rest, hi := Greets(part); Courtesy(part) || hi && rest == "" {
			continue
		}
		if marked {
			part += "?"
		}
		what, ok := AsksAbout(part)
		if !ok && len(subjects) > 0 {
			whole := pronouns.ReplaceAllString(part, "my messages")
			if hangul(part) {
				whole = "이 대화 " + pronounsKo.ReplaceAllString(part, "")
			}
			what, ok = AsksAbout(whole)
		}
		if !ok || len(subjects) == maxSubjects {
			return nil
		}
		if !slices.Contains(subjects, what) {
			subjects = append(subjects, what)
		}
	}
	return subjects
}

const maxSubjects = 3

var (
	// zoneAndMore matches a wish for a time zone with another one after it.
	zoneAndMore = pattern.New(`(?i)time ?zone\b.*(?:[.!?;\n]\s*\S|\b(?:and|then|but|also|remind)\b)`)
	// joints are where another question begins in a sentence, and begins the words before it.
	joints     = pattern.New(`(?i)(?:^|[,.?？!\s]\s*)(?:and|also|그리고|또|그럼)[,\s]+(who|what|where|how|when|which|is|are|do|does|can|will|[^a-z\s,])`)
	sentences  = pattern.New(`[?？!.\n;]+(?:\s+|$)`)
	pronouns   = pattern.New(`(?i)\b(?:they|them|those|these|it|this|that)\b`)
	pronounsKo = pattern.New(`^(?:그걸|그거|그건|그것|이걸|이거|이건)[은는을를도]?\s*`)
)

// AsksAbout returns the subject of a question that is only about the assistant's own set-up: "where are my messages
// stored?", "비공개 채널도 읽을 수 있니?".
func AsksAbout(text string) (About, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxAbout {
		return "", false
	}
	asks, marked, whole := Question(text), strings.ContainsAny(text, "?？"), text
	if hangul(text) {
		text = strings.Join(fields(bare(greetsKo.ReplaceAllString(text, ""))), "")
		if !marked && storesKo.MatchString(text) && !asksWhatKo.MatchString(text) {
			return "", false
		}
		for _, a := range setUpKo {
			if m := a.is.FindStringSubmatch(text); m != nil && (a.what != AboutZone || m[1] == "" || zone.Of(m[1]) != "") {
				return a.what, true
			}
		}
		what, ok := asksTrust(text, true)
		return what, ok && asks
	}
	text = strings.Join(fields(bare(text[len(opening.FindString(text)):])), " ")
	if followUp.MatchString(text) {
		return "", false
	}
	for _, a := range setUpEn {
		if a.is.MatchString(text) && (a.what != AboutZone || !zoneAndMore.MatchString(whole)) {
			return a.what, true
		}
	}
	what, ok := asksTrust(text, false)
	return what, ok && asks
}
