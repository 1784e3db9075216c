// Package phrase holds every sentence that Maru says to people: one catalogue a
// language, ko.json and en.json. A new language is one more file with the same
// keys. Code names a sentence by its key and never writes it, so that a test can
// tell what is missing or was left untranslated.
//
// Keys and not English sentences name an entry, because a correction of the English
// would silently lose its translations; and one file holds a whole language, because a
// translator should not have to open one a package.
//
// Where the reader is known, [Say] says a sentence; where it is not known yet, as
// in a tool's error, a [Sentence] waits until it is. [Match] and [Spoken] choose a
// language.
//
// The package knows nothing of who speaks. What Maru reads of people's words (yes,
// no, "stop") stands with whoever reads it; what is said to a model is in
// prompts, and what a model writes is the model's.
package phrase

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed *.json
var files embed.FS

// Fallback is the language for requests of a language without a catalogue.
const Fallback = "en"

// library holds the catalogues by language.
type library struct {
	texts     map[string]map[string]string // by language and key
	languages []string                     // sorted
	scripts   []script                     // of the languages, in their order
}

// books are the catalogues, read at first use, because the processes that parse files never
// need them. They are immutable.
var books = sync.OnceValue(func() library { return read(files) })

// read reads the catalogues. An invalid one is a build error.
func read(from fs.FS) library {
	names, err := fs.Glob(from, "*.json")
	if err != nil {
		panic("phrase: " + err.Error())
	}
	lib := library{texts: map[string]map[string]string{}}
	for _, name := range names { // sorted
		raw, err := fs.ReadFile(from, name)
		if err != nil {
			panic("phrase: " + err.Error())
		}
		list, script, err := parse(string(raw))
		if err != nil {
			panic("phrase: " + name + ": " + err.Error())
		}
		lang := strings.TrimSuffix(name, path.Ext(name))
		lib.texts[lang] = list
		lib.languages, lib.scripts = append(lib.languages, lang), append(lib.scripts, script)
	}
	return lib
}

// parse reads a catalogue, a JSON object of strings, and returns its sentences and its script. Every start of the
// program does this, so it is faster than [json.Unmarshal]: sentences without escapes share the source's memory.
func parse(src string) (map[string]string, script, error) {
	list := make(map[string]string, strings.Count(src, "\n"))
	count, letters := map[script]int{}, 0
	for delimiter := `{`; ; delimiter = `,` {
		key, rest, err := quoted(src, delimiter)
		if err != nil {
			return nil, nil, err
		}
		text, rest, err := quoted(rest, `:`)
		if err != nil {
			return nil, nil, err
		}
		if letters < sampled {
			letters += tally(text, count)
		}
		list[key] = text
		if src = strings.TrimSpace(rest); src == "}" {
			return list, chief(count, letters), nil
		}
	}
}

// quoted reads the JSON string after a delimiter, and returns it and what follows.
func quoted(src, delimiter string) (text, rest string, err error) {
	src, ok := strings.CutPrefix(strings.TrimSpace(src), delimiter)
	if src = strings.TrimSpace(src); !ok || !strings.HasPrefix(src, `"`) {
		return "", "", fmt.Errorf("no %s and string at %.40q", delimiter, src)
	}
	end := 1
	for end < len(src) && src[end] != '"' {
		if src[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(src) {
		return "", "", fmt.Errorf("no end of %.40q", src)
	}
	text = src[1:end]
	if strings.Contains(text, `\`) {
		err = json.Unmarshal([]byte(src[:end+1]), &text)
	}
	return text, src[end+1:], err
}

// Languages lists the languages with a catalogue, such as "en", "ko".
func Languages() []string { return slices.Clone(books().languages) }

// Match returns the catalogue language for a language or locale such as "ko-KR", and whether
// there is one; if not, [Fallback].
func Match(locale string) (string, bool) {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(locale, "_", "-")), "-")
	if slices.Contains(books().languages, base) {
		return base, true
	}
	return Fallback, false
}

// Say returns the sentence of a key in a language or locale, formatted with args as fmt does;
// a [Sentence] argument is rendered in the same language. A sentence may choose a form by the
// argument before it, "%s{이/가}" or "%d {file/files}". An unknown key is returned as it is.
func Say(language, key string, args ...any) string {
	text, ok := books().texts[language][key]
	if !ok {
		language, _ = Match(language)
		if text, ok = books().texts[language][key]; !ok {
			return key
		}
	}
	return filled(text, said(language, args))
}

// said renders the arguments that are sentences, and removes the moments of texts that are not [Timed].
func said(language string, args []any) []any {
	out := args
	for i, a := range args {
		text := ""
		switch a := a.(type) {
		case Timed, bool, int, int64, float64:
			continue
		case Sentence:
			text = a.In(language)
		default:
			if text = fmt.Sprint(a); !strings.Contains(text, momentMark) {
				continue
			}
			text = MomentWords(text)
		}
		if &out[0] == &args[0] {
			out = slices.Clone(args)
		}
		out[i] = text
	}
	return out
}

// Has reports whether a key has a sentence.
func Has(key string) bool {
	for _, list := range books().texts {
		if _, ok := list[key]; ok {
			return true
		}
	}
	return false
}

// Choice returns the choice that a word names, whatever its case: by itself, or as one of the names, separated by spaces, that
// the key head and the choice have in any language. It is "" for an unknown word.
func Choice(word, head string, choices ...string) string {
	word = strings.ToLower(word)
	if slices.Contains(choices, word) {
		return word
	}
	for _, c := range choices {
		for _, names := range All(head + c) {
			if slices.Contains(strings.Fields(names), word) {
				return c
			}
		}
	}
	return ""
}

// All returns a sentence by language.
func All(key string) map[string]string {
	all := make(map[string]string, len(books().texts))
	for lang, list := range books().texts {
		if text, ok := list[key]; ok {
			all[lang] = text
		}
	}
	return all
}
