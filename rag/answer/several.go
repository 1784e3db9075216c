package answer

import (
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
}

// Where a sentence goes on with another question: "연차는 며칠이고 어떻게 신청해?", "where do I park and how do I get a badge?". Both sides ask.
var (
	joinEn = pattern.New(`(?i)\s*[,;]?\s+(?:and|&|plus)(?:,?\s+(?:also|then))?\s+`)
	wordEn = pattern.New(`(?i)\b(?:what|how|when|where|who|whom|whose|which|why)\b`)
	// opensEn opens a question, by an asking word or by a verb with its subject behind it.
	opensEn = pattern.New(`(?i)^(?:(?:by|until|for|to|from|at|on|in) )?(?:what|how|when|where|who|whom|whose|which|why)(?:['’]s)?\b.*\S\s|^(?:are|do|did|have) you\b|^(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may) (?:i|we|he|she|it|they|there|the|this|that|these|those|my|our|your|any\w*|every\w*|some\w*|an?)\b`)
	// tellEn asks to be told.
	tellEn = pattern.New(`(?i)^(?:(?:can|could|would|will) you )?(?:please )?(?:tell|show|remind|explain to) (?:me|us)\b.*\b(?:what|how|when|where|who|which|why)\b`)
	leadEn = pattern.New(`(?i)^\W*(?:(?:also|and|so|then|plus|ok|okay|hi|hello|hey|please|btw|one more thing|another question)\b[\s,:!.]*)+`)
	// joined are words that keep both sides in one question, and people of whom both tell: those who work at night and who live abroad.
	joined = pattern.New(`(?i)\b(?:between|differ\w*|compare\w*|versus)\b|\S who .* (?:and|&|plus) who `)

	joinKo = pattern.New(`(?:고요?|데요?|지(?:요|랑|도|와|하고)?)(?:,\s*|\s+)(?:그리고\s+|또\s+)?|(?:,\s*|\s+)(?:그리고|또)\s+`)
	// asksKo are asking words; those of openKo ask nothing: 누구나, 무엇보다, 뭔가.
	asksKo = pattern.New(`언제|얼마|며칠|몇\s?\p{Hangul}|누구|누가|누굴|어디|어느|어떤|무슨|무엇|뭐|뭘|뭔|어떻게|어떡|왜(?:[^냐곡소]|$)`)
	openKo = pattern.New(`(?:누구|어디|언제|어떻게|무엇|뭐|얼마)(?:(?:에서|에|서)?(?:든\p{Hangul}*|나(?:[\s,.]|$))|라\p{Hangul}*|보다)|뭔가|누군가|언젠가|어딘가|몇몇`)
	// whatKo ends a clause that asks what something is: 며칠이고, 몇 달이고, 뭐고.
	whatKo = pattern.New(`(언제|얼마|며칠|몇\s?\p{Hangul}{1,2}?|누구|어디|무엇|뭐)이?고$`)
	// verbKo ends other clauses of a question; goesOnKo is the same verb, or one of knowing, behind them: 두고 간 물건, 언제인지 몰라요.
	verbKo   = pattern.New(`\p{Hangul}고$|[되하있없가오]는데$|[는은인한큰를]지\p{Hangul}{0,2}$`)
	noVerbKo = pattern.New(`(?:창|광|보|사|신|최|재|경|해|냉장|참|원|피|권|공|충|금|라|다|냐|자)고$`)
	goesOnKo = pattern.New(`^(?:간|온|가는|오는|가야|가면|가서|와야|오면|왔|갔|다니|있|계|싶|나서|나면|나니|난\s|모르|몰라|알|궁금|가르)`)
	// happens is who or what a condition speaks of: 누가 다치고 …면.
	happens = pattern.New(`(?:누가|뭐가|무슨\s?일이|며칠)\s[^?]*면\s`)
)

// Several returns the questions of a message that asks more than one thing, up to [MaxQuestions]; nil for any other message. What
// people tell before a question belongs to it.
func Several(message string) []Question {
	var out []Question
	told := ""
	for _, s := range prose.Sentences(rag.Asked(fit.Cut(message, maxSubject))) {
		parts := clauses(strings.TrimSpace(s))
		for _, q := range parts {
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

// asks reports whether a text has an asking word.
func asks(s string) bool {
	return wordEn.MatchString(s) || asksKo.MatchString(openKo.ReplaceAllString(s, " "))
}

// seeks reports whether a sentence asks to know something. A wish and a request repeat what stands beside them: "I want to travel. Can
// you find flights?"
func seeks(s string) bool {
	if strings.ContainsFunc(s, isHangul) {
		return intent.Question(s) && (asks(s) || !intent.Request(s)) || asks(s) && intent.Request(s)
	}
	s = leadEn.ReplaceAllString(s, "")
	return opensEn.MatchString(s) || tellEn.MatchString(s)
}

// clauses parts a sentence into the questions that it joins.
func clauses(s string) []Question {
	join, parted := joinEn, partedEn
	if strings.ContainsFunc(s, isHangul) {
		join, parted = joinKo, partedKo
	}
	for _, at := range join.FindAllStringIndex(s, -1) {
		if left, ok := parted(s, at[0], at[1]); ok {
			return append([]Question{left}, clauses(s[at[1]:])...)
		}
	}
	return []Question{{Text: s, Put: s}}
}

// partedEn returns what stands before a joint if both sides are questions.
func partedEn(s string, from, to int) (Question, bool) {
	left, right := s[:from], s[to:]
	ok := opensEn.MatchString(right) && (intent.Question(left) || wordEn.MatchString(left)) && len(Subject(left)) > 0 && !joined.MatchString(s)
	return Question{Text: left + "?", Put: left}, ok
}

// partedKo returns what stands before a joint, as a question of its own, if both sides are questions.
func partedKo(s string, from, to int) (Question, bool) {
	left, right := strings.TrimRight(s[:to], ", "), s[to:]
	for _, w := range []string{" 그리고", " 또"} {
		left = strings.TrimRight(strings.TrimSuffix(left, w), ", ")
	}
	put := left
	left = strings.TrimSuffix(left, "요")
	what := whatKo.MatchString(left)
	verb := what || verbKo.MatchString(left) && !noVerbKo.MatchString(left) && !goesOnKo.MatchString(right)
	both := asks(left) && (asks(right) || what && intent.Question(right) || strings.Contains(left, "지") && strings.Contains(right, "지 "))
	if strings.Contains(s[from:to], "그리고") || strings.Contains(s[from:to], "또") {
		verb, left = true, put
	}
	if !verb || !both || len(Subject(left)) == 0 || happens.MatchString(s) {
		return Question{}, false
	}
	switch {
	case what:
		left = whatKo.ReplaceAllString(left, "${1}인가요")
	case strings.HasSuffix(left, "고"):
		left = strings.TrimSuffix(left, "고") + "나요"
	case strings.HasSuffix(left, "는데"):
		left = strings.TrimSuffix(left, "는데") + "나요"
	}
	return Question{Text: left, Put: put}, true
}
