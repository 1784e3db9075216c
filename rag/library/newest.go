package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/rag"
	"maru/rag/edition"
)

// newest keeps only the passages of each document's newest edition, with the previous edition's corresponding
// passage. If the question contains a date that may belong to its subject, all editions stay.
func (l *Library) newest(ctx context.Context, q rag.Query, s *shelf, hits []rag.Hit, limit int) (out []rag.Hit, err error) {
	pools := map[string][]rag.Hit{} // passages of all editions, by the newest one's ID
	for _, h := range hits {
		self, others := s.editions(h.Document.ID)
		if len(others) == 0 {
			out = append(out, h)
			continue
		}
		all := append([]*copied{self}, others...)
		slices.SortStableFunc(all, func(a, b *copied) int {
			order, _, _, _ := b.newer(a)
			return order
		})
		h.Edition = self.mark(others[0]).String()
		switch says := asked(q.Text, self, all); {
		case says == unwanted:
			continue
		case says == undecided && !strings.ContainsAny(h.Called, "0123456789"): // its name identifies the edition
			pool, ok := pools[all[0].ID]
			if !ok && len(pools) < mostFamilies && len(out) < limit {
				if pool, err = l.pool(ctx, q, all); err != nil {
					return nil, err
				}
				pools[all[0].ID] = pool
			}
			h = inNewest(h, self, all, pool)
		}
		if !slices.ContainsFunc(out, func(o rag.Hit) bool { return o.Chunk.ID == h.Chunk.ID }) {
			out = append(out, h)
		}
	}
	return out, nil
}

// Whether a question names the edition of a passage.
const (
	undecided = iota // it names none
	wanted           // it names this one, or a date that may be one
	unwanted         // it names another one
)

// asked reports whether a question names an edition, among all of its document.
func asked(question string, self *copied, all []*copied) int {
	named, bare := edition.Asked(question, func(word string) bool {
		return slices.ContainsFunc(all, func(c *copied) bool { return edition.Names(c.Title, word) })
	})
	is := func(c *copied, marks []edition.Mark) bool {
		return slices.ContainsFunc(marks, func(m edition.Mark) bool {
			return c.marks[0].Is(m) || c.marks[1].Is(m) || c.marks[0].IsZero() && c.marks[1].IsZero() && c.opening().Is(m)
		})
	}
	some := func(marks []edition.Mark) bool {
		return slices.ContainsFunc(all, func(c *copied) bool { return is(c, marks) })
	}
	switch {
	case some(named) && is(self, named), some(bare):
		return wanted
	case some(named):
		return unwanted
	}
	return undecided
}

// pool returns the passages of all editions of a document for a question.
func (l *Library) pool(ctx context.Context, q rag.Query, all []*copied) ([]rag.Hit, error) {
	for _, c := range all {
		q.Documents = append(slices.Clip(q.Documents), c.ID)
	}
	q.Limit, q.Repeats, q.Threshold = 4*len(all), true, -1
	hits, err := l.Index.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search other editions: %w", err)
	}
	return hits, nil
}

// inNewest returns the passage of the newest edition that corresponds to h, with an older edition's differing
// passage; all is sorted newest first. A passage missing in the newest edition stays and is marked so. Minutes of
// two weeks share little text and do not count as editions.
func inNewest(h rag.Hit, self *copied, all []*copied, pool []rag.Hit) rag.Hit {
	now := h
	if h.Document.ID != all[0].ID {
		found, ok := counterpart(h, all[0], pool)
		if !ok {
			if h.Edition = ""; self.print().Like(all[0].print()) >= mostlyAlike {
				h.Edition, h.Newer = self.mark(all[0]).String(), all[0].mark(self).String()
			}
			return h
		}
		now = found
		now.Score, now.Rank, now.Called, now.Named = h.Score, h.Rank, h.Called, h.Named
	}
	if now.Edition = ""; h.Document.ID != all[0].ID {
		now.Edition = all[0].mark(all[1]).String()
	}
	for _, c := range all[1:] {
		if older, ok := counterpart(now, c, pool); ok {
			older.Edition = cmp.Or(c.mark(all[0]).String(), c.Title)
			now.Edition, now.Older = all[0].mark(c).String(), &older
			break
		}
	}
	return now
}

// mostlyAlike is the minimum share of common text between a document and a newer edition of it.
const mostlyAlike = 0.3

// counterpart returns the passage of an edition that corresponds to a passage of another one.
func counterpart(h rag.Hit, in *copied, pool []rag.Hit) (best rag.Hit, ok bool) {
	words, most := edition.WordsOf(h.Chunk.Text), similar
	for _, p := range pool {
		if p.Document.ID != in.ID {
			continue
		}
		like := words.Like(edition.WordsOf(p.Chunk.Text))
		if headed(p.Chunk) != "" && headed(p.Chunk) == headed(h.Chunk) {
			like += sameHeading
		}
		if like >= most {
			best, most, ok = p, like+1e-9, true
		}
	}
	return best, ok
}

// sameHeading is the similarity bonus of an equal heading.
const sameHeading = 0.25

// headed returns the heading of a passage below its document's title.
func headed(c rag.Chunk) string {
	if len(c.Heading) < 2 {
		return ""
	}
	family, _ := edition.Of(c.Heading[len(c.Heading)-1])
	return family
}
