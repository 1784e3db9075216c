package extractive

import (
	"slices"
	"strings"
	"unicode"
)

// count.go tells whether a figure counts what the question counts: "5층 카페" is no number of
// seats, and "14 days" no number of employees.

var (
	countedKo = expression(`몇\s*(명|분|사람|대|개|가지|권|곳|번|회|차례|장|마리|잔|석|자리|건|편)`)
	countedEn = expression(`(?i)how\s+many\s+(?:of\s+the\s+)?([a-z]+)(?:\s+([a-z]+))?`)
	numberKo  = expression(`(?:\d[\d,.]*\s*(?:십|백|천|만|억)*|(?:^|\s)(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰|백|천|만|수십|수백|수천|[일이삼사오육칠팔구십백천만억]+)\s*(?:한|두|세|네|다섯|여섯)?)\s*(?:여\s*)?(\p{Hangul}+)`)
)

// A cell under one of these headers is a number of what its row is about, without a counter.
var (
	amountOfPeople = expression(`(?i)(?:^|, )(?:총\s*|현재\s*)?(?:인원(?:\s*수)?|정원|명수|사람\s*수|직원\s*수|headcount|people|employees|staff): ?\d[\d,.]*(?:, |$)`)
	amountOfThings = expression(`(?i)(?:^|, )(?:총\s*|현재\s*|보유\s*)?(?:수량|개수|대수|권수|매수|재고(?:\s*수량)?|quantity|qty\.?|count|units|stock): ?\d[\d,.]*(?:, |$)`)
	peopleKo       = []string{"명", "분", "사람"}
)

// sameCounters are words that count the same in Korean.
var sameCounters = [][]string{{"명", "분", "사람", "인", "식구"}, {"번", "회", "차례"}, {"개", "가지", "종", "건"}, {"자리", "석", "개", "자", "글자"}, {"곳", "군데", "개"}}

// counts reports whether a sentence has a number of what the question counts.
func counts(text, question string) bool {
	if m := countedKo.FindStringSubmatch(question); m != nil {
		return amounts(text, slices.Contains(peopleKo, m[1])) || countsKo(text, m[1])
	}
	if m := countedEn.FindStringSubmatch(question); m != nil && !hangul(text) {
		if amounts(text, peopleEn[stem(strings.ToLower(m[1]))]) {
			return true
		}
		// "how many meeting rooms": either word may stand beside the number.
		return countsEn(text, stem(strings.ToLower(m[1]))) || m[2] != "" && countsEn(text, stem(strings.ToLower(m[2])))
	}
	return true
}

// amounts reports whether a row of a table has a cell for how many there are.
func amounts(text string, people bool) bool {
	if people {
		return amountOfPeople.MatchString(text)
	}
	return amountOfThings.MatchString(text)
}

func countsKo(text, counter string) bool {
	if !hangul(text) {
		return true
	}
	words := []string{counter}
	for _, group := range sameCounters {
		if slices.Contains(group, counter) {
			words = append(words, group...)
		}
	}
	for _, m := range numberKo.FindAllStringSubmatch(text, -1) {
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(m[1], w) }) {
			return true
		}
	}
	return false
}

// reach is how many words a number and what it counts may stand apart.
const reach = 4

// bareCell is a cell of nothing but a number: it says as much of its row as its header does.
var bareCell = expression(`(^|, )([^:,]{1,60}): ?\d[\d,.]*(, |$)`)

func countsEn(text, thing string) bool {
	text = bareCell.ReplaceAllStringFunc(text, func(cell string) string {
		if m := bareCell.FindStringSubmatch(cell); !slices.ContainsFunc(words(m[2]), func(w string) bool { return matches(thing, stem(w)) }) {
			return m[1] + m[2] + m[3]
		}
		return cell
	})
	ws := words(text)
	for i, w := range ws {
		if !numeralsEn[w] && !strings.ContainsFunc(w, unicode.IsDigit) {
			continue
		}
		if i+1 < len(ws) && unitsEn[stem(ws[i+1])] && !matches(thing, stem(ws[i+1])) {
			continue // "the people team 30 days ahead" counts days
		}
		for k := max(0, i-3); k < min(len(ws), i+1+reach); k++ {
			if st := stem(ws[k]); matches(thing, st) || peopleEn[thing] && peopleEn[st] {
				return true
			}
		}
	}
	return false
}

var (
	numeralsEn = set(`no none one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen dozens half both single unlimited several`)
	unitsEn    = stemsOf(`days hours minutes seconds weeks months years times won dollars euros pounds percent characters`)
	peopleEn   = stemsOf(`people persons person employees employee staff members member workers worker guests guest visitors visitor participants attendees students colleagues`)
)

func stemsOf(words string) map[string]bool {
	out := map[string]bool{}
	for w := range set(words) {
		out[stem(w)] = true
	}
	return out
}
