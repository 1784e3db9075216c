package extractive

import (
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag/answer"
)

// Where one sentence goes on with another question: "월급날은 언제고 연차는 며칠이야?", "How do I get a badge, and who pays for it?". Both halves have
// a question word: 하고 and 있고 mostly join a condition, and "and" a thing. The groups end the first question, join the second, which is
// empty in English, and begin it.
var (
	goesOnKo = pattern.New(`(언제|얼마|며칠|누구|어디|무엇|뭐)(이고|고)[,\s]+(\p{Hangul})`)
	goesOnEn = pattern.New(`(?i)^(\W*(?:what|how|when|where|who|which)\b[^.?!]*?[^\s,.?!])()(?:,\s+|\s+)and\s+((?:what|how|when|where|who|which)\b)`)
)

// maxQuestions bounds the questions of one message that are looked up apart.
const maxQuestions = 3

// oneOf is one of several questions: as it is looked up, and as it was put.
type oneOf struct{ question, put string }

// several returns the questions of a message with a subject each, nil if it has only one.
func several(q string) []oneOf {
	parted := func(between string) []string {
		return prose.Sentences(goesOnEn.ReplaceAllString(goesOnKo.ReplaceAllString(q, between), between))
	}
	looked, put := parted("$1? $3"), parted("$1$2? $3")
	var out []oneOf
	for i, s := range looked {
		if s = strings.TrimSpace(s); len(answer.Subject(s)) > 0 && len(put) == len(looked) {
			out = append(out, oneOf{s, strings.TrimRight(strings.TrimSpace(put[i]), "?")})
		}
	}
	if len(out) < 2 || len(out) > maxQuestions || slices.ContainsFunc(out, func(a oneOf) bool { return !isQuestion(a.question) }) {
		return nil
	}
	return out
}

// quoteEach answers several questions of one message apart, and names those that it does not answer; "" if it answers none. The passages
// were found for the message as a whole, so they do not tell that the documents have no answer.
func (a *ask) quoteEach() string {
	var quotes, missing strings.Builder
	seen := map[string]bool{}
	for _, q := range several(a.question) {
		said := slices.DeleteFunc(answer.Best(q.question, a.leant, a.toChooseFrom()), func(s answer.Sentence) bool { return seen[s.Text] })
		for _, s := range said {
			seen[s.Text] = true
		}
		if len(said) == 0 {
			missing.WriteString("\n" + a.say("extractive.part_not_said", fit.Clip(q.put, 100)) + "\n")
		}
		quotes.WriteString(shown(said, q.question))
	}
	if quotes.Len() == 0 {
		return ""
	}
	return quotes.String() + missing.String()
}
