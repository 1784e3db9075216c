package naming

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// statuteTitle reads the name of a statute that ends with the last of words: in full, abbreviated or mistyped.
func statuteTitle(d *Directory, t *Title, words []word, head, genre, text, typed string) {
	last := words[len(words)-1]
	names, from := []string{head + genre}, []int{last.from}
	for i := len(words) - 2; i >= 0 && len(names) < most && words[i].clause == last.clause; i-- {
		piece := text[words[i].from:words[i].to]
		if len(names) == 1 && isDecree(d, genre) {
			piece = strings.TrimSuffix(piece, "의")
		}
		names, from = append(names, plain(piece)+names[len(names)-1]), append(from, words[i].from)
	}
	t.Law, t.Rest = true, typed
	exactly := func(name string) []int {
		if at, ok := d.exact[name]; ok {
			return []int{at}
		}
		return nil
	}
	for _, alike := range []func(string) []int{exactly, d.mistyped, d.abbreviated} {
		for n, name := range slices.Backward(names) {
			hits := alike(name)
			if len(hits) == 0 || !content(text[from[n]:]) {
				continue
			}
			var r Reading
			for _, at := range hits {
				d.found(&r, at)
			}
			t.Full, t.Name = r.Documents, typed[from[n]:last.from+len(head+genre)]
			t.Rest = without(typed, [][2]int{{from[n], last.to}})
			return
		}
	}
	if before := len(words) - 2; before >= 0 && head == "" && isDecree(d, genre) && words[before].clause == last.clause {
		if _, ok := d.exact[plain(stem(text[words[before].from:words[before].to]))]; ok { // the decree of a statute that has none
			t.Name = typed[words[before].from : last.from+len(genre)]
			t.missing = true
			return
		}
		if class, base, form := genreOf(text[words[before].from:words[before].to]); class == genres()["법"] && base != "" && !isDecree(d, form) {
			statuteMissing(d, t, typed[words[before].from:][:len(base+form)], typed[words[before].from:last.from+len(genre)]) // the decree of a statute that is missing
			return
		}
	}
	if end, _ := utf8.DecodeLastRuneInString(head); head != "" && !strings.ContainsRune(wayEnds, end) {
		name := typed[last.from : last.from+len(head+genre)]
		statuteMissing(d, t, name, name)
	}
}

// wayEnds end words for a way of doing something before their 법: 방법, 사용법, 문법.
const wayEnds = "방용문기수서화어작합편비산"

// statuteMissing notes a statute that no document has the name of, where there are several.
func statuteMissing(d *Directory, t *Title, statute, name string) {
	if len(d.genres[genres()["법"]]) >= fewestLaws {
		t.Name, t.None = name, []Qualifier{{Text: statute, Name: true, Must: true}}
	}
}

// isDecree reports whether a word makes the name of a decree of that of a statute.
func isDecree(d *Directory, w string) bool {
	for _, form := range decrees {
		if stem(w) == form {
			return true
		}
	}
	return d.extensionAt(w) != ""
}
