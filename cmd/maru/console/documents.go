package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/rag"
	"maru/rag/library"
)

var _ site.Documents = (*Desk)(nil)

// scopes lists the scopes with documents, without those of other people's private conversations.
func (d *Desk) scopes(ctx context.Context, by bot.User, from bot.Thread) ([]string, error) {
	if err := allowed(by); err != nil {
		return nil, err
	}
	scopes, err := d.cfg.Library.Scopes(ctx)
	if err != nil {
		return nil, err
	}
	direct, err := d.cfg.Record.Direct(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(scopes, func(s string) bool { return privateScope(s, by, from, direct) }), nil
}

// AllDocuments implements site.Documents.
func (d *Desk) AllDocuments(ctx context.Context, by bot.User, from bot.Thread) ([]site.Document, error) {
	scopes, err := d.scopes(ctx, by, from)
	if err != nil {
		return nil, err
	}
	docs, err := d.cfg.Library.Documents(ctx, scopes)
	if err != nil {
		return nil, err
	}
	out := make([]site.Document, len(docs))
	for i, doc := range docs {
		sample := doc.Scope == rag.ScopeSample
		out[i] = site.Document{Scope: doc.Scope, DocumentInfo: bot.DocumentInfo{
			ID: doc.ID, Title: doc.Title, Name: doc.Source, MIME: doc.MIME, Size: doc.Size, Passages: doc.Chunks, Added: doc.At, Tags: doc.Tags,
			Public: doc.Scope == bot.ScopePublic || sample, Sample: sample, Removable: !sample, Unread: bot.Unread(doc, by.Locale),
		}}
	}
	return out, nil
}

// RemoveDocument implements web.Library: operators may remove documents of every channel.
func (d *Desk) RemoveDocument(ctx context.Context, t bot.Thread, by bot.User, id string) error {
	err := d.Bot.RemoveDocument(ctx, t, by, id)
	if !errors.Is(err, bot.ErrNotFound) || !by.Operator {
		return err
	}
	scopes, err := d.scopes(ctx, by, t)
	if err != nil {
		return err
	}
	for _, s := range scopes {
		if n, err := d.RemoveDocuments(ctx, by, t, []site.Chosen{{Scope: s, ID: id}}); err != nil || n > 0 {
			return err
		}
	}
	return bot.ErrNotFound
}

// changeable returns the scopes of which documents can be removed or moved: the sample belongs to the program.
func (d *Desk) changeable(ctx context.Context, by bot.User, from bot.Thread) ([]string, error) {
	scopes, err := d.scopes(ctx, by, from)
	return slices.DeleteFunc(scopes, func(s string) bool { return s == rag.ScopeSample }), err
}

// target reports whether documents may be put into a scope, of the changeable ones.
func target(changeable []string, to string) bool {
	return to == bot.ScopePublic || slices.Contains(changeable, to)
}

// CheckTarget returns an error if a person may not put documents into a scope.
func CheckTarget(ctx context.Context, d *Desk, by bot.User, from bot.Thread, to string) error {
	scopes, err := d.changeable(ctx, by, from)
	if err == nil && !target(scopes, to) {
		return bot.ErrNotFound
	}
	return err
}

// RemoveDocuments implements site.Documents.
func (d *Desk) RemoveDocuments(ctx context.Context, by bot.User, from bot.Thread, list []site.Chosen) (int, error) {
	scopes, err := d.changeable(ctx, by, from)
	if err != nil {
		return 0, err
	}
	docs, err := d.cfg.Library.Documents(ctx, scopes)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, c := range list {
		if !slices.Contains(scopes, c.Scope) {
			continue
		}
		gone, err := d.cfg.Library.Remove(ctx, []string{c.Scope}, c.ID)
		if err != nil {
			return n, fmt.Errorf("remove document %s: %w", c.ID, err)
		}
		if gone {
			n++
			d.NoteAct(ctx, from, by, "document.remove", map[string]any{"document": c.ID, "scope": c.Scope, "name": nameOf(docs, c)})
		}
	}
	return n, nil
}

// MoveDocuments implements site.Documents.
func (d *Desk) MoveDocuments(ctx context.Context, by bot.User, from bot.Thread, list []site.Chosen, to string) (int, error) {
	scopes, err := d.changeable(ctx, by, from)
	if err != nil {
		return 0, err
	}
	if !target(scopes, to) {
		return 0, bot.ErrNotFound
	}
	docs, err := d.cfg.Library.Documents(ctx, scopes)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, c := range list {
		if !slices.Contains(scopes, c.Scope) || c.Scope == to {
			continue
		}
		if slices.ContainsFunc(docs, func(o rag.Document) bool { return o.Scope == c.Scope && o.ID == c.ID && library.Synced(o.By) }) {
			return n, site.ErrSynced
		}
		doc, err := d.cfg.Library.Move(ctx, c.Scope, c.ID, to)
		switch {
		case errors.Is(err, library.ErrTaken):
			return n, site.ErrTaken
		case errors.Is(err, rag.ErrNotFound): // it was removed meanwhile
			continue
		case err != nil:
			return n, err
		}
		n++
		d.NoteAct(ctx, from, by, "document.move", map[string]any{"document": c.ID, "from": c.Scope, "to": to, "as": doc.ID, "name": nameOf(docs, c)})
	}
	return n, nil
}

// nameOf returns the file name of a chosen document.
func nameOf(docs []rag.Document, c site.Chosen) string {
	i := slices.IndexFunc(docs, func(d rag.Document) bool { return d.Scope == c.Scope && d.ID == c.ID })
	if i < 0 {
		return ""
	}
	return docs[i].Source
}

// Bounds of a probe.
const (
	probes     = 20
	probeHurry = time.Nanosecond // for a vector: keywords then answer alone
)

// Probe implements site.Documents. An index tells one score a passage, so keywords are asked once more alone.
func (d *Desk) Probe(ctx context.Context, by bot.User, from bot.Thread, text, scope string) ([]site.Probed, error) {
	scopes, err := d.scopes(ctx, by, from)
	if err != nil {
		return nil, err
	}
	switch {
	case scope != "" && !slices.Contains(scopes, scope):
		return nil, bot.ErrNotFound
	case scope != "":
		scopes = []string{scope}
	default: // with the public scope the sample is searched where a question would search it
		scopes = append(slices.DeleteFunc(scopes, func(s string) bool { return s == rag.ScopeSample || s == bot.ScopePublic }), bot.ScopePublic)
	}
	q := rag.Query{Text: text, Scopes: scopes, Limit: probes, Threshold: -1, Exam: true, Repeats: true}
	fused, err := d.cfg.Library.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	q.Wait = probeHurry
	keywords, err := d.cfg.Library.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	var out []site.Probed
	at := map[string]int{}
	for i, h := range fused {
		at[h.Chunk.ID] = len(out)
		p := probed(h)
		p.Rank, p.Below = i+1, h.Score < rag.DefaultThreshold
		out = append(out, p)
	}
	for i, h := range keywords {
		n, ok := at[h.Chunk.ID]
		if !ok {
			n = len(out)
			out = append(out, probed(h))
		}
		out[n].KeywordRank, out[n].KeywordScore = i+1, h.Rank
	}
	return out, nil
}

func probed(h rag.Hit) site.Probed {
	p := site.Probed{Chunk: h.Chunk.ID, Title: h.Document.Title, Text: h.Chunk.Text, Scope: h.Document.Scope, Page: h.Chunk.Page, Sure: h.Score}
	if n := len(h.Chunk.Heading); n > 0 {
		p.Heading = h.Chunk.Heading[n-1]
	}
	return p
}
