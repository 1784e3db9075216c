package longterm_test

import (
	"testing"

	"maru/memory/longterm"
	"maru/phrase"
)

// TestTopicsHaveWords names each topic of wishes about answers in every language, and leaves other words alone.
func TestTopicsHaveWords(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"앞으로 존댓말 쓰지 마", "keep it short from now on", "앞으로 영어로 답해 줘", "from now on, use bullet points"} {
		for _, l := range longterm.Explicit(said) {
			text := longterm.Preference{Subject: l.Subject, Value: l.Value}.Sentence()
			if got := longterm.Worded(text, "en"); got != text {
				t.Errorf("%q is %q in English", text, got)
			}
			if got := longterm.Worded(text, "ko"); got == text {
				t.Errorf("%q has no Korean words", text)
			}
		}
	}
	for _, text := range []string{"work: Busan", "tone", ""} {
		for _, lang := range phrase.Languages() {
			if got := longterm.Worded(text, lang); got != text {
				t.Errorf("%q is %q", text, got)
			}
		}
	}
}
