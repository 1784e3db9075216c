package longterm

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
)

// Limits of stored texts, in characters.
const (
	maxQuery = 500
	maxText  = 300
	maxWord  = 64
	maxSteps = 30
)

// errEmpty rejects an empty lesson.
var errEmpty = errors.New("nothing to remember")

// tidy converts a text to one line without invisible characters, secrets and personal numbers, at most limit
// characters long.
func tidy(text string, limit int) string {
	return fit.Clip(Mask(oneLine(text)), limit)
}

// oneLine collapses white space and drops invisible characters.
func oneLine(text string) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '\u200d': // joins emoji
			return r
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, text)
	return fit.OneLine(visible)
}

// word validates a name of a tool, pattern or kind of approval.
func word(what, s string) (string, error) {
	s = oneLine(s)
	if utf8.RuneCountInString(s) > maxWord {
		return "", fmt.Errorf("%s is longer than %d letters", what, maxWord)
	}
	return s, nil
}

// Step is one step of a plan.
type Step struct {
	Text string `json:"text"`
	Tool string `json:"tool,omitempty"`
}

// steps validates and tidies a plan.
func steps(list []Step) ([]Step, error) {
	if len(list) > maxSteps {
		return nil, fmt.Errorf("a plan of %d steps; at most %d are kept", len(list), maxSteps)
	}
	out := make([]Step, 0, len(list))
	for _, s := range list {
		tool, err := word("tool", s.Tool)
		if err != nil {
			return nil, err
		}
		out = append(out, Step{Text: tidy(s.Text, maxText), Tool: tool})
	}
	return out, nil
}

// wordList validates a list of names and returns them tidied; what names the list in errors.
func wordList(what string, list []string) ([]string, error) {
	if len(list) > maxSteps {
		return nil, fmt.Errorf("%d of %s; at most %d are kept", len(list), what, maxSteps)
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		w, err := word(what, s)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}
