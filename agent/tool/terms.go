package tool

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"maru/rag"
)

// The fields of a tool that are searched.
const (
	fieldName = iota
	fieldDescription
	fieldParameters
	fields
)

// Limits of a tool's indexed text, since a server may send anything.
const (
	maxDescription = 8 << 10 // bytes
	maxParameters  = 4 << 10 // bytes of the words in a schema
	maxSchemaDepth = 6
)

// termCounts is the frequency of a term in each field of a tool.
type termCounts [fields]uint8

// gramMark prefixes terms that are pieces of a name, to distinguish the piece "port" from the word
// "port".
const gramMark = "\x03"

// gramLength is the length of the pieces of names, in letters: "weather" is found
// in "getweatherdata".
const gramLength = 4

// specTerms counts the terms of a tool.
func specTerms(a *rag.Analyzer, s Spec) (map[string]*termCounts, [fields]float32) {
	terms := map[string]*termCounts{}
	var length [fields]float32
	put := func(field int, term string) {
		c := terms[term]
		if c == nil {
			c = new(termCounts)
			terms[term] = c
		}
		if c[field] < 255 {
			c[field]++
		}
	}
	read := func(field int, text string) {
		a.Document(text, func(term []byte) {
			length[field]++
			put(field, string(term))
			for _, topic := range topicsOf()[string(term)] {
				put(field, topic)
			}
		})
	}
	read(fieldName, s.Name+" "+strings.Join(s.Title.Everywhere(), " "))
	read(fieldDescription, clip(s.Description, maxDescription))
	read(fieldParameters, schemaWords(s.Parameters))
	for g := range grams(strings.ToLower(s.Name)) {
		put(fieldName, gramMark+g)
	}
	return terms, length
}

// grams returns the pieces of a name, each once, not across its marks.
func grams(name string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r < 0x80 }) {
		letters := []rune(word)
		for i := 0; i+gramLength <= len(letters); i++ {
			out[string(letters[i:i+gramLength])] = true
		}
	}
	return out
}

// schemaWords collects the names, descriptions and choices of a schema's properties.
func schemaWords(schema json.RawMessage) string {
	var node any
	if json.Unmarshal(schema, &node) != nil {
		return ""
	}
	var b strings.Builder
	collect(&b, node, 0)
	return clip(b.String(), maxParameters)
}

func collect(b *strings.Builder, node any, depth int) {
	object, ok := node.(map[string]any)
	if !ok || depth > maxSchemaDepth || b.Len() > maxParameters {
		return
	}
	for _, key := range []string{"title", "description"} {
		if text, ok := object[key].(string); ok {
			b.WriteString(clip(text, maxParameters) + " ")
		}
	}
	if choices, ok := object["enum"].([]any); ok {
		for _, c := range choices[:min(len(choices), 20)] {
			if text, ok := c.(string); ok {
				b.WriteString(clip(text, 80) + " ")
			}
		}
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			b.WriteString(clip(name, 80) + " ")
			collect(b, properties[name], depth+1)
		}
	}
	collect(b, object["items"], depth+1)
}

// queryTerm is one term of a task.
type queryTerm struct {
	term   string
	weight float32
	word   int // number of the task's word it represents
	whole  bool
}

// question is a task, analysed.
type question struct {
	words []string
	terms []queryTerm
}

// gramWeight is the weight of one piece of a name relative to a whole word.
const gramWeight = 0.3

// maxTerms bounds the terms of a task that are looked up; beyond it is a pasted
// document.
const maxTerms = 256

// questionTerms analyses a task.
func questionTerms(a *rag.Analyzer, task string) question {
	var q question
	topics := map[string]float32{}
	seen := map[string]bool{}
	put := func(t queryTerm) {
		if !seen[t.term] && t.weight > 0 && len(q.terms) < maxTerms {
			seen[t.term] = true
			q.terms = append(q.terms, t)
		}
	}
	for _, w := range a.Query(task) {
		if len(w.Terms) == 0 {
			continue
		}
		n := len(q.words)
		q.words = append(q.words, w.Text)
		if asksOnly()[w.Terms[0]] {
			w.Weight *= requestWeight
		}
		for _, topic := range topicsOf()[w.Terms[0]] {
			topics[topic] += float32(w.Weight) * topicWeight
		}
		for i, term := range w.Terms {
			put(queryTerm{term, float32(w.Weight * w.TermWeight(i)), n, i == 0})
		}
		pieces := grams(w.Text)
		for _, g := range slices.Sorted(maps.Keys(pieces)) {
			put(queryTerm{gramMark + g, float32(w.Weight) * gramWeight / float32(len(pieces)), n, false})
		}
	}
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		put(queryTerm{term: topic, weight: topics[topic]})
	}
	return q
}
