package naming

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"maru/phrase/slip"
)

// fit says how well a name fits what was typed; less is better.
type fit struct {
	at   int
	cost [4]int
}

// abbreviated returns the names that a word abbreviates: its letters are in the name in order, the last at its end. The
// best begins where the name does, then where a word of it does; then it needs the fewest runs of letters; then it is the
// shortest. Several are equally good where people cannot tell them apart either.
func (d *Directory) abbreviated(word string) []int {
	w := []rune(word)
	if base, _ := d.base(word); len([]rune(base)) < 3 || d.after[word] > 1 || slices.Contains(d.added, word) {
		return nil // 상법 시행령 abbreviates no 상표법 시행령
	}
	var fits []fit
	for i, n := range d.names {
		if len(n.plain) <= len(w) || !endsAlike(n, w[len(w)-1]) {
			continue
		}
		if cost, ok := d.aligned(n, w); ok {
			fits = append(fits, fit{i, [4]int{cost[0], cost[1], len(n.plain)}})
		}
	}
	return best(fits)
}

// endsAlike reports whether a letter is in the last two of a name: the 법 of 법률.
func endsAlike(n name, r rune) bool {
	last := n.plain[len(n.plain)-1]
	return last == r || n.plain[len(n.plain)-2] == r && n.starts[len(n.plain)-2]
}

// aligned finds a word's letters in a name, in order and in as few runs as a search from each beginning finds. What
// many names end with tells none of them: an abbreviation begins before that. One of single letters (근기법) begins with
// the name and is short.
func (d *Directory) aligned(n name, w []rune) (cost [2]int, ok bool) {
	for first, r := range n.plain {
		if r != w[0] || d.after[string(n.plain[first:])] > 1 || n.starts[first] && !slices.Contains(n.starts[first+1:], true) && first > 0 {
			continue // of the last word alone it is the kind: the agreement
		}
		runs, fits := runsFrom(n.plain[first:], w)
		c := [2]int{0, runs}
		switch {
		case !fits || runs == len(w) && (first > 0 || len(w) > 4):
			continue
		case first > 0 && n.starts[first]:
			c[0] = 1
		case first > 0:
			if n.plain[first+1] != w[1] || !distinct(n, first, d) {
				continue // 공원녹지법 begins inside 도시공원
			}
			c[0] = 2
		}
		if !ok || slices.Compare(c[:], cost[:]) < 0 {
			cost, ok = c, true
		}
	}
	return cost, ok
}

// distinct reports whether what follows the word around a place does not end many names: the 인 of 소비자인 법률 does.
func distinct(n name, at int, d *Directory) bool {
	for at++; at < len(n.plain); at++ {
		if n.starts[at] {
			return d.after[string(n.plain[at:])] == 1
		}
	}
	return false
}

// runsFrom counts the runs in which w is in text, each run as long as it can be.
func runsFrom(text, w []rune) (runs int, ok bool) {
	for at := 0; len(w) > 0; runs++ {
		long, where := 0, -1
		for i := at; i < len(text); i++ {
			n := 0
			for n < len(w) && i+n < len(text) && text[i+n] == w[n] {
				n++
			}
			if n > long && holds(text[i+n:], w[n:]) {
				long, where = n, i
			}
			if runs == 0 {
				break // the first run begins the name
			}
		}
		if where < 0 {
			return 0, false
		}
		at, w = where+long, w[long:]
	}
	return runs, true
}

// holds reports whether the letters of w are in text in order.
func holds(text, w []rune) bool {
	for _, r := range text {
		if len(w) > 0 && w[0] == r {
			w = w[1:]
		}
	}
	return len(w) == 0
}

func best(fits []fit) (out []int) {
	if len(fits) == 0 {
		return nil
	}
	least := slices.MinFunc(fits, func(a, b fit) int { return slices.Compare(a.cost[:], b.cost[:]) }).cost
	for _, f := range fits {
		if f.cost == least {
			out = append(out, f.at)
		}
	}
	return out
}

// mistyped returns the names that differ from a word by slips of the keyboard: one for three syllables, two for five and
// more, without 시행령 and the like. A slip changes, drops or adds a letter or swaps two; a Korean syllable is two or three letters.
func (d *Directory) mistyped(word string) []int {
	w := []rune(word)
	base, _ := d.base(word)
	if len([]rune(base)) < 3 {
		return nil
	}
	allowed := 1
	if len([]rune(base)) >= 5 {
		allowed = 2
	}
	var fits []fit
	for i, n := range d.names {
		if diff := len(n.plain) - len(w); diff > 1 || diff < -1 || shared(n.plain, w) < max(len(w), len(n.plain))-2 {
			continue
		}
		if cost := slipped(w, n.plain, allowed); cost <= allowed {
			fits = append(fits, fit{i, [4]int{cost}})
		}
	}
	return best(fits)
}

// slipped counts the slips of a typed word from a name, up to one more than allowed. Two syllables swapped, or one left out
// of a longer word, are one. A syllable too many makes another name: 건축사법 is no 건축법.
func slipped(a, b []rune, allowed int) int {
	swapped := len(a) == len(b) && shared(a, b) == len(a) && shared(b, a) == len(b)
	if (swapped || len(a) < len(b) && len(a) >= 4) && slip.Count(a, b, 2) == 1 {
		return 1
	}
	n := slip.Count(letters(a), letters(b), allowed+1)
	if len(a) > len(b) && n > 1 {
		return allowed + 1
	}
	return n
}

// shared counts the runes of a that b holds.
func shared(a, b []rune) (n int) {
	for _, r := range a {
		if slices.Contains(b, r) {
			n++
		}
	}
	return n
}

// letters takes Korean syllables apart, as they are typed.
func letters(w []rune) []rune {
	out := make([]rune, 0, 3*len(w))
	for _, r := range w {
		if !isHangul(r) {
			out = append(out, r)
			continue
		}
		s := r - '가'
		out = append(out, 0x1100+s/588, 0x1161+s/28%21)
		if s%28 > 0 {
			out = append(out, 0x11A7+s%28)
		}
	}
	return out
}

// base returns a name without what makes a longer one of it: 근기법 of 근기법시행령.
func (d *Directory) base(word string) (base string, longer bool) {
	for _, s := range d.added {
		if rest, ok := strings.CutSuffix(word, s); ok && len(rest) > 0 {
			return rest, true
		}
	}
	return word, false
}

// Near returns up to three names that share most with a missing one: what few names have counts more. First come the one
// that 근기법 시행령 is of, and those with a word one letter away.
func (d *Directory) Near(missing string) (out []string) {
	word := plain(missing)
	if base, longer := d.base(word); longer {
		at, ok := d.exact[base]
		hits := []int{at}
		if !ok {
			if hits = d.mistyped(base); len(hits) == 0 {
				hits = d.abbreviated(base)
			}
		}
		for _, at := range hits[:min(len(hits), nearest)] {
			out = append(out, d.names[at].text)
		}
	}
	shares := map[int]float64{}
	for _, p := range pairs([]rune(word)) {
		for _, at := range d.pairs[p] {
			shares[at] += 1 / float64(len(d.pairs[p]))
		}
	}
	for _, w := range wordsOf(missing) {
		for _, p := range d.parts {
			if p.word == w || !isNear(w, p.word) {
				continue
			}
			for _, at := range d.namesOf[p.doc] {
				if slices.Contains(wordsOf(d.names[at].text), p.word) {
					shares[at] += float64(len(word)) // more than pairs can
				}
			}
		}
	}
	list := slices.SortedFunc(maps.Keys(shares), func(a, b int) int {
		own := func(at int) float64 { return shares[at] / math.Sqrt(float64(len(d.names[at].plain))) }
		return cmp.Or(cmp.Compare(own(b), own(a)), strings.Compare(d.names[a].text, d.names[b].text))
	})
	for _, at := range list {
		if text := d.names[at].text; len(out) < nearest && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

const nearest = 3

// pairs returns the neighbours in a name; its last letter counts alone, for the kind of document that it is.
func pairs(w []rune) (out []string) {
	for i := range w {
		out = append(out, string(w[i:min(i+2, len(w))]))
	}
	return out
}
