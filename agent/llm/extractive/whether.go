package extractive

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/intent"
	"maru/rag/lexicon"
)

// whether.go finds what a question for yes or no cannot do without: the card of "Can we pay by credit
// card?", the cleaning of "관리비에 청소비도 들어가?", the change of "보증금을 월세로 바꿀 수 있어?". What
// else is said of payments and deposits is neither yes nor no.

var (
	// whetherEn is a question for yes or no; whoseDeed asks who does it, and names the same things.
	whetherEn = expression(`(?i)^\W*(?:(?:and|but|so)\s+)?(?:is|are|was|were|do|does|did|can|could|may|might|will|would|shall|should|must|has|have|am)(?:n't)?\s`)
	whoseDeed = expression(`(?i)^\W*(?:and\s+|but\s+|so\s+)?who\s+[a-z]+s\b`)
	// meansEn is with what, in what or for what something is done, at the end of a question.
	meansEn   = expression(`(?i)\s(?:by|in|with|for|via|through)\s+(?:(?:an?|the|our|my|your|their|its|any|new|another)\s+)?([a-z][a-z-]+(?:\s+[a-z][a-z-]+)?)\s*[?.!]*\s*$`)
	ourEn     = expression(`(?i)\b(?:our|my|your|their)\s+([a-z][a-z-]+)`)
	someoneKo = expression(`누가|누구`)
	// topicOfKo is what a question is about by its particle; for who somebody is see [mustKo].
	topicOfKo = expression(`(?:^|\s)(\p{Hangul}{2,}?)(?:은|는)\s+(?:[^\s누]|누[^구]|누구(?:랑|와|하고|에게|한테|를|의))`)
	// tooKo is what is said to be among something; caseDeedKo is what is done in a case, as a noun.
	tooKo = expression(`(\p{Hangul}{2,}?)(?:까지)?도\s`)
	// oughtEn is what is to be done or may be done: "Does the vendor get to keep it?"
	oughtEn = expression(`(?i)\b(?:gets?|allowed|have|has|need|needs|required|obliged|entitled)\s+to\s+([a-z]{3,})`)
	// oftenEn is how often something is done, selfEn that it is done by oneself: what is said of it otherwise is no answer.
	oftenEn = expression(`(?i)\b((?:daily|weekly|fortnightly|monthly|quarterly|yearly|annually))\b`)
	selfEn  = expression(`(?i)\b(?:ourselves|myself|oneself|on\s+(?:our|my)\s+own)\b`)
	bySelf  = expression(`(?i)\b(?:\w+sel(?:f|ves)|own)\b`)
	// intoKo asks whether one thing may be made another; turnsKo is how that is said.
	intoKo  = expression(`[을를]\s+\p{Hangul}+로\s+(?:바꾸|바꿀|바꿔|전환|변경|돌리|돌릴)`)
	turnsKo = expression(`바꾸|바꿀|바꿔|전환|변경|갈음|대신`)
	// withKo is with what, as what or into what something is done: "카드로 내도 돼?"; eachKo how often.
	withKo = expression(`(\p{Hangul}{2,}?)(?:으로|로)\s+(?:\p{Hangul}+\s)?\p{Hangul}+(?:도\s*(?:돼|되|될|괜찮)|\s*수\s*(?:있|없)|나요|까요)`)
	eachKo = expression(`(\p{Hangul}{2,}?)(?:마다|별로)\s`)
	// selfKo is that something is done by oneself.
	selfKo = expression(`(?:^|\s)(직접|스스로)\s`)
	// bareOfKo is the word before a topic that makes one name with it: the sign of "간판 비용은 누가 내?".
	bareOfKo = expression(`(?:^|\s)(\p{Hangul}{2,})\s+\p{Hangul}{2,}(?:은|는)\s+(?:누가|누구)`)
	// noNounKo ends a word that is no noun, or is one with a particle.
	noNounKo   = expression(`(?:은|운|된|한|난|던|진|낸|긴|린|는|을|를|의|에|서|면|고|도|만|게|히|럼)$`)
	caseDeedKo = expression(`(?:^|\s)(\p{Hangul}{2,}?)(?:하|되)면(?:\s|,)`)
)

// whetherKo reports whether a Korean question is one for yes or no.
func whetherKo(question string) bool {
	return hangul(question) && intent.Question(question) && !opensKo.MatchString(question) && !compares.MatchString(question)
}

// mustBeSaid returns the stems of what a question for yes or no names and an answer has.
func mustBeSaid(question string) map[string]bool {
	out := map[string]bool{}
	note := func(re *pattern) {
		for _, m := range re.FindAllStringSubmatch(question, -1) {
			for _, w := range words(strings.ToLower(m[1])) {
				if st := stem(w); !empty[w] && !empty[st] && !weak[w] && !lightEn[w] && !aspects[st] && !slight[w] && !slight[st] {
					out[st] = true
				}
			}
		}
	}
	if hangul(question) {
		note(caseDeedKo)
		if whetherKo(question) {
			note(tooKo)
			note(withKo)
			note(eachKo)
			note(selfKo)
		}
		for _, m := range bareOfKo.FindAllStringSubmatch(question, -1) {
			if st := stem(m[1]); st == m[1] && !noNounKo.MatchString(st) && !empty[st] && !manners[st] && !slight[st] && !partyWord.MatchString(st) {
				out[st] = true
			}
		}
		if whetherKo(question) || someoneKo.MatchString(question) {
			note(topicOfKo)
		}
		maps.DeleteFunc(out, func(w string, _ bool) bool {
			return lightRoots[w] || mannered[w] || manners[w+"로"] || manners[w+"으로"] || lightKo[w+"로"]
		})
		return out
	}
	whether := whetherEn.MatchString(question)
	if whether || whoseDeed.MatchString(question) {
		note(meansEn)
	}
	if whether {
		note(oughtEn)
		note(oftenEn)
		note(ourEn)
		note(properName)
	}
	return out
}

// permissionAsked is a question whether something may be done, permissionGiven how documents say that it may or
// may not.
const (
	permissionAsked = `(?i)(?:아도|어도|여도|해도|\p{Hangul}도)\s*(?:돼|되나|되죠|되는|될까|됩니까|괜찮)|수\s*있(?:어|나|는지|을까|습니까|죠)|^\W*(?:(?:and|but|so)\s+)?(?:can|could|may|am|are)\s+(?:we|i|they|it|the\s+\w+)\b`
	permissionGiven = `(?i)수\s*(?:있|없)|못한다|못합니다|아니\s*된다|안\s*된다|금지|하지\s*(?:않는다|아니한다|않습니다)|(?:동의|승인|승낙|허락|허가)|\b(?:may|must|can|cannot|shall\s+not|consent|permission|prohibited|forbidden|allowed|permitted)\b`
)

// mayKo ends a question whether something may be done.
var mayKo = expression(`도\s*(?:돼|되|될|괜찮)\p{Hangul}*\s*[?]*\s*$`)

// formsToo lets the verb of a question whether something may be done stand in any of its forms: who asks
// "넘겨도 돼?" is answered by "넘길 수 있다".
func formsToo(question string, want []wanted, all []candidate) {
	if !whetherKo(question) {
		return
	}
	d := deedOf(mayKo.ReplaceAllString(question, ""))
	if d == nil || utf8.RuneCountInString(d.root) < minRoot {
		return
	}
	i := slices.IndexFunc(want, func(w wanted) bool { return w.stem == d.word })
	if i < 0 {
		return
	}
	seen := map[string]bool{d.word: true}
	for _, c := range all {
		for _, s := range c.stems {
			if !seen[s] && isSyllable(s) && d.begins(decomposed(s)) {
				want[i].same = append(want[i].same, other{[]string{s}, lexicon.SameMatch})
			}
			seen[s] = true
		}
	}
}

// minRoot is how many jamo a root must have that is looked for in any form: shorter ones begin nouns.
const minRoot = 3

// otherDeed returns what tells of a sentence that it is silent about how the question says something is
// done: by oneself, at what hours, or that one thing becomes another.
func otherDeed(question string) func(text string) bool {
	switch {
	case whetherEn.MatchString(question) && selfEn.MatchString(question):
		return func(text string) bool { return !bySelf.MatchString(text) }
	case moneyFor.MatchString(question):
		things := content(moneyFor.FindStringSubmatch(question)[2])
		return func(text string) bool {
			own := stems(text)
			return !moneyEn.MatchString(text) || !slices.ContainsFunc(things, func(s string) bool { return has(own, s) })
		}
	case whetherKo(question) && feeKo.MatchString(question) && !noFeeKo.MatchString(question):
		return func(text string) bool { return !moneyKo.MatchString(text) }
	case hoursKo.MatchString(question):
		return func(text string) bool { return !aClock.MatchString(text) }
	case intoKo.MatchString(question):
		return func(text string) bool { return !turnsKo.MatchString(text) }
	}
	return func(string) bool { return false }
}

var (
	// moneyFor asks whether there is money for something; moneyEn says what becomes of money.
	moneyFor = expression(`(?i)\b(?:is|are)\s+there\s+(?:an?y?|some|the)?\s*(budget|allowance|stipend|subsidy|reimbursement|money|grant|refund)\s+for\s+(.+)`)
	moneyEn  = expression(`(?i)\b(?:won|dollars?|euros?|pounds?|usd|krw|eur|paid|pays?|free|covers?|covered|reimburse[sd]?|reimbursement|budgets?|allowances?|stipends?|subsid\w+|claim(?:ed)?|refund\w*)\b|[$₩€£%]`)
	// feeKo is what something costs, as the question names it: 주차비, 통신료; noFeeKo ends as such words do.
	feeKo   = expression(`\p{Hangul}{2,}(?:비|료|값|요금)(?:까지도|까지|도|는|은|가|이|를|을)?(?:\s|$)`)
	noFeeKo = expression(`(?:준|장|설|정|대|소|낭|구|완|수)비(?:까지도|까지|도|는|은|가|이|를|을)?(?:\s|$)|(?:자|완|종|진|치|의|재|음|만|연|원|동)료(?:까지도|까지|도|는|은|가|이|를|을)?(?:\s|$)`)
	// moneyKo says what becomes of money: 5만 원, 무료, 지원합니다. Where the car park is says nothing of its fee.
	moneyKo = expression(`[\d십백천만억]\s*원|달러|유로|[%％]|퍼센트|무료|유료|지급|지원|청구|정산|부담|결제|환급|보상|한도|비용|\p{Hangul}[비료값](?:은|는|이|가|를|을|도|로)?(?:\s|$)|내(?:야|지|는|고)|냅니다|낸다`)
)

// endsKo ends the condition of a Korean sentence; ifEn is that of an English one.
var endsKo = expression(`\p{Hangul}면(?:[\s,]|$)|(?:때|경우)(?:에는|에|는)?(?:[\s,]|$)`)

// conditionOf is what of a sentence says in which case it holds; "" if it holds in any.
func conditionOf(text string) string {
	if !hangul(text) {
		return ifEn.FindString(text)
	}
	at := endsKo.FindAllStringIndex(text, -1)
	if len(at) == 0 {
		return ""
	}
	return text[:at[len(at)-1][1]]
}
