package rag

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// addSpoken gives words of a question the forms that documents write, if the index has them and not the word: the noun before
// an ending of speech that [stem] leaves (헌법이랑, 야당쪽은, 내각이었다던데) as a synonym, and of a year said by two digits
// (85년) all four. known reports whether a readable passage holds a term.
func addSpoken(words []Word, known func(term string) bool) {
	for i := range words {
		w := &words[i]
		if year := yearOf(words, i); year != "" {
			w.Split = []string{year}
			continue
		}
		told := len(w.Same) > 0 || len(w.Split) > 0 || w.Joined != "" || i > 0 && words[i-1].Joined != ""
		if told || w.Weight < predicateWeight || !isHangulWord(*w) || known(w.Terms[0]) {
			continue
		}
		noun, rest := nounOf(w.Text, known)
		if noun == "" {
			continue
		}
		w.Same = []Synonym{{[]Word{{Text: noun, Terms: []string{noun}, Weight: 1}}, 1}}
		if w.Weight == predicateWeight && copula.MatchString(rest) {
			w.Weight = 1 // 작품이었는지 asks about a noun
		}
	}
}

// nounOf cuts an ending of speech from a word. It returns the longest noun that the index holds, and the ending.
func nounOf(word string, known func(string) bool) (noun, ending string) {
	for n := len(word) - syllable; n >= 2*syllable; n -= syllable {
		if noun, ending = word[:n], word[n:]; spokenEnding.MatchString(ending) && known(noun) {
			return noun, ending
		}
	}
	return "", ""
}

// Endings of speech. Each is matched to its end: the 은행 of 국민은행 begins like a particle and is none. The copula of the
// present is left out, with which people say who they are (공무원인데, 학생입니다).
const (
	particleEnd = `(?:이?랑|한테|에게|께|하고|보고|말고|부터|까지|보다|처럼|밖에|마다|이?나|이?라도|에다|에서|으?로|에|은|는|이|가|을|를|도|만|의)(?:서|다|다가|는|도|만|요)?`
	clauseEnd   = `(?:는|은|을|던)?(?:지|데|거|건|게|걸)?(?:랑|도|까지|요|죠|야|예요|에요|인지|인가요?|였죠|가요)*`
	quotedEnd   = `(?:다|라|자|냐|느냐)(?:고|며|면서|던데|는데|는|네|니까|더라|더라고)?(?:요|도|들)*`
	verbEnd     = `(?:` + clauseEnd + `|` + quotedEnd + `|(?:고|면|으면|면서|나|냐|네|어|어서|지만|거든|더라|더라고|대|래|으니까|니까|려고|려면|기|게|을까|까|신|음)(?:요|도|는|들)*)`
	copulaEnd   = `(?:이?(?:었|였)` + verbEnd + `|이?(?:라|냐)(?:고|며|면서|던데|는데|는|네|니까)?(?:요|도|들)*|이(?:고|죠|지|던|던데|니까|래|면)요?|일까요?|인(?:지|가|가요|거|건|게))`
)

var (
	copula       = pattern.New(`^` + copulaEnd + `$`)
	spokenEnding = pattern.New(`^(?:(?:들|님|씨|네|쪽|측|중|때|씩|쯤)?(?:` + particleEnd + `|` + copulaEnd + `)?|(?:같은|없는|있는)(?:거|게|건|데)?` +
		`|(?:하|되|했|됐|한|된|할|될|해|돼|해지|해져|시켜)` + verbEnd + `|(?:함|됨))$`)
)

// yearOf returns the four digits of a year of which people say the last two: 85년에, 07년, 16년도.
func yearOf(words []Word, i int) string {
	text := words[i].Text
	if len(text) != 2 || !isDigit(text[0]) || !isDigit(text[1]) || i+1 == len(words) {
		return ""
	}
	rest, ok := strings.CutPrefix(words[i+1].Text, "년")
	if rest == "" && i+2 < len(words) {
		rest = words[i+2].Text // 70년 동안
	}
	if !ok || slices.ContainsFunc(lasting, func(s string) bool { return strings.HasPrefix(rest, s) }) {
		return ""
	}
	switch {
	case text[0] >= '5' && text != "50":
		return "19" + text
	case text[0] == '0' || strings.HasPrefix(rest, "도") || strings.HasPrefix(rest, "초") || strings.HasPrefix(rest, "말"):
		return "20" + text
	}
	return ""
}

// lasting are what follows the 년 of a length of time.
var lasting = []string{"간", "동안", "째", "만", "전", "뒤", "후", "치", "차", "넘", "이상", "이내", "이하", "마다", "씩", "짜리", "형", "이나", "지나", "걸", "지난", "된", "되", "됐", "묵은", "근무", "근속"}
