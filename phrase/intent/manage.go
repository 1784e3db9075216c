package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// ScheduleDo is what a sentence wants done with schedules that are there.
type ScheduleDo string

// The wishes of [ManagesSchedules].
const (
	ListSchedules   ScheduleDo = "list"
	DropSchedules   ScheduleDo = "delete"
	PauseSchedules  ScheduleDo = "pause"
	RunSchedules    ScheduleDo = "run"
	ResumeSchedules ScheduleDo = "resume"
	MoveSchedules   ScheduleDo = "move"
	HowSchedules    ScheduleDo = "how" // it asks how one is made
)

// ScheduleChange is a wish about schedules that are there.
type ScheduleChange struct {
	Do      ScheduleDo
	About   string // words that the schedule says, "" if it is pointed at
	All     bool   // "all my reminders"
	Named   bool   // it is called a reminder, which is the bot's; a schedule, or an alarm with words to it, may be anybody's
	Bare    bool   // it is called by no noun at all: "it", "the retro"
	To      string // to when it is moved, or by how much
	Earlier bool   // it is moved by a span to an earlier time
	Sets    bool   // "make it", "2시간으로 바꿔줘": a span is how long something is to take, not by how much it moves
}

const (
	managedEn = `(reminders?|alarms?|nudges?|scheduled\s+(?:posts?|messages?|tasks?|jobs?|things?|items?|runs?|reminders?)|schedules?)`
	// ownEn are the words in front of the subject.
	ownEn   = `((?:(?:all|every|both|of|that|the|an?|daily|weekly|monthly|this|those|these|my|our|your|any|current|active|old|last|other)\s+)*)`
	aboutEn = `((?:\S+\s+){0,6}?)`
	tailEn  = `(?:\s+(?:for\s+now|(?:that\s+)?(?:i|we)\s+(?:have|set|made)))?(?:\s+(?:about|for|to|on|of|re|regarding|that\s+says?)\s+(.+?))?(?:\s+(?:any\s?more|(?:right\s+)?now|too|again|entirely|altogether|for\s+now|instead|` + idleEn + `))*$`
	// idleEn is an end that names no time.
	idleEn = `until\s+further\s+notice|(?:until|till)\s+(?:i|we)\s+(?:say|tell)(?:\s+(?:so|you|otherwise))*`
	offEn  = `(?:cancel|delete|remove|drop|kill|clear|scrap|scratch|forget|end|stop|disable|dismiss|get\s+rid\s+of|turn\s+off|switch\s+off|call\s+off|never\s?mind(?:\s+about)?|(?:i|we)\s+(?:don['’]?t|no\s+longer)\s+(?:need|want))`
	whoEn  = `(me|us|him|her|them|everyone|everybody|the\s+(?:team|channel|group))`
	// askedEn is the end of a question which reminders there are; setEn that for what other programs have, too.
	askedEn = `\s+(?:do\s+(?:i|we|you)\s+have|have\s+(?:i|we|you)(?:\s+(?:got|set|made))?|did\s+(?:i|we)\s+(?:set|make)|(?:i|we|you)\s+have|are\s+(?:set|here|there|active|scheduled|pending|on|left|coming|due|running)|exist)`
	setEn   = `\s+(?:do\s+(?:i|we)\s+have|have\s+(?:i|we)(?:\s+(?:got|set|made))?|did\s+(?:i|we)\s+set|are\s+(?:set|here|(?:active|running|on)\s+here))`
	thereEn = `(?:\s+(?:here|set|up|right\s+now|now|today|left|scheduled|in\s+(?:here|this\s+(?:channel|thread|chat|room|group|server))))*$`
	mineEn  = `(?:(?:of|my|our|your|the|all|other|active|current|open|pending|upcoming)\s+){0,3}`
	atEnd   = `(?:\s+(?:any\s?more|again|now))*$`
	movesEn = `(move|push|shift|change|make|reschedule|postpone|delay|bump|set|bring|switch|pull|defer|snooze|update)`
	// movesThatEn are without what makes a new one: "set an alarm for 6".
	movesThatEn = `(move|push|shift|change|reschedule|postpone|delay|bump|bring|switch|pull|defer|snooze|update)`
	wayEn       = `(?:\s+(back|out|forward|up|off|down|over|ahead))?`
	whenEn      = `\s+((?:from\s+\S+\s+)?(?:to|till|until|at|for|on|by)\s+)?(\S.*?)(?:\s+(earlier|sooner|later))?(?:\s+(?:instead|rather|then))*$`
)

var (
	managesEn = []struct {
		do ScheduleDo
		is *pattern.Pattern // groups: own, about, noun, about
	}{
		{PauseSchedules, pattern.New(`(?i)^(?:pause|mute|suspend|silence|hold(?:\s+off)?(?:\s+on)?)\s+` + ownEn + aboutEn + managedEn + tailEn)},
		{PauseSchedules, pattern.New(`(?i)^put\s+` + ownEn + aboutEn + managedEn + `()\s+on\s+hold$`)},
		{ResumeSchedules, pattern.New(`(?i)^(?:resume|unpause|unmute|re-?enable|re-?activate|re-?start|continue|turn\s+(?:back\s+)?on)\s+` + ownEn + aboutEn + managedEn + tailEn)},
		{ResumeSchedules, pattern.New(`(?i)^(?:turn|switch)\s+` + ownEn + aboutEn + managedEn + `()\s+(?:back\s+)?on(?:\s+again)?$`)},
		{DropSchedules, pattern.New(`(?i)^(?:turn|switch)\s+` + ownEn + aboutEn + managedEn + `()\s+off$`)},
		{RunSchedules, pattern.New(`(?i)^(?:run|trigger|fire|execute)\s+` + ownEn + aboutEn + managedEn + tailEn)},
		{DropSchedules, pattern.New(`(?i)^` + offEn + `\s+` + ownEn + aboutEn + managedEn + tailEn)},
	}
	called = []struct {
		do ScheduleDo
		is *pattern.Pattern // group: what the schedule says
	}{
		{PauseSchedules, pattern.New(`(?i)^(?:pause|mute|suspend)\s+(.+?)(?:\s+(?:for\s+now|` + idleEn + `))?$`)},
		{ResumeSchedules, pattern.New(`(?i)^(?:resume|unpause|unmute|re-?enable|re-?activate|re-?start)\s+(.+?)(?:\s+again)?$`)},
		{ResumeSchedules, pattern.New(`(?i)^(?:turn|switch)\s+(.+?)\s+(?:back\s+)?on(?:\s+again)?$`)},
		{RunSchedules, pattern.New(`(?i)^(?:run|trigger)\s+(.+?)\s+(?:right\s+)?now$`)},
		{PauseSchedules, pattern.New(`^(.+?\p{Hangul})(?:을|를|은|는)?\s*(?:잠깐|잠시|당분간|일단)\s*(?:멈춰|멈추|쉬어|쉬게|꺼|중지|정지|보류)` + orderKo)},
		{ResumeSchedules, pattern.New(`^(.+?\p{Hangul})(?:을|를|은|는)?\s*다시\s*(?:켜|재개|시작|활성화)` + orderKo)},
		{RunSchedules, pattern.New(`^(.+?\p{Hangul})(?:을|를|은|는)?\s*(?:지금|당장)\s*(?:바로\s*)?(?:실행|돌려)` + orderKo)},
	}
	stopsReminding = []*pattern.Pattern{ // groups: verb, who, about
		pattern.New(`(?i)^(?:stop|quit)\s+(reminding|nudging)(?:\s+` + whoEn + `)?(?:\s*(?:about|to|that)\s+(.+?))?` + atEnd),
		pattern.New(`(?i)^(?:stop|quit)\s+(pinging|alerting)\s+(me|us)(?:\s*(?:about|to|that)\s+(.+?))?` + atEnd),
		pattern.New(`(?i)^(?:don['’]?t|do\s+not)\s+(remind)\s+` + whoEn + `(?:\s+(?:about|to|that)\s+(.+?))?` + atEnd),
		pattern.New(`(?i)^(?:don['’]?t|do\s+not)\s+(nudge|ping)\s+(me|us)(?:\s+(?:about|to|that)\s+(.+?))?` + atEnd),
		pattern.New(`(?i)^no\s+more\s+(reminders?)()(?:\s+(?:about|to|of|for)\s+(.+?))?` + atEnd),
	}
	listsEn = []*pattern.Pattern{
		pattern.New(`(?i)^(?:what|which)(?:['’]s|\s+are)?\s+` + mineEn + `reminders(?:` + askedEn + `)?` + thereEn),
		pattern.New(`(?i)^(?:what|which)\s+` + mineEn + `(?:alarms|schedules)` + setEn + thereEn),
		pattern.New(`(?i)^what\s+are\s+(?:(?:my|our|your)\s+)(?:alarms|schedules)` + thereEn),
		pattern.New(`(?i)^(?:show|list|see|display|view|give|get|tell|check)\s+(?:me\s+|us\s+)?(?:(?:all|every|of|the|my|our|current|active|open|pending|upcoming|your)\s+)*(?:reminders|alarms|schedules|scheduled\s+(?:posts|messages|tasks|jobs|things|items|reminders))(?:\s+(?:(?:that\s+)?(?:i|we)\s+(?:have|set)(?:\s+up)?|(?:for|of)\s+this\s+(?:channel|thread|chat|room|group|server)))?` + thereEn),
		pattern.New(`(?i)^(?:(?:show|list|tell)\s+(?:me\s+|us\s+)?)?(?:everything|all|what(?:ever)?)(?:['’]s|\s+(?:that['’]?s|that\s+is|is|are|i\s+have|we\s+have|(?:have|did)\s+(?:i|we|you)|i['’]ve))\s+(?:got\s+)?scheduled(?:\s+(?:here|right\s+now|in\s+this\s+channel))?$`),
		pattern.New(`(?i)^(?:do\s+(?:i|we)|have\s+(?:i|we)|are\s+there)\s+(?:have\s+|got\s+|set\s+)?any\s+` + mineEn + `reminders` + thereEn),
		pattern.New(`(?i)^(?:do\s+(?:i|we)|have\s+(?:i|we))\s+(?:have\s+|got\s+|set\s+)?any\s+alarms` + thereEn),
		pattern.New(`(?i)^(?:(?:my|our|all|the)\s+)+(?:reminders|schedules|alarms)$`),
	}
	howEn = pattern.New(`(?i)^(?:how\s+(?:do|can|would|should)\s+(?:i|we|you|one)\s+(?:set|make|create|add|schedule|use|get)\s+(?:up\s+)?(?:(?:an?|my|our|recurring|new)\s+)*reminders?|how\s+do\s+(?:(?:the|your)\s+)?reminders\s+work|can\s+you\s+(?:set|make|create|do)\s+(?:up\s+)?reminders|can\s+you\s+remind\s+(?:me|us|people)(?:\s+(?:of|about)\s+(?:things|stuff|something))?)(?:\s+(?:here|with\s+(?:you|maru)|for\s+(?:me|us)))*$`)
	howKo = pattern.New(`^(?:알림|알람|리마인더)(?:은|는|을|를)?\s*어떻게\s*(?:만들|걸|맞추|맞춰|써|쓰|예약)\p{Hangul}*$|^(?:알림|알람|리마인더)(?:을|를)?\s*(?:만드는|거는|맞추는|쓰는|예약하는)\s*(?:법|방법)(?:은|이|을|를)?(?:\s*(?:뭐|알려|가르쳐|있)\p{Hangul}*(?:\s\p{Hangul}+)?)?$`)
	// moveOpen wants the time of one changed without naming another: "change my stand-up reminder time".
	moveOpenEn = pattern.New(`(?i)^(?:i\s+(?:want|need)\s+to\s+)?(?:change|edit|move|reschedule|update|adjust)\s+(?:the\s+time\s+of\s+)?` + ownEn + aboutEn + managedEn + `(?:['’]?s)?(?:\s+times?)?$`)
	moveOpenKo = pattern.New(`^(.*?)` + managedKo + `(?:의)?` + objectKo + `\s*(?:시간|시각|날짜|요일)?` + objectKo + `\s*(?:좀\s*)?(?:(?:바꾸|변경하|수정하|옮기|고치)고\s?싶\p{Hangul}*|(?:바꿔|바꾸|변경|수정|옮겨|고쳐)` + strings.TrimSuffix(orderKo, "$") + `)$`)
	moveIt     = pattern.New(`(?i)^` + movesEn + `\s+(it|that|this|them|(?:that|this)\s+one)` + wayEn + whenEn)
	moveThat   = pattern.New(`(?i)^` + movesThatEn + `\s+` + ownEn + aboutEn + managedEn + `(?:\s+(?:about|for)\s+(\S+(?:\s+\S+){0,4}?))?` + wayEn + whenEn)
	// moveBare moves something that is called by what it says: "move the retro to 6".
	moveBare = pattern.New(`(?i)^(?:move|push|shift|reschedule|postpone|delay|bump|defer)\s+(?:(?:the|my|our)\s+)(\S+(?:\s+\S+){0,3}?)` + wayEn + `\s+(?:to|till|until|by)\s+(\S.*?)(?:\s+(earlier|sooner|later))?(?:\s+(?:instead|rather|then))*$`)
	moveBack = pattern.New(`(?i)^(?:move|push|shift|bring|pull|bump)\s+(?:the|my|our)\s+(\S+(?:\s+\S+){0,3}?)\s+(back|out|forward|up|ahead)\s+(?:by\s+)?(\S.*)$`)
	snoozed  = pattern.New(`(?i)^snooze(?:\s+(?:for|by|until|till))?\s+(.+)$`)
	ours     = pattern.New(`(?i)^(?:reminder|nudge)|reminders?$`)
	alarm    = pattern.New(`(?i)^alarms?$`)
	// firing matches what alarms of a system are.
	firing = pattern.New(`(?i)\b(?:active|current|open|pending)\b`)
	// booking matches a noun that is as often somebody else's: "회의실 예약 변경해줘".
	booking = pattern.New(`(?i)^schedule|예약|스케줄`)
	// elsewhere matches the names of other programs and ways that remind.
	elsewhere = pattern.New(`(?i)\b(?:slack|discord|teams|calendar|outlook|e-?mails?|mail|phone|jira|github|notion|asana|trello|zoom|push|sms|app)\b|슬랙|디스코드|팀즈|캘린더|달력|메일|문자|푸시|푸쉬|지라|깃허브|노션|카톡|앱(?:\s|$)`)
	articles  = pattern.New(`(?i)^(?:(?:the|that|this|my|our|an?)\s+)+`)
	others    = pattern.New(`(?i)^(?:him|her|them)$`)
	// lasts matches verbs that say how something is to be, also how long.
	lasts = pattern.New(`(?i)^(?:change|make|set|switch|update|바꿔|바꾸|변경|조정|수정|고쳐|해|하)$`)
	by    = pattern.New(`(?i)^by\s`)
	// numberTo matches a mere number to which anything may be changed: "make it 10".
	numberTo = pattern.New(`(?i)^(?:to\s+)?\d+$`)
	// phraseEn matches words in front of "reminder" that make it part of something else: "the file about reminders".
	phraseEn = pattern.New(`(?i)\b(?:about|for|of|to|from|with|in|that|which|and)\b`)
	whole    = pattern.New(`(?i)\b(?:all|every|both)\b`)
	// pointed matches what points at something that is there: "the alarm", unlike that in "fire alarm".
	pointed = pattern.New(`(?i)\b(?:the|that|this|those|these|my|our|your|all|every|both)\b`)
	// needlessEn matches the beginning of a wish that is a question with a question mark: "we don't need the retro reminder?"
	needlessEn = pattern.New(`(?i)^(?:i|we|no\s+more)\s`)
	// timely matches the beginning of a time without "to": "postpone the reminder an hour".
	timely = pattern.New(`(?i)^(?:\d|an?\s|half|one|two|three|tomorrow|next|later|noon|tonight|mon|tue|wed|thu|fri|sat|sun)`)
	sooner = pattern.New(`(?i)^(?:forward|up|ahead|earlier|sooner)$`)
)

const (
	managedKo = `(알림|알람|리마인더|리마인드|예약|스케줄)(?:들)?`
	objectKo  = `(?:을|를|은|는|이|가|도)?`
	fillKo    = `((?:(?:이제|이젠|그만|좀|다|전부|모두|싹|전체|더\s?이상|그냥|지금|잠깐|잠시|당분간|일단|다시)\s*)*)`
	// orderKo matches the end of an order, after its verb.
	orderKo = `\s*(?:해|하|시켜|버려|둬|놔|보내)?\s*(?:좀\s*)?(?:` + koGives + `|부탁\p{Hangul}*|하자|할래요?|할[게께]요?|해요|하세요|하셈|하삼|셈|삼|요|라|자|됨|돼요?|주)?$`
	// pointKo are words that point at the last one.
	pointKo    = `(?:(?:방금|아까|지금|조금\s?전)\s*)?(?:그거|그건|그걸|그것|이거|이건|이걸|이것|저거|방금\s?(?:거|건|걸|그거)|아까\s?(?:거|건|걸|그거)|그|이|저|걔)`
	needlessKo = `(?:(?:이제|더\s?이상)\s*)?필요\s?(?:가\s?)?없`
	spanKo     = `((?:\d+|[한두세네]|다섯|열|십|이십|삼십|반)\s?(?:시간|분|일|주일?|달)(?:\s?(?:반|\d+분))?|하루|이틀|사흘)(?:만|쯤|정도)?`
)

var (
	offKo     = pattern.New(`^(.*?)` + managedKo + objectKo + `\s*` + fillKo + `(?:` + needlessKo + `\p{Hangul}*[,.!]?\s*)?(?:취소|삭제|지워|지우|없애|꺼|끄|그만|중단|중지|해제|제거|빼)` + orderKo)
	uselessKo = pattern.New(`^(.*?)` + managedKo + objectKo + `\s*` + fillKo + needlessKo + `(?:어(?:요|졌(?:어요?|네요?|습니다|음|다))?|습니다|음|다|네요?|거든요?)$`)
	noMoreKo  = pattern.New(`^(.*?)그만\s*(?:좀\s*)?(알려|리마인드|알림)\s*(?:해\s*)?(?:` + koGives + `|도\s?돼요?|하자)$|^(?:(?:이제|이젠|더\s?이상|그만)\s+)?(.*?)\s*(?:이제|더\s?이상|그만|다시는?)?\s*(알려|리마인드|알림)\s*(?:해\s*)?(?:주지|하지|보내지)\s*(?:마|말|않)\p{Hangul}*$`)
	// noLongerKo matches what makes of "알려주지 마" the end of something that was told again and again.
	noLongerKo = pattern.New(`(?:^|\s)(?:이제|이젠|더\s?이상|그만|다시는)\s`)
	// knownKo matches the particle of what may be any knowledge: "힌트는 이제 알려주지 마".
	knownKo = pattern.New(`(\p{Hangul})(?:은|는|을|를)$`)
	logKo   = pattern.New(`현황|내역`)
	// willKo matches what its author is about to do himself. With the bot's own reminders it is an order, with a booking it is not.
	willKo    = pattern.New(`할[게께]요?$`)
	remindsKo = pattern.New(`알림|알람|리마인[더드]`)
	// clockKo matches a time that needs no word for what is moved to it: 4시, 금요일, unlike 10 and 오늘, which may be values in a table.
	clockKo  = pattern.New(`(?:\d|[한두세네섯곱덟홉열])\s?시(?:[\s반\d]|$)|요일|욜|\d:\d\d|정오|자정`)
	runKo    = pattern.New(`^(.*?)` + managedKo + objectKo + `\s*` + fillKo + `(?:바로\s*)?(?:실행|돌려)` + orderKo)
	pauseKo  = pattern.New(`^(.*?)` + managedKo + objectKo + `\s*` + fillKo + `(?:멈춰|멈추|일시\s?정지|일시\s?중지|쉬어|쉬게|보류|중지|꺼|정지)` + orderKo)
	resumeKo = pattern.New(`^(.*?)` + managedKo + objectKo + `\s*` + fillKo + `(?:켜|재개|재시작|활성화|시작|보내|풀어)` + orderKo)
	whileKo  = pattern.New(`잠깐|잠시|당분간|일단`)
	againKo  = pattern.New(`다시`)
	listsKo  = []*pattern.Pattern{
		pattern.New(`^` + haveKo + `(?:알림|알람|리마인더|예약|스케줄)(?:들)?` + objectKo + shownKo),
		pattern.New(`^` + haveKo + `(?:예약|설정|등록|스케줄)(?:된|한|돼\s?있는|되어\s?있는|해\s?둔|해\s?놓은|해\s?놓은)\s*(?:거|것|게|걸|일|내용|작업|알림|알람|리마인더)(?:들)?` + objectKo + shownKo),
	}
	moveKo = pattern.New(`^(?:(` + pointKo + `)|(.*?)` + managedKo + `|(.{1,40}?\p{Hangul}))?` + objectKo + `\s*(?:시간` + objectKo + `만?\s*)?(\S*(?:\s\S+){0,4}?)(?:으로|로)\s*(?:좀\s*|다시\s*)?(바꿔|바꾸|변경|옮겨|옮기|미뤄|미루|당겨|당기|조정|수정|고쳐|연기|늦춰|늦추|앞당겨|해|하)` + orderKo)
	byKo   = pattern.New(`^(?:(` + pointKo + `)|(.*?)` + managedKo + `)?` + objectKo + `\s*` + spanKo + `\s*(?:뒤로|더|늦게|일찍|앞으로|먼저)?\s*(미뤄|미루|늦춰|늦추|연기|당겨|당기|앞당겨)` + orderKo)
	onlyKo = pattern.New(`^(?:(?:내|내가|나의|제|우리|여기|이\s?채널|모든|전체|매일|매주|매월|매달|걸어\s?(?:둔|놓은)|만든|설정한|등록한|예약한|` + pointKo + `|아까|방금)(?:\s+|$))+`)
	allKo  = pattern.New(`(?:^|\s)다(?:\s|$)|전부|모두|싹|전체|모든`)
)

const (
	haveKo  = `(?:(?:나|저|내|나의|내가|제|제가|우리|우리가|여기|이\s?채널에?|지금|현재|걸어\s?(?:둔|놓은|놨던)|걸린|예약된|예약한|설정된|설정한|등록된|등록한|만든|남은|모든|전체)\s*)*`
	shownKo = `\s*(?:목록|리스트|현황|내역)?(?:을|를|이|은|는)?\s*(?:(?:뭐|뭐뭐|뭐가|뭐뭐가|무엇이|어떤\s?게|어떤\s?것이?|몇\s?개|전부|다|모두|좀|나)\s*)*(?:(?:(?:걸려|잡혀|남아|켜져|(?:설정|등록|예약)(?:돼|되어))\s*)?있(?:는지|나|는\s?거|는\s?것)\s*(?:들?을?\s*)?(?:좀\s*)?(?:다\s*)?(?:보여|알려|말해|확인해)\s?` + koGives + `|(?:(?:걸려|잡혀|남아|켜져|(?:설정|등록|예약)(?:돼|되어))\s*)?있\p{Hangul}{0,4}|보여\s?` + koGives + `|알려\s?` + koGives + `|보기|볼래|볼게|확인|조회|뭐야|뭐지|뭐임|뭔가요|몇\s?개(?:야|지|예요|인가요?)|좀|목록|리스트)$`
)

// ManagesSchedules reports whether a message wants schedules that are there shown, removed, paused, resumed or moved: "cancel the retro
// reminder", "그거 4시로 바꿔줘". Whether there is such a schedule is for the caller to tell; one that is not Named is none where there is not.
func ManagesSchedules(text string) (ScheduleChange, bool) {
	text = strings.TrimSpace(text)
	if howEn.MatchString(bare(text)) || howKo.MatchString(bare(text)) {
		return ScheduleChange{Do: HowSchedules, Named: true}, true
	}
	asked := strings.ContainsAny(text[len(bare(text)):], "?？")
	if hangul(text) {
		text = bare(greetsKo.ReplaceAllString(text, ""))
		if willKo.MatchString(text) && !remindsKo.MatchString(text) {
			return ScheduleChange{}, false
		}
		if w, ok := managesKo(text, asked); ok {
			return w, true
		}
		return managesBare(text)
	}
	text = BeforeThanks(bare(polite.ReplaceAllString(text, "")))
	for _, l := range listsEn {
		if low := strings.ToLower(text); l.MatchString(text) {
			return ScheduleChange{Do: ListSchedules, Named: !strings.Contains(low, "schedule") && !(strings.Contains(low, "alarm") && firing.MatchString(text))}, true
		}
	}
	if asked && needlessEn.MatchString(text) {
		return ScheduleChange{}, false
	}
	for _, s := range stopsReminding {
		if m := s.FindStringSubmatch(text); m != nil {
			return ScheduleChange{Do: DropSchedules, About: subjectEn(m[3]), Named: strings.HasPrefix(strings.ToLower(m[1]), "remind") && !others.MatchString(m[2]) && !elsewhere.MatchString(m[3])}, true
		}
	}
	for _, d := range managesEn {
		if m := d.is.FindStringSubmatch(text); m != nil && !phraseEn.MatchString(m[2]) && (d.do != RunSchedules || pointed.MatchString(m[1])) {
			about := strings.TrimSpace(m[2] + subjectEn(m[4]))
			return ScheduleChange{Do: d.do, About: about, All: whole.MatchString(m[1]), Named: namedEn(m[3], about) && (d.do != RunSchedules || ours.MatchString(m[3]))}, true
		}
	}
	if m := moveOpenEn.FindStringSubmatch(text); m != nil && !phraseEn.MatchString(m[2]) && !booking.MatchString(m[3]) {
		return ScheduleChange{Do: MoveSchedules, About: subjectEn(strings.TrimSpace(m[2])), Named: namedEn(m[3], m[2])}, true
	}
	if m := moveIt.FindStringSubmatch(text); m != nil && !(sets(m[1], m[3]+m[6], m[4]) && numberTo.MatchString(m[4]+m[5])) {
		return ScheduleChange{Do: MoveSchedules, Bare: true, To: m[5], Earlier: sooner.MatchString(m[3]) || sooner.MatchString(m[6]), Sets: sets(m[1], m[3]+m[6], m[4])}, true
	}
	if m := moveThat.FindStringSubmatch(text); m != nil && (m[7] != "" || m[6] != "" || timely.MatchString(m[8])) && !phraseEn.MatchString(m[3]) {
		about := strings.TrimSpace(m[3] + m[5])
		return ScheduleChange{Do: MoveSchedules, About: about, Named: namedEn(m[4], about), To: m[8], Earlier: sooner.MatchString(m[6]) || sooner.MatchString(m[9]), Sets: sets(m[1], m[6]+m[9], m[7])}, true
	}
	if m := moveBare.FindStringSubmatch(text); m != nil {
		return ScheduleChange{Do: MoveSchedules, About: m[1], Bare: true, To: m[3], Earlier: sooner.MatchString(m[2]) || sooner.MatchString(m[4])}, true
	}
	if m := moveBack.FindStringSubmatch(text); m != nil {
		return ScheduleChange{Do: MoveSchedules, About: m[1], Bare: true, To: m[3], Earlier: sooner.MatchString(m[2])}, true
	}
	if m := snoozed.FindStringSubmatch(text); m != nil {
		return ScheduleChange{Do: MoveSchedules, Bare: true, To: m[1]}, true
	}
	return managesBare(text)
}

// managesBare is ManagesSchedules for changes of what is called by nothing but the words that it says: "turn the invoice check back on".
// None of them removes anything.
func managesBare(text string) (ScheduleChange, bool) {
	for _, b := range called {
		if m := b.is.FindStringSubmatch(text); m != nil {
			return ScheduleChange{Do: b.do, About: subjectEn(m[1]), Bare: true}, true
		}
	}
	return ScheduleChange{}, false
}

// subjectEn returns what a schedule says by words after "about" and the like.
func subjectEn(words string) string { return articles.ReplaceAllString(words, "") }

// namedEn reports whether a noun with words to it can only be the bot's: a reminder, or just "the alarm".
func namedEn(noun, about string) bool {
	return ours.MatchString(noun) && !elsewhere.MatchString(about) || alarm.MatchString(noun) && about == ""
}

// sets reports whether "change it to an hour" says how long something is: neither by how much nor which way it moves.
func sets(verb, way, to string) bool {
	return lasts.MatchString(verb) && way == "" && !by.MatchString(to)
}

// managesKo is ManagesSchedules for Korean. asked says that a question mark ended the text.
func managesKo(text string, asked bool) (ScheduleChange, bool) {
	for _, l := range listsKo {
		if l.MatchString(text) {
			return ScheduleChange{Do: ListSchedules, Named: !strings.Contains(text, "예약") && !strings.Contains(text, "스케줄") && !logKo.MatchString(text)}, true
		}
	}
	if m := byKo.FindStringSubmatch(text); m != nil {
		about := subjectKo(m[2])
		return ScheduleChange{Do: MoveSchedules, About: about, Named: namedKo(m[3], about), Bare: m[3] == "", To: m[4], Earlier: strings.Contains(m[5], "당")}, true
	}
	if m := moveKo.FindStringSubmatch(text); m != nil && m[4]+m[5] != "" {
		if m[5] == "" { // "4시로 바꿔줘"
			m[4], m[5] = "", m[4]
		}
		about := subjectKo(m[2] + m[4])
		w := ScheduleChange{Do: MoveSchedules, About: about, Named: namedKo(m[3], about), Bare: m[3] == "", To: strings.TrimSuffix(m[5], "으"), Sets: sets(m[6], "", "")}
		if m[1]+m[3]+about != "" || !w.Sets || clockKo.MatchString(w.To) {
			return w, true
		}
	}
	if m := moveOpenKo.FindStringSubmatch(text); m != nil && (!asked || koAsks.MatchString(text)) && !booking.MatchString(m[2]) {
		about := subjectKo(m[1])
		return ScheduleChange{Do: MoveSchedules, About: about, Named: namedKo(m[2], about)}, true
	}
	for _, d := range []struct {
		do ScheduleDo
		is *pattern.Pattern
	}{{PauseSchedules, pauseKo}, {DropSchedules, offKo}, {DropSchedules, uselessKo}, {RunSchedules, runKo}, {ResumeSchedules, resumeKo}} {
		m := d.is.FindStringSubmatch(text)
		switch {
		case m == nil, asked && !koAsks.MatchString(text): // 필요 없어?, 취소됨?
		case d.do == PauseSchedules && !whileKo.MatchString(m[3]) && offKo.MatchString(text): // 꺼줘, 중지해줘
		case d.do == ResumeSchedules && !againKo.MatchString(m[3]) && strings.Contains(text, "보내"): // 알림 보내줘
		default:
			about := subjectKo(m[1])
			return ScheduleChange{Do: d.do, About: about, All: allKo.MatchString(m[3]) || allKo.MatchString(m[1]), Named: namedKo(m[2], about)}, true
		}
	}
	if m := noMoreKo.FindStringSubmatch(text); m != nil {
		about, verb := subjectKo(noLongerKo.ReplaceAllString(m[1]+m[3]+" ", "")), m[2]+m[4]
		topic := knownKo.ReplaceAllString(about, "$1")
		named := verb == "알려" && topic == about && noLongerKo.MatchString(text) || namedKo(verb, about)
		if named || about != "" {
			return ScheduleChange{Do: DropSchedules, About: topic, Named: named}, true
		}
	}
	return ScheduleChange{}, false
}

// namedKo is namedEn for Korean.
func namedKo(noun, about string) bool {
	switch noun {
	case "리마인더", "리마인드":
		return !elsewhere.MatchString(about)
	case "알림", "알람":
		return about == ""
	}
	return false
}

// subjectKo returns what a schedule says by words in front of 알림, "" where they only point.
func subjectKo(words string) string {
	return strings.TrimSpace(onlyKo.ReplaceAllString(strings.TrimSpace(words)+" ", ""))
}
