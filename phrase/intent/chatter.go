package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// Chatter is the tone of a message that asks for nothing.
type Chatter string

// The tones of [Chats].
const (
	ChatterBored  Chatter = "bored"
	ChatterLow    Chatter = "low"    // tired, sad, annoyed, hungry
	ChatterGlad   Chatter = "glad"   // happy
	ChatterPraise Chatter = "praise" // of the assistant
	ChatterScolds Chatter = "scolds" // the assistant
	ChatterHow    Chatter = "how"    // how are you
	ChatterTest   Chatter = "test"   // is anybody there
	ChatterChoice Chatter = "choice" // what to eat: a matter of taste
)

// maxChatter bounds such a message, in bytes: a longer one has a subject.
const maxChatter = 120

// Words around the tone: who feels it, how much, and sighs.
const (
	aroundEn = `(?:(?:hi|hey|hello|yo|good (?:morning|afternoon|evening)|oh|ugh|argh|man|omg|wow|well|ok|okay|haha|lol|so+|very|really|just|pretty|kinda|a (?:bit|little)|such|too|today|now|right now|again|again today|maru|bot|there|this morning|tonight|here|all|day|it) ?)*`
	imEn     = `(?:(?:i'?m|i am|im|i feel|feeling|i'?m feeling|we'?re) )?`
	urEn     = `(?:(?:you|u|you'?re|youre|you are|ur|u r|this|this is|that|that is|that's|thats|it is|it's|its|what an?|this bot is|maru is|the) ?)*(?:a |an |the )?`
	aroundKo = `(?:마루야?|안녕(?:하세요)?|아|야|와|우와|헐|음|하|휴|에휴|으|아오|진짜로?|정말로?|너무|완전|엄청|되게|오늘(?:은|도)?|요즘|그동안|하루종일|개|지금|이제|또|좀|나는?|난|저는?|전|우리|너는?|넌|역시|하루종일|ㅋ|ㅎ|ㅠ|ㅜ)*`
	endKo    = `(?:[ㅋㅎㅠㅜ]|요|용|네|당|다|어|해|ㅋ)*`
)

var chatterEn = []struct {
	tone Chatter
	is   *pattern.Pattern
}{
	{ChatterHow, pattern.New(`^` + aroundEn + `(?:(?:what(?:'?s| is) (?:new|up|going on|happening)|is everything (?:ok|okay|all ?right|fine|good)|wass?up|h ?r ?u|hw r u|and (?:you|u))|how(?:'s| is|s) (?:it going|things|everything|life|your (?:day|morning|week)(?: going)?)|how (?:are|r) (?:you|u|ya)(?: doing)?|how do you do|what'?s up|sup|you (?:ok|good|there)|nice to meet you)` + ` ?` + aroundEn + `$`)},
	{ChatterTest, pattern.New(`^` + aroundEn + `(?:(?:just )?(?:a )?test(?:ing|s)?(?: (?:test(?:ing)?|\d+|one|two|three|message|only))*|(?:are (?:you|u) (?:there|alive|working|awake|on|online)|anyone (?:there|here|home)|does this (?:thing )?work|ping|hello world|asdf\w*|qwerty))` + ` ?` + aroundEn + `$`)},
	{ChatterBored, pattern.New(`^` + aroundEn + imEn + aroundEn + `(?:bored|boring|bored (?:to death|out of my mind)|nothing to do)` + ` ?` + aroundEn + `$`)},
	{ChatterLow, pattern.New(`^` + aroundEn + imEn + aroundEn + `(?:tired|exhausted|sleepy|sad|down|lonely|stressed(?: out)?|upset|angry|annoyed|frustrated|hungry|burn(?:ed|t) out|overwhelmed|miserable|depressed|hate mondays?|i hate mondays?|bad day|(?:having|had) a (?:bad|rough|terrible|long) (?:day|week)|long day|rough day|don'?t (?:want|feel like) (?:to )?work(?:ing)?|need (?:a )?(?:coffee|vacation|nap|break))` + ` ?` + aroundEn + `$`)},
	{ChatterPraise, pattern.New(`^` + aroundEn + urEn + aroundEn + `(?:awesome|amazing|great|brilliant|smart|clever|cool|the best|best|fantastic|wonderful|cute|funny|helpful|perfect|lovely|nice|excellent|impressive|(?:good|great|nice|best|cool|smart|awesome) (?:bot|job|work|one|answer)|well done|i (?:love|like) (?:you|u|this|it)|love (?:you|u|it|this)|a (?:genius|star|lifesaver)|genius|rock)(?: ever)?` + ` ?` + aroundEn + `$`)},
	{ChatterGlad, pattern.New(`^` + aroundEn + imEn + aroundEn + `(?:happy|glad|excited|great|fine|good|thrilled|(?:having|had) a (?:good|great|nice) (?:day|week)|yay|woo ?hoo|it'?s friday|tgif)` + ` ?` + aroundEn + `$`)},
	{ChatterScolds, pattern.New(`^` + aroundEn + `(?:(?:` + urEn + aroundEn + `(?:useless|stupid|dumb|terrible|awful|horrible|annoying|bad|wrong|worthless|slow|not helpful|not useful|unhelpful|no help|an? (?:idiot|joke)|rubbish|garbage|trash|crap|shit|sucks?|the worst|ridiculous|nonsense|broken)(?: bot| answer| thing)?|(?:bad|stupid|dumb|useless|terrible) (?:bot|answer)|(?:you|u|it|this(?: bot)?) (?:never|don'?t|doesn'?t|didn'?t|can'?t|cannot)(?: even)? (?:understand|get|help|listen|know|work|answer)(?:s|ed)?(?: (?:me|it|us|anything|a thing|at all|what i (?:mean|say|want)))*|that (?:didn'?t|doesn'?t) help|that'?s not what i (?:asked|meant|wanted)(?: for)?|wtf|what the (?:hell|heck|fuck)|fuck (?:you|off)|shut up|i hate (?:you|this)(?: bot)?)[ .,!]*)+` + aroundEn + `$`)},
	{ChatterChoice, pattern.New(`^` + aroundEn + `what (?:should|shall|do|can) (?:i|we) (?:eat|have|get|order|cook|drink|watch)(?: (?:for|to) (?:lunch|dinner|breakfast|supper|dessert|eat|drink))?` + ` ?` + aroundEn + `$`)},
}

var chatterKo = []struct {
	tone Chatter
	is   *pattern.Pattern
}{
	{ChatterHow, pattern.New(`^` + aroundKo + `(?:잘지내\S{0,4}|잘지냈\S{0,3}|잘있었\S{0,3}|어떻게지내\S{0,4}|기분(?:은|이)?어때\S{0,2}|(?:오늘)?하루(?:는|가|도)?(?:어땠|어때|잘보냈)\S{0,3}|만나서반가\S{0,4}|밥(?:은)?먹었\S{0,3}|(?:점심|저녁|아침)(?:은)?먹었\S{0,3}|잘잤\S{0,3}|뭐해\S{0,1}|뭐하(?:니|냐|는중|고있\S{0,4})|반가워\S{0,2})$`)},
	{ChatterTest, pattern.New(`^` + aroundKo + `(?:(?:테스트|test|테스팅)(?:중|입니다|이에요|임|해봄|해볼게\S?|합니다|하는중|용|\d+)*|작동(?:하|되|돼)(?:나|니|나요|는거야)\S{0,2}|살아있\S{0,3}|거기있\S{0,3}|되나|되나요|들려\S?|ㅁㄴㅇㄹ\S*)$`)},
	{ChatterBored, pattern.New(`^` + aroundKo + `(?:심심|지루|따분|할일(?:이)?없|할게없)\S{0,6}$`)},
	{ChatterLow, pattern.New(`^` + aroundKo + `(?:피곤|힘들|힘드|지치|지쳐|지친|졸리|졸려|졸립|우울|슬프|슬퍼|외로|외롭|스트레스|짜증|속상|배고프|배고파|귀찮|퇴근하고싶|집에가고싶|집가고싶|일하기싫|출근하기싫|회사가기싫|놀고싶|쉬고싶|커피마시고싶)\S{0,6}?` + aroundKo + endKo + `$`)},
	{ChatterGlad, pattern.New(`^` + aroundKo + `(?:신나|신난|기쁘|기뻐|행복|기분(?:이)?(?:좋|최고)|즐거|즐겁|좋은하루|금요일이다|드디어금요일)\S{0,6}$`)},
	{ChatterPraise, pattern.New(`^` + aroundKo + `(?:(?:참|제일|짱|네가|니가)?(?:잘했|잘하|잘한|최고|대단|똑똑|훌륭|멋지|멋져|멋있|짱|굿|완벽|쩐|쩔|사랑해|예쁘|귀엽|귀여|착하|천재|칭찬|유능|도움(?:이)?(?:많이|됐|돼|되었)|기특|고생했)(?:어|어요|네|네요|다|야|이야|이에요|예요|해|해요|하네|하네요|하다|습니다|봇|구나|군|군요|워|워요|됐어|됐어요|되네|져|져요|[ㅋㅎ~])*)+$`)},
	{ChatterScolds, pattern.New(`^` + aroundKo + `(?:(?:왜(?:이렇게|이리|자꾸|그렇게)?)?(?:내)?(?:말|말귀)?(?:을|를)?(?:하나도|전혀|자꾸|계속)?(?:못알아(?:들어|듣|먹)\S{0,4}|이해(?:를)?못\S{0,5}|답답\S{0,4}|멍청\S{0,5}|바보\S{0,4}|쓸모(?:가)?없\S{0,5}|쓸데없\S{0,4}|도움(?:이)?(?:하나도|전혀)?안\S{1,4}|한심\S{0,4}|엉뚱한(?:소리|말|대답|답)\S{0,5}|헛소리\S{0,5}|실망\S{0,5}|형편없\S{0,4}|꺼져\S?|닥쳐\S?|못쓰겠\S{0,3}|구려|구리네|별로(?:네|다|야|예요|네요|임)|그(?:것|거|게)(?:이)?아니(?:라고|라니까|잖아|야)\S{0,2}|뭐라는거야|뭔소리야|무슨소리야|장난해|장난하냐)(?:진짜|정말|너무)?)+$`)},
	{ChatterChoice, pattern.New(`^` + aroundKo + `(?:점심|저녁|아침|야식|간식|점메|저메|뭐)(?:메뉴)?(?:은|는|으로|에)?(?:뭐|뭘|무엇을)?(?:먹지|먹을까\S?|먹을래|먹으면좋을까\S?|먹나|추천|추천해줘|추천좀|시킬까\S?|마실까\S?|볼까\S?)$`)},
}

// The words of English talk to a being: about what it is, how it is, and abuse. A short message of these and function words alone
// has no subject that documents could know.
var (
	plainEn = set(`a an the is are am was were be been being r you u ur your you're youre yourself i i'm im me my we to of in on at for with it it's its that this that's so very really just too
		and or but if then hi hey hello yo ok okay yes no yep nah well oh please tell can could would do does did have has had having what whats what's where when how hows how's more about know say talk
		talks sure exactly actually now today morning evening tonight here there cuz because again ever someone something thing bad lot maru it’s`)
	beingEn  = set(`who whos who's whom name nme bot robot chatbot ai human person machine real computer program alive old age birthday birthdate born made created built creator creators founders job yourself from live come talking speaking`)
	stateEn  = set(`feeling feel feelin doing going life things day up new ok okay good great fine happy alright everything treating morning`)
	meetEn   = set(`meet met pleasure acquaintance`)
	abuseEn  = set(`idiot idiots stupid dumb moron sucker suck sucks asshole fuck fucking fucked shit shitty bitch bastard jerk shut useless worthless pathetic ugly crap liar lame`)
	youWords = set(`you u ur your you're youre yourself maru bot`)
)

// talksTo returns the tone of a short English message without a subject of its own; of a question what the assistant is, being is true.
func talksTo(words []string) (tone Chatter, being bool) {
	var you, asked, state, meet, abuse, other int
	for _, w := range words {
		switch {
		case abuseEn[w]:
			abuse++
		case meetEn[w]:
			meet++
		case beingEn[w]:
			asked++
		case stateEn[w]:
			state++
		case !plainEn[w] && w != "nice" && w != "glad" && w != "pleased" && w != "off" && w != "up":
			other++
		}
		if youWords[w] {
			you++
		}
	}
	switch {
	case other > 0 || len(words) > 9 || len(words) == 0:
		return "", false
	case abuse > 0 && (you > 0 || len(words) <= 3):
		return ChatterScolds, false
	case you == 0:
		return "", false
	case meet > 0:
		return ChatterHow, false
	case asked > 0:
		return "", true
	case state > 0 && (asksEn.MatchString(strings.Join(words, " ")) || words[0] != "is" && len(words) <= 6):
		return ChatterHow, false
	}
	return "", false
}

// Chats returns the tone of a message that is only small talk: boredom, a mood, praise, a complaint about the answers, "how are
// you?", a test. A message that also has a subject is none.
func Chats(text string) (Chatter, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxChatter {
		return "", false
	}
	words := fields(strings.NewReplacer("?", " ", ">", " ").Replace(text))
	list, said := chatterEn, strings.Join(words, " ")
	if hangul(text) {
		list, said = chatterKo, strings.Join(fields(strings.NewReplacer("?", " ", "^", "").Replace(text)), "")
	}
	for _, c := range list {
		if c.is.MatchString(said) {
			return c.tone, true
		}
	}
	tone, _ := talksTo(words)
	return tone, tone != ""
}
