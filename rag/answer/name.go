package answer

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
	"maru/phrase/slip"
)

// A passage that lacks a name of the question is about another thing, however alike: the price of Orbit storage is not that of Comet
// storage.
var (
	// latinKo is a name in Latin script within a Korean question, properEn one with a capital letter behind another word.
	// An acronym is none: a passage may write it out.
	latinKo  = pattern.New(`[A-Za-z][a-z\d]+[A-Za-z\d]+`)
	properEn = pattern.New(`[\p{Ll}\d,;:'’"”)]\s+(\p{Lu}[\p{Ll}\d][\p{L}\d]+)`)
	// calendar are names that no passage need say.
	calendar = pattern.New(`^(?i:` + monthCap + `|` + dayName + `)$`)
)

// namesIn returns the names of a question, in lower case.
func namesIn(question string) (names []string) {
	found := properEn.FindAllStringSubmatch(question, -1)
	if strings.ContainsFunc(question, isHangul) {
		found = latinKo.FindAllStringSubmatch(question, -1)
	}
	for _, m := range found {
		if name := m[len(m)-1]; !calendar.MatchString(name) {
			names = append(names, strings.ToLower(name))
		}
	}
	return names
}

// lacksName reports whether the passage of a sentence, with its headings, lacks one of the names, however it writes it: SuperBowl.
// all are the sentences of all passages. A name that carries little of the question is one that most of them have, as that of the
// workplace.
func (s sentence) lacksName(names []string, list []wanted, all []sentence) bool {
	ko := false // a passage without a Latin word may write the name in Hangul
	for _, w := range list {
		ko = ko || strings.ContainsFunc(w.Text, isHangul)
	}
	if ko && !slices.ContainsFunc(all, func(o sentence) bool { return o.n == s.n && latinKo.MatchString(o.text) }) {
		return false
	}
	for k, w := range list {
		if s.about[k] < leastNamed && w.share >= leastName && slices.Contains(names, w.Text) && !slices.ContainsFunc(all, func(o sentence) bool {
			return o.n == s.n && (strings.Contains(strings.ToLower(strings.ReplaceAll(strings.Join(o.titled, "")+o.text, " ", "")), w.Text) ||
				slices.ContainsFunc(Words(o.text), func(t string) bool { return slip.Count([]rune(t), []rune(w.Text), 2) == 1 }))
		}) {
			return true
		}
	}
	return false
}

// leastName is the share of a question that a name carries without which it is another question.
const leastName = 0.2
