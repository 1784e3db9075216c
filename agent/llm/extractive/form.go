package extractive

import "strings"

// form is how what a question asks for looks in an answer.
type form struct {
	asked, given *pattern
	except       *pattern                         // a question that only seems to ask for it; nil: none
	few          bool                             // demanded only of a question that names few things, see [sparse]
	echoes       bool                             // it is told in the question's own words: "if the tenant pays late"
	alone        bool                             // other sentences with figures beside one of this form mislead
	strict       bool                             // only a sentence about what is asked says it, see [form.tellers]
	holds        func(text, question string) bool // what else a sentence of this form must have; nil: nothing
	lacks        string                           // key of what the documents do not say; "" where an answer may look otherwise
}

// demanded reports that a sentence which does not look so answers nothing: who
// asks for the pay is not answered by how long the leave is.
func (f form) demanded() bool { return f.lacks != "" }

const (
	figures  = `\d|[일이삼사오육칠팔구십백천만억]+\s*(?:원|명|개)|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)\b`
	currency = `원|달러|유로|엔|위안|배|%|퍼센트|(?:won|dollars?|euros?|pounds?|yen|times|percent|usd|krw|eur)\b`
	priced   = `cost|pay|paid|price|fee|salar(?:y|ies)|bonus(?:es)?|allowance|rent|spend|charged?|wages?|pension|refund|deposit|fine|compensation|earn|reimbursed?|worth|budget|subsidy|grant|loan`
	because  = `때문|로\s*인(?:해|하여|한)|[가-힣]으로\s+[가-힣]*(?:되어|되었|됐|돼서|당하|당했)|니까|이유|원인|위해|위하여|하려고|하려는|려는|도록|덕분|덕에|따라서|그래서|탓|므로|바람에|[아어여해와워져돼려라켜쳐춰줘러펴겨셔내나가봐커써쳐껴]서(?:$|[^가-힣]|입니|였|예|이|는|도|라)|\b(?:because|due to|owing to|thanks to|so that|in order to|to (?:avoid|prevent|make|keep|allow|help|protect|ensure|save|reduce|cut|limit|stop|improve|spare|comply)|reasons?|therefore|caused?|causes|as a result|leads? to|led to|in case|otherwise)\b|,\s+as\s+(?:the|an?|this|that|these|those|it|they|we|he|she|you|i|there|no|nobody|few|fewer|many|more|most|all|some|both|our|its|their|his|her|my|your|one|two|nothing)\b|\bsince\s+[^\d\s]|\bfor\s+(?:safety|security|privacy)\b`
	dates    = `\d|[일월화수목금토]요일|매일|매주|매달|매월|매년|해마다|날마다|달마다|하루|이틀|사흘|나흘|보름|한\s*달|[두세네]\s*달|아침|점심|저녁|오전|오후|정오|자정|새벽|밤|어제|오늘|내일|모레|주말|월말|월초|연말|연초|말일|봄|여름|가을|겨울|분기|상반기|하반기|세기|당시|때|전에|전까지|전날|뒤에|뒤부터|후에|이후|이전|다음|지난|즉시|바로|곧|먼저|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|daily|weekly|monthly|quarterly|yearly|annually|every|each|noon|midnight|morning|afternoon|evening|night|today|tomorrow|yesterday|week|month|year|day|weekend|hour|minute|spring|summer|autumn|fall|winter|before|after|until|when|once|as soon as|immediately|at once|last|first|next|one|two|three|four|five|six|seven|eight|nine|ten)(?:s|ly)?\b`
	people   = `\p{Hangul}|[a-z,;:)]\s+(?:\d+\s+)?[A-Z][a-z]|(?:^|[."]\s*)[A-Z][a-z]+\s+[A-Z][a-z]+|\b[A-Z]{2,}\b|#\w|@|\b(?:The|An?|Each|Every|Any)\s+[A-Z][a-z]+|(?i:\b(?:` + parties + `|team|lead|leads|manager|managers|director|boss|staff|people|person|persons|someone|somebody|anyone|anybody|everyone|everybody|nobody|you|yourself|we|they|he|she|department|employees?|members?|colleagues?|owners?|partners?|customers?|visitors?|volunteers?|doctor|dr|engineers?|designers?|officers?|guests?|hosts?|hr|company|office|mentor|user|users|admin|admins|administrators?|desk|parents?|children|women|men)\b)`
	places   = `\b(?:in|at|near|behind|under|opposite|inside|outside|beside|beneath|above|below|next to|in front of|on|into|from|through|via|(?:go|goes|going|went|gone|sends?|sent|moves?|moved|takes?|taken|took|brings?|brought|comes?|came|reports?|returns?|returned|writes?|wrote|written|turn|addressed|hands?|handed|delivers?|delivered|ships?|shipped|leads?|led|add|added|drives?|driven|travels?|travelled|uploads?|uploaded|submits?|submitted|posts?|posted|transferred|close|directly|straight)(?:\s+[a-z]+){0,3}?\s+to)\s+(?:the\s+|an?\s+|your\s+|our\s+)?[a-z#]|\b(?:floor|room|desk|here|there|north|south|east|west|calendar|system|app)\b|#\w|https?:`
	limits   = `(?:[\d일이삼사오육칠팔구십]\s*(?:일|시|분|월|년|주|개월)|요일|날|전|말|주|오전|오후|정오|자정)\s*까지|안에|이내|내로|전에|전부터|\S\s전(?:$|[^가-힣])|마감|기한|최대|최장|동안|[\d두세네]\s*(?:년|개월|달|주|일)간|끝나|말일|\b(?:by|within|before|until|till|at least|at most|up to|no later|deadline|due|ahead|in advance|ends?|last)\b`
	measures = `시간|기간|거리|길이|무게|크기|높이|넓이|면적|온도|나이|인구|속도|용량|휴가|연차|동안`
)

// formReason is the key of a reason.
const formReason = "extractive.form.reason"

// formPerson is the key of a person.
const formPerson = "extractive.form.person"

// formPlace is the key of a place.
const formPlace = "extractive.form.place"

// formAmount is the key of an amount.
const formAmount = "extractive.form.amount"

// formDue is the key of when something is to be paid.
const formDue = "extractive.form.due"

// consequence is the key of what happens in a case.
const consequence = "extractive.form.consequence"

// forms are what questions ask for, the first that fits counts.
var forms = []form{
	{
		asked:  expression(`(?i)(?:^|[\s,])왜(?:$|[\s?])|이유(?:가|는|를)?\s*(?:뭐|무엇|뭔|[?]|$|알려)|^\W*(?:and\s+|but\s+|so\s+|ok(?:ay)?,?\s+)?why\b|\bwhat(?:'s|\s+is|\s+was)\s+the\s+reason\b|\bhow\s+come\b|\b(?:know|tell|say|says|explain|wonder|understand|remember)\s+(?:(?:me|us)\s+)?why\b|\bthe\s+reasons?\s+(?:for|why|that|behind)\b`),
		given:  expression(`(?i)` + because),
		except: expression(`(?i)why\s+not\b|^why\s+don't\s+(?:we|you)\b|왜냐`),
		few:    true,
		strict: true,
		holds:  givesReason,
		lacks:  formReason,
	},
	{
		asked: expression(`(?i)` + payWhen),
		given: expression(`(?i)` + dates + `|` + limits + `|\bon\s+(?:the\s+)?[a-z]`),
		few:   true,
		holds: notLate,
		lacks: formDue,
	},
	{
		asked: expression(`(?i)언제까지|언제\s*전까지|(?:마감|기한)(?:은|는|이|가)?\s*(?:[?]|$|언제|며칠|어떻|알려)|\bby\s+when\b|\bdeadline\b|\bhow\s+late\b|^\W*when\s+(?:\w+\s+){1,4}due\b`),
		given: expression(`(?i)` + limits),
		few:   true,
		alone: true,
		lacks: "extractive.form.deadline",
	},
	{
		asked:  expression(`(?i)얼마(?:$|[^나큼\s]|\s+[^나동만전뒤후안])|(?:금액|가격|요금|비용)(?:은|는|이|가)?\s*(?:[?]|$|어떻게|알려)|how\s+much\s+(?:is|are|was|were|do|does|did|will|would|can|may)\b.*\b(?:` + priced + `)\b|what(?:'s|\s+is|\s+are)\s+the\s+(?:[a-z]+\s+){0,3}?(?:price|cost|fee|salary|rent)s?\b|how\s+much\s+(?:is|are)\s+an?\b`),
		given:  expression(`(?i)(?:` + figures + `)[\d,.]*\s*(?:[십백천만억]+\s*)?(?:(?:hundred|thousand|million)\s+)?(?:` + currency + `)|[일이삼사오육칠팔구십백천만억]+\s*원|[$₩€£¥]\s*\d|\d\s*분의\s*\d|무료|무급|전액|절반|\bfree\b|\bno (?:cost|charge|fee)|\bunpaid\b|\b(?:full|half) (?:pay|salary|price|cost)`),
		except: expression(`얼마.*(?:` + measures + `)|(?:` + measures + `)(?:은|는|이|가)?\s*얼마`),
		lacks:  formAmount,
	},
	{
		asked: expression(`(?i)며칠|몇\s*일|how\s+many\s+days`),
		given: expression(`(?i)\d\s*일|(?:하루|이틀|사흘)|\bdays?\b`),
	},
	{
		asked:  expression(`(?i)면\s*(?:어떻게\s*(?:돼|되|됩)|무슨\s*일)|^\W*what\s+happens\s+(?:if|when)\b`),
		given:  expression(`(?i)(?:면|때|때는|때에는|경우|경우에는)(?:$|[^가-힣])|넘|늦|지나|못|않|없|\b(?:if|when|who|whoever|unless|once|after|late|otherwise|without|in case|fails?|until|delay(?:s|ed)?|overdue|penalt(?:y|ies)|damages)\b`),
		few:    true,
		echoes: true,
		lacks:  consequence,
	},
	{
		asked: expression(`(?i)얼마나\s*(?:커|큰|크|넓|높|길|깊|무거|무겁|멀|먼)|(?:크기|넓이|면적|높이|길이|무게|깊이)(?:는|은|가)?\s*(?:얼마|몇|어떻|[?]|$)|\bhow\s+(?:big|large|wide|tall|high|deep|heavy|far\s+(?:is|are|away|from))\b`),
		given: expression(`(?i)(?:` + figures + `)[\d,.]*\s*(?:제곱|평방|세제곱|킬로|센티|밀리|square\s+|cubic\s+)?(?:미터|그램|리터|인치|평|톤|ha|헥타르|배|m²|㎡|명|인용|km|cm|mm|m\b|kg|g\b|l\b|inch(?:es)?\b|met(?:re|er)s?|feet\b|foot\b|miles?\b|kilo\w+|gram\w*|tons?\b|tonnes?\b|pounds?\b|acres?\b|hectares?\b|lit(?:re|er)s?|people\b|seats?\b|inches)`),
		few:   true,
		lacks: "extractive.form.size",
	},
	{
		asked: expression(`(?i)\bhow\s+old\b|몇\s*살|나이(?:는|가)?\s*(?:얼마|몇|어떻|[?]|$)`),
		given: expression(`(?i)\d\s*(?:살|세\b|년)|\b(?:1[5-9]|20)\d\d\b|\bage|\byears?\s+old\b|\bborn\b|\bbuilt\b|\b\d+-year`),
		few:   true,
		lacks: "extractive.form.age",
	},
	{
		asked: expression(`(?i)\bhow\s+long\s+(?:is|are|was|will|do|does|did|must|may|can|should|have|has)\b|얼마\s*동안|얼마나\s*오래|얼마간`),
		given: expression(`(?i)(?:` + figures + `)[\d,.]*[\s-]*(?:business\s+|working\s+|calendar\s+|full\s+)?(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|periods?|characters?|letters|digits|pages?|년|개월|달|주|일|시간|분)|\b(?:until|till|before|after|ends?|indefinite\w*|unlimited|forever|permanent\w*|as\s+long\s+as)\b|까지|동안|무기한|영구|평생|하루|이틀|사흘`),
		few:   true,
		lacks: "extractive.form.duration",
	},
	{
		asked: expression(`얼마나\s*(?:나와|나오|나옴|받|줘|주나|주니|내|지급)`),
		given: expression(`(?i)(?:` + figures + `)[\d,.]*\s*(?:[십백천만억]+\s*)?(?:` + currency + `|일(?:[^에까부]|$)|시간|개|명)`),
		lacks: formAmount,
	},
	{
		asked:  expression(`(?i)` + countedKo.String() + `|` + countedEn.String()),
		given:  expression(`(?i)\d|` + figures + `|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|여러|수십|수백|\b(?:no|none|eleven|thirteen|fourteen|sixteen|seventeen|eighteen|nineteen|dozens?|half|both|single|unlimited|several)\b`),
		except: expression(`(?i)how\s+many\s+(?:[a-z]+\s+){0,2}(?:days|hours|minutes|weeks|months|years|times)\b`),
		few:    true,
		holds:  counts,
		lacks:  "extractive.form.count",
	},
	{
		asked: expression(`(?i)몇\s*시(?:[^간]|$)|what\s+time`),
		given: expression(`(?i)\d\s*시|\d:\d{2}|\d\s*[ap]\.?m\b|noon|midnight|정오|자정`),
		lacks: "extractive.form.time",
	},
	{
		asked: expression(`(?i)(?:뭐|뭘|무엇|무슨\s+\p{Hangul}+|어떤\s+\p{Hangul}+)[^?]*(?:필요|준비|챙기|챙겨|가져|내야|제출|있어야)|준비물|필요한\s*(?:거|것|게|서류)|\bwhat\s+(?:(?:documents?|papers?|paperwork|forms?)\s+)?(?:do|does|should|must|will)\s+(?:i|we|you)\s+(?:need|bring|submit|have\s+to\s+(?:bring|submit|show|provide))\b|\bwhat(?:'s|\s+is)\s+(?:needed|required)\b`),
		given: expression(`(?i)야\s*(?:합|한|하|해)|필요(?:합|하다|하며|하고|한\s)|첨부|제출|가져|지참|준비|\b(?:must|needs?|requires?|required|bring|submit|provide|attach|give\s+the)\b`),
	},
	{
		asked: expression(`(?i)(?:이?메일)\s*주소|e-?mail\s+address`),
		given: expression(`\S@\S`),
		lacks: "extractive.form.mail",
	},
	{
		asked: expression(`(?i)전화\s*번호|내선\s*번호|phone\s+number|extension\s+number`),
		given: expression(`\d{2}`),
		lacks: "extractive.form.number",
	},
	{
		asked: expression(`(?i)얼마|금액|비용|한도|how\s+much|price|cost|amount|limit|budget`),
		given: expression(`(?i)\d.*원|원\b|[$₩€]\s*\d|\bwon\b|\d\s*%`),
	},
	{
		asked: expression(`(?i)언제|\bwhen\s+(?:is|are|was|were|do|does|did|will|can|should|must)\b`),
		given: expression(`(?i)` + dates),
		few:   true,
		lacks: "extractive.form.date",
	},
	{
		asked:  expression(`(?i)^\W*(?:and\s+|but\s+|so\s+|ok(?:ay)?,?\s+)?where\b|\b(?:know|tell|say|says|explain|wonder|remember)\s+(?:(?:me|us)\s+)?where\b|` + whereKo),
		given:  expression(`(?i)\p{Hangul}|` + places),
		except: expression(elsewhereKo),
		few:    true,
		alone:  true,
		strict: true,
		holds:  namesPlace,
		lacks:  formPlace,
	},
	{
		asked: expression(`(?i)(?:^|[\s,])누가\s|누구(?:[?]|$|야|예|인|에게|한테|랑|의|를|였|죠|지)|\bwho(?:m|se)?\b`),
		given: expression(people),
		few:   true,
		holds: namesDoer,
		lacks: formPerson,
	},
	{
		asked: expression(permissionAsked),
		given: expression(permissionGiven),
	},
	{
		asked: expression(`(?i)몇|언제|기한|기간|how\s+(?:many|long|often|old|far)|when\b|deadline`),
		given: expression(`\d`),
	},
}

// form returns how what the question asks for looks; nil when it may look anyhow.
func (a *ask) form() *form {
	for i := range forms {
		f := &forms[i]
		if f.asked.MatchString(a.question) && (f.except == nil || !f.except.MatchString(a.question)) {
			return f
		}
	}
	return nil
}

// lacking returns the form that the question demands and none of the sentences
// to quote has; nil if nothing is lacking.
func (a *ask) lacking(quoted []candidate) *form {
	f := a.demand()
	if f == nil || len(f.tellers(quoted, a.question)) > 0 {
		return nil
	}
	return f
}

// demand returns the form without which a sentence does not answer; nil if there is none.
func (a *ask) demand() *form {
	f := a.form()
	if f == nil || !f.demanded() {
		return nil
	}
	most := maxSparse
	if f.lacks == formReason { // a reason is told in words of reasons, however much is asked about
		most = maxReasoned
	}
	if f.few && firm(subject(a.question)) > most {
		return nil
	}
	return f
}

// fits reports whether a sentence says something of this form that the question did not.
func (f *form) fits(text, question string) bool {
	return f.given.MatchString(f.beyond(text, question)) && (f.holds == nil || f.holds(text, question)) || heads(text, question)
}

// looks returns what tells of a sentence whether it may be of this form; nothing is of none.
func (f *form) looks(question string) func(text string) bool {
	switch {
	case f == nil:
		return func(string) bool { return false }
	case f.lacks == formPlace, f.lacks == formDue: // its particles mark times as well; what comes of lateness has a date
		return func(text string) bool { return f.fits(text, question) }
	}
	return f.given.MatchString
}

// foreign are words and numbers without Hangul.
var foreign = expression(`[\pL\pN][\pL\pN'-]*`)

// beyond returns what a sentence says that the question did not: the name and the year
// of the question are no answer to it.
func (f *form) beyond(text, question string) string {
	if !f.few || f.echoes {
		return text
	}
	asked := content(question)
	return foreign.ReplaceAllStringFunc(text, func(w string) string {
		if !hangul(w) && has(asked, stem(strings.ToLower(w))) {
			return "_"
		}
		return w
	})
}
