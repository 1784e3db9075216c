package answer

import (
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag"
)

// MaxQuestions bounds the questions of one message that are answered apart.
const MaxQuestions = 3

// Question is one of several questions of a message.
type Question struct {
	Text   string // as it is looked up
	Put    string // as it was put, without its question mark
	Before string // the question before it, whose subject it may leave out; "" for the first
	Of     string // its subject, if one thing is asked of each of two; "" otherwise
}

var (
	wordEn = pattern.New(`(?i)\b(?:what|how|when|where|who|whom|whose|which|why)\b`)
	// opensEn opens a question, by an asking word or by a verb with its subject after it.
	opensEn = pattern.New(`(?i)^(?:(?:by|until|for|to|from|at|on|in) )?(?:what|how|when|where|who|whom|whose|which|why)(?:['’]s)?\b.*\S\s|^(?:are|do|did|have) you\b|^(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may) (?:i|we|he|she|it|they|there|the|this|that|these|those|my|our|your|any\w*|every\w*|some\w*|an?)\b`)
	// tellEn asks to be told.
	tellEn = pattern.New(`(?i)^(?:(?:can|could|would|will) you )?(?:please )?(?:tell|show|remind|explain to) (?:me|us)\b.*\b(?:what|how|when|where|who|which|why)\b`)
	leadEn = pattern.New(`(?i)^\W*(?:(?:also|and|so|then|plus|ok|okay|hi|hello|hey|please|btw|one more thing|another question)\b[\s,:!.]*)+`)
	leadKo = pattern.New(`^[\s,]*그리고[\s,]+`)
	// asksKo are asking words; those of openKo ask nothing: 누구나, 무엇보다, 뭔가.
	asksKo = pattern.New(`언제|얼마|며칠|몇\s?\p{Hangul}|누구|누가|누굴|어디|어느|어떤|무슨|무엇|뭐|뭘|뭔|어떻게|어떡|왜(?:[^냐곡소]|$)`)
	openKo = pattern.New(`(?:누구|어디|언제|어떻게|무엇|뭐|얼마)(?:(?:에서|에|서)?(?:든\p{Hangul}*|나(?:[\s,.]|$))|라\p{Hangul}*|보다)|뭔가|누군가|언젠가|어딘가|몇몇`)
)

// backEn names what the question before is about.
var backEn = pattern.New(`(?i)\b(?:it|its|they|them|their|one|ones|that|this|those|these|there)\b`)

// Leans reports whether a question leaves out its subject, which the one before it names: "how do I request it?", "어떻게 신청해?".
func (q Question) Leans() bool {
	return q.Before != "" && (len(Subject(q.Text)) == 0 || rag.BareVerb(q.Text) || backEn.MatchString(q.Text))
}

// Several returns the questions of a message that asks more than one thing, up to [MaxQuestions]; nil for any other message. What
// people tell before a question belongs to it.
func Several(message string) []Question {
	var out []Question
	told := ""
	for _, s := range prose.Sentences(rag.Asked(fit.Cut(message, maxSubject))) {
		parts := clauses(strings.TrimSpace(s))
		if len(parts) == 1 {
			parts = ofEach(parts[0])
		}
		for _, q := range parts {
			q.Text, q.Put = unled(q.Text), unled(q.Put)
			switch says := len(Subject(q.Text)) > 0; {
			case len(parts) == 1 && !seeks(q.Text):
				told += q.Text + " "
				continue
			case !says && (len(out) == 0 || !asks(q.Text)):
				continue // it asks for help, or about what was said before
			}
			if q.Text, told = told+q.Text, ""; len(out) > 0 {
				q.Before = out[len(out)-1].Text
			}
			q.Put = strings.TrimRight(q.Put, " ?？.!~")
			out = append(out, q)
		}
	}
	if len(out) < 2 || len(out) > MaxQuestions {
		return nil
	}
	return out
}

// eachKo and eachEn ask one thing of two subjects of one noun each: "병가랑 연차 각각 며칠이야?", "when do I register both leave and
// overtime?". The last of more nouns may belong to both: 국내와 해외 출장비, domestic and overseas allowances.
var (
	eachKo = pattern.New(`^(\p{Hangul}{2,}?)(?:이랑|랑|하고|와|과)\s+(\p{Hangul}{2,}?)(?:이랑|랑|하고|은|는|이|가)?\s+(?:둘\s?다|각각|둘\s?각각)(?:은|는)?\s+((?:\S+\s)?(?:언제|얼마|며칠|몇|누구|어디|무엇|뭐|뭘|어떻게)\S*(?:\s\S+){0,4})$`)
	eachEn = pattern.New(`(?i)^((?:how (?:long|much|many|soon|often)|when|where)\b[^,]*?)\bboth ([\w'-]+) and ([\w'-]+)\W*$`)
)

// ofEach parts a question that asks one thing of each of two subjects into a question for each.
func ofEach(q Question) []Question {
	var of [2]string
	lead, rest := "", ""
	if m := eachKo.FindStringSubmatch(q.Text); m != nil && len(m[2]) <= len(m[1]) { // 해외출장비 may be two nouns, the last of both
		of, rest = [2]string{m[1], m[2]}, " "+m[3]
	} else if m := eachEn.FindStringSubmatch(q.Text); m != nil && !joined.MatchString(q.Text) {
		lead, of, rest = m[1], [2]string{m[2], m[3]}, "?"
	}
	if len(Subject(of[0])) == 0 || len(Subject(of[1])) == 0 {
		return []Question{q}
	}
	one, other := lead+of[0]+rest, lead+of[1]+rest
	return []Question{{Text: one, Put: one, Of: of[0]}, {Text: other, Put: other, Of: of[1]}}
}

// IsOf reports whether one of the sentences speaks of the question's own subject; true if it shares its subject with others.
func (q Question) IsOf(said []Sentence) bool {
	subject := Subject(q.Of)
	return q.Of == "" || slices.ContainsFunc(said, func(s Sentence) bool {
		held := Holding(s.Text)
		return !slices.ContainsFunc(subject, func(w rag.Word) bool { return held.Match(w) < carried })
	})
}

// unled cuts what leads from one question to the next: "Also, where …?", "그리고 …?".
func unled(s string) string {
	if strings.ContainsFunc(s, isHangul) {
		return leadKo.ReplaceAllString(s, "")
	}
	return leadEn.ReplaceAllString(s, "")
}

// asks reports whether a text has an asking word.
func asks(s string) bool {
	return wordEn.MatchString(s) || asksKo.MatchString(openKo.ReplaceAllString(s, " "))
}

// seeks reports whether a sentence asks to know something. A wish and a request repeat what is beside them: "I want to travel. Can
// you find flights?"
func seeks(s string) bool {
	if strings.ContainsFunc(s, isHangul) {
		return intent.Question(s) && (asks(s) || !intent.Request(s)) || asks(s) && intent.Request(s)
	}
	s = unled(s)
	return opensEn.MatchString(s) || tellEn.MatchString(s)
}
