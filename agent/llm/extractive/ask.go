package extractive

import (
	"slices"
	"strings"
	"unicode"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/answer"
)

// ask is a request as the skills read it.
type ask struct {
	req      llm.Request
	words    string        // the last thing a person said, or a transcript
	question string        // of it what is searched for
	who      string        // the name of who asks, "" if it is not said
	day      string        // today on their calendar, "" if it is not said
	lang     string        // language of the reply
	system   string        // all system messages
	older    []turn        // what people and bot said before that, as a transcript
	before   []llm.Message // what people and bot said before the question
	results  []llm.Message // tool results that came after the question, of the last round
	shared   bool          // files came with the question
	quotes   bool          // it quotes another message
	leant    string        // what the person asked before, where the question cannot be understood without it
}

func read(req llm.Request) *ask {
	a := &ask{req: req}
	last := -1
	for i, m := range req.Messages {
		if m.Role == llm.User {
			last = i
		}
	}
	for i, m := range req.Messages {
		m.Content = answer.Clean(m.Content)
		switch {
		case m.Role == llm.System:
			a.system += m.Content + "\n"
		case i == last:
			words, _, shared := strings.Cut("\n"+llm.Unquoted(m.Content), "\n"+llm.SharedFiles)
			a.who, a.day, a.quotes = m.Author, m.Day, llm.Unquoted(m.Content) != m.Content
			a.words, a.shared = strings.TrimSpace(words), shared
			a.question = rag.Unchatty(narrowed(intent.AfterCourtesy(a.words)))
		case m.Role == llm.User && strings.HasPrefix(m.Content, llm.OlderPart):
			a.older = transcript(strings.TrimPrefix(m.Content, llm.OlderPart))
		case i < last && (m.Role == llm.User || m.Role == llm.Assistant) && m.Content != "":
			if m.Role == llm.User {
				m.Content = llm.Unquoted(m.Content)
			}
			a.before = append(a.before, m)
		case i > last && m.Role == llm.Assistant && len(m.ToolCalls) > 0:
			a.results = nil
		case i > last && m.Role == llm.ToolRole:
			a.results = append(a.results, m)
		}
	}
	a.lang = a.language()
	a.leant = leansOn(a.question, a.before)
	if whole := corrected(a.question, a.before); whole != "" {
		a.question, a.leant = whole, ""
	}
	return a
}

// narrowed takes what says where to look ("tag:hr since:2026-01") and how to answer out of a question:
// the documents were chosen by it, and no sentence in them has its words.
func narrowed(question string) string {
	if intent.Recap(question) { // of what was said, not of a topic
		return question
	}
	if rest := rag.Narrow(rag.Query{Text: question}, nil).Text; rest != "" {
		return rest
	}
	return question
}

// answerIn is the system prompt's plain word; the catalogues say how a model is
// told their language.
var answerIn = pattern.New(`(?i)\banswer in (\pL+)`)

// language decides by the system prompt's plain word, then by the question, then
// by what was said before, newest first, then by the prompt's own language.
func (a *ask) language() string {
	for _, m := range answerIn.FindAllStringSubmatch(a.system, -1) {
		for _, lang := range phrase.Languages() {
			if name, _, _ := strings.Cut(phrase.Say(lang, "language.for_models"), " "); strings.EqualFold(name, m[1]) {
				return lang
			}
		}
	}
	newest := []string{a.question}
	for _, m := range slices.Backward(a.before) {
		newest = append(newest, m.Content)
	}
	if i := slices.IndexFunc(newest, func(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }); i >= 0 {
		return phrase.Spoken(newest[i], "")
	}
	return phrase.Spoken(a.system, "")
}

// say says a sentence of the catalogues in the reply's language.
func (a *ask) say(key string, args ...any) string { return phrase.Say(a.lang, key, args...) }
