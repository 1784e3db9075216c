package naming

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/rag"
)

// Names may contain each other: X2 and X2 Pro, 한결 and 한결소프트. A question means the document whose own part it says
// in full, and of several the longest: "X2 Pro" is neither X2 nor X2 Pro Max.

// forms are legal forms of companies, which people leave out.
var forms = []string{"inc", "incorporated", "ltd", "limited", "llc", "llp", "plc", "corp", "corporation", "co", "company", "gmbh", "ag", "kg", "sa", "bv", "주식회사", "유한회사", "주", "유"}

// closest narrows the named documents to those whose own parts the question says in full. Where it names no kind, names
// that could be confused with others of their kind bind alone, and so does a name that is nothing but its kind.
func (d *Directory) closest(r *Reading, text, typed string) {
	if d.extended(r, text, typed) {
		return
	}
	said := atomsOf(text)
	if len(r.Documents) > mostFigured {
		return
	}
	if len(r.Documents) > 1 {
		var docs []int
		ids := r.IDs()
		for i, doc := range d.docs {
			if slices.Contains(ids, doc.ID) {
				docs = append(docs, i)
			}
		}
		if fit := d.fullySaid(docs, d.ofKind(r, docs), said); len(fit) > 0 {
			r.Documents = nil
			d.bind(r, fit, r.Rest)
		}
		return
	}
	if len(r.Documents) > 0 || r.Entity != "" {
		return
	}
	for _, found := range d.candidates(said) {
		fit, own := longestSaid(found, said)
		if len(fit) != 1 {
			continue
		}
		from, to := own[0].from, own[len(own)-1].to
		if goesOnAt(d, text, typed, from, to) {
			continue
		}
		var whole []string
		for _, a := range own {
			whole = append(whole, a.text)
		}
		r.Entity, r.Others = typed[from:to], []string{strings.Join(whole, " ")}
		d.bind(r, fit, typed)
		for _, i := range d.confusable[found[0].kind] {
			r.kind = append(r.kind, d.docs[i].ID)
		}
		return
	}
	if !byMark(d, r, text, typed) {
		d.plainKind(r, text, typed)
	}
}

// extended binds to the longer name of a document that is named in part: 골목상권 조례 시행규칙. All words before the extension
// must be of its name.
func (d *Directory) extended(r *Reading, text, typed string) bool {
	before, after := around(text)
	words := append(before, after...)
	for i, w := range words {
		known := d.extensionAt(text[w.from:w.to])
		if i == 0 || known == "" || ruledOut(words, i, text) {
			continue
		}
		docs, from := d.atoms[known], w.from
		for j := i - 1; j >= 0 && words[j].clause == w.clause; j-- {
			has := within(docs, d.atoms[strings.TrimSuffix(text[words[j].from:words[j].to], "의")])
			if len(has) == 0 {
				break
			}
			docs, from = has, words[j].from
		}
		if len(docs) != 1 || from == w.from {
			continue
		}
		r.Documents, r.Entity, r.Others = nil, typed[from:w.to], nil
		d.bind(r, docs, typed)
		return true
	}
	return false
}

// ofKind returns the documents of the kind that a question names, else docs.
func (d *Directory) ofKind(r *Reading, docs []int) (kind []int) {
	named := make(map[string]bool, len(r.kind))
	for _, id := range r.kind {
		named[id] = true
	}
	for i, doc := range d.docs {
		if named[doc.ID] {
			kind = append(kind, i)
		}
	}
	if len(kind) == 0 {
		return docs
	}
	return kind
}

// plainKind binds to a document that has the bare name of a kind of which others have longer names: 취업규칙 beside
// 기간제근로자 취업규칙.
func (d *Directory) plainKind(r *Reading, text, typed string) {
	before, after := around(text)
	words := append(before, after...)
	for i, w := range words {
		at, n, to := d.longest(words[i:], text)
		if n == 0 || d.after[string(d.names[at].plain)] < series || len(d.names[at].docs) > 1 || d.saysMore(at) {
			continue
		}
		kind := d.kindAt(text[words[i+n-1].from:words[i+n-1].to])
		if len(kind) < series || len(within(d.names[at].docs, kind)) == 0 {
			continue
		}
		r.Entity = typed[w.from:to]
		d.bind(r, d.names[at].docs, typed)
		d.of(r, kind)
		return
	}
}

// saysMore reports whether the document of a name has a longer one of the same kind: globex-privacy-policy.md.
func (d *Directory) saysMore(at int) bool {
	words := wordsOf(d.names[at].text)
	return slices.ContainsFunc(d.namesOf[d.names[at].docs[0]], func(n int) bool {
		own := wordsOf(d.names[n].text)
		return n != at && own[len(own)-1] == words[len(words)-1]
	})
}

// atom is a piece of a text that names are compared by: a run of letters of one script, or of Latin letters and digits.
type atom struct {
	text     string
	from, to int
}

// atomsOf cuts a folded text into atoms: 누리패드3 is 누리패드 and 3.
func atomsOf(text string) (out []atom) {
	start, hangul := -1, false
	end := func(at int) {
		if start >= 0 {
			out = append(out, atom{text[start:at], start, at})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case !inName(r):
			end(i)
		case start < 0 || isHangul(r) != hangul:
			end(i)
			start, hangul = i, isHangul(r)
		}
	}
	end(len(text))
	return out
}

// ownName is the part of a name that not all of a kind have.
type ownName struct {
	kind int // of [Directory.confusable]
	docs []int
	own  []string
}

// candidates returns the names of confusable kinds that may be in a question, by kind.
func (d *Directory) candidates(said []atom) (out [][]ownName) {
	found := map[int][]ownName{}
	find := func(first string) {
		for _, n := range d.own[first] {
			found[n.kind] = append(found[n.kind], n)
		}
	}
	for i := range said {
		joined, looked := "", 0
		for j := i; j < min(len(said), i+3); j++ {
			joined += said[j].text
			for at := range joined {
				if at > looked {
					find(joined[:at])
				}
			}
			find(joined)
			looked = len(joined)
		}
		if len(said[i].text) == 2 {
			find("20" + said[i].text) // a year
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[kind])
	}
	return out
}

// fullySaid returns those of docs whose own parts, what not all of their kind have, are in full among the atoms of a
// question.
func (d *Directory) fullySaid(docs, kind []int, said []atom) []int {
	var names []ownName
	for _, doc := range docs {
		for _, n := range d.namesOf[doc] {
			names = append(names, ownName{docs: []int{doc}, own: d.ownPart(d.names[n], kind)})
		}
	}
	fit, _ := longestSaid(names, said)
	if len(fit) > 0 {
		return fit
	}
	for _, n := range names {
		if len(n.own) == 0 && !slices.Contains(fit, n.docs[0]) {
			fit = append(fit, n.docs[0]) // its name is part of the others', of which the question says no more
		}
	}
	return fit
}

// longestSaid returns the documents with the longest names that a question says in full, and the atoms that say them.
func longestSaid(names []ownName, said []atom) (fit []int, own []atom) {
	long := 0
	for _, n := range names {
		at, ok := sayOwn(n.own, said)
		size := 0
		for _, a := range at {
			size += utf8.RuneCountInString(a.text)
		}
		switch {
		case !ok || size < long:
		case size > long:
			fit, own, long = slices.Clone(n.docs), at, size
		default:
			fit = append(fit, n.docs...)
		}
	}
	slices.Sort(fit)
	return slices.Compact(fit), own
}

// ownPart returns the atoms of a name without those that all documents of the kind have, the words of kinds and legal
// forms. A number alone says nothing: the atom before it comes with it.
func (d *Directory) ownPart(n name, kind []int) (own []string) {
	all := atomsOf(fold(n.text))
	letters := false
	for i, a := range all {
		if slices.Contains(forms, a.text) || len(within(kind, d.kinds[a.text])) >= series || d.shared(a.text, kind) {
			continue
		}
		if bare := strings.Trim(a.text, "0123456789") == ""; bare && !letters && i > 0 {
			own = append(own, all[i-1].text)
		}
		letters = true
		own = append(own, a.text)
	}
	return own
}

// shared reports whether all documents of a kind have an atom in their names.
func (d *Directory) shared(text string, kind []int) bool {
	return len(d.atoms[text]) >= len(kind) && len(within(kind, d.atoms[text])) == len(kind)
}

// sayOwn returns the atoms of a question that say each of a name's; none are needed for a name without own ones.
func sayOwn(own []string, said []atom) (at []atom, ok bool) {
	if len(own) == 0 {
		return nil, false
	}
	if at, ok = saysRun(strings.Join(own, ""), said); ok {
		return at, true
	}
	for _, o := range own {
		found, ok := saysRun(o, said)
		if !ok {
			return nil, false
		}
		at = append(at, found...)
	}
	slices.SortFunc(at, func(a, b atom) int { return a.from - b.from })
	return at, true
}

// saysRun finds neighbouring atoms that say a name, with other spaces or a particle after it.
func saysRun(name string, said []atom) ([]atom, bool) {
	for i := range said {
		rest := name
		for j := i; j < len(said); j++ {
			a := said[j].text
			if a == rest || endsIn(a, rest) || j == i && shortYear(said, j, rest) {
				found := slices.Clone(said[i : j+1])
				found[len(found)-1].text, found[len(found)-1].to = rest, said[j].from+min(len(rest), len(a))
				return found, true
			}
			next, ok := strings.CutPrefix(rest, a)
			if !ok {
				break
			}
			rest = next
		}
	}
	return nil, false
}

// endsIn reports whether a Korean word is a name with a particle or a short noun that goes with names: 한결소프트하고, 근로자용.
func endsIn(w, name string) bool {
	rest, ok := strings.CutPrefix(w, name)
	return ok && isKorean(name) && isKorean(rest) && (stem(w) == name || rag.IsParticle(rest) || slices.Contains(behind, rest))
}

// behind are nouns that people append to a name.
var behind = []string{"용", "건", "측", "쪽", "상", "사", "하고", "과의", "와의"}

// shortYear reports whether an atom is a year in two digits: 24년 of 2024.
func shortYear(said []atom, at int, name string) bool {
	return len(name) == 4 && len(said[at].text) == 2 && name == "20"+said[at].text && at+1 < len(said) && strings.HasPrefix(said[at+1].text, "년")
}

// goesOnAt reports whether the name at a place goes on with a capital that no document has: X2 Ultra.
func goesOnAt(d *Directory, text, typed string, from, to int) bool {
	before, after := around(text)
	words := append(before, after...)
	for i, w := range words {
		if w.from < to && from < w.to && !isKorean(text[w.from:w.to]) && d.goesOn(words, i, text, typed) {
			return true
		}
	}
	return false
}

// confuse lists the kinds in which a document's name contains another's, with the own parts of their names.
func (d *Directory) confuse() {
	d.atoms, d.own, d.namesOf = map[string][]int{}, map[string][]ownName{}, make([][]int, len(d.docs))
	for at, n := range d.names {
		for _, a := range atomsOf(fold(n.text)) {
			d.atoms[a.text] = append(d.atoms[a.text], n.docs...)
		}
		for _, doc := range n.docs {
			d.namesOf[doc] = append(d.namesOf[doc], at)
		}
	}
	for a, docs := range d.atoms {
		slices.Sort(docs)
		d.atoms[a] = slices.Compact(docs)
	}
	seen := map[string]bool{}
	for _, n := range d.names {
		words := wordsOf(n.text)
		last := words[len(words)-1]
		kind := d.kinds[last]
		if len(kind) < series || len(kind) > mostFigured || seen[last] {
			continue
		}
		seen[last] = true
		if parts := d.ownParts(kind); contained(parts) {
			for _, p := range parts {
				p.kind = len(d.confusable)
				d.own[p.own[0]] = append(d.own[p.own[0]], p)
			}
			d.confusable = append(d.confusable, kind)
		}
	}
}

// ownParts returns the own parts of the names of a kind.
func (d *Directory) ownParts(kind []int) (parts []ownName) {
	for _, doc := range kind {
		for _, n := range d.namesOf[doc] {
			if own := d.ownPart(d.names[n], kind); len(own) > 0 {
				parts = append(parts, ownName{docs: []int{doc}, own: own})
			}
		}
	}
	return parts
}

// contained reports whether one name begins or ends another.
func contained(parts []ownName) bool {
	var names []string
	for _, p := range parts {
		names = append(names, strings.Join(p.own, ""))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.ContainsFunc(names, func(p string) bool {
		return utf8.RuneCountInString(p) > 1 && slices.ContainsFunc(names, func(o string) bool {
			return p != o && (strings.HasPrefix(o, p) || strings.HasSuffix(o, p))
		})
	})
}
