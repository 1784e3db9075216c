package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/rag"
	"maru/rag/article"
	"maru/rag/naming"
)

// inNamed searches the documents that a question names, or all that the query allows.
func (l *Library) inNamed(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if len(q.Documents) > 0 {
		return l.Index.Search(ctx, q)
	}
	r, err := l.reads(ctx, q)
	switch {
	case err != nil:
		return nil, err
	case r.Missing != "":
		return nil, nil
	case r.Spelled != "":
		return inHeard(ctx, l, q, r)
	case len(r.Documents) == 0:
		hits, err := l.Index.Search(ctx, q)
		return r.WithoutKin(hits), err
	}
	bound := q
	if r.Asks() {
		bound.Text = r.Rest
	}
	bound.Documents = r.IDs()
	for _, d := range r.Documents {
		bound.Titles = append(bound.Titles, d.Title)
	}
	bound.Threshold = cmp.Or(q.Threshold, rag.DefaultThreshold) / 2 // the question names the document, so weaker matches count
	if len(r.Articles) > 0 && (r.Articles[0].Kind < article.Article || r.Articles[0].Kind == article.Addenda) {
		return l.under(ctx, bound, r.Articles[0])
	}
	hits, err := l.Index.Search(ctx, bound)
	if err != nil {
		return nil, err
	}
	if len(r.Articles) > 0 {
		if !slices.ContainsFunc(hits, func(h rag.Hit) bool { return h.Named }) {
			return nil, nil // no such article
		}
		return hits, nil
	}
	if r.Which {
		return l.whichArticle(ctx, q, bound, hits)
	}
	return called(hits, r.Entity, r.Heard), nil
}

// under returns passages of a chapter, a part or the addenda of the named documents, in order.
func (l *Library) under(ctx context.Context, q rag.Query, ref article.Ref) (hits []rag.Hit, err error) {
	f, err := rag.Lookup{Index: l}.ByNumber(ctx, rag.Within{Scopes: q.Scopes, Documents: q.Documents}, ref.String())
	if err != nil {
		return nil, err
	}
	for _, a := range f.Articles {
		for _, h := range a.Hits() {
			if h.Named = true; len(hits) < cmp.Or(q.Limit, chapterLimit) {
				hits = append(hits, h)
			}
		}
	}
	return hits, nil
}

// chapterLimit is the default number of passages from a chapter.
const chapterLimit = 5

// reads returns the names in a question: those that tell documents of a kind apart, else titles.
func (l *Library) reads(ctx context.Context, q rag.Query) (naming.Reading, error) {
	d, err := l.directory(ctx, q.Scopes)
	if err != nil {
		return naming.Reading{}, fmt.Errorf("read the names of documents: %w", err)
	}
	read, err := heard(ctx, l, q, d)
	if err != nil {
		return read, err
	}
	named, err := asTyped(ctx, l, q, d, read)
	if err != nil || read.Spelled == "" {
		return named, err
	}
	if len(named.Documents) == 0 {
		return read, nil // a name that is heard makes no document missing
	}
	named.Spelled = ""
	return named, nil
}

// asTyped reads the names in a question without those that words of it sound like.
func asTyped(ctx context.Context, l *Library, q rag.Query, d *directory, read naming.Reading) (naming.Reading, error) {
	r, err := l.apart(ctx, q, d, read)
	if err != nil || r.Missing != "" && !read.HasTitle(r.Missing) || len(r.Documents) > 0 && !read.Contradicts(r) {
		return r, err
	}
	if decided, err := l.titled(ctx, q, d, &read); err != nil || decided && (read.Missing == "" || len(r.Documents) == 0) {
		return read, err
	}
	if r.Missing != "" {
		read.BindMany(r.Missing)
		return read, nil
	}
	return r, nil
}

// apart checks what tells documents of a kind apart against the texts. An entity missing in all names is searched there: it
// selects those documents of the named kind that mention it.
func (l *Library) apart(ctx context.Context, q rag.Query, d *directory, r naming.Reading) (naming.Reading, error) {
	if r.Entity == "" && r.Stranger == "" || r.Bracketed {
		return r, nil
	}
	if proper, err := l.proper(ctx, q, d, r.Others); err != nil || !proper {
		return naming.Reading{Rest: q.Text, Articles: r.Articles}, err
	}
	if r.Stranger != "" {
		return r, l.meet(ctx, q, &r)
	}
	if r.Name == "" {
		return r, nil
	}
	said, err := l.saying(ctx, q, r.Entity)
	if latin := naming.LatinPart(r.Entity); err == nil && len(said) == 0 && latin != "" {
		said, err = l.saying(ctx, q, latin)
	}
	if err != nil {
		return r, err
	}
	for _, h := range said {
		if h.Chunk.Ordinal < opening && (len(r.Kind()) == 0 || slices.Contains(r.Kind(), h.Document.ID)) {
			r.Documents = append(r.Documents, h.Document)
		}
	}
	switch {
	case len(r.Documents) > 0:
	case len(said) == 0 || r.Proper:
		if !strings.Contains(r.Name, " ") { // 할부계약, a word of texts, is no contract with 할부
			if said, err = l.saying(ctx, q, r.Name); err != nil || len(said) > 0 {
				return naming.Reading{Rest: q.Text, Articles: r.Articles}, err
			}
		}
		if korean, err := inKorean(ctx, l, q, r.Entity); err != nil || korean {
			return naming.Reading{Rest: q.Text, Articles: r.Articles}, err
		}
		r.Missing = r.Name
	default: // an ordinary word of the texts: 현행 법률
		return naming.Reading{Rest: q.Text, Articles: r.Articles}, nil
	}
	return r, nil
}

// meet looks in the texts for a stranger among the names: the documents of the kind that begin with it are meant. What no text says
// is missing, unless the part that it shares with a name is an ordinary word of texts. So is a proper name in a label that the
// documents of the label do not say.
func (l *Library) meet(ctx context.Context, q rag.Query, r *naming.Reading) error {
	said, err := l.saying(ctx, q, r.Stranger)
	if err != nil {
		return err
	}
	if len(said) == 0 {
		ordinary, err := l.saying(ctx, rag.Query{Scopes: q.Scopes}, cmp.Or(r.Shared, r.Stranger))
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(ordinary, func(h rag.Hit) bool { return strings.Contains(h.Chunk.Text, r.Shared) && r.Shared != "" }) {
			r.MissStranger()
		}
		return nil
	}
	ofKind := func(h rag.Hit) bool { return slices.Contains(r.Kind(), h.Document.ID) }
	if r.Label && !slices.ContainsFunc(said, ofKind) {
		if proper, _, err := capital(ctx, l, q, r.Stranger); err != nil || proper {
			r.MissStranger()
			return err
		}
	}
	var meant []rag.Document
	for _, h := range said {
		if h.Chunk.Ordinal < opening && ofKind(h) {
			meant = append(meant, h.Document)
		}
	}
	r.MeetStranger(meant, q.Text)
	return nil
}

// proper reports whether words that distinguish documents of a kind are proper names, which hardly another
// document contains. The 연차 and 경조 of 연차 휴가 and 경조 휴가 are not: they are subjects, which ranking handles.
func (l *Library) proper(ctx context.Context, q rag.Query, d *directory, words []string) (bool, error) {
	key := strings.Join(words, "\x00")
	if known, ok := d.proper.Load(key); ok {
		return known == true, nil
	}
	names := 0
	for _, w := range words {
		said, err := l.saying(ctx, rag.Query{Scopes: q.Scopes}, w)
		if err != nil {
			return false, err
		}
		if naming.Numbered(w) || !slices.ContainsFunc(said, func(h rag.Hit) bool { return !d.IsNamed(h.Document.ID, w) }) {
			names++
		}
	}
	d.proper.Store(key, 2*names > len(words) || len(words) == 0)
	return 2*names > len(words) || len(words) == 0, nil
}

// sayDepth limits the passages searched for an entity.
const sayDepth = 50

// opening is the number of passages at a document's start that may name its owner.
const opening = 3

// saying returns, for each document that mentions an entity in its names or text, the first passage that does.
func (l *Library) saying(ctx context.Context, q rag.Query, entity string) (said []rag.Hit, err error) {
	hits, err := holding(ctx, l, q, entity)
	for _, h := range hits {
		if !slices.ContainsFunc(said, func(s rag.Hit) bool { return s.Document.ID == h.Document.ID }) {
			said = append(said, h)
		}
	}
	return said, err
}

// holding returns passages that mention an entity, or that are of documents with it in their names, in the documents' order.
func holding(ctx context.Context, l *Library, q rag.Query, entity string) ([]rag.Hit, error) {
	hits, err := l.Index.Search(ctx, rag.Query{
		Text: entity, Scopes: q.Scopes, Documents: q.Documents, Tags: q.Tags, Since: q.Since, Until: q.Until, Limit: sayDepth, Threshold: -1, Repeats: true,
	})
	if err != nil {
		return nil, fmt.Errorf("search for %.60q: %w", entity, err)
	}
	slices.SortStableFunc(hits, func(a, b rag.Hit) int { return cmp.Compare(a.Chunk.Ordinal, b.Chunk.Ordinal) })
	return slices.DeleteFunc(hits, func(h rag.Hit) bool { return !naming.Holds(h, entity) }), nil
}

// Absent returns a document or article that a question names and that does not exist in its scopes, with the
// nearest names. ok is false if all names exist.
func (l *Library) Absent(ctx context.Context, q rag.Query) (a naming.Absent, ok bool, err error) {
	q = rag.Narrow(q, l.cfg.Zone)
	if q.Scopes, err = l.searched(ctx, q.Scopes); err != nil {
		return a, false, fmt.Errorf("check for the team's documents: %w", err)
	}
	r, err := l.reads(ctx, q)
	if err != nil {
		return a, false, err
	}
	if r.Missing != "" {
		d, err := l.directory(ctx, q.Scopes)
		if err != nil {
			return a, false, err
		}
		return naming.Absent{Name: r.Missing, Nearest: d.Near(r.Missing)}, true, nil
	}
	if len(r.Documents) == 0 {
		return a, false, nil
	}
	for _, ref := range r.Articles {
		f, err := rag.Lookup{Index: l}.ByNumber(ctx, rag.Within{Scopes: q.Scopes, Documents: r.IDs()}, ref.String())
		if err != nil {
			return a, false, err
		}
		if slices.ContainsFunc(f.Articles, func(a rag.Article) bool { return !a.Behind() }) {
			continue
		}
		a = naming.Absent{Name: r.Documents[0].Title, Article: ref.Article().String()}
		for _, n := range f.Nearest {
			a.Nearest = append(a.Nearest, n.Heading[len(n.Heading)-1])
		}
		return a, true, nil
	}
	return a, false, nil
}
