package runaway

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Repeat notices a reply that says the same thing over and over. Its zero value is ready for use.
type Repeat struct {
	tail   []byte // newest text
	unread int    // bytes that came since the last look
	period int    // bytes of the part that is repeated, 0 as long as there is none
	words  int    // different ones of that part
	inCode bool   // an odd number of backquotes came
	begun  bool
	json   bool // the reply is JSON, whose lists may well have many equal objects
}

const (
	tailBytes = 4800 // bytes that are looked at
	step      = 200  // bytes between two looks
	times     = 8    // that a part is repeated
	least     = 600  // characters that the repetitions have together
	leastOdd  = 2400 // the same for parts of less than two words, such as blanks to fill in, laughter and white space
)

// Period returns the length in bytes of the part that the text ends in over and over, 0 as long as there is none.
func (l *Repeat) Period() int { return l.period }

// Word reports whether the part has less than two words: a reply that ends in such a loop says nothing.
func (l *Repeat) Word() bool { return l.period > 0 && l.words < 2 }

// Add takes a piece of text and reports whether the text ends in a loop. What is in code may repeat: tables of zeros do.
func (l *Repeat) Add(piece string) bool {
	if first := strings.TrimSpace(piece); !l.begun && first != "" {
		l.begun, l.json = true, first[0] == '{' || first[0] == '['
	}
	if strings.Count(piece, "`")%2 == 1 {
		l.inCode = !l.inCode
	}
	if l.inCode && l.period == 0 {
		l.tail, l.unread = l.tail[:0], 0
		return false
	}
	l.tail = append(l.tail, piece...)
	if l.unread += len(piece); l.unread < step || l.period > 0 {
		return l.period > 0
	}
	l.unread = 0
	l.tail = l.tail[max(0, len(l.tail)-tailBytes):]
	l.look()
	return l.period > 0
}

// look finds the part that the text ends in, by the prefix function of the text read backwards (Knuth, Morris and Pratt): a
// prefix of length n has the period n minus its longest border.
func (l *Repeat) look() {
	at := func(i int) byte { return l.tail[len(l.tail)-1-i] }
	border := make([]int, len(l.tail))
	for i := 1; i < len(l.tail); i++ {
		k := border[i-1]
		for k > 0 && at(i) != at(k) {
			k = border[k-1]
		}
		if at(i) == at(k) {
			k++
		}
		border[i] = k
		n := i + 1
		if period := n - k; n >= least && n >= times*period {
			part, all := l.tail[len(l.tail)-period:], l.tail[len(l.tail)-n:]
			words := different(part)
			if count := utf8.RuneCount(all); count >= least && words > 1 && !l.json || count >= leastOdd {
				l.period, l.words = period, words
				return
			}
		}
	}
}

// different counts the different words of a part, whose beginning may be anywhere in one.
func different(part []byte) int {
	seen := map[string]bool{}
	for _, w := range bytes.FieldsFunc(bytes.Repeat(part, 2), func(r rune) bool { return !letter(r) }) {
		seen[string(w)] = true
	}
	return len(seen)
}
