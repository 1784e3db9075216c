package load_test

import (
	"strings"
	"testing"

	"maru/phrase"
	"maru/rag/load"
)

// TestRefusalsSayWhatToDo reads every refusal in both languages: the file's name, and what
// its owner can do.
func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, code := range []load.Code{load.Empty, load.TooLarge, load.Unsupported, load.WrongType, load.Encoding, load.Encrypted,
		load.Broken, load.Hangul, load.OldOffice, load.Picture, load.TooComplex, load.Timeout, load.Crashed, load.NoText, load.Blank, load.BlankPage, load.Nested, load.BadLine} {
		for _, language := range phrase.Languages() {
			say := (&load.Error{Code: code, Name: "계약서.pdf", Size: 30 << 20, Limit: 20 << 20}).PeopleText(language)
			if !strings.Contains(say, "계약서.pdf") || !strings.Contains(say, "주세요") && !strings.Contains(say, "lease") && !strings.Contains(say, "I can read") {
				t.Errorf("%s, %s: %q", code, language, say)
			}
		}
	}
}
