package naming

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"maru/rag"
)

// withWord returns the documents with a word in their names, also in the plural, as a party before a genre in a compound
// (하늘철강계약서), as initials (UK), or as one that it is a slip of.
func withWord(d *Directory, w, typed string) (docs []int) {
	at, _ := slices.BinarySearchFunc(d.parts, w, func(p namedWord, w string) int { return strings.Compare(p.word, w) })
	for ; at < len(d.parts) && strings.HasPrefix(d.parts[at].word, w); at++ {
		p := d.parts[at]
		if rest := p.word[len(w):]; rest == "" || isKorean(w) && genres()[rest] > 0 || !isKorean(w) && (rest == "s" || rest == "es") {
			docs = append(docs, p.doc)
		}
	}
	for n := len(w) - 1; !isKorean(w) && n >= max(longWord-1, len(w)-2); n-- { // Australian, for Australia
		docs = append(docs, d.having(w[:n])...)
	}
	if len(docs) == 0 && len(typed) > 1 && strings.IndexFunc(typed, func(r rune) bool { return !unicode.IsUpper(r) }) < 0 {
		docs = byInitials(d, w)
	}
	if len(docs) == 0 && len(d.docs) <= mostKin {
		for _, p := range d.parts {
			if isSlip(w, p.word) {
				docs = append(docs, p.doc)
			}
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// byInitials returns the documents with neighbouring words in their names that begin with the letters of a word.
func byInitials(d *Directory, w string) (docs []int) {
	for _, n := range d.names {
		own := wordsOf(n.text)
		for at := 0; at+len(w) <= len(own); at++ {
			if spells(own[at:at+len(w)], w) {
				docs = append(docs, n.docs...)
			}
		}
	}
	return docs
}

func spells(words []string, initials string) bool {
	for i, w := range words {
		if w[0] != initials[i] {
			return false
		}
	}
	return true
}

// containing returns the documents with a Korean text inside a word of their names.
func containing(d *Directory, text string) (docs []int) {
	r := []rune(text)
	if len(r) < 2 {
		return nil
	}
	for _, at := range d.pairs[string(r[:2])] {
		if strings.Contains(string(d.names[at].plain), text) {
			docs = append(docs, d.names[at].docs...)
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// compare notes the documents of a class whose names have the words of a title. One that no genre is in the names of will do
// where people speak of a document.
func compare(d *Directory, t *Title, all, asides []Qualifier, class int, framed bool) {
	has := map[int]uint{}
	for k, q := range all {
		for _, doc := range q.docs {
			has[doc] |= 1 << k
		}
	}
	of, docs := d.genres[class], slices.Sorted(maps.Keys(has))
	best, near := 0, of
	look := func(docs []int) {
		for _, doc := range docs {
			switch n := bits.OnesCount(has[doc]); {
			case n > best:
				best, near = n, []int{doc}
			case n == best:
				near = append(near, doc)
			}
		}
	}
	look(within(docs, of))
	switch {
	case best == len(all):
	case class == anyGenre:
		look(docs)
	case framed:
		look(within(docs, d.genreless))
	}
	if best == len(all) {
		for _, q := range asides {
			if of := within(near, q.docs); len(of) > 0 {
				near, all = of, append(all, q)
			}
		}
		fits := &t.Full
		if near = nothingMore(d, near, all); len(near) > series {
			fits = &t.Many
		}
		for _, doc := range near[:min(len(near), mostNear)] {
			*fits = append(*fits, d.docs[doc])
		}
		return
	}
	said := uint(0)
	for _, doc := range near {
		said |= has[doc]
	}
	for k, q := range all {
		if said&(1<<k) == 0 {
			t.None = append(t.None, q)
		}
	}
	if t.Some = best > 0; len(near) > mostNear {
		return
	}
	for _, doc := range near {
		c := Candidate{Document: d.docs[doc], Genre: len(within([]int{doc}, of)) > 0, Own: ownWords(d, doc, of, all)}
		for k, q := range all {
			if has[doc]&(1<<k) == 0 {
				c.Lacks = append(c.Lacks, q)
			}
		}
		t.Near = append(t.Near, c)
	}
}

// ownWords returns the words that no other document of its kind has in its names, but for those of a title: they may be its
// owner's. An organisation's own name is in several.
func ownWords(d *Directory, doc int, kind []int, said []Qualifier) (out []string) {
	for _, n := range d.namesOf[doc] {
		for _, w := range phrased(wordsOf(d.names[n].text)) {
			class, _, _ := genreAt(w)
			known := slices.Contains(out, w) || slices.ContainsFunc(said, func(q Qualifier) bool { return fold(q.Text) == w })
			alone := len(within(d.having(w), kind)) <= 1
			if class == 0 && !known && alone && content(w) && !numbered(w) && !slices.Contains(forms, w) && !slices.Contains(modifiers, w) && !isCircumstance(w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// BindTitle binds the question to the documents of a title. closer keeps those of them that are named already, if any.
func (r *Reading) BindTitle(t Title, docs []rag.Document, closer bool) {
	same := slices.DeleteFunc(slices.Clone(docs), func(doc rag.Document) bool { return !slices.Contains(r.IDs(), doc.ID) })
	if closer && len(same) > 0 {
		docs = same
	} else {
		r.Rest = t.Rest
	}
	r.Documents, r.Entity = docs, t.Name
	r.Name, r.Stranger, r.stranger = "", "", ""
}

// HasTitle reports whether documents have a title that a name is part of.
func (r Reading) HasTitle(name string) bool {
	return slices.ContainsFunc(r.Titles, func(t Title) bool { return len(t.Full)+len(t.Many) > 0 && strings.Contains(t.Name, name) })
}

// BindMany binds the question to the many documents that have a title which a name is part of.
func (r *Reading) BindMany(name string) {
	for _, t := range r.Titles {
		if len(t.Many) > 0 && strings.Contains(t.Name, name) {
			r.BindTitle(t, t.Many, false)
			return
		}
	}
}

// Contradicts reports whether the first title of a reading tells of other documents than are bound.
func (r Reading) Contradicts(bound Reading) bool {
	if len(r.Titles) == 0 || r.Bracketed {
		return false
	}
	t, ids := r.Titles[0], bound.IDs()
	named := slices.ContainsFunc(t.Full, func(d rag.Document) bool { return slices.Contains(ids, d.ID) })
	near := slices.ContainsFunc(t.Near, func(c Candidate) bool { return slices.Contains(ids, c.Document.ID) })
	return (len(t.Full) > 0 || t.Some) && !named && !near
}

// nothingMore returns the documents that have a name without further words, all if there are none: Firefox Privacy Notice, not
// Firefox Relay Privacy Notice.
func nothingMore(d *Directory, docs []int, said []Qualifier) []int {
	whole := slices.DeleteFunc(slices.Clone(docs), func(doc int) bool {
		return !slices.ContainsFunc(d.namesOf[doc], func(n int) bool {
			own := wordsOf(d.names[n].text)
			lacks := func(q Qualifier) bool { return !slices.Contains(own, fold(q.Text)) }
			more := func(w string) bool {
				class, _, _ := genreAt(w)
				return class == 0 && content(w) && !slices.ContainsFunc(said, func(q Qualifier) bool { return fold(q.Text) == w })
			}
			return !slices.ContainsFunc(said, lacks) && !slices.ContainsFunc(phrased(own), more) && !d.saysMore(n) && d.after[string(d.names[n].plain)] < series
		})
	})
	if len(whole) == 0 {
		return docs
	}
	return whole
}
