package extractive

import (
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/phrase/prose"
	"maru/rag/answer"
)

// Where one sentence goes on with another question: "월급날은 언제고 연차는 며칠이야?", "How do I get a badge, and who pays for it?". The groups end
// the first question and begin the second.
var (
	goesOnKo = pattern.New(`((?:언제|얼마|며칠|누구|어디|무엇|뭐|몇\s?\p{Hangul}{1,3}|되|돼|있|하))(?:이고|고)[,\s]+(\p{Hangul})`)
	goesOnEn = pattern.New(`(?i)([^\s,])(?:,\s+|\s+)(?:and|also|plus)\s+((?:by\s+)?(?:what|how|when|where|who|which)\b)`)
)

// maxQuestions bounds the questions of one message that are looked up apart.
const maxQuestions = 3

// several returns the questions of a message with a subject each, nil if it has only one.
func several(q string) []string {
	q = goesOnEn.ReplaceAllString(goesOnKo.ReplaceAllString(q, "$1? $2"), "$1? $2")
	var out []string
	for _, s := range prose.Sentences(q) {
		if s = strings.TrimSpace(s); len(answer.Subject(s)) > 0 {
			out = append(out, s)
		}
	}
	if len(out) < 2 || len(out) > maxQuestions || slices.ContainsFunc(out, func(s string) bool { return !isQuestion(s) }) {
		return nil
	}
	return out
}

// quoteEach answers several questions of one message apart, and names those that the passages do not answer; "" if they answer none.
func (a *ask) quoteEach() string {
	var quotes, missing strings.Builder
	seen := map[string]bool{}
	for _, q := range several(a.question) {
		said := slices.DeleteFunc(answer.Best(q, a.leant, a.toChooseFrom()), func(s answer.Sentence) bool { return seen[s.Text] })
		for _, s := range said {
			seen[s.Text] = true
		}
		if len(said) == 0 {
			missing.WriteString("\n" + a.say("extractive.part_not_said", fit.Clip(q, 100)) + "\n")
		}
		quotes.WriteString(shown(said, q))
	}
	if quotes.Len() == 0 {
		return ""
	}
	return quotes.String() + missing.String()
}
