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
	ChatterFails  Chatter = "fails"  // something that is not named
)

// maxChatter bounds such a message, in bytes: a longer one has a subject.
const maxChatter = 120

// Parts of English small talk.
const (
	aroundEn = `(?:(?:hi|hey|hello|yo|good (?:morning|afternoon|evening)|oh|ugh|argh|man|omg|wow|well|ok|okay|haha|lol|so+|very|really|just|pretty|kinda|a (?:bit|little)|such|too|today|now|right now|again|maru|bot|this morning|tonight|but) )*`
	imEn     = `(?:i'?m|i am|i feel|feeling|i'?m feeling|we'?re) `
	youEnIs  = `(?:(?:you|u) (?:are|r)|you'?re|ur|u r|maru is|(?:this|the) bot is) `
)

// small is a form of small talk.
type small struct {
	tone Chatter
	asks bool // it is a question
	is   *pattern.Pattern
}

// around returns a pattern for an English message of nothing but one of the forms and words around it.
func around(forms string) *pattern.Pattern {
	return pattern.New(`^` + aroundEn + `(?:` + forms + `) ` + aroundEn + `$`)
}

// Parts of English messages that something fails, without its name.
const (
	itEn      = `(?:it|this|that|these|they|everything|something|nothing|anything)`
	worksEn   = `(?:seem(?:s|ed)? to (?:be )?)?(?:work(?:s|ing|ed)?|run(?:ning)?|load(?:ing)?|respond(?:ing)?|function(?:ing)?)`
	notEn     = `(?:(?:do|does|did|is|are|was|will|would|can)(?:n'?t| not)|won'?t|can'?t|cannot|not|never|stopped|no longer)`
	failsEn   = `(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|broke|broken|hangs|frozen|stuck)`
	failingEn = `(?:help |please |and |still |always |only |(?:keeps?|kept) (?:on )?)*`
	forMeEn   = `(?: (?:for me|for us|at all|any ?more|properly|correctly|right|either|yet|still|here|again|as expected|on my (?:side|end)|since (?:today|yesterday|this morning)))*`
)

var chatterEn = []small{
	{ChatterHow, true, around(`h ?r ?u|and (?:you|u)|wass?up|sup|what(?:'?s| is| are (?:you|u)) up(?: to)?|how(?:'s| is|s) (?:it going|things(?: with (?:you|u))?|everything|(?:your )?life(?: treating (?:you|u))?|your (?:day|morning|week)(?: going)?)|how are things(?: with (?:you|u))?|` +
		`how (?:are|r) (?:you|u|ya)(?: (?:doing|feeling))?|how (?:you|u) doing|how do (?:you|u) do|(?:are |r )?(?:you|u) (?:ok|okay|good|well|happy|all ?right)|(?:are|do) (?:you|u) (?:having|have) an? (?:good|great|nice) day|` +
		`(?:it'?s (?:nice|great|good|a pleasure) |(?:i'?m )?(?:nice|glad|pleased|happy) )to (?:have met|meet) (?:you|u)`)},
	{ChatterTest, true, around(`(?:a )?test(?:ing)?(?: (?:test(?:ing)?|\d{3}|one two(?: three)?|1 2 3|message))*|are (?:you|u) (?:there|alive|awake)|anyone (?:there|here|home)|ping`)},
	{ChatterBored, false, around(`(?:` + imEn + `)?` + aroundEn + `(?:bored(?: to death| out of my mind)?)|(?:this|it)(?:'s| is) ` + aroundEn + `boring`)},
	{ChatterLow, false, around(`(?:` + imEn + `)?` + aroundEn + `(?:tired|exhausted|sleepy|sad|lonely|stressed(?: out)?|upset|angry|annoyed|frustrated|hungry|overwhelmed|miserable)|i(?:'m having| had) a (?:bad|rough|terrible|long) (?:day|week)|i don'?t (?:want to work|feel like working)`)},
	{ChatterPraise, false, around(`(?:` + youEnIs + aroundEn + `|that was ` + aroundEn + `)(?:(?:an? |the )?(?:awesome|amazing|great|brilliant|smart|clever|cool|best|fantastic|wonderful|cute|funny|helpful|perfect|lovely|nice|excellent|impressive|genius|star|lifesaver)(?: bot)?(?: ever)?)|(?:good|great|nice|smart|awesome|best) bot|(?:good|great|nice|excellent) (?:job|work|answer)|well done|i (?:love|like) (?:you|u|this bot)|(?:you|u) rock`)},
	{ChatterGlad, false, around(imEn + aroundEn + `(?:happy|glad|excited|great|fine|good|thrilled)|i(?:'m having| had) a (?:good|great|nice) (?:day|week)|yay|woo ?hoo|it'?s friday|tgif`)},
	{ChatterScolds, false, around(`(?:(?:this|that|it)(?: i|')s (?:useless|stupid|terrible|awful) )?(?:` + aroundEn + `(?:` + youEnIs + aroundEn + `(?:an? |the )?(?:(?:fucking )?(?:useless|stupid|dumb|terrible|awful|horrible|annoying|bad|wrong|worthless|slow|not (?:very )?(?:helpful|smart)|unhelpful|no help|worst|ridiculous) ?)+(?:bot)?|` +
		`(?:` + youEnIs + `(?:an? )?|(?:you|u) )?(?:fucking |stupid |shit )*(?:idiot|moron|liar|asshole|bastard|jerk)|(?:bad|stupid|dumb|useless|terrible|shit) (?:bot|answer)|(?:wrong|bad) answer|(?:you|u) (?:never|don'?t|didn'?t|can'?t|cannot)(?: even)? (?:understand|get|help|listen)(?: (?:me|it|anything|a thing|what i (?:mean|say|want)))?|` +
		`(?:you|u) (?:know|understand) nothing|(?:you|u)(?:'ve)? (?:already|just) (?:told|said|answered|gave|wrote) (?:me )?(?:that|this|it)(?: (?:already|before|again|twice|(?:two|three|\d+) times))?|(?:you|u) keep (?:saying|repeating|telling me) (?:that|this|it|yourself|the same(?: thing| answer)?)|that'?s not what i (?:asked|meant|wanted)(?: for)?|wtf|fuck (?:you|u|off)|shut up|i hate (?:you|u)(?: bot)?) ?)+`)},
	{ChatterFails, true, around(`(?:why |how come )?` + failingEn + `(?:(?:` + itEn + `(?:'?s)? (?:still |just |really |is |are )*)?` + notEn + ` (?:still )?` + worksEn + `|` + itEn + `(?:'?s| is| has| just| always| still| keeps?| kept)* ` + failsEn + `|` +
		`nothing (?:is |ever )?(?:work(?:s|ing|ed)?|happen(?:s|ed|ing)?)|(?:is|does|did|do|are|has|will|wo)n'?t ` + itEn + ` ` + worksEn + `|(?:is|does|did|do|are|has) ` + itEn + ` (?:not (?:always |still )*` + worksEn + `|(?:always |still |keep )*` + failsEn + `)|(?:still|keeps|always) ` + failsEn + `|something(?:'?s| is| went| has gone| goes) wrong|` +
		`(?:i|we)(?:'?m| am|'?re| are|'?ve| have)?(?: keep| just| still| always)*(?: get(?:ting)?| got| have| having| see(?:ing)?| ran into)* an? (?:error|problem|issue)(?: message)?|(?:it|this|that|there)(?:'?s| is| gives| shows| throws| says)(?: me| only| just| always)* an? (?:error|problem)(?: message)?|(?:i|we)(?:'?m| am|'?re| are) stuck)` + forMeEn)},
	{ChatterChoice, true, around(`what (?:should|shall) (?:i|we) (?:(?:eat|cook)(?: (?:for )?(?:lunch|dinner|breakfast|tonight))?|(?:have|get|order) for (?:lunch|dinner|breakfast))`)},
}

// aroundKo are words that say how much, when, and who speaks, and sighs.
var aroundKo = set(`마루 마루야 안녕 안녕하세요 아 야 와 우와 헐 음 휴 에휴 으 아오 진짜 진짜로 정말 정말로 너무 너무너무 완전 엄청 되게 오늘 오늘은 오늘도 요즘 그동안 하루종일 지금 이제 또 좀 나 나는 난 저 저는 전 너 너는 넌 역시 참`)

// Endings of predicates, after the stems that take them.
const (
	hadaKo = `(?:하다|하네요?|해요?|합니다|하군요?|하구나|함)`
	endKo  = `(?:다|네요?|어요?|아요?|군요?|구나|습니다)`
	isKo   = `(?:야|이야|다|이다|네요?|이네요?|예요|에요|이에요|입니다)`
	askKo  = `(?:요|니|냐|나요?|어요?)?`
)

// Parts of Korean messages that something fails, without its name and without spaces. Questions are such only after
// 왜: 안 되나요? asks whether one may.
const (
	itKo    = `(?:이거|이게|이건|이것[도은이]?|그거|그게|그건|그것[도은이]?|저거|저게|뭔가|아무것도|하나도|전혀|전부|다|모두|계속|자꾸|아직도?|여전히|갑자기|왜|근데|그런데|해봤는데|했는데|해봐도|해도|제대로|잘|도무지|도저히|그래도|아예|현재|죄송한데|죄송하지만)*`
	failKo  = `(?:(?:(?:작동|동작|실행)[이을도]?)?` + itKo + `(?:안(?:되|됐|돼|됨|됩니|된)|되[지질](?:를|가)?않)|(?:작동|동작|실행)[을이도]?` + itKo + `(?:안(?:하|했|해|함|합니)|하[지질](?:를|가)?않)|(?:고장|오류|에러|버그|문제)(?:가|이|만|도)?(?:발생)?(?:났|나|남|납니|난|생겼|생겨|생김|생깁니|있|했|해|함|합니|뜨|떴|떠|뜸|뜹니|나오|나와|나옴|나옵니|나왔)|(?:먹통|고장)(?:이에|이|입니|됐|이네)|망가졌|멈[췄춰추]|막혔)`
	tellsKo = `(?:요|네요?|는데요?|는군요|는(?:거|건|걸|데)(?:야|예요|에요|요)?|고있(?:어요?|음|습니다|네요?)|[는은]?것?거?같(?:아요?|네요?|습니다)|[어아]요?|습니다|다|음)?`
	askedKo = `(?:요|네요?|는데요?|는군요|나요?|냐|니|는(?:거|건|걸|데)(?:야|예요|에요|가요?|죠|지|요)?|고있(?:어요?|음|습니다|네요?)|[는은]?것?거?같(?:아요?|네요?|습니다)|[어아]요?|죠|지요?|습니다|다|음)?`
)

var chatterKo = []small{
	{ChatterHow, true, pattern.New(`^(?:잘지내(?:요|니|냐|나요|세요|시나요|시죠|고있(?:어요?|니|나요|죠))?|잘(?:지냈|있었|잤)` + askKo + `|어떻게지내(?:요|니|세요|시나요)?|기분(?:은|이)?어때요?|하루(?:는|가)?(?:어땠어요?|어때요?|잘보냈어요?)|만나서반가(?:워요?|웠어요?|웠습니다)|(?:밥|점심|저녁|아침)(?:은)?먹었` + askKo + `|뭐해요?|뭐하(?:니|냐|고있(?:어요?|니|나요)))$`)},
	{ChatterTest, true, pattern.New(`^(?:(?:테스트|test)(?:중|중이야|중입니다|입니다|이에요|임|합니다)?(?:\d{3})?|(?:살아|거기)있(?:어요?|니|냐|나요?))$`)},
	{ChatterBored, false, pattern.New(`^(?:(?:심심|지루|따분)` + hadaKo + `|할(?:일|게|것)(?:이)?없` + endKo + `)$`)},
	{ChatterLow, false, pattern.New(`^(?:(?:피곤|우울|속상)` + hadaKo + `|(?:힘들|지쳤|슬프|외롭|졸리|귀찮|배고프)` + endKo + `|힘드네요?|지(?:친다|치네요?|쳐요?)|졸려요?|슬퍼요?|외로워요?|배고파요?|스트레스받` + endKo + `|짜증(?:이)?(?:나요?|난다|나네요?)|(?:퇴근하고|집에가고|집가고|놀고)싶` + endKo + `|(?:일하기|출근하기|회사가기)싫` + endKo + `)$`)},
	{ChatterGlad, false, pattern.New(`^(?:행복` + hadaKo + `|신(?:나요?|난다|나네요?)|기(?:뻐요?|쁘네요?|쁘다)|즐거워요?|즐겁` + endKo + `|기분(?:이)?(?:좋` + endKo + `|최고` + isKo + `?)|(?:드디어)?금요일` + isKo + `)$`)},
	{ChatterPraise, false, pattern.New(`^(?:잘(?:했` + endKo + `|하네요?|한다)|(?:네가|니가)?(?:제일|짱|최고|천재)` + isKo + `?|(?:똑똑|대단|훌륭|완벽|착)` + hadaKo + `|멋(?:지다|지네요?|져요?|있` + endKo + `)|귀엽` + endKo + `|귀여워요?|(?:큰)?도움(?:이)?(?:많이)?(?:됐|되었)` + endKo + `|고생했` + endKo + `|사랑해요?)+$`)},
	{ChatterScolds, true, pattern.New(`^(?:답답` + hadaKo + `)?왜(?:이렇게|자꾸)?(?:내)?말(?:귀)?(?:을|를)?(?:하나도|전혀|자꾸)?못알아(?:들어요?|듣니|듣냐|먹어|먹니)$`)},
	{ChatterScolds, true, pattern.New(`^(?:바보(?:야|니|냐|같아|예요|인가|세요)?|(?:지금)?장난(?:해|하냐|하니|치냐|치니|쳐|하세요)요?|왜(?:자꾸|맨날|계속)?(?:다)?(?:모른다|없다|못한다)고만?(?:해|하니|하냐|하네)요?)+$`)},
	{ChatterScolds, false, pattern.New(`^(?:(?:내)?말(?:귀)?(?:을|를)?(?:하나도|전혀|자꾸|계속)?못알아(?:들어요?|듣네요?|듣는다|먹네)|(?:답답|멍청|한심)` + hadaKo + `|멍청(?:이|아|이야)|바보(?:야|네|같아|같네|같다)?|쓸모(?:가)?없` + endKo + `|엉뚱한(?:소리|말|대답|답)(?:만)?(?:해|하네|한다)|헛소리(?:만)?(?:해|하네|한다|하지마)|(?:계속|자꾸|또|맨날)*(?:같은|똑같은)(?:말|소리|대답|답|답변|얘기)(?:만)?(?:이?네요?|하네요?|해요?|한다|하지마|반복` + hadaKo + `|이?잖아요?)|꺼져|닥쳐)+$`)},
	{ChatterFails, true, pattern.New(`^` + itKo + failKo + tellsKo + `$`)},
	{ChatterFails, true, pattern.New(`^` + itKo + `(?:(?:작동|동작|실행)[이을도]?)?` + itKo + `왜` + itKo + failKo + askedKo + `$`)},
	{ChatterChoice, true, pattern.New(`^(?:(?:점심|저녁|아침|야식|간식)(?:메뉴)?(?:은|는|으로|에)?)?(?:뭐|뭘)먹(?:지|을까요?)$`)},
}

// Chats returns the tone of a message that is only small talk: boredom, a mood, praise, a complaint about the answers, "how are
// you?", a test, something unnamed that fails. A message that also has a subject is none, and so is a question about anything but
// these.
func Chats(text string) (Chatter, bool) {
	text = strings.TrimSpace(text)
	if len(text) > maxChatter {
		return "", false
	}
	asks := Question(text)
	list, said := chatterEn, strings.Join(fields(unasked.Replace(text)), " ")+" "
	if hangul(text) {
		list, said = chatterKo, predicateKo(text)
	}
	for _, c := range list {
		if (c.asks || !asks) && c.is.MatchString(said) {
			return c.tone, true
		}
	}
	return "", false
}

// predicateKo returns a Korean message without spaces, laughter and the words of [aroundKo].
func predicateKo(text string) string {
	var out strings.Builder
	for _, w := range fields(unfaced.Replace(text)) {
		if w = strings.TrimRight(w, "ㅋㅎㅠㅜ"); !aroundKo[w] {
			out.WriteString(w)
		}
	}
	return out.String()
}
