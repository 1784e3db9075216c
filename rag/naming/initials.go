package naming

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// People write the initials of a name's words (SLA for Service Level Agreement), or the words where the name has the initials.

// Bounds of how many words initials stand for. Two letters are too often something else.
const (
	fewestInitials = 3
	mostInitials   = 5
)

// initialsOf calls f with each run of Latin words whose initials people may write.
func initialsOf(words []string, f func(initials string, from, to int)) {
	for from := range words {
		var b strings.Builder
		for to := from; to < min(len(words), from+mostInitials); to++ {
			first, _ := utf8.DecodeRuneInString(words[to])
			if isHangul(first) || numbered(words[to]) || utf8.RuneCountInString(words[to]) < 2 {
				break
			}
			b.WriteRune(first)
			if to+1-from >= fewestInitials {
				f(b.String(), from, to+1)
			}
		}
	}
}

// noteInitials notes which initials stand for words of names. Those of different words stand for none.
func noteInitials(d *Directory) {
	d.initials = map[string]string{}
	for _, n := range d.names {
		for _, segment := range segments.Split(n.text, -1) {
			noteInitialsOf(d, wordsOf(segment))
		}
	}
}

// noteInitialsOf notes those of a part of a name.
func noteInitialsOf(d *Directory, words []string) {
	initialsOf(words, func(initials string, from, to int) {
		if slices.Contains(words[from:to], initials) {
			return // VPN Privacy Notice
		}
		phrase := strings.Join(words[from:to], " ")
		if known, ok := d.initials[initials]; ok && known != phrase {
			phrase = ""
		}
		d.initials[initials] = phrase
	})
}

// allHave reports whether all documents with a word in their names have those of a phrase, too.
func allHave(d *Directory, word, phrase string) bool {
	docs := d.having(word)
	for _, w := range strings.Fields(phrase) {
		if len(within(docs, d.having(w))) < len(docs) {
			return false
		}
	}
	return true
}

// change is a place of a question that names write with other words.
type change struct {
	from, to int
	with     string
}

// spelled returns a question with initials as names write them, and with further changes.
func spelled(d *Directory, question string, further []change) string {
	text := fold(question)
	if len(text) != len(question) {
		return question
	}
	before, after := around(text)
	words := append(before, after...)
	var said []string
	for _, w := range words {
		said = append(said, text[w.from:w.to])
	}
	changes := slices.Clone(further)
	for i, w := range said {
		typed := question[words[i].from:words[i].to]
		if phrase := d.initials[w]; phrase != "" && (typed == w || typed == strings.ToUpper(typed)) && content(w) && allHave(d, w, phrase) { // no San Francisco
			changes = append(changes, change{words[i].from, words[i].to, phrase})
		}
	}
	initialsOf(said, func(initials string, from, to int) {
		known := slices.ContainsFunc(said[from:to], func(w string) bool { return d.words[w] })
		if d.words[initials] && !known && words[from].clause == words[to-1].clause {
			changes = append(changes, change{words[from].from, words[to-1].to, initials})
		}
	})
	slices.SortStableFunc(changes, func(a, b change) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, c := range changes {
		if c.from < at {
			continue
		}
		b.WriteString(question[at:c.from] + c.with)
		at = c.to
	}
	return b.String() + question[at:]
}

// without cuts places out of a text.
func without(text string, cut [][2]int) string {
	var b strings.Builder
	at := 0
	for _, c := range cut {
		b.WriteString(text[at:c[0]])
		b.WriteByte(' ')
		at = c[1]
	}
	b.WriteString(text[at:])
	return strings.TrimSpace(b.String())
}
