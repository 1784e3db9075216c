package phrase_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"maru/phrase"
)

// catalogues reads the files themselves: what the package makes of them cannot
// tell which file a sentence is missing from.
func catalogues(t *testing.T) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob("*.json")
	if err != nil || len(names) < 2 {
		t.Fatalf("%v, %d catalogues", err, len(names))
	}
	all := map[string]map[string]string{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var list map[string]string
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[strings.TrimSuffix(name, ".json")] = list
	}
	return all
}

// TestCatalogueIsReadAsJSON compares the package's reader with [json.Unmarshal].
func TestCatalogueIsReadAsJSON(t *testing.T) {
	for lang, want := range catalogues(t) {
		for key, text := range want {
			if got := phrase.All(key)[lang]; got != text {
				t.Errorf("%s of %s: %q, want %q", key, lang, got, text)
			}
		}
	}
	for _, src := range []string{
		`{"a":"b"}`, ` { "a" : "{\"b\": \u00e9\n\\" , "b":"" } `, `{"a":"b",}`, `{"a":"b"`, `{"a":"b}`, `{"a" "b"}`, `{"a":"\x"}`, `{"a":"\`, `{"a":1}`, `{"a":"b"}}`, ``,
	} {
		var want map[string]string
		wrong := json.Unmarshal([]byte(src), &want)
		if got, err := phrase.Parse(src); (err != nil) != (wrong != nil) || wrong == nil && !maps.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q, %v", src, got, err, want, wrong)
		}
	}
}

// TestKeysStandOnce: of a duplicate key, as after a merge, only the last sentence would be read.
func TestKeysStandOnce(t *testing.T) {
	for _, name := range []string{"en.json", "ko.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^  ("[^"]+"):`).FindAllStringSubmatch(string(data), -1) {
			if seen[m[1]] {
				t.Errorf("%s has %s twice", name, m[1])
			}
			seen[m[1]] = true
		}
		if len(seen) < 500 {
			t.Errorf("%s has %d keys", name, len(seen))
		}
	}
}

func hangul(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
}

// plain returns a sentence without what is the same in every language: verbs, code
// (to the end where it goes on in another literal), names of products.
func plain(s string) string {
	return regexp.MustCompile("`[^`]*`?|%[-+# 0-9.\\[\\]]*[a-zA-Z]|Maru|Discord|Slack").ReplaceAllString(s, "")
}

// verbs returns the places of a sentence's arguments with what is in them, in
// the order of the arguments.
func verbs(s string) []string {
	var out []string
	next := 1
	for _, m := range regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0-9.]*(?:\[(\d+)\])?([a-zA-Z%])`).FindAllStringSubmatch(s, -1) {
		if m[3] == "%" {
			continue
		}
		at := next
		for _, explicit := range m[1:3] {
			if explicit != "" {
				at = int(explicit[0] - '0')
			}
		}
		next = at + 1
		out = append(out, string(rune('0'+at))+m[3])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestCataloguesSayTheSame holds every catalogue against the one that the others
// fall back to: the same keys, no empty sentence, the same arguments, and each in
// its own language.
func TestCataloguesSayTheSame(t *testing.T) {
	t.Parallel()
	all := catalogues(t)
	want := all[phrase.Fallback]
	if len(want) < 400 {
		t.Fatalf("only %d sentences", len(want))
	}
	for lang, list := range all {
		for key, en := range want {
			text, ok := list[key]
			switch {
			case !ok || strings.TrimSpace(text) == "":
				t.Errorf("%s.json: %s is missing; in English: %q", lang, key, en)
			case !slices.Equal(verbs(text), verbs(en)):
				t.Errorf("%s.json: %s takes %v, the English one %v", lang, key, verbs(text), verbs(en))
			case lang == "ko" && !hangul(text) && strings.ContainsFunc(plain(text), unicode.IsLetter):
				t.Errorf("ko.json: %s is not translated: %q", key, text)
			case lang != "ko" && hangul(text):
				t.Errorf("%s.json: %s is Korean: %q", lang, key, text)
			}
		}
		for key := range list {
			if _, ok := want[key]; !ok {
				t.Errorf("%s.json: %s is not in %s.json", lang, key, phrase.Fallback)
			}
		}
	}
}

func TestSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, key, want string }{
		{"ko", "bot.stop.done", "멈췄어요."},
		{"ko-KR", "bot.stop.done", "멈췄어요."},
		{"ko_KR", "bot.stop.done", "멈췄어요."},
		{"en-GB", "bot.stop.done", "Stopped."},
		{"tlh", "bot.stop.done", "Stopped."},
		{"", "bot.stop.done", "Stopped."},
		{"ko", "bot.no_such_key", "bot.no_such_key"},
	} {
		if got := phrase.Say(c.language, c.key); got != c.want {
			t.Errorf("Say(%q, %q) = %q, want %q", c.language, c.key, got, c.want)
		}
	}
	if got := phrase.Say("ko", "setting.takes_number", 7); got != "0부터 7까지의 정수를 적어 주세요." {
		t.Errorf("with an argument: %q", got)
	}
	if l, ok := phrase.Match("kok-IN"); ok || l != phrase.Fallback { // Konkani is not Korean
		t.Errorf("Match(kok-IN) = %q, %v", l, ok)
	}
}

func TestASentenceIsSaidToItsReader(t *testing.T) {
	t.Parallel()
	when := phrase.Of("time.minutes", 3)
	for _, c := range []struct {
		s      phrase.Sentence
		ko, en string
	}{
		{phrase.Of("bot.stop.done"), "멈췄어요.", "Stopped."},
		{when, phrase.Say("ko", "time.minutes", 3), phrase.Say("en", "time.minutes", 3)},
		{phrase.Raw("100%s"), "100%s", "100%s"},
		{phrase.Join(", ", phrase.Raw("a"), phrase.Of("bot.stop.done")), "a, 멈췄어요.", "a, Stopped."},
		{phrase.Of("setting.takes_choice", phrase.Of("bot.stop.done")), phrase.Say("ko", "setting.takes_choice", "멈췄어요."), phrase.Say("en", "setting.takes_choice", "Stopped.")},
		{phrase.Sentence{}, "", ""},
	} {
		if ko, en := c.s.In("ko-KR"), c.s.In("en"); ko != c.ko || en != c.en || c.s.Empty() != (c.en == "") {
			t.Errorf("said %q, %q; want %q, %q", ko, en, c.ko, c.en)
		}
	}
}

func TestWordsAreAnsweredInTheirLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, locale, want string }{
		{"연차는 며칠이야?", "en-US", "ko"},
		{"How many days?", "ko-KR", "en"},
		{"OKR은 언제까지 내?", "en-US", "ko"},
		{"https://example.com/a/very/long/address/of/a/page 요약해줘", "en", "ko"},
		{"<@U0123456789> `SELECT name FROM people` 이게 뭐야", "", "ko"},
		{"", "ko-KR", "ko"},
		{"1 + 1", "ko-KR", "ko"},
		{"1 + 1", "", "en"},
		{"Сколько дней?", "ko", "ko"}, // nobody wrote a Russian catalogue yet
		{"何日ですか", "ja", "en"},
		{"안녕", "", "ko"}, // decomposed
	} {
		if got := phrase.Spoken(c.words, c.locale); got != c.want {
			t.Errorf("Spoken(%q, %q) = %q, want %q", c.words, c.locale, got, c.want)
		}
	}
}

// bareParticle is a Korean particle of two forms that follows an argument, or its
// closing mark, in one of them.
var bareParticle = regexp.MustCompile("%(?:\\[\\d\\])?[sdvq][`”’」\"]?(이|가|은|는|을|를|과|와|으로|로|이라고|라고|이라는|라는|이에요|예요|이고|이나)(?:[^\\p{Hangul}]|$)")

// TestParticlesAreLeftToTheirArgument: what a sentence will say before a particle is not
// known to who writes it.
func TestParticlesAreLeftToTheirArgument(t *testing.T) {
	t.Parallel()
	known := map[string]string{ // what precedes it always ends alike
		"bot.redo.how":        "라고",  // a sentence is quoted
		"extractive.tool.day": "이에요", // a day of the week
	}
	for key, text := range catalogues(t)["ko"] {
		for _, m := range bareParticle.FindAllStringSubmatch(text, -1) {
			if known[key] != m[1] {
				t.Errorf("%s: %q stands in one form: %q", key, m[1], text)
			}
		}
	}
}

// plainText begins the keys of texts that are shown outside a chat, without Markdown, and of the hints of forms.
var plainText = regexp.MustCompile(`^(?:web|account\.page|slack\.install|agent\.allow_hint)`)

// bareCommand is a command of the chat that is not marked as one, as a terminal needs to say it in its own form.
var bareCommand = regexp.MustCompile("(?:^|[^`\\w\"])/maru [\\p{L}]")

// TestCommandsAreMarked: a terminal rewrites the commands of a text by their marks.
func TestCommandsAreMarked(t *testing.T) {
	t.Parallel()
	for lang, texts := range catalogues(t) {
		for key, text := range texts {
			if !plainText.MatchString(key) && bareCommand.MatchString(text) {
				t.Errorf("%s %s: a command stands without marks: %q", lang, key, text)
			}
		}
	}
}

func TestChoice(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"list": "list", "LIST": "list", "목록": "list", "Stop": "off", "매주": "weekly", "": "", "lists": "", "remove": ""} {
		if got := phrase.Choice(word, "gap.also.", "list", "weekly", "off"); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}
