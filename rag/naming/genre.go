package naming

import (
	_ "embed" // the list of genres
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A genre is a noun for a kind of document: policy, 약관. Nouns of one class stand for each other.

//go:embed genres.txt
var genreList string

// anyGenre is the class of nouns that any document may be called by: page, 문서.
const anyGenre = 1

// genres maps nouns to their classes, which begin at [anyGenre].
var genres = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for w, class := range genreNouns() {
		out[w] = max(class, -class)
	}
	return out
})

// genreNouns maps nouns to their classes, negative ones for nouns that are said of a subject, too.
var genreNouns = sync.OnceValue(func() map[string]int {
	out, class := map[string]int{}, anyGenre
	for line := range strings.Lines(genreList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if list := strings.Trim(strings.TrimSpace(line), "[]"); list != strings.TrimSpace(line) {
			for w := range strings.FieldsSeq(list) {
				out[w] = anyGenre
			}
			continue
		}
		class++
		nouns, subject := strings.CutPrefix(line, "~")
		for w := range strings.FieldsSeq(nouns) {
			if w = strings.ReplaceAll(w, "_", " "); subject {
				out[w] = -class
			} else {
				out[w] = class
			}
		}
	}
	return out
})

// phraseWords is how many words a genre has that is a phrase: code of conduct.
const phraseWords = 3

// phrased returns words with the phrases among them that are genres as one word each.
func phrased(words []string) (out []string) {
	for i := 0; i < len(words); i++ {
		if i+phraseWords <= len(words) {
			if phrase := strings.Join(words[i:i+phraseWords], " "); genres()[phrase] > 0 {
				out, i = append(out, phrase), i+phraseWords-1
				continue
			}
		}
		out = append(out, words[i])
	}
	return out
}

// phraseAt returns the words of a text with the phrase that begins at one of them as a single word, if it is a genre.
func phraseAt(words []word, i int, text string) []word {
	if last := i + phraseWords - 1; last < len(words) && genres()[strings.TrimRightFunc(text[words[i].from:words[last].to], isHangul)] > 0 {
		out := slices.Clone(words[:i+1])
		out[i].to = words[last].to
		return append(out, words[last+1:]...)
	}
	return words
}

// genreOf returns the class of a word that is a genre or a Korean compound that ends with one, 0 if it is none, with the
// genre and what precedes it in the compound. A particle may follow.
func genreOf(w string) (class int, head, genre string) {
	if !isKorean(w) {
		return genreAt(strings.TrimRightFunc(w, isHangul)) // EULA에서
	}
	if class, head, genre = genreAt(stem(w)); class > 0 {
		return class, head, genre
	}
	_, last := utf8.DecodeLastRuneInString(w)
	return genreAt(w[:len(w)-last]) // 처리방침상
}

// genreAt reads a word without a particle. A genre of one syllable ends a word of three at least: 병역법, but not 방법.
func genreAt(w string) (class int, head, genre string) {
	if !isKorean(w) {
		return genres()[w], "", w
	}
	for at := range w {
		class := genres()[w[at:]]
		if class > 0 && (utf8.RuneCountInString(w[at:]) > 1 || utf8.RuneCountInString(w[:at]) > 1) {
			return class, w[:at], w[at:]
		}
	}
	return 0, "", ""
}

// noteGenres lists the documents by the classes of the genres in their names, in order.
func noteGenres(d *Directory) {
	d.genres = map[int][]int{}
	for doc, names := range d.namesOf {
		some := false
		for _, n := range names {
			for _, w := range phrased(wordsOf(d.names[n].text)) {
				class, _, _ := genreAt(w)
				some = some || class > anyGenre
				if of := d.genres[class]; class > anyGenre && (len(of) == 0 || of[len(of)-1] != doc) {
					d.genres[class] = append(of, doc)
				}
			}
		}
		if !some {
			d.genreless = append(d.genreless, doc)
		}
	}
}
