package intent

import (
	"strings"

	"maru/phrase/pattern"
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
)

// maxAbout bounds a question about the set-up, in bytes.
const maxAbout = 160

// Parts of English questions. They need the assistant or the asker's own words in them: documents tell of other
// data, models and costs.
const (
	youEn = `(?:you|u|maru|` + aBot + `)`
	// saidEn is what the asker and their team wrote.
	saidEn = `(?:` + wroteEn + `|(?:(?:all|any)(?: of)? )?our (?:private |own )?(?:data|info|information|files?|uploads?|documents?|docs|stuff))`
	// wroteEn leaves out what a team also keeps elsewhere: "where is our data stored?" is for the documents.
	wroteEn = `(?:(?:(?:all|any)(?: of)? )?(?:my (?:private |own |personal |old )?(?:data|info|information|files?|uploads?|documents?|docs|words|prompts?|stuff)|(?:my|our) (?:private |own |personal |old )?(?:messages?|chats?|conversations?|texts?|questions?|history|threads?|dms?|chat (?:history|logs?)|message history))(?: (?:and|or) (?:messages?|chats?|files?|data|documents?|questions?))?(?: (?:with|to) ` + youEn + `)?|` +
		`(?:what|whatever|everything|anything|the (?:things|stuff|messages|files)(?: that)?|messages|things|stuff|data) (?:i|we) (?:write|type|say|tell|send|share|ask|post|upload|wrote|typed|said|told|sent|shared)(?: (?:in )?(?:here|` + youEn + `|to ` + youEn + `|with ` + youEn + `|in this chat))*|` +
		`(?:this|our) (?:chat|conversation|convo|dm)|(?:chats?|conversations?|messages) (?:with ` + youEn + `|here))`
	othersEn = `(?:(?:other |the |my |our |all )*(?:people|others|users|boss|manager|lead|coworkers?|co-workers?|colleagues?|teammates?|team|admins?|company|employer|it|hr|operators?|owner)|any(?:one|body)(?: else)?|every(?:one|body)(?: else)?|some(?:one|body)(?: else)?)`
	readEn   = `(?:read|see|access|view|look at|get at|find)`
	trainEn  = `(?:(?:be )?(?:train|learn)(?:ing|ed|s)?)`
)

var setUpEn = []struct {
	what About
	is   *pattern.Pattern
}{
	{AboutTraining, pattern.New(`^(?:(?:do|does|did|are|is|will|would|have) (?:` + youEn + `|it|your (?:model|maker|company|provider)|the (?:model|ai)|openai|anthropic) (?:guys |ever |going to |gonna )*` + trainEn + `(?: (?:ai|models?|itself|yourself|your (?:model|ai)))*(?: (?:on|from|with|using|by))? (?:` + saidEn + `|me|us)|` +
		`(?:is|are|will|does|do) (?:` + saidEn + `) (?:(?:be|being|get|getting|going to be|ever) )*(?:used )?(?:to |for |in )?` + trainEn + `(?: .{1,30})?|(?:do|are|will) ` + youEn + ` (?:use|using) ` + saidEn + ` (?:to|for) ` + trainEn + `(?: .{1,30})?)$`)},
	{AboutRetention, pattern.New(`^(?:(?:for )?how long (?:(?:do|will|are|can|does) )?(?:` + youEn + ` )?(?:keep|keeping|store|storing|save|saving|remember|retain|hold|hold on to) (?:` + saidEn + `)(?: for)?|how long (?:are|is|will|do|does) (?:` + wroteEn + `) (?:be |get |stay )?(?:kept|stored|saved|retained|remembered|stay|last|live)(?: for)?|` +
		`when (?:are|is|do|does|will) (?:` + wroteEn + `) (?:be |get )?(?:deleted|removed|erased|expire|gone)|when (?:do|will|does) ` + youEn + ` (?:delete|remove|erase|forget) (?:` + saidEn + `)|(?:do|will|does) ` + youEn + ` (?:ever |automatically )*(?:delete|remove|erase) (?:` + saidEn + `))$`)},
	{AboutStorage, pattern.New(`^(?:where (?:are|is|do|does|will) (?:` + wroteEn + `) (?:(?:all|get|be|being|actually) )*(?:stored|saved|kept|hosted|recorded|logged|end up|ends up|go|goes|going|live|lives|land)(?: to)?|where (?:do|does|are|will) ` + youEn + ` (?:store|save|keep|put|log|storing|saving|keeping) (?:` + saidEn + `)|` +
		`(?:are|is|do|does|will|can) ` + youEn + ` (?:store|save|keep|log|record|storing|saving|keeping|logging|recording) (?:` + saidEn + `)|(?:is|are|will|do|does) (?:` + wroteEn + `) (?:(?:all|get|be|being) )*(?:stored|saved|logged|recorded|kept|leave|leaving)(?: (?:anywhere|somewhere|on (?:a|your) servers?|in the cloud|our (?:network|servers?|company)))?|` +
		`what (?:happens|happening) (?:to|with) (?:` + wroteEn + `)|what (?:do|does|will) ` + youEn + ` do with (?:` + saidEn + `)|(?:what|which) (?:data|info|information) (?:do|does) ` + youEn + ` (?:collect|store|keep|save|have|log)(?: (?:about|from|on|of) (?:me|us))?|where does (?:` + wroteEn + `) go)$`)},
	{AboutReaders, pattern.New(`^(?:(?:who|who else|what people|which people) (?:all )?(?:can|could|may|will|does|has|is able to|gets to) (?:else )?(?:to )?(?:have access to|access to|` + readEn + `|reads?|sees?) (?:` + wroteEn + `)|(?:can|could|will|do|does|may) ` + othersEn + ` (?:here |also |in here )?(?:` + readEn + `) (?:` + wroteEn + `)|` +
		`(?:is|are) (?:` + wroteEn + `) (?:really |kept |all )*(?:private|confidential|secret|public|visible(?: to .{1,30})?|safe|secure|anonymous|encrypted|monitored|between us))$`)},
	{AboutReach, pattern.New(`^(?:(?:can|could|do|does|are|is) ` + youEn + ` (?:also |always |even |able to |actually |secretly )*(?:see|read|access|have access to|look into|listen(?:ing)? (?:to|in on)|monitor(?:ing)?|watch(?:ing)?|track(?:ing)?|reading|seeing|spy(?:ing)? on) (?:` + saidEn + `|me|us|(?:(?:all|any|every|the|my|our|other|others'|other people's|people's|everyone's|everyone else's) (?:of )?)*(?:(?:private|secret|locked|other|direct|public|closed) )+(?:channels?|dms?|messages?|conversations?|chats?|threads?|groups?|rooms?)|` +
		`(?:all|every|any) (?:of )?(?:the |our )?(?:channels?|dms?|messages?|conversations?|chats?)|(?:other |everyone's |people's )?dms|everything(?: (?:i|we) (?:say|write|type))?)|(?:what|which) (?:channels?|messages?|conversations?|files) (?:can|do|are) ` + youEn + ` (?:able to )?(?:see|read|access|have access to|listen to|in))$`)},
	{AboutModel, pattern.New(`^(?:(?:which|what)(?: (?:ai|language|large|kind|type|sort|version|of|gpt|llm))* (?:models?|llm|ai|gpt|engine)(?: version)? (?:are|do|does|is|r|powers|runs) ` + youEn + `(?: (?:using|use|running|run|based|built|powered|on|by|with|now|right now|currently|from|here|made))*|(?:what(?:'s| is|s)) (?:your (?:ai |language )?(?:model|llm|engine)|the (?:ai |language )?(?:model|llm) (?:behind|under|inside) ` + youEn + `)|` +
		`(?:are|is|do|does) ` + youEn + ` (?:really |actually |just |using |use |run on |running on |based on |powered by |built on )*(?:chat ?gpt|gpt\S*|openai|claude|anthropic|gemini|google ai|llama|mistral|qwen|deepseek|copilot|an? llm)(?: (?:model|underneath|under the hood))?|who (?:powers|runs|hosts) ` + youEn + `)$`)},
	{AboutCost, pattern.New(`^(?:(?:how much|what) (?:do|does|will|would|is|are) (?:it |this |using |to use )*` + youEn + ` (?:cost|charge)(?: .{1,30})?|(?:how much|what) (?:does|will|would|do) (?:it|this) cost (?:(?:me|us) )?(?:to (?:use|ask|talk to|chat with|run|message|have)) ` + youEn + `|(?:are|is) (?:using |asking )?` + youEn + ` (?:free|paid|expensive|for free)(?: (?:to use|of charge))?|` +
		`(?:do|does|will|must|am|are) (?:i|we|my (?:team|company)|anyone|somebody|someone) (?:have to |need to |going to |get |be )*(?:pay|paying|charged|billed)(?: extra| money| anything)? (?:for|to|to use|when (?:i|we) (?:ask|use))(?: using| asking)? ` + youEn + `|is (?:it|this) free to (?:use|ask|talk to) ` + youEn + `)$`)},
	{AboutOff, pattern.New(`^how (?:do|can|could|would|should|to) (?:(?:i|we|you) )?(?:(?:make|get) ` + youEn + ` (?:to )?(?:stop|shut up|be quiet|leave|go away|quiet)|(?:stop|mute|disable|silence|remove|uninstall|pause|deactivate|kill|get rid of|kick(?: out)?|turn off|switch off|shut (?:up|down|off)) ` + youEn + `|(?:turn|switch|shut|kick) ` + youEn + ` (?:off|up|down|out))(?: (?:from|in|for) (?:this |the |our |my )?(?:channel|thread|server|workspace|chat|talking|answering|replying|here|a while))?$`)},
	{AboutInternet, pattern.New(`^(?:can|could|do|does|are|is) ` + youEn + ` (?:able to |also |even )*(?:search|browse|access|use|surf|google|connected to|have access to|go on|look (?:things|stuff) up on|reach|have)(?: (?:the|for|up))* (?:web|internet|net|online|google|things|stuff|stuff online|things online|internet access|web search|web access)(?: for (?:me|us))?$`)},
}

// Parts of Korean questions, written without spaces.
const (
	youKo = `(?:너|넌|네가|니가|너는|너도|널|너를|당신|당신은|당신을|마루|마루는|마루야|마루도|마루를|(?:이|여기)?(?:챗봇|봇)(?:은|는|도|을|를)?)`
	// saidKo is what the asker and their team wrote.
	saidKo = `(?:(?:우리|저희)(?:가)?(?:나눈|한)?(?:메시지|메세지|대화|채팅|톡|얘기|이야기)(?:들|내용|기록|내역)*|(?:내|제|나의|저의|내가|제가|우리가|저희가|우리끼리)(?:여기(?:에서|에|서)?|너(?:한테|에게|랑|하고|와)|마루(?:한테|에게|랑|와)|봇(?:한테|에게|이랑|과))?(?:쓴|쓰는|보낸|보내는|한|하는|올린|올리는|말한|말하는|적은|물어본|나눈|입력한|남긴|공유한)?(?:메시지|메세지|글|말|대화|질문|데이터|자료|정보|파일|문서|이야기|얘기|채팅|톡|내용|기록|거|것|걸|게|건)(?:들|내용|기록|내역)*|` +
		`(?:너|마루|봇)(?:와의|랑한|와한|하고한|한테한|에게한|이랑한)(?:대화|채팅|말|얘기|이야기)(?:내용|기록|들)?|이(?:대화|채팅)(?:방|창|내용|기록)?|여기(?:에서|에|서|다가|다)?(?:쓴|쓰는|적은|적는|올린|올리는|한|하는|말한|말하는|보낸|나눈)(?:거|것|말|글|메시지|내용|얘기|이야기|파일|걸|게|건|대화)(?:들)?|대화(?:내용|기록|내역))(?:은|는|이|가|을|를|도|들은|들이)?(?:다|모두|전부)?`
	othersKo = `(?:다른(?:사람|직원|팀원|팀)(?:들)?|남|남들|누가|누구|아무나|모두|팀장|상사|사장|대표|관리자|운영자|회사|동료|인사팀|누군가)(?:님)?(?:들)?(?:이|가|도|은|는|한테|에게|까지)?`
)

var setUpKo = []struct {
	what About
	is   *pattern.Pattern
}{
	{AboutTraining, pattern.New(`(?i)^(?:` + youKo + `)?(?:` + saidKo + `|(?:우리|저희)(?:회사|팀)?(?:의)?(?:데이터|자료|정보|파일|문서|내용|기록)(?:들)?|나|우리)(?:으로|로|를|을|가지고|갖고|에서)?(?:` + youKo + `)?(?:AI|인공지능|모델)?(?:을|를)?(?:학습|훈련|트레이닝)(?:하|시키|에|되|돼|용|을|도|데이터)\S{0,16}$`)},
	{AboutRetention, pattern.New(`(?i)^(?:` + youKo + `)?(?:` + saidKo + `)(?:언제까지|얼마나(?:오래|동안)?|얼마동안|며칠(?:동안|간|이나)?|몇(?:일|달|개월|년)(?:동안|간|이나)?)(?:보관|저장|남|유지|기억|보존|가지고|갖고|두)\S{0,10}$|^(?:` + saidKo + `)언제(?:지워|지우|삭제|없어|사라|폐기)\S{0,8}$`)},
	{AboutStorage, pattern.New(`(?i)^(?:` + youKo + `)?(?:` + saidKo + `)(?:어디(?:에다?|로|다|서)?|어딘가에?|어느서버에|서버에|외부(?:로|에)|클라우드에)?(?:저장|보관|기록|수집|전송|쌓|가는|가니|가나|가요|나가|남는|남니|남나|남아)\S{0,10}$|^(?:` + saidKo + `)어떻게(?:되|돼|처리|쓰|사용|관리)\S{0,8}$|^(?:` + youKo + `)(?:무슨|어떤)(?:정보|데이터)(?:를)?(?:수집|저장|모으|가져)\S{0,8}$`)},
	{AboutReaders, pattern.New(`(?i)^(?:` + saidKo + `)(?:` + othersKo + `)(?:다)?(?:볼수|읽을수|볼|읽|보여|보이|보나|보니|봐|보는|열람|접근|알수)\S{0,8}$|^(?:` + othersKo + `)(?:` + saidKo + `)(?:다)?(?:볼수|읽을수|볼|읽|보나|보니|봐|보는|열람|접근)\S{0,8}$|^(?:` + saidKo + `)(?:비밀|비공개|안전|보안|공개|익명)(?:이|인|하|한|보장|유지|되|돼|으로|야|임)\S{0,8}$`)},
	{AboutReach, pattern.New(`(?i)^(?:` + youKo + `)?(?:(?:다른|남의|모든|우리|내|제|남|다른사람(?:들)?의?|다른사람(?:들)?끼리)?(?:비공개|비밀|개인|다른|잠긴|모든|전체)+(?:채널|방|대화|메시지|채팅|스레드|DM|디엠)|(?:(?:내|제|우리|남의|다른사람(?:들)?)(?:의)?)?(?:DM|디엠)|(?:남의|다른사람(?:들)?의?|다른사람(?:들)?끼리(?:한|하는)?)(?:대화|메시지|채팅))(?:도|을|를|은|는|까지|의)?(?:내용|대화|메시지|글)?(?:도|을|를|은|는|까지)?(?:다|모두|전부)?(?:볼수있|읽을수있|볼줄|읽어|읽니|읽나|읽는거|보니|보냐|보나|보는거|봐|접근(?:가능|돼|되|할수)|감시|엿)\S{0,8}$|^(?:` + youKo + `)(?:` + saidKo + `)(?:볼수있|읽을수있|읽어|읽니|읽나|보니|보나|보는거|봐|감시|엿)\S{0,8}$`)},
	{AboutModel, pattern.New(`(?i)^(?:(?:` + youKo + `)(?:지금|현재)?|지금|현재)(?:무슨|어떤|뭔|어느)(?:AI|인공지능|언어|LLM|GPT)?(?:모델|엔진|AI|인공지능|LLM)(?:을|를|으로|로|이|은)?(?:쓰|써|사용|돌|기반|동작|움직|이야|이에|예요|인|이니|임|야|쓴)\S{0,10}$|^(?:` + youKo + `)(?:는|은)?(?:혹시)?(?:챗지피티|챗?GPT\S{0,4}?|클로드|제미나이|클라우드|라마|chatgpt|openai|오픈AI)(?:를|을)?(?:야|이야|이니|니|예요|인가|기반|쓰|써|사용|임|맞)\S{0,8}$`)},
	{AboutCost, pattern.New(`(?i)^(?:` + youKo + `)(?:는|은)?(?:쓰는데|쓰는건|쓰는거|사용하는데|이용하는데|쓰려면|쓰면|사용하면|사용하려면|이용하면|이용|사용|부르면|한테물어보면)?(?:에|은|는)?(?:돈|비용|요금|사용료|이용료)(?:이|가|은|을|도|는)?(?:얼마나?)?(?:들|드는|드나|드니|내|나가|받|필요|있|청구|얼마|이야|이에|예요)\S{0,8}$|^(?:` + youKo + `)(?:는|은)?(?:쓰는데|쓰는거|쓰는건|사용하는거)?(?:는|은)?(?:무료|공짜|유료)\S{0,6}$|^(?:` + youKo + `)(?:쓰는데|사용하는데|쓰려면|쓰면)?얼마(?:야|예요|에요|나해|임|지|들|드)\S{0,6}$`)},
	{AboutOff, pattern.New(`(?i)^(?:` + youKo + `)(?:좀)?(?:어떻게(?:하면)?)?(?:좀)?(?:끄|꺼|멈추|멈춰|멈추게|중지|조용히(?:하게|시키)?|내보내|쫓아내|삭제|없애|음소거|차단|그만하게|말못하게|제거|빼)(?:하|시키|를)?(?:려면|는방법|는법|는거|면|고싶|는건|줘|냐|니|지|나)?\S{0,3}?(?:어떻게|방법|어떡|뭐|알려|되|돼|싶)\S{0,8}$|^(?:` + youKo + `)어떻게(?:끄|꺼|멈추|멈춰|조용히|내보내|쫓아내|삭제|차단|없애|제거)\S{0,8}$`)},
	{AboutInternet, pattern.New(`(?i)^(?:` + youKo + `)?(?:인터넷|웹|구글|온라인)(?:에서|으로|에)?(?:검색|접속|연결|서핑)?(?:도|을|은|이)?(?:할수있|할줄|되|돼|가능|하니|하나요)\S{0,6}$`)},
}

// AsksAbout returns the subject of a question that is only about the assistant's own set-up: "where are my messages
// stored?", "비공개 채널도 읽을 수 있니?".
func AsksAbout(text string) (About, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxAbout {
		return "", false
	}
	if hangul(text) {
		text = strings.Join(fields(bare(greetsKo.ReplaceAllString(text, ""))), "")
		for _, a := range setUpKo {
			if a.is.MatchString(text) {
				return a.what, true
			}
		}
		return "", false
	}
	text = strings.Join(fields(bare(text[len(opening.FindString(text)):])), " ")
	for _, a := range setUpEn {
		if a.is.MatchString(text) {
			return a.what, true
		}
	}
	return "", false
}
