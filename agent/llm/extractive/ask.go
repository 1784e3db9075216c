package extractive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/agent/llm"
)

// ask is a request as the skills read it.
type ask struct {
	req      llm.Request
	question string        // the last thing a person said
	korean   bool          // language of the reply
	system   string        // all system messages
	before   []llm.Message // what people and bot said before the question
	results  []llm.Message // tool results that came after the question, of the last round
	called   []llm.ToolCall
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
		m.Content = clean(m.Content)
		switch {
		case m.Role == llm.System:
			a.system += m.Content + "\n"
		case i == last:
			a.question = m.Content
		case i < last && (m.Role == llm.User || m.Role == llm.Assistant) && m.Content != "":
			a.before = append(a.before, m)
		case i > last && m.Role == llm.Assistant && len(m.ToolCalls) > 0:
			a.called, a.results = m.ToolCalls, nil
		case i > last && m.Role == llm.ToolRole:
			a.results = append(a.results, m)
		}
	}
	a.korean = a.isKorean()
	return a
}

// clean makes text safe to read: valid, composed, without controls, bounded.
func clean(s string) string {
	if len(s) > maxInput {
		s = s[:maxInput]
	}
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || (unicode.IsControl(r) && r != '\n' && r != '\t') {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(norm.NFC.String(s))
}

var answerIn = regexp.MustCompile(`(?i)\banswer in (korean|english)\b`)

// isKorean decides by the system prompt's plain word, then by the question, then
// by what was said before, newest first, then by the prompt's own language.
func (a *ask) isKorean() bool {
	if m := answerIn.FindStringSubmatch(a.system); m != nil {
		return strings.EqualFold(m[1], "korean")
	}
	if ko, sure := hangul(a.question); sure {
		return ko
	}
	for i := len(a.before) - 1; i >= 0; i-- {
		if ko, sure := hangul(a.before[i].Content); sure {
			return ko
		}
	}
	ko, _ := hangul(a.system)
	return ko
}

// hangul reports whether s is Korean; not sure when it has no letters. A third
// of Hangul is enough: Korean questions are full of foreign names.
func hangul(s string) (korean, sure bool) {
	ko, other := 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Hangul, r):
			ko++
		case unicode.IsLetter(r):
			other++
		}
	}
	return ko > 0 && ko*3 >= other, ko+other > 0
}

// in picks the words of the reply's language.
func (a *ask) in(ko, en string) string {
	if a.korean {
		return ko
	}
	return en
}
