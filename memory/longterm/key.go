package longterm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"maru/rag"
)

// essence is what makes two texts the same request: the set of their words'
// stems, without stop words, politeness, particles, order and repetition. A text
// of nothing else is taken as it is written.
func essence(text string) string {
	var a rag.Analyzer
	var words []string
	for _, w := range a.Query(text) {
		if w.Weight > 0 && len(w.Terms) > 0 && !politeness[w.Text] {
			words = append(words, plainForm(w.Terms[0]))
		}
	}
	if len(words) == 0 {
		return strings.Join(strings.Fields(strings.ToLower(text)), " ")
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// politeness are words with which one asks for anything.
var politeness = map[string]bool{
	"부탁해": true, "부탁해요": true, "부탁드려요": true, "부탁드립니다": true, "해주세요": true, "해줘": true, "주실래요": true,
	"한번": true, "빨리": true, "kindly": true, "help": true,
}

// requests end a Korean word with which something is asked for; the longest come
// first.
var requests = []string{
	"해주시겠어요", "해주실래요", "해주십시오", "해주세요", "해줄래요", "하십시오", "해줄래", "해줘요", "하세요", "해줘", "해봐", "해라", "해요", "하자", "하기", "해",
	"주시겠어요", "주실래요", "주세요", "줄래요", "줄래", "줘요", "줘", "봐",
}

// plainForm takes the request off a Korean word: 요약해줘 and 요약해 are 요약.
// Nothing is taken off that would leave less than two syllables.
func plainForm(word string) string {
	const syllable = len("가")
	for _, end := range requests {
		if s, ok := strings.CutSuffix(word, end); ok && len(s) >= 2*syllable {
			return s
		}
	}
	return word
}

// terms are the index terms of a text, repeated ones as often as they occur.
func terms(text string) []string {
	var a rag.Analyzer
	var out []string
	a.Document(text, func(t []byte) { out = append(out, string(t)) })
	return out
}

// hash makes a short opaque name of parts.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p)) // a hash takes every write
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// recordOf names the record that a note of this owner with this key belongs to.
func recordOf(o Owner, kind Kind, key string) Record {
	key = hash(key)
	return Record{
		ID: "m" + hash(o.Person, o.Home, string(kind), key), Workspace: o.workspace(), Person: o.Person,
		Scope: o.Home, Kind: kind, Key: key,
	}
}

// In returns r as it is named in another scope.
func (r Record) In(scope string) Record {
	r.Scope, r.ID = scope, "m"+hash(r.Person, scope, string(r.Kind), r.Key)
	return r
}
