// Package phrase holds every sentence that Maru says to people: one catalogue a
// language, ko.json and en.json. A new language is one more file with the same
// keys. Code names a sentence by its key and never writes it, so that a test can
// tell what is missing or was left untranslated.
//
// It knows nothing of who speaks. What Maru reads of people's words (yes, no,
// "stop") stands with whoever reads it, and what an agent's model writes is the
// model's.
package phrase

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Fallback is the language of who asks for one that there is no catalogue of.
const Fallback = "en"

// book is every sentence by key and language. It is read once and never changed.
var book, languages = read()

// read reads the catalogues. A broken one is a mistake of the build.
func read() (map[string]map[string]string, []string) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("phrase: " + err.Error())
	}
	all := map[string]map[string]string{}
	var langs []string
	for _, e := range entries {
		lang := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		raw, err := files.ReadFile(e.Name())
		if err != nil {
			panic("phrase: " + err.Error())
		}
		var list map[string]string
		if err := json.Unmarshal(raw, &list); err != nil {
			panic("phrase: " + e.Name() + ": " + err.Error())
		}
		for key, text := range list {
			if all[key] == nil {
				all[key] = map[string]string{}
			}
			all[key][lang] = text
		}
		langs = append(langs, lang)
	}
	slices.Sort(langs)
	return all, langs
}

// Languages lists the languages that there is a catalogue of, such as "en", "ko".
func Languages() []string { return slices.Clone(languages) }

// Match returns the language to use for a language or a locale such as "ko-KR",
// and whether there is a catalogue of it; if not, it is [Fallback].
func Match(locale string) (string, bool) {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(locale, "_", "-")), "-")
	if slices.Contains(languages, base) {
		return base, true
	}
	return Fallback, false
}

// Say returns the sentence of a key in a language or locale, with args put into
// its verbs as fmt does. A key that there is not is returned as it is.
func Say(language, key string, args ...any) string {
	text, ok := book[key][language]
	if !ok {
		lang, _ := Match(language)
		if text, ok = book[key][lang]; !ok {
			return key
		}
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Has reports whether there is a sentence of that key.
func Has(key string) bool { return book[key] != nil }

// All returns a sentence in every language, by language. It is shared: callers
// only read it.
func All(key string) map[string]string { return book[key] }
