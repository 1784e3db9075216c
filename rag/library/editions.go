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

// shelf groups the documents of a directory that may be editions of one document: those with the same title except
// for the edition's mark, and those with the same file name and title. It keeps only documents that share a name.
type shelf struct {
	groups map[string][]*copied // by family
	byID   map[string]*copied
	texts  func(doc rag.Document, most int) ([]string, bool)

	openings, prints sync.Map // text read so far, by document
}

// copied is a document of a shelf.
type copied struct {
	rag.Document

	families [2]string       // by title, by file name
	marks    [2]edition.Mark // marks in title and file name
	shelf    *shelf
}

// mostEditions limits a group; more documents of one name are a series, not editions.
const mostEditions = 40

// newShelf reads the names of documents. Texts are read on demand.
func newShelf(docs []rag.Document, texts func(doc rag.Document, most int) ([]string, bool)) *shelf {
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

// mostCompared limits the passages in a comparison of whole documents.
const mostCompared = 400

// opening returns the edition's mark in a document's first lines.
func (s *shelf) opening(d rag.Document) edition.Mark {
	if m, ok := s.openings.Load(d.ID); ok {
		return m.(edition.Mark) //nolint:forcetypeassert // stored below
	}
	texts, ok := s.texts(d, 1)
	m := edition.In(strings.Join(texts, "\n"))
	if ok {
		s.openings.Store(d.ID, m)
	}
	return m
}

// print returns a document's fingerprint for comparison.
func (s *shelf) print(d rag.Document) edition.Print {
	if p, ok := s.prints.Load(d.ID); ok {
		return p.(edition.Print) //nolint:forcetypeassert // stored below
	}
	texts, ok := s.texts(d, mostCompared)
	p := edition.PrintOf(texts)
	if ok {
		s.prints.Store(d.ID, p)
	}
	return p
}

func (a *copied) opening() edition.Mark { return a.shelf.opening(a.Document) }

func (a *copied) print() edition.Print { return a.shelf.print(a.Document) }

// newer compares two documents of a family by the marks in their titles, file names or first lines, and returns
// order and marks. ok is false if they are not editions of one document.
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

// editions returns the other editions of a document, newest first.
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

// mark returns the mark by which people distinguish an edition from another one.
func (a *copied) mark(other *copied) edition.Mark {
	_, own, _, _ := a.newer(other)
	return own
}

// texts returns the first passages of a document with their headings, which are text in other formats; false if it
// cannot be read now.
func (l *Library) texts(d rag.Document, most int) (out []string, ok bool) {
	chunks, _, err := l.Index.Passages(context.Background(), []string{d.Scope}, d.ID, 0, most) // local index
	if err != nil {
		return nil, false
	}
	for _, c := range chunks {
		out = append(append(out, c.Heading...), c.Text)
	}
	return out, true
}

// settle searches so that the newest of several editions of a document answers, unless the question names another,
// and a document in two formats counts once.
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
	if len(once) < len(hits) && len(once) < limit && wide.Limit == q.Limit { // there is room for more
		wide.Limit = 2 * limit
		if hits, err = l.inNamed(ctx, wide); err != nil {
			return nil, err
		}
		once = d.shelf.once(hits)
	}
	return d.shelf.dated(once[:min(len(once), limit)]), nil
}

// dated sets the dates of hits from several documents, which may contradict each other.
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

// inEdition searches the editions that a question names with their document: 취업규칙 2023, version 2 of the travel
// policy. It returns nothing if the question names none.
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
	r, err := l.reads(ctx, q)
	if err != nil {
		return nil, err
	}
	if ids := r.IDs(); len(ids) > 0 { // 보충임금협약(2024) is no edition of the 임금협약
		q.Documents = slices.DeleteFunc(q.Documents, func(id string) bool { return !slices.Contains(ids, id) })
		if len(q.Documents) == 0 {
			return nil, nil
		}
	}
	q.Threshold = cmp.Or(q.Threshold, rag.DefaultThreshold) / 2 // the question names the document, so weaker matches count
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

// once drops passages that repeat better ones, and those of a document already present in another format.
func (s *shelf) once(hits []rag.Hit) (out []rag.Hit) {
	var distinct rag.Distinct
	var kept []*twin
	out = make([]rag.Hit, 0, len(hits))
	for i, h := range hits {
		t := &twin{Hit: &hits[i]}
		if slices.ContainsFunc(kept, func(k *twin) bool { return s.twins(k, t) }) || !distinct.Add(h) {
			continue
		}
		out, kept = append(out, h), append(kept, t)
	}
	return out
}

// twin is a passage whose words are read when it is first compared, once.
type twin struct {
	*rag.Hit

	words edition.Words
}

func (t *twin) said() edition.Words {
	if t.words == nil {
		t.words = edition.WordsOf(t.Chunk.Text)
	}
	return t.words
}

// twins reports whether two passages are of one document in two formats.
func (s *shelf) twins(a, b *twin) bool {
	if a.Document.ID == b.Document.ID || a.Document.Chunks > mostCompared || b.Document.Chunks > mostCompared {
		return false
	}
	if a.said().Within(b.said()) < similar {
		return false // avoids reading both
	}
	return s.print(a.Document).Same(s.print(b.Document))
}

// similar is the minimum share of common words in corresponding passages of two editions.
const similar = 0.5

// mostFamilies limits the documents whose other editions an answer considers.
const mostFamilies = 3
