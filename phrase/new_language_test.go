package phrase_test

import (
	"slices"
	"testing"

	"maru/config"
	"maru/phrase"
)

// TestANewLanguageIsOneFile adds one catalogue and nothing else: the setting takes it, and it is the language of a
// person whose locale it is, unless they write in a script of another one.
func TestANewLanguageIsOneFile(t *testing.T) {
	t.Parallel()
	key, _, ok := config.KeyNamed("language")
	if _, err := key.Check(phrase.Made, config.Offers{}); !ok || err != nil || !slices.Contains(phrase.Languages(), phrase.Made) {
		t.Fatalf("the setting does not take it: %v", err)
	}
	for _, c := range []struct{ setting, text, locale, want string }{
		{"", "hello", phrase.Made + "-PL", phrase.Made}, {phrase.Made, "hello", "en-US", phrase.Made},
		{"", "2026년은 윤년이야?", phrase.Made + "-PL", "ko"}, {"", "hello", "en-US", "en"}, {"", "hello", "xx", "en"},
	} {
		if got := phrase.LanguageOf(c.setting, c.text, c.locale); got != c.want {
			t.Errorf("setting %q, text %q, locale %q: %s, want %s", c.setting, c.text, c.locale, got, c.want)
		}
	}
	if got, want := phrase.Say(phrase.Made+"-PL", "calc.wrong", 4, phrase.Of("calc.zero")), phrase.Say(phrase.Made, "calc.wrong", 4, phrase.Of("calc.zero")); got != want || got == phrase.Say("en", "calc.wrong", 4, phrase.Of("calc.zero")) {
		t.Errorf("it says %q, want %q", got, want)
	}
}
