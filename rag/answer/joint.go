package answer

import (
	"strings"

	"maru/phrase/intent"
	"maru/phrase/pattern"
)

// Parts of the patterns for English questions.
const (
	auxEn     = `(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have)(?:n['’]t)?`
	pronounEn = `(?:i|we|you|he|she|it|they|there)`
	nounEn    = `(?:the|my|our|your|this|that|these|those|any\w*|every\w*|some\w*|an?)`
	fromEn    = `(?i)^(?:(?:by|until|for|to|from|at|on|in) )?`
)

// Where an English sentence goes on with another question: "where do I park and how do I get a badge?". Both sides must be main
// clauses: "where do I write down who came and what we said?" is one question.
var (
	joinEn = pattern.New(`(?i)\s*[,;]?\s+(?:and|&|plus)(?:,?\s+(?:also|then))?\s+`)
	// invertedEn has the verb before the subject, which a clause within another never has.
	invertedEn = pattern.New(fromEn + `(?:` +
		`(?:when|where|why|how(?: (?:long|often|soon|far|late|early|old|big))?)(?:['’]s| ` + auxEn + `)\b` +
		`|(?:what|which|whose|how (?:much|many))(?: [\w-]+){0,2} (?:(?:do|does|did) \w|` + auxEn + ` ` + pronounEn + `\b)` +
		`|what if|how (?:much|many) of (?:it|them)` +
		`|whom? ` + auxEn + ` (?:i|we|you|he|she|they)\b` +
		`|do (?:i|we|you|they)\b|(?:is|are|was|were) ` + pronounEn + `\b` +
		`|(?:does|did) ` + pronounEn + `\b|(?:can|could|will|would|should|must|may) (?:` + pronounEn + `|` + nounEn + `)\b)`)
	// isEn asks whether something is so, or goes on telling: which laptop is light and is the cheapest.
	isEn    = pattern.New(`(?i)^(?:is|are|was|were|does|did) ` + nounEn + `\b`)
	ofWhich = pattern.New(`(?i)^(?:who|which|what)\b|\b(?:that|which|who)\b`)
	// clauseEn has the subject before the verb: who I am, how much it costs, what the price is.
	clauseEn = pattern.New(fromEn + `(?:(?:(?:what|which|whose|how (?:much|many))(?: [\w-]+)?|who|whom|when|where|why|how(?: \w+)?) ` + pronounEn + `|(?:what|which|who|when|where|why|how(?: \w+)?) ` + nounEn + `)\b`)
	// subjectEn asks for its subject, as a clause within another may: who pays, what happens then, which channel is for this.
	subjectEn = pattern.New(fromEn + `(?:who(?:['’]s)? \w|(?:which|what|whose|how (?:much|many)) [\w-]+ (?:[\w-]+ )?` + auxEn + `\b|(?:which|what) [\w-]+ \w+s\b)`)
	whatEn    = pattern.New(`(?i)^what(?:['’]s| (?:is|are|was|were|happens?|happened|counts|comes|makes|else))\b`)
	// yesNoEn and wholeEn open the question before a joint. That has a verb of its own: not "how many days and which dates do I get?".
	yesNoEn = pattern.New(`(?i)^(?:(?:is|are|was|were|does|did|can|could|will|would|should|must|may|has) \w|(?:do|have) (?:i|we|you|they)\b)`)
	wholeEn = pattern.New(fromEn + `(?:who \w|what happens|(?:what|when|where|who|how|why)['’]s|(?:which|what) [\w-]+ \w+s\b|(?:what|how|when|where|who|whom|whose|which|why)(?: [\w-]+){0,5} ` + auxEn + `\b)`)
	// tellWhatEn asks to be told what the clause after it asks.
	tellWhatEn = pattern.New(`(?i)^(?:(?:can|could|would|will) you )?(?:please )?(?:tell|show|remind|explain to) (?:me|us) (?:what|how|when|where|who|which|why) \w`)
	endsEn     = pattern.New(`(?i)\b(?:what|how|when|where|who|whom|whose|which|why)(?: (?:much|many|long|often))?$`)
	// joined are words that keep both sides in one question, and people of whom both tell: those who work at night and who live abroad.
	joined = pattern.New(`(?i)\b(?:between|differ\w*|compare\w*|versus)\b|\S who .* (?:and|&|plus) who `)
)

// Where a Korean sentence does: "연차는 며칠이고 어떻게 신청해?".
var (
	joinKo = pattern.New(`(?:고요?|데요?|지(?:요|랑|도|와|하고)?)(?:,\s*|\s+)(?:그리고\s+|또\s+)?|(?:,\s*|\s+)(?:그리고|또)\s+`)
	// whatKo ends a clause that asks what something is: 며칠이고, 몇 달이고, 뭐고.
	whatKo = pattern.New(`(언제|얼마|며칠|몇\s?\p{Hangul}{1,2}?|누구|어디|무엇|뭐)이?고$`)
	// verbKo ends other clauses of a question; goesOnKo is the same verb, or one of knowing, after them: 두고 간 물건, 언제인지 몰라요.
	verbKo   = pattern.New(`\p{Hangul}고$|까지\s?되는데$|[는은인한큰를]지\p{Hangul}{0,2}$`)
	noVerbKo = pattern.New(`(?:창|광|보|사|신|최|재|경|해|냉장|참|원|피|권|공|충|금|라|다|냐|자)고$`)
	goesOnKo = pattern.New(`^(?:간|온|가는|오는|가야|가면|가서|와야|오면|왔|갔|다니|있|계|싶|나서|나면|나니|난\s|모르|몰라|알|궁금|가르)`)
	// happens is who or what a condition speaks of: 누가 다치고 …면.
	happens = pattern.New(`(?:누가|뭐가|무슨\s?일이|며칠)\s[^?]*면\s`)
	// knownKo ends a clause that is the object of what follows it: 누가 오는지 어디에 적어?
	knownKo = pattern.New(`[는은인한을를할될갈올쓸볼줄큰]지\p{Hangul}{0,2}[\s,]`)
	// ordersKo asks for work on what was said: 누가 하는지 요약해줘.
	ordersKo = pattern.New(`(?:요약|정리|번역|기록|작성|검토|비교|확인)\s?(?:좀\s?)?(?:해|하|부탁)`)
)

// clauses parts a sentence into the questions that it joins.
func clauses(s string) []Question {
	join, parted := joinEn, partedEn
	if strings.ContainsFunc(s, isHangul) {
		join, parted = joinKo, partedKo
	}
	for _, at := range join.FindAllStringIndex(s, -1) {
		if left, ok := parted(s, at[0], at[1]); ok && !quotedAt(s, at[0]) {
			return append([]Question{left}, clauses(s[at[1]:])...)
		}
	}
	return []Question{{Text: s, Put: s}}
}

// quotedAt reports whether a place of a text is within quotation marks.
func quotedAt(s string, at int) bool {
	before := s[:at]
	return strings.Count(before, `"`)%2 == 1 || strings.Count(before, "“") > strings.Count(before, "”")
}

// partedEn returns what precedes a joint if both sides are questions of their own.
func partedEn(s string, from, to int) (Question, bool) {
	left, right := s[:from], s[to:]
	return Question{Text: left + "?", Put: left}, len(Subject(left)) > 0 && !joined.MatchString(s) && goesOnEn(unled(left), right)
}

// goesOnEn reports whether a question is before a joint, and after it one that is no part of the first.
func goesOnEn(left, right string) bool {
	if tellWhatEn.MatchString(left) {
		return opensEn.MatchString(right) && len(wordEn.FindAllStringIndex(left, -1)) == 1
	}
	if _, last, ok := cutLast(left, ", "); ok && wholeEn.MatchString(last) {
		left = last // if I lose it, who do I tell
	}
	yesNo := yesNoEn.MatchString(left)
	whole := yesNo || invertedEn.MatchString(left) || wholeEn.MatchString(left) && !clauseEn.MatchString(left)
	switch {
	case !whole || endsEn.MatchString(left):
		return false
	case invertedEn.MatchString(right), isEn.MatchString(right) && !ofWhich.MatchString(left):
		return true
	}
	asking := len(wordEn.FindAllStringIndex(left, -1))
	return (asking == 0 || asking == 1 && !yesNo) && (whatEn.MatchString(right) || subjectEn.MatchString(right) && !clauseEn.MatchString(right))
}

// cutLast cuts a text around the last of a separator.
func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// partedKo returns what precedes a joint, as a question of its own, if both sides are questions.
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
	if !verb || !both || len(Subject(left)) == 0 || ordersKo.MatchString(right) || asks(behindKnown(s)) || happens.MatchString(s) {
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

// behindKnown returns what follows the last clause that is an object (누가 오는지), "" without one.
func behindKnown(s string) string {
	all := knownKo.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return ""
	}
	return s[all[len(all)-1][1]:]
}
