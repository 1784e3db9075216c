package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"maru/phrase/pattern"
)

// sought is the kind of value that a question asks for. A sentence that has one answers rather than one that repeats the
// question's words without it.
type sought struct {
	asks   *pattern.Pattern // of a question, by a word that asks
	names  *pattern.Pattern // of a question without such a word, by a noun; nil: none
	exact  *pattern.Pattern // a value of the kind, in a sentence
	rather *pattern.Pattern // a weaker sign of one
	not    *pattern.Pattern // what looks like one and is none
	gain   float64          // what a sentence that covers the question gains by one
	figure bool             // an amount, a date, a time, a length or a number of things
}

// wanting is what one question asks for.
type wanting struct {
	*sought

	question string
	unit     *regexp.Regexp // a number of the things that it counts; nil: it counts none
	bare     bool           // its words of the kind ask nothing: 요금을 카드로 내도 돼?
}

// Numbers in words with their units: 오천만 원, 석 달, 두 번, 사흘; six months, twice.
const (
	native   = `(?:한|두|세|네|석|넉|서너|두세|다섯|여섯|일곱|여덟|아홉|열|열한|열두|스무|스물|서른|마흔|쉰|첫)`
	sino     = `(?:[일이삼사오육칠팔구십백천만억]+\s?)`
	inWords  = `(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|quarter|several|first|second|third)`
	monthCap = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`
	dayName  = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?)`
)

// valueGain was chosen with the sums of KorQuAD and SQuAD in view (docs/evaluation.md).
const valueGain = 0.5

// soughts are the kinds, the narrow ones first: a question is of the first whose form it has.
var soughts = []sought{
	{asks: asksTerm, exact: aTerm, rather: aPeriod, gain: termGain, figure: true},
	{ // a share: 몇 퍼센트
		asks:   pattern.New(`(?i)몇\s?(?:퍼센트|프로|%)|\p{Hangul}율[은는이]?\s*얼마|\b(?:what|which) (?:percent\w*|share|proportion|rate|fraction)|\bhow many percent`),
		names:  pattern.New(`비율`),
		exact:  pattern.New(`(?i)\d\s?[%％]|\d\s?(?:퍼센트|프로)|[일이삼사오육칠팔구십백]\s?퍼센트|절반|분의\s?\d|\bpercent|\bhalf\b|\bone and a half\b|\bthirds?\b|\bquarters?\b`),
		rather: pattern.New(`\d`),
		gain:   valueGain, figure: true,
	},
	{ // a time of day
		asks:   pattern.New(`(?i)몇\s?시(?:$|[^간])|\bwhat time|\bwhat hours?\b|\bwhat are (?:the|your) (?:opening |working )?hours`),
		exact:  pattern.New(`(?i)\d{1,2}\s?시|\d{1,2}:\d\d|정오|자정|` + native + `\s?시|\d\s?[ap]\.?\s?m\b|\d\s?o'clock|\bnoon\b|\bmidnight\b`),
		rather: pattern.New(`오전|오후|아침|저녁|\d`),
		gain:   valueGain, figure: true,
	},
	{ // a year
		asks:   pattern.New(`(?i)몇\s?년(?:도|에|이|$|\s?\d)|어느\s?해|\b(?:what|which) years?\b`),
		names:  pattern.New(`연도|년도`),
		exact:  pattern.New(`\d{2,4}\s?년|\b1\d{3}s?\b|\b20\d\ds?\b`),
		rather: pattern.New(`\d`),
		gain:   valueGain, figure: true,
	},
	{ // a length of time, or how long before
		asks:  pattern.New(`(?i)며칠|(?:기간|기한|시간)[은는이]?\s*얼마|얼마\s?동안|얼마나\s?(?:걸|오래|자주)|몇\s?(?:일|주|달|개월|년|시간|분|초)|\bhow (?:long|often|soon)\b|\bhow many (?:\w+ )?(?:days|weeks|months|years|hours|minutes|seconds)\b|\bhow much (?:time|notice|warning)\b|\bhow (?:far|long) (?:in advance|ahead)\b`),
		names: pattern.New(`기간|기한`),
		exact: pattern.New(`(?i)\d[\d,.]*\s?(?:영업일|일|주일?|개월|달|년|시간|분|초)|` + native + `\s?(?:달|해|주|시간|번째)|하루|이틀|사흘|나흘|닷새|엿새|이레|열흘|보름|[일이삼사오육칠팔구십]+\s?(?:개월|년|주일|일\s?[이전간])|매[일주월년달]|` +
			`\b(?:\d[\d,.]*|` + inWords + `|a|an|each|every)(?:[ -](?:business|working|calendar|more|and a half|full|further))?[ -](?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies))\b|\b(?:daily|weekly|monthly|yearly|annually|once|twice)\b|\bwithout limit\b`),
		rather: pattern.New(`(?i)\d|까지|부터|\b(?:until|from|since)\b`),
		gain:   valueGain, figure: true,
	},
	{ // a moment
		asks:  pattern.New(`(?i)언제|\bwhen\b|\bwhat (?:date|day|month)\b|\bwhich (?:date|day|month)\b|\bhow soon\b|\bwhat(?:'s| is| was) the deadline\b|무슨\s?요일`),
		names: pattern.New(`(?i)날짜|\bdeadline\b`),
		exact: pattern.New(`(?i)\d{1,4}\s?(?:년|월|일|시|세기)|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|[월화수목금토일]요일|매[월달주일년해]\p{Hangul}*\s|다음\s?[달날주해]|` + native + `\s?달|하루|이틀|사흘|나흘|보름|당일|말일|설|추석|즉시|직후|` +
			`\b1\d{3}s?\b|\b20\d\ds?\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b` + monthCap + `\b|\b` + dayName + `\b|\b(?:within|after|before|upon|until) (?:\d|` + inWords + `)|\b(?:on|upon|at|after|before) (?:the )?(?:signature|signing|delivery|receipt|handover|acceptance|completion|request|arrival|demand)\b|\b` + inWords + ` (?:of each|day of|of the month)|\b(?:daily|weekly|monthly|yearly|annually)\b|\bmonth (?:\d|` + inWords + `)|\b(?:fall|spring|summer|autumn|winter) of\b|\d\s?[ap]\.?\s?m\b|\bcentury\b`),
		rather: pattern.New(`(?i)\d|때|동안|이후|이전|전에|후에|뒤에|\b(?:when|after|before|during|until|since|once|beyond|on|at)\b`),
		gain:   valueGain, figure: true,
	},
	{ // an amount of money
		asks:   pattern.New(`(?i)얼마(?:$|[^나간])|\bhow much\b|\bwhat (?:does|do|did|will|would|must|should)\b.*\b(?:cost|pay|charge)\b|\bwhat(?:'s| is| are| was| were)?\b(.*?)\b(?:price|cost|fees?|rent|salary|pay|penalty|amount|budget|charge|rate|deposit|fine)s?\b`),
		names:  pattern.New(`요금|가격|비용은|금액`),
		exact:  pattern.New(`(?i)\d[\d,.]*\s?[십백천만억조]*\s?(?:원|달러|유로|엔|위안|파운드)|[일이삼사오육칠팔구십백천만억]{2,}\s?원|[백천만억]\s?원|무료|공짜|무상|[$€£¥₩]\s?\d|\b(?:\d[\d,.]*|` + inWords + `) (?:dollars?|euros?|pounds?|cents?|won|yen|million|billion|thousand)\b|\b\d+p\b|\bfree\b`),
		rather: pattern.New(`(?i)퍼센트|반값|절반|` + sino + `(?:퍼센트|배)|[%％]|\b(?:percent|half|twice|times|equal to)\b`),
		gain:   valueGain, figure: true,
	},
	{ // a number of things
		asks:   pattern.New(`(?i)몇|\bhow (?:many|large|big|tall|old|far|high|wide|heavy|deep|fast|late|early)\b|\bwhat (?:number|size|age|height|population)\b`),
		names:  pattern.New(`개수|갯수|횟수|인원`),
		exact:  pattern.New(`(?i)\d|` + native + `\s?(?:번|명|개|달|시간|주|살|배|차례|가지|권|대|사람|잔|마리|장|곳|군데|편|차|척|층|벌|자리|칸|해)|하나만|둘|셋|넷|다섯|\b(?:` + inWords + `|once|twice|none|both|dozens?)\b`),
		rather: pattern.New(`여러|모두|\b(?:all|many|few)\b`),
		gain:   valueGain, figure: true,
	},
	{ // a reason
		asks:   asksWhy,
		names:  pattern.New(`이유|까닭`),
		exact:  pattern.New(`(?i)때문|위해|위하여|(?:이유|까닭)[는은]\s\S|이유|까닭|탓|덕분|므로|[어아여해]서[ ,]|으로써|\b(?:because|since|as (?:it|the|they|he|she|we|that|most|a|an|there|no|old|its|their)|due to|in order to|so that|owing to|reasons?\b[^.?!]* (?:is|was|are|were)|reasons?|therefore|thus|as a result|caused?)\b`),
		rather: pattern.New(`(?i)\b(?:to|for|by)\b|자[ ,]|으로|하여`),
	},
	{ // a place
		asks:   pattern.New(`(?i)어디|어느\s?(?:곳|나라|도시|지역|지방|역)|\bwhere\b|\b(?:what|which) (?:city|country|state|place|town|region|area|location|continent|address|river|building|court)\b`),
		names:  pattern.New(`장소|주소|위치`),
		exact:  pattern.New(`\d\s?(?:층|호|번지)|\p{Hangul}(?:시|도|군|구|읍|면|동|리|로|길|역|국|섬|산|강|성|관|원|점|방|실|칸|서랍|옆|앞|뒤|아래|위|안|밖|사이|근처|본사|지점|학교|병원|공원|도시|지역|지방|법원|화면)(?:에|에서|으로|로|의|을|를|이|가|은|는)?(?:\s|$|[,.])|\b(?:in|at|on|near|to|from|of|between|behind|beside|under|above|next to|inside|outside) (?:the )?(?:\p{Lu}|\d)|(?i:\b(?:floors?|basement|reception|lobby)\b|\b(?:in|at|on|to|from|near|behind|under|via|through) (?:the |our |your |an? )?(?:[\p{L}-]+ ){0,2}(?:room|office|desk|building|entrance|storage|cabinet|drawer|shelf|garage|kitchen|hall|website|portal|intranet|system|page|folder|drive|channel|calendar|dashboard|settings|app)\b)|^(?:Here|여기)\b`),
		rather: pattern.New(`(?i)[\p{L}\d]+(?:에서는?|에|으로|로|과의|와의|을|를|이|가)\s|\b(?:in|at|on|near|behind|beside|under|next to|inside|outside|between|into|beneath|from|to)\b`),
		not: pattern.New(`(?i)(?:\d[\d,.]*\s?(?:년|월|일|시|분|주|개월|번|명|원|세기)|[월화수목금토일]요일|아침|점심|저녁|오전|오후|봄|여름|가을|겨울|작년|올해|내년|지난\S*|다음\s?\S|때|하루|이틀|사흘|달|날|전|후|뒤|안|동안|번)(?:에는?|에서|부터|까지)?(?:\s|$|,)|` +
			`\b(?:in|on|at|from|to|by|for|until) (?:a |an |the )?(?:\d{4}|` + monthCap + `|` + dayName + `s?|spring|summer|autumn|fall|winter|sale|morning|evening|afternoon|noon|night|midnight|first|last|next|time|order|week|day|month|year|\d{1,2}[: ]?\S*|` + inWords + `\b)|` +
			`\b(?:(?:in|at|on|to|from|near|with|by|for|of|via|through) )?(?:the |our |your |an? )?(?:[\p{L}-]+ ){0,2}(?:room|office|desk|building|storage|garage|kitchen|website|portal|system|channel|app) (?:teams?|managers?|managements?|staff|owners?|administrators?|admins?|support|lead)\b`),
	},
	{ // a person
		asks:   pattern.New(`(?i)누구|누가|누굴|\bwho(?:m|se)?\b|\b(?:what|which) (?:person|man|woman|king|queen|president|actor|author|player|scientist|company|team|organi[sz]ation)\b`),
		names:  pattern.New(`인물`),
		exact:  pattern.New(`\p{Hangul}(?:인|자|님|씨|장|원|사|부|팀|왕|관|단|회|측|당|국|군|수|공|제|후)(?:이|가|은|는|께서?|에게?|에서|한테|으로|로|의|과|와|을|를)?(?:\s|$|[,.])|(?:성명|이름|담당|담당자|책임자)\s?:\s?\p{Hangul}|스스로|직접|각자|본인|\b(?i:landlords?|tenants?|owners?|employees?|employers?|managers?|supervisors?|directors?|heads?|officers?|compan(?:y|ies)|part(?:y|ies)|guests?|members?|instructors?|advisers?|people|staff|students?|patients?|customers?|buyers?|sellers?|suppliers?|clients?|providers?|partners?|vendors?|contractors?|auditors?|doctors?|lawyers?|engineers?|teachers?|drivers?|operators?|agents?|users?|authorit(?:y|ies)|committee|board|office|team|department)\b|\S@\S+\.\S|\bby (?:(?:the|a|an|Dr|Mr|Ms|Mrs)\.? )?\p{Lu}`),
		rather: pattern.New(`\p{Hangul}+(?:이|가|께서|은|는|의|에게)\s|\b\p{Lu}[\p{L}'-]*`),
		not:    pattern.New(`\b(?:` + monthCap + `|(?i:` + dayName + `))\b|^(?:The|An?|In|On|At|Of|By|For|From|To|As|If|It|Its|This|That|These|Those|There|When|While|After|Before|During|Since|All|Every|Each|No|New|Old|One|Two|Three)\b`),
	},
	{ // a meaning
		asks:   pattern.New(`(?i)무슨\s?(?:뜻|의미)|(?:뜻|의미)[이가은는]?\s*(?:뭐|무엇|뭔)|이?란\s*(?:뭐|무엇|뭔)|\bwhat (?:is|are) (?:an? |the )?[\p{L} -]{2,40}\?*$|\bmeaning of\b|\bmeans?\b|\bdefin|\bcounts? as\b|\bstands? for\b`),
		names:  pattern.New(`[이가은는]\s+(?:뭐|무엇|뭔)\p{Hangul}*\s*\??$`),
		exact:  pattern.New(`(?i)이란\s|란\s.*(?:말|뜻)|라\s?함은|을 말한다|를 말한다|말합니다|뜻한다|뜻합니다|의미한다|["”』」’] means?\b|\b(?:is|are) defined as\b|\brefers? to\b`),
		rather: pattern.New(`(?i)\bmeans?\b|\bis (?:an?|the)\b|일컫|부른다|불린다|가리킨다`),
		gain:   0.3,
	},
}

// soughtBy returns the kind of value that a question asks for, none if its form says none. A word that asks goes before a noun
// that names a value: "수리 비용은 누가 내나요?" asks for a person.
func soughtBy(question string) wanting {
	w := wanting{question: question}
	if asksArticle.MatchString(question) {
		return w
	}
	question = anyOne.ReplaceAllString(question, " ")
	if w.sought = askedBy(question); w.sought == nil {
		w.sought, w.bare = namedIn(question)
	}
	w.bare = w.bare || yesNo.MatchString(question) && !tells.MatchString(question)
	if w.sought == nil || w.figure {
		w.unit = countedIn(question)
	}
	return w
}

// asksTerm reports whether a question asks for the term of an agreement.
func (w wanting) asksTerm() bool { return w.sought != nil && w.asks == asksTerm }

// namedIn returns the kind of the last noun of a question that names one, which a Korean question is about: "요금이 오른 이유는?".
// bare reports that the question asks for something else of it.
func namedIn(question string) (found *sought, bare bool) {
	last := 0
	for i := range soughts {
		if soughts[i].names == nil || found != nil && i == len(soughts)-1 { // a meaning: 요금이 뭐예요?
			continue
		}
		if all := soughts[i].names.FindAllStringIndex(question, -1); len(all) > 0 && all[len(all)-1][1] > last {
			found, last = &soughts[i], all[len(all)-1][1]
		}
	}
	return found, found != nil && found.figure && strings.ContainsFunc(question, isHangul) && !asksOf.MatchString(question[last:])
}

// asksOf is what follows a noun that is asked for: 요금은? 요금이 어떻게 돼요? 요금 알려 줘.
var asksOf = pattern.New(`^(?:은|는|이|가|을|를|도|과|와)?(?:요|인가요|이에요|예요|이야|야)?\s*(?:좀\s*)?(?:$|[?!.,~]|뭐|무엇|뭔|어떻게\s?[되돼됩될됐]|어떤|어느|알려|알고|알 수|가르|말해|말씀|궁금|보여|확인|안내)`)

// yesNo begins a question for yes or no, where "when" asks nothing, unless it asks to be told.
var (
	yesNo = pattern.New(`(?i)^\W*(?:can|could|do|does|did|is|are|was|were|may|might|must|should|will|would|has|have)\b`)
	tells = pattern.New(`(?i)\b(?:tell|know|say|show|explain|remind|give|find|remember|idea)\b`)
)

// askedBy returns the first kind whose asking word a question has. With 왜 the others ask nothing (왜 며칠이나 걸려요). An English
// question begins with its asking word: "who … where the house stands?" asks for a person.
func askedBy(question string) *sought {
	var found *sought
	english, first, end := !strings.ContainsFunc(question, isHangul), 0, 0
	for i := range soughts {
		s := &soughts[i]
		at := s.asks.FindStringSubmatchIndex(question)
		switch {
		case at == nil, s.asks == asksTerm && ofSeveral.MatchString(question), len(at) > 2 && at[2] >= 0 && within.MatchString(question[at[2]:at[3]]):
		case found == nil, english && at[0] < first, english && at[0] == first && !s.figure && at[1] < end, // what city … the rent
			!english && s.asks == asksWhy:
			found, first, end = s, at[0], at[1]
		}
	}
	return found
}

// within separates "what" from a price that it does not ask for: the reason for the fee, what happens if the rent is late.
var within = pattern.New(`(?i)\b(?:for|of|to|behind|about|with|without|on|in|at|by|from|if|when|before|after|happens?|is|are|was|were|do|does|did|who|where|why)\b`)

// anyOne are asking words that ask nothing: 누구나, 어디에서든.
var anyOne = pattern.New(`(?:누구|어디(?:에서|에|서)?|언제)(?:든\p{Hangul}*|나(?:[\s,.]|$))`)

// Lacks reports whether a question asks for an amount, a date, a time, a length or a number of things, and a text has no sign
// of one that the question does not have itself.
func Lacks(question, text string) bool {
	return AsksValue(question) && soughtBy(question).in(text) == 0
}

// AsksValue reports whether a question asks for an amount, a date, a time, a length or a number of things.
func AsksValue(question string) bool {
	w := soughtBy(question)
	return w.sought != nil && w.figure && !w.bare
}

// asksArticle asks for the number of an article, which a heading says.
var asksArticle = pattern.New(`(?:몇|어느|무슨)\s*(?:번째?\s*)?조(?:$|[^\s원]|\s+[^원])`)

func isHangul(r rune) bool { return unicode.Is(unicode.Hangul, r) }

// in says how clearly a sentence has a value of the kind that the question does not have itself: 1, a half or 0. Of a number of
// things, these must follow it.
func (w wanting) in(sentence string) float64 {
	switch {
	case w.sought == nil:
		return 0
	case w.unit != nil && w.unit.MatchString(strings.ToLower(sentence)):
		return 1
	case w.unit != nil && w.exact.MatchString(sentence):
		return 0.5
	}
	if w.not != nil {
		sentence = w.not.ReplaceAllString(sentence, " ")
	}
	switch {
	case w.adds(w.exact, sentence):
		return 1
	case w.adds(w.rather, sentence):
		return 0.5
	}
	return 0
}

// adds reports whether a sentence has a match that the question does not have.
func (w wanting) adds(value *pattern.Pattern, sentence string) bool {
	return slices.ContainsFunc(value.FindAllString(sentence, -1), func(m string) bool {
		if m = strings.TrimSpace(m); strings.ContainsFunc(m, isHangul) {
			return !strings.Contains(w.question, m)
		}
		return !strings.Contains(" "+strings.ToLower(w.question), " "+strings.ToLower(m)) // "as the" is not in "was the"
	})
}

var (
	countsKo = pattern.New(`몇\s?(\p{Hangul})`)
	countsEn = pattern.New(`\bhow many (\p{L}+)(?: (\p{L}+))?`)
)

// countedIn matches a number of the things that a question counts (몇 명, how many employees); nil if it counts none.
func countedIn(question string) *regexp.Regexp {
	question = strings.ToLower(question)
	if m := countsKo.FindStringSubmatch(question); m != nil {
		return regexp.MustCompile(`(?:\d|[십백천만억여]|` + native + `)\s?` + m[1])
	}
	m := countsEn.FindStringSubmatch(question)
	if m == nil {
		return nil
	}
	begin := func(w string) string {
		r := []rune(w)
		return string(r[:max(min(len(r), 3), len(r)-2)])
	}
	unit := begin(m[1])
	if m[2] != "" {
		unit = `(?:` + unit + `|` + begin(m[2]) + `)`
	}
	return regexp.MustCompile(`(?:\d|\b` + inWords + `)[\p{L}\d,.]*[ -](?:[\p{L}'-]+ ){0,2}` + unit)
}

// defining are the words of a question for a meaning that no definition has.
var defining = pattern.New(`(?i)무슨\s?(?:뜻|의미)\S*|(?:뜻|의미)[이가은는]?\s*(?:뭐|무엇|뭔)\S*|\b(?:counts?|qualif(?:y|ies)) as\b|\bthe meaning of\b|\bmeant by\b|\b(?:mean|stand for)\b`)

// predicate returns the place in list of the word that says what is done, -1 if none does: the last verb of a Korean question, of an
// English one the first word of who did something, the last of where it was done.
func predicate(question string, list []wanted) int {
	at := -1
	for i, w := range list {
		if w.root != "" {
			at = i
		}
	}
	if at < 0 && len(list) > 1 && whoEn.MatchString(question) {
		return 0
	}
	if at < 0 && len(list) > 1 && whereEn.MatchString(question) {
		return len(list) - 1
	}
	return at
}

var (
	whoEn   = pattern.New(`(?i)^\W*who\b`)
	whereEn = pattern.New(`(?i)^\W*where\b`)
)
