package longterm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
)

// essence returns the canonical form of a request: the set of its words' stems, without stop words, politeness, particles,
// punctuation, case, order, repetition and spelling variants, and a negation flag. A text of stop words alone is kept
// verbatim. Merely similar texts are distinct requests: memory/README.md.
func essence(text string) string {
	var a rag.Analyzer
	var words []string
	for _, w := range a.Query(spelled.ReplaceAllString(strings.ToLower(text), "${1}iz$2")) {
		if w.Weight > 0 && len(w.Terms) > 0 && !politeness[w.Text] && !denials[w.Text] && !particles[w.Text] {
			words = append(words, plainForm(w.Terms[0]))
		}
	}
	if len(words) == 0 {
		return fit.OneLine(strings.ToLower(text))
	}
	if denied.MatchString(text) {
		words = append(words, "!")
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// spelled matches English words with British -is- for American -iz-.
var spelled = pattern.New(`(?i)\b([a-z]{3,})is(e[sd]?|ing|ations?)\b`)

// denied matches negations in both languages.
var denied = pattern.New(`(?i)\b(?:not|never|no|without|cannot|except)\b|n['’]t\b|(?:^|\s)(?:안|못)\s|지\s*(?:마|말|않|못)|말고|없이|빼고|제외`)

// denials are pure negation words, dropped from the stems.
var denials = map[string]bool{
	"don": true, "doesn": true, "didn": true, "won": true, "not": true, "never": true, "no": true, "without": true, "cannot": true, "except": true,
	"마": true, "말고": true, "말아": true, "마세요": true, "말아줘": true, "안": true, "못": true,
}

// particles are Korean particles separated from a word in Latin letters: report를.
var particles = map[string]bool{
	"은": true, "는": true, "을": true, "를": true, "에": true, "의": true, "로": true, "으로": true, "에서": true, "에게": true, "와": true, "과": true, "도": true,
}

// politeness lists the polite words of requests.
var politeness = map[string]bool{
	"부탁해": true, "부탁해요": true, "부탁드려요": true, "부탁드립니다": true, "해주세요": true, "해줘": true, "주실래요": true,
	"줄래": true, "줄래요": true, "주시겠어요": true, "주세요": true, "줘": true, "줘요": true, "주라": true, "어때요": true, "어떤가요": true,
	"한번": true, "빨리": true, "kindly": true, "help": true,
}

// requests are the endings of Korean requests, longest first.
var requests = []string{
	"해주시겠어요", "해주실래요", "해주십시오", "해주세요", "해줄래요", "하십시오", "해줄래", "해줘요", "하세요", "해줘", "해봐", "해라", "해요", "하자", "하기", "해",
	"주시겠어요", "주실래요", "주세요", "줄래요", "줄래", "줘요", "줘", "봐",
}

// plainForm removes a request ending from a Korean word: 요약해줘 and 요약해 become 요약. It leaves at least two syllables.
func plainForm(word string) string {
	const syllable = len("가")
	for _, end := range requests {
		if s, ok := strings.CutSuffix(word, end); ok && len(s) >= 2*syllable {
			return s
		}
	}
	return word
}

// terms returns the index terms of a text, with repetitions.
func terms(text string) []string {
	var a rag.Analyzer
	var out []string
	a.Document(text, func(t []byte) { out = append(out, string(t)) })
	return out
}

// hash returns a short opaque name derived from parts.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p)) // never fails
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// recordOf returns the identity of the record that a note of this owner and key belongs to.
func recordOf(o Owner, kind Kind, key string) Record {
	key = hash(key)
	return Record{
		ID: "m" + hash(o.Person, o.Home, string(kind), key), Workspace: o.workspace(), Person: o.Person,
		Scope: o.Home, Kind: kind, Key: key,
	}
}

// In returns r with its identity in another scope.
func (r Record) In(scope string) Record {
	r.Scope, r.ID = scope, "m"+hash(r.Person, scope, string(r.Kind), r.Key)
	return r
}
