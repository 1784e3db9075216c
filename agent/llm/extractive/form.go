package extractive

import "regexp"

// form is how what a question asks for looks in an answer.
type form struct {
	asked, given *regexp.Regexp
	except       *regexp.Regexp // a question that only seems to ask for it; nil: none
	lacks        string         // key of what the documents do not say; "" where an answer may look otherwise
}

// demanded reports that a sentence which does not look so answers nothing: who
// asks for the pay is not answered by how long the leave is.
func (f form) demanded() bool { return f.lacks != "" }

const (
	figures  = `\d|[일이삼사오육칠팔구십백천만억]+\s*(?:원|명|개)|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)\b`
	currency = `원|달러|유로|엔|위안|배|%|퍼센트|(?:won|dollars?|euros?|pounds?|yen|times|percent|usd|krw|eur)\b`
	priced   = `cost|pay|paid|price|fee|salar(?:y|ies)|bonus(?:es)?|allowance|rent|spend|charged?|wages?|pension|refund|deposit|fine|compensation|earn|reimbursed?|worth|budget|subsidy|grant|loan`
	measures = `시간|기간|거리|길이|무게|크기|높이|넓이|면적|온도|나이|인구|속도|용량|휴가|연차|동안`
)

// forms are what questions ask for, the first that fits counts.
var forms = []form{
	{
		asked:  regexp.MustCompile(`(?i)얼마(?:$|[^나큼\s]|\s+[^나동만전뒤후안])|(?:금액|가격|요금|비용)(?:은|는|이|가)?\s*(?:[?]|$|어떻게|알려)|how\s+much\s+(?:is|are|was|were|do|does|did|will|would|can|may)\b.*\b(?:` + priced + `)\b|what(?:'s|\s+is|\s+are)\s+the\s+(?:[a-z]+\s+){0,3}?(?:price|cost|fee|salary|rent)s?\b|how\s+much\s+(?:is|are)\s+an?\b`),
		given:  regexp.MustCompile(`(?i)(?:` + figures + `)[\d,.]*\s*(?:[십백천만억]+\s*)?(?:(?:hundred|thousand|million)\s+)?(?:` + currency + `)|[일이삼사오육칠팔구십백천만억]+\s*원|[$₩€£¥]\s*\d|무료|무급|전액|절반|\bfree\b|\bno (?:cost|charge|fee)|\bunpaid\b|\b(?:full|half) (?:pay|salary|price|cost)`),
		except: regexp.MustCompile(`얼마.*(?:` + measures + `)|(?:` + measures + `)(?:은|는|이|가)?\s*얼마`),
		lacks:  "extractive.form.amount",
	},
	{
		asked: regexp.MustCompile(`(?i)며칠|몇\s*일|how\s+many\s+days`),
		given: regexp.MustCompile(`(?i)\d\s*일|(?:하루|이틀|사흘)|\bdays?\b`),
	},
	{
		asked: regexp.MustCompile(`(?i)몇\s*시(?:[^간]|$)|what\s+time`),
		given: regexp.MustCompile(`(?i)\d\s*시|\d:\d{2}|\d\s*[ap]\.?m\b|noon|midnight|정오|자정`),
		lacks: "extractive.form.time",
	},
	{
		asked: regexp.MustCompile(`(?i)(?:이?메일)\s*주소|e-?mail\s+address`),
		given: regexp.MustCompile(`\S@\S`),
		lacks: "extractive.form.mail",
	},
	{
		asked: regexp.MustCompile(`(?i)전화\s*번호|내선\s*번호|phone\s+number|extension\s+number`),
		given: regexp.MustCompile(`\d{2}`),
		lacks: "extractive.form.number",
	},
	{
		asked: regexp.MustCompile(`(?i)얼마|금액|비용|한도|how\s+much|price|cost|amount|limit|budget`),
		given: regexp.MustCompile(`(?i)\d.*원|원\b|[$₩€]\s*\d|\bwon\b|\d\s*%`),
	},
	{
		asked: regexp.MustCompile(`(?i)몇|언제|기한|기간|how\s+(?:many|long|often|old|far)|when\b|deadline`),
		given: regexp.MustCompile(`\d`),
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
	f := a.form()
	if f == nil || !f.demanded() {
		return nil
	}
	for _, c := range quoted {
		if f.given.MatchString(c.text) {
			return nil
		}
	}
	return f
}
