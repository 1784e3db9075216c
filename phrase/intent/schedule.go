package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// Timed is a message that names a time, as a reader of times has taken it apart.
type Timed struct {
	Rest     string // the message without the words of the time
	Before   string // what is in front of them
	Repeats  bool   // "every Monday"
	Exact    bool   // an hour or a span is named
	Lead     bool   // the message begins with the time
	Tail     bool   // it ends with it
	Ahead    bool   // it is counted back from a time that is named
	Particle bool   // the words say that something happens then: "9시에", "at 9"
}

// Wish is what a message wants done at a time.
type Wish struct {
	Reminds bool   // its words are to be said then; else something is to be done then
	Body    string // what is to be said or done, "" if the message does not say it
	Sure    bool   // it can hardly mean anything else
	// Elsewhere is another channel that the message names, "#ops".
	Elsewhere string
	// Personal reports that only the person who asks is reminded: their clock counts, not that of the place.
	Personal bool
}

// koGives matches the end of a Korean wish, in the ways in which people write 주다: 주세요, 줘용, 주삼, 줄래, 달라고.
const koGives = `(?:줘(?:요|용|욤|여|라|봐|봐요|잉)?|줭|주(?:라|라고|라구|십시오|십쇼|시오|쇼|삼|셈|자|게|세[요용여염]|셔요?|이소|면\s?(?:돼요?|될까요?|좋겠\p{Hangul}*|고맙겠\p{Hangul}*|감사\p{Hangul}*)|시면\s?(?:됩니다|돼요|될까요|좋겠\p{Hangul}*|고맙겠\p{Hangul}*|감사\p{Hangul}*)|` +
	`시겠어요|시겠습니까|실래요?|실\s?수\s?\p{Hangul}+|겠니|겠어요?)|줄(?:래요?|랭|래용|\s?수\s?있\p{Hangul}*|거지)|줬으면\s?(?:해요?|합니다|하는데|함|좋겠\p{Hangul}*)|달라(?:고|구)?|다오)`

var (
	polite    = pattern.New(`(?i)^(?:(?:please|pls|plz|kindly|(?:hey|hi|hello|yo|good\s+(?:morning|afternoon|evening))(?:\s+(?:there|all|team|everyone|folks|guys|maru))?[!.]*|ok|okay|so|and|just|actually|maru|(?:oh|wait|sorry|hmm+|um+|well|no|never\s*mind|scratch\s+that)[,!]|(?:when|once|as\s+soon\s+as)\s+it(?:['’]?s|\s+is)|(?:can|could|would|will|cud)\s+(?:you|u|ya)|(?:can|could|may)\s+(?:i|we)\s+(?:get|have)|i\s+(?:want|need)\s+(?:you|u)\s+to|i(?:['’]d|\s+would)\s+like\s+(?:you|u)\s+to|make\s+sure\s+(?:to|you)|(?:don['’]?t|do\s+not)\s+forget\s+to)[,:]?\s+)+`)
	greetsKo  = pattern.New(`^(?:(?:안녕(?:하세요|하십니까)?|하이|헬로|저기요?|마루야|좋은\s?아침(?:이에요|입니다)?)[\s,.!~]+)+`)
	reminds   = pattern.New(`(?is)^remind\s+(` + whomEn + `)(?:\s+again)?(?:\s*[,:]\s*|\s+|$)(.*)$`)
	remindsMe = pattern.New(`(?i)\b(?:me|myself)\b`)
	groups    = pattern.New(`(?i)^(?:me|us|him|her|them|everyone|everybody|all|the\s.*|[#].*|<#.*)$`)
	recalls   = pattern.New(`(?i)^(?:what|who|whom|whose|how|where|when|why|which|whether|if|of)\b`)
	recallsOf = pattern.New(`(?i)^of\s`)
	joining   = pattern.New(`(?i)^(?:(?:to|that|about|regarding|re|for|of|because|cause|cuz)\b:?|re:)\s*`)
	repeated  = pattern.New(`(?i)^(?:post|send|share|summari[sz]e|tell|list|check|report|give|write|ask|announce|show|review|prepare|collect|draft|compile|look|find|update|notify|ping|let|make|create|run|search|compare|count|publish|get|fetch|say|schedule)(?:[\s,:]|$)`)
	scheduled = pattern.New(`(?i)^schedule\s+(?:an?\s+|the\s+)?`)
	announces = pattern.New(`(?i)^(?:post|send|announce|publish|ping|notify|share)(?:[\s,:]|$)`)

	// Words that remind as "remind me" does. What they are followed by tells them from a wish to be told something now: "tell me to
	// leave" reminds, "tell me how many there are" asks.
	nudges = []*pattern.Pattern{
		pattern.New(`(?is)^(?:nudge|ping|poke|prod|buzz|alert|notify|warn)\s+` + peopleEn + `(?:\s*[,:]\s*|\s+|$)(.*)$`),
		pattern.New(`(?is)^give\s+` + peopleEn + `\s+an?\s+(?:shout|nudge|poke|ping|heads[\s-]?up|reminder|buzz|ring|bell|call)(?:\s+|$)(.*)$`),
		pattern.New(`(?is)^(?:tell|let)\s+` + peopleEn + `\s+(?:know\s+)?((?:to|that)\s.*|it['’]?s\s.*)$`),
		pattern.New(`(?is)^(?:let\s+me\s+know|lemme\s+know)\s+((?:to|that)\s.*|it['’]?s\s.*)$`),
		pattern.New(`(?is)^(?:don['’]?t|do\s+not|never)\s+let\s+` + peopleEn + `\s+forget\s+(.*)$`),
		pattern.New(`(?is)^(?:(?:set|add|create|make|schedule|put|book|need|want|get|i\s+(?:need|want)|can\s+i\s+(?:get|have)|give\s+me)\s+(?:up\s+|in\s+)?(?:an?\s+|the\s+|my\s+)?|an?\s+)?(?:(?:new|quick|recurring)\s+)?(?:reminder|alarm|timer|nudge)(?:\s+for\s+` + peopleEn + `)?(?:\s*[,:]\s*|\s+|$)(.*)$`),
		pattern.New(`(?is)^wake\s+` + peopleEn + `(?:\s+up)?(?:\s+|$)(.*)$`),
		pattern.New(`(?is)^(?:i\s+(?:want|need)|i(?:['’]d|\s+would)\s+like)\s+to\s+be\s+(?:reminded|nudged)(?:\s+|$)(.*)$`),
	}
	// clauseThen matches a wish after a clause that tells of what: "I have a call at 5, remind me 10 minutes before".
	clauseThen = pattern.New(`(?is)^(.{1,200}?)\s*([,;:.!–—-]?)\s+((?:please\s+|pls\s+|plz\s+|so\s+|(?:can|could)\s+you\s+)*(?:remind|nudge|ping)\s+(?:me|us|everyone|the\s+team)\b.*)$`)
	// channelIn matches the name of a channel, also as Slack and Discord write it.
	channelIn = pattern.New(`#\p{L}[\p{L}\p{N}_-]*|<#[^>]+>`)
	// dangling matches what is left in front of a time at the end.
	dangling = pattern.New(`(?i)\s+(?:for|on|at|by|in|from)$`)
	clipped  = pattern.New(`(?i)^lemme\s+`)
	remindMe = pattern.New(`(?i)^!?remind(?:me[!:,]*|\s+me!+)(?:\s+|$)`)

	koAsks    = pattern.New(`(?:` + koGives + `|부탁(?:해요?|드려요?|드립니다|드릴게요|합니다|할게요?|함|좀)?|바랍니다|바라요|바람)$`)
	koOrders  = pattern.New(`(?:알려|알림|알람|리마인[드더]|상기|깨워|핑|톡|디엠)(?:\s?(?:좀|요|해|해요|해라|하셈|하삼|하자|ㄱㄱ|고고|죠|쥬))*$|(?:하|올리|보내|말하|띄우|쏘)(?:셈|삼)$`)
	koWonders = pattern.New(`몇|언제|어디|누가|누구|뭐|뭘|무엇|무슨|어떤|왜|어떻게|[는은인한던]지(?:\s|를|도|$)`)
	koTells   = pattern.New(`알려|알림|알람|리마인|상기|깨워|일러|말해|얘기해|귀띔|톡해|톡\s?(?:보내|줘|주)|핑|디엠|연락해|챙겨|불러`)
	koReminds = pattern.New(`리마인[드더]|상기시|깨워|(?:니까|라서|해서)\s*(?:(?:꼭|좀|다시|미리)\s*)*(?:알려|리마인드|말해)|잊지\s*않게|까먹지\s*않게|알[림람]\s*(?:좀\s*)?(?:을\s*)?(?:걸|설정|등록|추가|만들|맞춰|잡아|부탁|하나)|` + koQuote + `(?:알려|알림|말해|얘기해|일러|귀띔|톡|핑|디엠|연락|챙겨|전해|해\s?(?:줘|주|달|줄)|하셈|하삼)`)
	koPosts   = pattern.New(`(?:올려|보내|공지해|게시해|공유해)\s*(?:줘|주|달|줄)`)
	koSays    = pattern.New(koQuote + `(?:좀\s*)?(?:올려|보내|공지|게시|공유|띄워|써)`)
	koOthers  = pattern.New(`우리|저희|팀(?:에|원|한테)|모두|다들|여러분|전체|전원|채널에`)
	koEnd     = pattern.New(`\s*(?:(?:좀|다시|꼭|미리|나한테|저한테|우리한테|우리에게|저에게|나에게|팀에|팀에게|(?:(?:이|저|우리)\s)?채널에|여기에|여기|다들|\p{Hangul}+한테|\p{Hangul}+에게|제발|한\s?번|하나)\s*)*(?:알[림람]\s*(?:을\s*)?(?:좀\s*)?(?:보내|해|걸어|설정해|등록해|추가해|만들어|맞춰|하나)?|알려|리마인[드더](?:\s*(?:해|걸어|하))?|상기(?:\s*시켜)?|깨워|일러|말해|얘기해|귀띔해|톡\s?(?:해|보내)?|디엠\s?(?:해|보내)?|연락해|챙겨|전해|불러|핑|톡|디엠|공지(?:\s?좀)?\s?해|올려|보내|게시해|공유해|띄워|써|해|하)?\s*(?:좀|한\s?번)?\s*(?:` +
		koGives + `|부탁\p{Hangul}*|바랍니다|바라요|바람|요|하셈|하삼|셈|삼|해라|하자|죠|쥬)?[.!~?\s]*$`)
	koTo   = pattern.New(`(?:으라고|라고)$`)
	koThat = pattern.New(`(다|자)고$`)
)

// koQuote matches the end of a quoted clause, "…라고 좀", in front of the verb that says it.
const koQuote = `(?:라고|다고|자고|냐고)\s*(?:(?:다시|꼭|좀|미리|한\s?번|나한테|저한테|우리한테|(?:(?:이|저|우리)\s)?채널에|팀에|여기에?|모두|다들|\p{Hangul}+(?:한테|에게|께))\s*)*`

// Whom English words remind.
const (
	peopleEn = `(?:me|us|myself|ourselves|him|her|them|everyone|everybody|all|all\s+of\s+us|people|folks|[@#]\S+|<[@#!][^>]+>|the\s+(?:team|group|channel|room|others|\w+\s+team))`
	whomEn   = `(?:me|us|him|her|them|everyone|everybody|all|[@#]\S+|<[@#!][^>]+>|the\s+\w+|\w+)`
)

// RemindsUntimed reports whether a message that names no time can hardly be anything but the wish for a reminder, and what it is to say:
// "remind me to call Kim", "배포 알림 걸어줘".
func RemindsUntimed(text string) (body string, ok bool) {
	if m := afterEvent.FindStringSubmatch(text); m != nil { // "after the meeting remind me to send the notes"
		text = m[1]
	}
	w, ok := Schedules(Timed{Rest: text, Lead: true, Exact: true, Particle: true})
	if !ok || !w.Reminds || w.Body == "" {
		return "", false
	}
	if hangul(text) {
		return w.Body, koUntimed.MatchString(text) || koEvent.MatchString(text) && !koWonders.MatchString(text)
	}
	return w.Body, untimed.MatchString(polite.ReplaceAllString(text, ""))
}

var (
	untimed    = pattern.New(`(?i)^(?:remind\s+(?:me|us|everyone|everybody|the\s+team)\s+(?:to|about|that)\s|(?:set|add|create|make)\s+(?:up\s+)?an?\s+(?:reminder|alarm)\s+(?:to|about|for)\s)`)
	afterEvent = pattern.New(`(?is)^(?:(?:right|just)\s+)?(?:after|once|when|as\s+soon\s+as)\s+\S.{1,60}?,?\s+((?:please\s+)?remind\s+(?:me|us)\s+(?:to|about|that)\s.*)$`)
	koUntimed  = pattern.New(`(?:라고|다고|자고)\s*(?:좀\s*)?(?:리마인[드더]|상기시)|알[림람]\s*(?:좀\s*)?(?:을\s*)?(?:걸어|설정해|등록해|맞춰)|리마인더\s*(?:좀\s*)?(?:걸어|설정해|등록해|맞춰)|(?:잊지|까먹지)\s*않게`)
	// koEvent is a thing to do that is to be told of when something is over: "회의 끝나면 회의록 올리라고 알려줘". After another "…면", as in
	// "손님이 오면", and after a noun, as in "3번이라고", others are to be told.
	koEvent = pattern.New(`(?:끝나면|끝나고|[가-힣]고\s?나서|자마자)[\s,].*(?:[으하]|올리|알리|돌리|챙기|옮기|남기|보내|지우|세우|바꾸)라고\s*(?:(?:좀|꼭|다시)\s*)*알려\s*(?:줘|주세요|줄래|주라|달라)[.!~\s]*$`)
)

// Schedules reports whether a message that names a time asks for something at that time, and what. A question about a
// time ("매주 월요일 회의는 몇 시야?"), a plan that is told ("every Monday we deploy") and a wish to recall ("remind me what
// we said") ask for nothing then.
func Schedules(t Timed) (Wish, bool) {
	if _, fact := Remember(t.Rest); fact || strings.TrimSpace(t.Rest) == "" { // "매주 금요일에 배포한다고 기억해 줘"
		return Wish{}, false
	}
	if hangul(t.Rest) {
		return koreanWish(t)
	}
	rest := clipped.ReplaceAllString(polite.ReplaceAllString(t.Rest, ""), "let me ")
	asked := rest != t.Rest
	if strings.HasSuffix(rest, "?") && !asked {
		return Wish{}, false
	}
	rest = remindMe.ReplaceAllString(BeforeThanks(strings.TrimRight(rest, "?!. ")), "remind me ")
	if m := clauseThen.FindStringSubmatch(rest); m != nil && t.Exact && (m[2] != "" || m[1] == t.Before || t.Ahead) {
		w, ok := Schedules(Timed{Rest: m[3], Repeats: t.Repeats, Exact: true})
		if w.Sure = false; w.Body == "" {
			w.Body = happensEn.ReplaceAllString(m[1], "")
		}
		return w, ok && w.Reminds
	}
	if m := reminds.FindStringSubmatch(rest); m != nil {
		whom, what := m[1], m[2]
		if recalls.MatchString(what) && (!recallsOf.MatchString(what) || !t.Repeats && !t.Exact) {
			return Wish{}, false
		}
		body := bodyOf(what)
		switch named := !groups.MatchString(whom); {
		case named && strings.EqualFold(strings.TrimSpace(t.Before), "remind"): // "remind 4w ping the vendor"
			body = strings.TrimSpace(whom + " " + what)
		case named && body != "": // the post names who is meant
			body = whom + ": " + body
		case named: // "remind next Friday meeting"
			body = whom
		}
		before := strings.TrimSpace(polite.ReplaceAllString(t.Before+" ", ""))
		next := reminds.FindStringSubmatch(before) // the time is next to "remind me", and not in what is said
		to := strings.HasPrefix(strings.ToLower(what), "to ") || strings.HasPrefix(strings.ToLower(what), "that ")
		return Wish{Reminds: true, Personal: remindsMe.MatchString(rest), Body: body, Elsewhere: channelIn.FindString(rest[:len(rest)-len(what)]), Sure: t.Lead || next != nil && next[2] == "" || to || what == ""}, true
	}
	for _, n := range nudges {
		if m := n.FindStringSubmatch(rest); m != nil && !recalls.MatchString(m[1]) {
			return Wish{Reminds: true, Personal: remindsMe.MatchString(rest), Body: bodyOf(m[1]), Elsewhere: channelIn.FindString(rest[:len(rest)-len(m[1])]), Sure: t.Particle || t.Lead || t.Tail || strings.HasSuffix(t.Before, " for")}, true
		}
	}
	if m := noticeEn.FindStringSubmatch(dangling.ReplaceAllString(rest, "")); m != nil && (m[1] != "" || t.Lead || noticeEn.MatchString(t.Before)) && (t.Exact || t.Repeats) && !stative.MatchString(m[2]) {
		return Wish{Reminds: true, Personal: true, Body: m[2], Sure: m[1] != ""}, true
	}
	switch {
	case t.Repeats && !t.Exact && asksWhen.MatchString(rest): // "tell me what day payday is each month"
	case t.Repeats && repeated.MatchString(rest):
		return Wish{Body: dangling.ReplaceAllString(scheduled.ReplaceAllString(rest, ""), ""), Sure: t.Lead || t.Tail}, true
	case !t.Repeats && t.Exact && t.Particle && announces.MatchString(rest):
		return Wish{Body: rest, Sure: t.Lead}, true
	}
	return Wish{}, false
}

// Reminders that nothing but their noun asks for: "retro reminder every Friday at 4", "내일 3시 회의 알림". Words of a sentence make a report
// of it: "I got a reminder".
var (
	noticeEn = pattern.New(`(?i)^(?:(set|add|create|make|schedule|put|book|get|give\s+me|(?:i\s+)?(?:need|want))\s+(?:up\s+|in\s+)?)?(?:(?:an?|my|another)\s+)?((?:[\p{L}\p{N}'’&/-]+\s+){0,4}[\p{L}\p{N}'’&/-]+)\s+(?:reminder|alarm)(?:\s+(?:for\s+(?:me|us|the\s+team)|please|pls|plz|thx|thanks))*$`)
	stative  = pattern.New(`(?i)\b(?:i|you|he|she|it|we|they|the|this|that|these|those|your|his|her|their|its|got|get|gets|gave|give|had|has|have|is|was|are|were|be|been|see|saw|missed?|sent|received|heard|no|not|a|an|about|as|and|what|how|why|who|do|does|did|cancel|delete|remove|stop|snooze|move|change|run|pause|turn|list|show|fire|smoke|false)\b`)
	noticeKo = pattern.New(`^(\p{Hangul}[\p{L}\p{N}]*(?:\s[\p{L}\p{N}]+){0,3}?)\s?(?:알림|알람|리마인더)(?:\s?(?:좀|요|하나))*$`)
	// happensEn and happensKo end a clause that tells of what is reminded: "my exam is", "3시에 회의 있어".
	happensEn = pattern.New(`(?i)\s+(?:is|starts|begins)(?:\s+(?:on|at))?[\s,.;:!]*$`)
	happensKo = pattern.New(`(?:(?:이|가)?\s(?:잡혀\s?)?있\p{Hangul}{1,4}|(?:이|가)?\s?잡혔\p{Hangul}{1,4}|인데요?|이?야|이?에요|예요|입니다|거든요?)[\s,.!]*$`)
)

// pointsBack matches what a reminder is to say by pointing at it.
var pointsBack = pattern.New(`(?i)^(?:(?:it|that|this|about|again|one\s+more\s+time|그거|그것|이거|이것|그|다시|또|한\s?번\s?더|재차)\s*)*$`)

// PointsBack reports whether what a reminder is to say is nothing, or only points at what was said: "remind me again in 10 minutes".
func PointsBack(body string) bool { return pointsBack.MatchString(strings.Trim(body, " .!~")) }

// bodyOf returns what a reminder says, without the words that join it to the wish.
func bodyOf(text string) string {
	text = dangling.ReplaceAllString(strings.TrimSpace(text), "")
	for range 2 { // "for Kim to call": at most a place and a verb
		text = joining.ReplaceAllString(text, "")
	}
	return text
}

// koreanWish is Schedules for Korean.
func koreanWish(t Timed) (Wish, bool) {
	rest := bare(greetsKo.ReplaceAllString(t.Rest, ""))
	kept := koKept.MatchString(rest)
	if m := noticeKo.FindStringSubmatch(rest); m != nil && t.Lead && t.Exact && !koWonders.MatchString(rest) {
		return Wish{Reminds: true, Personal: !koOthers.MatchString(rest), Body: m[1]}, true
	}
	quoted := kept || koReminds.MatchString(rest) || t.Ahead && koTells.MatchString(rest)
	if !koAsks.MatchString(rest) && (!koOrders.MatchString(rest) || !quoted && !t.Repeats && !t.Particle) {
		return Wish{}, false
	}
	sure := !koWonders.MatchString(rest)
	body := strings.TrimSpace(koKept.ReplaceAllString(koEnd.ReplaceAllString(rest, ""), " "))
	personal := !koOthers.MatchString(rest)
	if t.Ahead {
		body = happensKo.ReplaceAllString(body, "")
	}
	switch {
	case strings.HasSuffix(body, "달라고"): // to ask for something
		body, sure = body+" 하기", true
	case koIs.MatchString(body) && !koCauses.MatchString(body): // "휴가라고"
		body = koLast.ReplaceAllString(body, "")
	case koTo.MatchString(body):
		body, sure = koTo.ReplaceAllString(body, "기"), true
	default:
		body = koThat.ReplaceAllString(body, "$1")
	}
	switch {
	case t.Repeats && (quoted || koSays.MatchString(rest)):
		return Wish{Reminds: true, Personal: personal, Body: body, Elsewhere: channelIn.FindString(rest), Sure: sure}, true
	case t.Repeats && !t.Exact && asksWhen.MatchString(rest): // "매월 며칠에 급여가 들어오는지 알려줘"
		return Wish{}, false
	case t.Repeats && !t.Exact && koWhich.MatchString(strings.TrimSpace(strings.TrimPrefix(rest, t.Before))): // "분기마다 하는 평가 절차 알려줘"
		return Wish{}, false
	case t.Repeats:
		return Wish{Body: rest, Sure: sure}, true
	case quoted && (t.Particle || t.Lead || t.Exact || kept), koTells.MatchString(rest) && (t.Particle || t.Lead && t.Exact && (body == "" || koNamesAlert.MatchString(rest))) && (t.Exact || body == ""):
		return Wish{Reminds: true, Personal: personal, Body: body, Elsewhere: channelIn.FindString(rest), Sure: sure}, true
	case t.Exact && koSays.MatchString(rest) && (t.Particle || t.Lead): // "배포 금지라고 채널에 공지해줘"
		return Wish{Reminds: true, Body: body, Sure: sure && t.Particle}, true
	case t.Exact && t.Particle && koPosts.MatchString(rest):
		return Wish{Body: rest}, true
	}
	return Wish{}, false
}

var (
	// koNamesAlert matches 알림 and its like, which are for later without a particle after the hour, too.
	koNamesAlert = pattern.New(`알[림람]|리마인`)
	// koKept matches the purpose of a reminder, which is none of its words.
	koKept = pattern.New(`(?:(?:절대로?|꼭)\s*)?(?:(?:잊|잊어버리|잊어먹|까먹|놓치|빼먹)지\s*않(?:게|도록)|안\s*(?:까먹|잊|잊어버리|잊어먹|놓치|빼먹)(?:게|도록|으?게끔|고))\s*(?:(?:꼭|좀)\s*)?`)
	// asksWhen matches a question about the time itself.
	asksWhen = pattern.New(`(?i)\b(?:(?:what|which)\s+(?:day|date|time|hour)|how\s+often|(?:tell|show)\s+(?:me|us)\s+when)\b|며칠|언제|몇\s?(?:시|일|월|요일)|무슨\s?요일|얼마나\s?자주`)
	// koWhich matches a verb after "every …" that describes a noun.
	koWhich = pattern.New(`^\p{Hangul}*(?:하는|되는|리는|내는|오는|가는|있는|쓰는|받는|주는)\s`)
	// koIs matches a noun with "is": an order ends in 라고, too.
	koIs     = pattern.New(`(?:\p{Hangul}이|\p{Hangul}[회의차제무표사대과료소도]|휴가|금지|공지|정지|날짜|파티)라고$`)
	koCauses = pattern.New(`(?:먹|붙|높|줄|보|숙|들|울|끓|쌓|섞|죽|녹|모|꼬|쓰|띄)이라고$`)
	koLast   = pattern.New(`(?:이라|라)고$`)
)
