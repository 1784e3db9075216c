package contract

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"maru/phrase/pattern"
)

// shortestName is the minimum length of a title, in letters, to be recognised in a question.
const shortestName = 3

// name returns the contract's title without the file extension.
func (c Contract) name() string { return strings.TrimSuffix(c.Title, path.Ext(c.Title)) }

// asksEach matches questions about several contracts at once.
var asksEach = pattern.New(`(?i)(?:두|세|양쪽|모든|여러|각각?의?)\s*(?:용역\s*)?(?:계약|약관)|계약서?(?:들|마다|별)|\b(?:both|each|all(?: the)?|two|three) (?:of the )?(?:contracts?|agreements?)`)

// howMany matches the quantifiers of several contracts.
var howMany = pattern.New(`(?i)(?:^|\s)(?:두|세|양쪽|모든|여러|각각?의?)(?:\s|$)|\b(?:both|each|all|two|three)\b`)

// asksOther matches comparisons with a contract that is not named.
var asksOther = pattern.New(`(?i)비교|차이|다른\s*점|달라|다르|대비|compar|differ|versus|\bvs\b`)

// marked flags the contracts that a question is about and sorts them first: those it names by
// title or by a word unique to one title ("누리 계약서는?"), or all of them where it asks about each or
// compares one with the rest.
func marked(list []Contract, question string) []Contract {
	out := slices.Clone(list)
	n := 0
	for i := range out {
		if out[i].Asked = saidIn(question, out, i); out[i].Asked {
			n++
		}
	}
	if asksEach.MatchString(question) || (n == 1 && asksOther.MatchString(question) && !asksStandard.MatchString(question)) {
		for i := range out {
			out[i].Asked = true
		}
	}
	slices.SortStableFunc(out, func(a, b Contract) int { return boolOrder(a.Asked, b.Asked) })
	return out
}

// saidIn reports whether a question names the i-th contract of a list.
func saidIn(question string, list []Contract, i int) bool {
	asked, whole := squash(question), squash(list[i].name())
	if len([]rune(whole)) >= shortestName && strings.Contains(asked, whole) {
		return true
	}
	return len(list) > 1 && (saysKind(question, list, i) || slices.ContainsFunc(ownWords(list, i), func(w string) bool { return strings.Contains(asked, w) }))
}

var (
	// kindKo captures the kind of contract in a word: 임대차 in 임대차계약서.
	kindKo = pattern.New(`^(\p{Hangul}{2,}?)(?:용역|기본)?(?:계약서?|약정서?|협약서?|합의서|각서|약관)$`)
	// ofKindKo matches what may follow the kind in a question.
	ofKindKo = pattern.New(`^(?:의|은|는|이|가|을|를|에|에서|에는|도|와|과|랑|하고|쪽|건)?\p{P}*$|^(?:용역|기본)?(?:계약|약정|협약|합의|각서|약관)`)
)

// saysKind reports whether a question names the kind of the i-th contract of a list and no other
// title has the same kind.
func saysKind(question string, list []Contract, i int) bool {
	for _, w := range strings.FieldsFunc(list[i].name(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		m := kindKo.FindStringSubmatch(w)
		if m == nil || slices.ContainsFunc(list, func(c Contract) bool {
			return c.Document != list[i].Document && strings.Contains(squash(c.name()), m[1])
		}) {
			continue
		}
		for _, word := range strings.Fields(question) {
			if rest, ok := strings.CutPrefix(word, m[1]); ok && ofKindKo.MatchString(rest) {
				return true
			}
		}
	}
	return false
}

// ownWords returns the distinctive words of a contract's title: in no other title of the list, and
// not a generic word for a contract.
func ownWords(list []Contract, i int) []string {
	var out []string
	for _, w := range strings.FieldsFunc(list[i].name(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		w = squash(w)
		shared := slices.ContainsFunc(list, func(c Contract) bool {
			return c.Document != list[i].Document && strings.Contains(squash(c.name()), w)
		})
		if len([]rune(w)) >= 2 && strings.Trim(w, "0123456789") != "" && !named.MatchString(w) && !shared {
			out = append(out, w)
		}
	}
	return out
}

// asked counts the contracts that the question is about.
func asked(list []Contract) int {
	n := 0
	for _, c := range list {
		if c.Asked {
			n++
		}
	}
	return n
}

// withoutNames removes contract titles and the words that refer to them from a question.
func withoutNames(question string, list []Contract) string {
	var short []string
	for i, c := range list {
		if name := c.name(); len([]rune(name)) >= shortestName {
			question = strings.ReplaceAll(question, name, " ")
		}
		if len(list) > 1 {
			short = append(short, ownWords(list, i)...)
		}
	}
	left := slices.DeleteFunc(strings.Fields(question), func(word string) bool {
		return slices.ContainsFunc(short, func(s string) bool { return strings.Contains(squash(word), s) })
	})
	return strings.Join(left, " ")
}
