package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/pattern"
)

// figure is a year, a version or another number in a name or a question.
type figure struct {
	class    rune // 'y', 'v' or 'n'
	value    string
	unit     string // of a number: 번, 회
	from, to int
	short    bool // may be no name's: a year of two digits, which may as well be a duration (10년), or a number of 기
}

// figureForms match figures, the narrow ones first.
var figureForms = []struct {
	class rune
	form  *pattern.Pattern
}{
	{'v', pattern.New(`\b(?:v|ver|versions?)\.?\s?(\d+(?:\.\d+)*)|(?:버전|판)\s?(\d+(?:\.\d+)*)|(\d+(?:\.\d+)+)(?:\s?버전|\s?판)?`)},
	{'y', pattern.New(`((?:19|20)\d\d)(?:년(?:도|판)?)?|(\d\d)년(?:도|판)?`)},
	{'n', pattern.New(`(\d+)(?:번|호|차|회차|회|기)?`)},
}

// figuresIn returns the figures of a text in order of their classes.
func figuresIn(text string) (out []figure) {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	out = datesIn(text)
	for _, f := range figureForms {
		for _, m := range f.form.FindAllStringSubmatchIndex(text, -1) {
			if digitAt(text, m[0]-1, text[m[0]]) || digitAt(text, m[1], text[m[1]-1]) || slices.ContainsFunc(out, func(o figure) bool { return m[0] < o.to && o.from < m[1] }) {
				continue
			}
			if f.class == 'n' && strings.HasPrefix(text[m[1]:], "년") {
				continue // a duration
			}
			value := ""
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 {
					value = text[m[g]:m[g+1]]
				}
			}
			short := f.class == 'y' && len(value) == 2 || f.class == 'n' && strings.HasSuffix(text[m[0]:m[1]], "기")
			if f.class == 'y' && short {
				value = "20" + value
			}
			out = append(out, figure{f.class, value, unitOf(f.class, text[m[0]:m[1]]), m[0], m[1], short})
		}
	}
	return out
}

// unitOf returns the unit of a number, the same for rounds: 회, 차, 회차.
func unitOf(class rune, said string) string {
	if class != 'n' {
		return ""
	}
	switch u := unit(said); u {
	case "차", "회차":
		return "회"
	default:
		return u
	}
}

// figures holds the documents that a question names against the years, versions and numbers that are beside their names in it:
// 2022년 여비규정 is no 여비규정 2023, 12 Maple Street no 112 Maple Street. Where all others differ, what is named is not there,
// unless its year has two digits: 10년 휴가규정 may ask about ten years of service.
func (d *Directory) figures(r *Reading, text, typed string) {
	before, after := around(text)
	words := apartFromFigures(append(before, after...), text)
	for _, f := range figuresIn(text) {
		if counts(d, f, words, text) {
			continue
		}
		for _, f := range []figure{f, withRecord(f, words, text)} {
			if slices.ContainsFunc(words, func(w word) bool {
				return d.besideFigure(w, f, text) && byFigure(d, r, words, w, f, text, typed)
			}) {
				break
			}
		}
		if r.Missing != "" {
			return
		}
	}
}

// counts reports whether a figure of a question says how often (5회 빠지면) or how long (30 minutes), not which round: 제5회, 5회차, 5회
// 의사록, 5회 이사회 의사록.
func counts(d *Directory, f figure, words []word, text string) bool {
	if f.class == 'n' && lasts(d, words, f.from, f.to, text) {
		return true
	}
	if !strings.HasSuffix(text[f.from:f.to], "회") || strings.HasSuffix(text[:f.from], "제") {
		return false
	}
	to := f.to
	for _, w := range words {
		if w.from < to || strings.TrimLeft(text[to:w.from], " ") != "" {
			continue
		}
		if s := text[w.from:w.to]; ofADay(stem(s)) && stem(s) != "회의" { // 5회 회의에 빠지면
			return false
		} else if !d.ofNames(s) {
			return true
		}
		to = w.to
	}
	return true
}

// lasts reports whether a number says how many minutes something lasts. After a word of names it does not: Sprint 12 minutes.
func lasts(d *Directory, words []word, from, to int, text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text[to:], " -"), "minutes") &&
		!slices.ContainsFunc(words, func(w word) bool { return w.to+len(" ") == from && d.ofNames(text[w.from:w.to]) })
}

// byFigure holds the documents against a figure that is beside a word, and reports whether their names have one in its place.
func byFigure(d *Directory, r *Reading, words []word, w word, f figure, text, typed string) bool {
	beside := stem(text[w.from:w.to])
	docs, least := d.having(beside), series
	if kind := d.kindAt(text[w.from:w.to]); len(docs) == 0 {
		docs = kind
	}
	if len(r.Documents) > 0 {
		ids := r.IDs()
		docs = slices.DeleteFunc(slices.Clone(docs), func(i int) bool { return !slices.Contains(ids, d.docs[i].ID) })
		least = 1
	} else if whole := besideTitle(d, words, f, text); len(whole) > 0 {
		docs, least = whole, 1
	}
	same, other := d.figured(docs, f, beside, text)
	switch {
	case len(same) > 0 && len(same)+other > 1:
		rest := r.Rest
		if r.Documents = nil; r.Entity == "" {
			r.Entity, rest = typed[f.from:f.to], without(typed, [][2]int{{f.from, f.to}})
		}
		d.bind(r, same, rest)
		r.Name = ""
	case len(same) == 0 && other >= least && !f.short:
		r.Documents, r.Entity, r.Name = nil, "", ""
		from, to := d.nameAround(words, f, text)
		r.Missing = typed[from:to]
	}
	return len(same)+other > 0
}

// besideTitle returns the documents with all words around a figure in their names, if these are a genre and another: the transparency
// report of 2024, for 2019.
func besideTitle(d *Directory, words []word, f figure, text string) (docs []int) {
	from, to := d.nameAround(words, f, text)
	said, genre := 0, false
	for _, w := range words {
		if w.from < from || w.to > to || w.from < f.to && f.from < w.to {
			continue
		}
		s := stem(text[w.from:w.to])
		class, _, _ := genreAt(s)
		genre = genre || class > anyGenre
		if said++; said == 1 {
			docs = d.having(s)
		} else {
			docs = within(docs, d.having(s))
		}
	}
	if !genre || said < leading {
		return nil
	}
	return docs
}

// apartFromFigures adds to words what is beside a figure in one of them: the 지점 of 강남3지점, the ISO of ISO14001.
func apartFromFigures(words []word, text string) []word {
	out := slices.Clone(words)
	for _, w := range words {
		at := w.from
		for i := w.from + 1; i <= w.to; i++ {
			if i == w.to || digit(text[i]) != digit(text[i-1]) {
				if piece := w; i-at < w.to-w.from && !digit(text[at]) {
					piece.from, piece.to = at, i
					out = append(out, piece)
				}
				at = i
			}
		}
	}
	return out
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// figured returns those of documents that have a figure in their names, and how many have others in its place. A number that
// is neither year nor version must be beside the same word. Where none has it, the last edition before a date has: rules of
// January hold in June. Both lists are in order.
func (d *Directory) figured(docs []int, f figure, beside, question string) (same []int, other int) {
	if len(docs) > mostFigured {
		return nil, 0 // a word of so many names names none
	}
	others := map[int]bool{}
	var held []int
	since := ""
	for _, n := range d.names {
		of := within(n.docs, docs)
		if len(of) == 0 {
			continue
		}
		text := fold(n.text)
		for _, g := range figuresIn(text) {
			switch {
			case g.class != f.class || f.class == 'n' && (!adjoins(text, g, beside) || g.unit != "" && f.unit != "" && g.unit != f.unit):
			case sameFigure(f, g):
				same = append(same, of...)
			case g.class == 'y' && len(g.value) > len("2025"):
				record, inForce := dated(d, of, question)
				if inForce && g.value < f.value && g.value > since {
					held, since = of, g.value
				}
				if !record && !inForce {
					continue
				}
				fallthrough
			default:
				for _, doc := range of {
					others[doc] = true
				}
			}
		}
	}
	if len(same) == 0 {
		same = held
	}
	slices.Sort(same)
	same = slices.Compact(same)
	for _, doc := range same {
		delete(others, doc)
	}
	return same, len(others)
}

// mostFigured bounds the documents whose names are compared with a figure.
const mostFigured = 200

// besideFigure reports whether a word of names is right before or after a figure; before it, it has no particle.
func (d *Directory) besideFigure(w word, f figure, text string) bool {
	if w.from < f.to && f.from < w.to {
		return false
	}
	s := text[w.from:w.to]
	if !d.ofNames(s) {
		return false
	}
	if w.to <= f.from {
		return stem(s) == s && leadsTo(text[w.to:f.from], f)
	}
	between := text[f.to:w.from]
	if unit := strings.IndexByte(between, ' '); unit > 0 && unit <= len("제형") && isKorean(between) && (f.from == 0 || text[f.from-1] == ' ') { // 1형 실손의료보험
		between = between[unit:]
	}
	if p, _, ok := strings.Cut(between, " "); ok && (p == "에" || p == "의") { // 2024년에 한빛물산과
		between = between[len(p):]
	}
	return blank(between)
}

// leadsTo reports whether nothing is between a word and the figure after it but punctuation, or the of of a date.
func leadsTo(between string, f figure) bool {
	return blank(between) || f.class == 'y' && (between == " of " || between == " from ")
}

// ofNames reports whether a word is in names of documents and says something.
func (d *Directory) ofNames(w string) bool {
	return (len(d.having(stem(w))) > 0 || len(d.kindAt(w)) > 0) && content(w)
}

// nameAround returns where the name that a figure is in begins and ends: 한빛물산 2022년 공급계약서, 112 Maple Street.
func (d *Directory) nameAround(words []word, f figure, text string) (from, to int) {
	from, to = f.from, f.to
	for _, w := range slices.Backward(words) {
		if s := text[w.from:w.to]; w.to <= from && (from == f.from && leadsTo(text[w.to:from], f) || blank(text[w.to:from])) && d.ofNames(s) && stem(s) == s {
			from = w.from
		}
	}
	for _, w := range words {
		if s := text[w.from:w.to]; w.from >= to && strings.TrimLeft(text[to:w.from], " ") == "" && d.ofNames(s) {
			if to = w.from + len(stem(s)); stem(s) != s {
				break // its particle ends the name
			}
		}
	}
	return from, to
}

// adjoins reports whether a word, or a Korean compound that begins with it, is right beside a figure in a name.
func adjoins(text string, f figure, word string) bool {
	at := strings.Index(text, word)
	if at < 0 {
		return false
	}
	end := at + len(word)
	for isKorean(word) && end < f.from && isKorean(text[end:]) {
		end += len("가")
	}
	return at >= f.to && blank(text[f.to:at]) || end <= f.from && blank(text[end:f.from])
}

// blank reports whether nothing is between a word and a figure but punctuation and the 제 of ordinals.
func blank(s string) bool {
	s = strings.TrimSuffix(s, "제")
	return strings.Trim(s, " ()[]_-") == "" && len(s) < 4
}

// goesOn reports whether a word of names is part of a proper name that no document has: Orion Media, where there is an Orion
// Data; Solaris Health, where there is a Lumen Health.
func (d *Directory) goesOn(words []word, i int, text, typed string) bool {
	other := func(j int) bool {
		if j < 1 || j >= len(words) || words[j].clause != words[i].clause || words[max(i, j)].from != words[min(i, j)].to+1 {
			return false
		}
		w := text[words[j].from:words[j].to]
		first, _ := utf8.DecodeRuneInString(typed[words[j].from:])
		return unicode.IsUpper(first) && content(w) && len(d.having(w)) == 0 && len(d.kindAt(w)) == 0
	}
	return other(i-1) || other(i+1)
}
