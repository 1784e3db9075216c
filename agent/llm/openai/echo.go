package openai

import (
	"errors"
	"strings"

	"maru/agent/llm"
)

// echoed is how many letters of a request in an error are no accident.
const echoed = 16

// withoutEcho takes what people said out of an endpoint's error: some endpoints repeat the request
// that they refuse, and errors are logged. err is left as it is.
func withoutEcho(err error, texts ...string) error {
	var e *llm.Error
	if !errors.As(err, &e) || e.Detail == "" {
		return err
	}
	var said strings.Builder
	for _, t := range texts {
		said.WriteString(strings.Join(strings.Fields(t), " ") + "\n")
	}
	detail, found := cutEcho([]rune(e.Detail), said.String())
	if !found {
		return err
	}
	quiet := *e
	quiet.Detail = detail
	return &quiet
}

// contents returns the texts of messages.
func contents(messages []llm.Message) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = m.Content
	}
	return out
}

// cutEcho puts an ellipsis where a text repeats what was said.
func cutEcho(text []rune, said string) (string, bool) {
	var out strings.Builder
	found := false
	for i := 0; i < len(text); {
		n := 0
		for i+n+echoed <= len(text) && strings.Contains(said, string(text[i+n:i+n+echoed])) {
			n++
		}
		if n == 0 {
			out.WriteRune(text[i])
			i++
			continue
		}
		out.WriteString("…")
		i, found = i+n+echoed-1, true
	}
	return out.String(), found
}
