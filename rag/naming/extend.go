package naming

import (
	"strings"

	"maru/rag"
)

// extend takes the longer name where a question about one article names its extension apart: 건축법의 시행령 제3조, 건축법 말고
// 시행령 3조. One that it rules out (시행령 말고 건축법 3조) extends nothing.
func (d *Directory) extend(r *Reading, words []word, text string) {
	if len(r.Articles) > 1 || len(r.Documents) != 1 {
		return
	}
	base := plain(withoutEnding(r.Documents[0].Title))
	for i, w := range words {
		known := d.extensionAt(text[w.from:w.to])
		if known == "" {
			continue
		}
		at, ok := d.exact[base+known]
		if !ok || strings.HasSuffix(base, known) || ruledOut(words, i, text) {
			return
		}
		r.Documents = []rag.Document{}
		d.found(r, at)
		return
	}
}

// extensionAt returns the extension that a word is, with or without a particle.
func (d *Directory) extensionAt(w string) string {
	if known, _ := d.extension(w); known != "" {
		return known
	}
	known, _ := d.extension(stem(w))
	return known
}

// ruledOut reports whether a word says that the one before it is not meant.
func ruledOut(words []word, at int, text string) bool {
	if at+1 == len(words) || words[at].calls {
		return false
	}
	next := text[words[at+1].from:words[at+1].to]
	for _, not := range []string{"말고", "아니", "아닌", "빼고", "제외", "대신"} {
		if strings.HasPrefix(next, not) {
			return true
		}
	}
	return false
}

// joined writes a run of words as one name: the last without its particle, and one before an extension without its 의.
func (d *Directory) joined(run []word, text string) string {
	var b strings.Builder
	for i, w := range run {
		piece := text[w.from:w.to]
		switch {
		case i == len(run)-1:
			piece = stem(piece)
		case d.extensionAt(text[run[i+1].from:run[i+1].to]) != "":
			piece = strings.TrimSuffix(piece, "의")
		}
		b.WriteString(plain(piece))
	}
	return b.String()
}
