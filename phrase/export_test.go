package phrase

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing/fstest"
)

// Made is the language that only these tests have: English with a mark on every
// sentence and vowel, from a catalogue that is made of the English one. All else
// of the program finds it as it would find a new file.
const Made = "eo"

// untouched are the parts of a sentence that stay: verbs, code, addresses of the
// person in sentences.
var untouched = regexp.MustCompile("`[^`]*`|%[-+# 0-9.\\[\\]]*[a-zA-Z%]")

// Remade returns what the made-up language says for an English sentence.
func Remade(text string) string {
	marks := strings.NewReplacer("a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú")
	var out strings.Builder
	at := 0
	for _, m := range untouched.FindAllStringIndex(text, -1) {
		out.WriteString(marks.Replace(text[at:m[0]]) + text[m[0]:m[1]])
		at = m[1]
	}
	return "⟦" + out.String() + marks.Replace(text[at:]) + "⟧"
}

// Parse is parse without the script.
func Parse(src string) (map[string]string, error) {
	list, _, err := parse(src)
	return list, err
}

// withMade returns the catalogues and one file more.
func withMade(own fs.FS) fs.FS {
	all := fstest.MapFS{}
	names, err := fs.Glob(own, "*.json")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(own, name)
		if err != nil {
			panic(err)
		}
		all[name] = &fstest.MapFile{Data: raw}
	}
	var list map[string]string
	if err := json.Unmarshal(all[Fallback+".json"].Data, &list); err != nil {
		panic(err)
	}
	for key, text := range list {
		list[key] = Remade(text)
	}
	list["language.for_models"] = "Esperanto"
	raw, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	all[Made+".json"] = &fstest.MapFile{Data: raw}
	return all
}

// Reading it before anything else asks for a sentence stands for a file that is
// built in.
var _ = func() bool {
	made := read(withMade(files))
	books = func() library { return made }
	return true
}()
