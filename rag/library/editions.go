package library

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"maru/rag"
	"maru/rag/edition"
)

// shelf groups the documents of a directory that may be editions of one: those of one title but for the mark of an
// edition, and those of one file name and one title. It keeps only documents that share a name.
type shelf struct {
	groups map[string][]*copied // by family
	byID   map[string]*copied
	texts  func(doc rag.Document, most int) []string

	openings, prints sync.Map // what was read, by document
}

// copied is a document of a shelf.
type copied struct {
	rag.Document

	families [2]string       // by title, by file name
	marks    [2]edition.Mark // that title and file name have
	shelf    *shelf
}

// mostEditions bounds a group: more documents of one name are a series, not editions.
const mostEditions = 40

// newShelf reads the names of documents; what they say is read when it is needed.
func newShelf(docs []rag.Document, texts func(doc rag.Document, most int) []string) *shelf {
	s := &shelf{groups: map[string][]*copied{}, byID: map[string]*copied{}, texts: texts}
	sizes := map[string]int{}
	names := make([]copied, len(docs))
	for i, d := range docs {
		c := &names[i]
		base := path.Base(d.Source)
		base = strings.TrimSuffix(base, path.Ext(base))
		c.families[0], c.marks[0] = edition.Of(cmp.Or(d.Title, base))
		byName, mark := c.families[0], c.marks[0]
		if d.Title != "" && d.Title != base {
			byName, mark = edition.Of(base)
		}
		if c.marks[1] = mark; byName != "" {
			c.families[1] = byName + "\x00" + c.families[0]
		}
		for _, f := range c.families {
			sizes[f]++
		}
	}
	for i, d := range docs {
		var c *copied
		for _, f := range names[i].families {
			if f == "" || sizes[f] < 2 || sizes[f] > mostEditions {
				continue
			}
			if c == nil {
				one := names[i]
				c = &one
				c.Document, c.shelf, s.byID[d.ID] = d, s, c
			}
			s.groups[f] = append(s.groups[f], c)
		}
	}
	return s
}

// mostCompared bounds the passages of a document that are compared as a whole.
const mostCompared = 400

// opening is the mark in a document's first lines.
func (s *shelf) opening(d rag.Document) edition.Mark {
	if m, ok := s.openings.Load(d.ID); ok {
		return m.(edition.Mark) //nolint:forcetypeassert // stored below
	}
	m := edition.In(strings.Join(s.texts(d, 1), "\n"))
	s.openings.Store(d.ID, m)
	return m
}

// print is a document's text as it is compared.
func (s *shelf) print(d rag.Document) edition.Print {
	if p, ok := s.prints.Load(d.ID); ok {
		return p.(edition.Print) //nolint:forcetypeassert // stored below
	}
	p := edition.PrintOf(s.texts(d, mostCompared))
	s.prints.Store(d.ID, p)
	return p
}

func (a *copied) opening() edition.Mark { return a.shelf.opening(a.Document) }

func (a *copied) print() edition.Print { return a.shelf.print(a.Document) }

// newer tells which of two documents of a family is the newer edition, by their titles, file names or first lines, and the
// marks. ok is false if they are no editions of one document.
func (a *copied) newer(b *copied) (order int, own, other edition.Mark, ok bool) {
	for i := range a.families {
		if a.families[i] == "" || a.families[i] != b.families[i] {
			continue
		}
		own, other = a.marks[i], b.marks[i]
		if order, ok = own.Compare(other); ok && order != 0 {
			return order, own, other, true
		}
		if own, other = a.opening(), b.opening(); own.IsZero() || other.IsZero() {
			continue
		}
		if order, ok = own.Compare(other); ok && order != 0 {
			return order, own, other, true
		}
	}
	return 0, own, other, false
}

// editions returns the other editions of a document, the newest first.
func (s *shelf) editions(id string) (self *copied, others []*copied) {
	self, ok := s.byID[id]
	if !ok {
		return nil, nil
	}
	for _, f := range self.families {
		for _, c := range s.groups[f] {
			if _, _, _, ok := c.newer(self); ok && !slices.Contains(others, c) {
				others = append(others, c)
			}
		}
	}
	slices.SortStableFunc(others, func(a, b *copied) int {
		order, _, _, _ := b.newer(a)
		return order
	})
	return self, others
}

// mark is what people call an edition, beside another one.
func (a *copied) mark(other *copied) edition.Mark {
	_, own, _, _ := a.newer(other)
	return own
}

// texts reads the first passages of a document with their headings, which are text in another format; none if it cannot be
// read.
func (l *Library) texts(d rag.Document, most int) (out []string) {
	chunks, _, err := l.Index.Passages(context.Background(), []string{d.Scope}, d.ID, 0, most) // from this machine's index
	if err != nil {
		return nil
	}
	for _, c := range chunks {
		out = append(append(out, c.Heading...), c.Text)
	}
	return out
}

// settle searches so that of several editions of one document the newest answers, unless the question names another, and
// that a document in two formats counts once.
func (l *Library) settle(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if q.Repeats || len(q.Documents) > 0 {
		return l.inNamed(ctx, q)
	}
	d, err := l.directory(ctx, q.Scopes)
	if err != nil {
		return nil, fmt.Errorf("read the names of documents: %w", err)
	}
	if hits, err := l.inEdition(ctx, q, d.shelf); err != nil || len(hits) > 0 {
		return hits, err
	}
	limit := cmp.Or(q.Limit, chapterLimit)
	wide := q
	if len(d.shelf.groups) > 0 {
		wide.Limit, wide.Repeats = min(3*limit, limit+30), true
	}
	hits, err := l.inNamed(ctx, wide)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	if len(d.shelf.groups) > 0 {
		if hits, err = l.newest(ctx, q, d.shelf, hits, limit); err != nil {
			return nil, err
		}
	}
	once := d.shelf.once(hits)
	if len(once) < len(hits) && len(once) < limit && wide.Limit == q.Limit { // room for others
		wide.Limit = 2 * limit
		if hits, err = l.inNamed(ctx, wide); err != nil {
			return nil, err
		}
		once = d.shelf.once(hits)
	}
	return d.shelf.dated(once[:min(len(once), limit)]), nil
}

// dated notes the days of documents where several are found, which may contradict each other.
func (s *shelf) dated(hits []rag.Hit) []rag.Hit {
	if !slices.ContainsFunc(hits, func(h rag.Hit) bool { return h.Document.ID != hits[0].Document.ID }) {
		return hits
	}
	for i, h := range hits {
		_, title := edition.Of(h.Document.Title)
		_, file := edition.Of(path.Base(h.Document.Source))
		for _, m := range []edition.Mark{title, file, s.opening(h.Document)} {
			if m.Date > 0 && hits[i].Dated == "" {
				hits[i].Dated = edition.Mark{Date: m.Date}.String()
			}
		}
	}
	return hits
}

// inEdition searches in the editions that a question names with their document: 취업규칙 2023, version 2 of the travel
// policy. None: it names none.
func (l *Library) inEdition(ctx context.Context, q rag.Query, s *shelf) ([]rag.Hit, error) {
	if len(s.groups) == 0 || !edition.Any(q.Text) {
		return nil, nil
	}
	for _, c := range s.byID { // in any order: the index sorts
		if !edition.Says(q.Text, c.families[0]) {
			continue
		}
		if _, others := s.editions(c.ID); len(others) > 0 && asked(q.Text, c, append(others, c)) == wanted {
			q.Documents = append(q.Documents, c.ID)
		}
	}
	if len(q.Documents) == 0 {
		return nil, nil
	}
	q.Threshold = cmp.Or(q.Threshold, rag.DefaultThreshold) / 2 // people say where to look
	hits, err := l.Index.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search in an edition: %w", err)
	}
	for i := range hits {
		self, others := s.editions(hits[i].Document.ID)
		hits[i].Edition = self.mark(others[0]).String()
	}
	return hits, nil
}

// once drops passages that repeat better ones, and those of a document that is there in another format.
func (s *shelf) once(hits []rag.Hit) (out []rag.Hit) {
	var distinct rag.Distinct
	for _, h := range hits {
		if slices.ContainsFunc(out, func(o rag.Hit) bool { return s.twins(o, h) }) || !distinct.Add(h) {
			continue
		}
		out = append(out, h)
	}
	return out
}

// twins reports whether two passages are of one document in two formats.
func (s *shelf) twins(a, b rag.Hit) bool {
	if a.Document.ID == b.Document.ID || a.Document.Chunks > mostCompared || b.Document.Chunks > mostCompared {
		return false
	}
	if edition.WordsOf(a.Chunk.Text).Within(edition.WordsOf(b.Chunk.Text)) < similar {
		return false // spares reading both
	}
	return s.print(a.Document).Same(s.print(b.Document))
}

// similar is how many of their words two passages have in common that say the same of two years.
const similar = 0.5

// mostFamilies bounds the documents of which an answer looks for other editions.
const mostFamilies = 3
