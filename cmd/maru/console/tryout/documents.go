package tryout

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/cmd/maru/console"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/library"
)

// Shelf is the part of the documents that rehearsals use: [library.Library] in the program.
type Shelf interface {
	Add(ctx context.Context, d bot.NewDocument) (rag.Document, error)
	Copy(ctx context.Context, from, id, to, as string) error
	Delete(ctx context.Context, scope, id string) (bool, error)
	Document(ctx context.Context, scopes []string, id string) (rag.Document, error)
	Documents(ctx context.Context, scopes []string) ([]rag.Document, error)
	Scopes(ctx context.Context) ([]string, error)
}

var _ Shelf = (*library.Library)(nil)

// addition is a document that is tried.
type addition struct {
	ID       string  `json:"id"` // in the scope it is meant for
	Shadow   string  `json:"shadow"`
	Name     string  `json:"name"`
	Replaces *upload `json:"replaces,omitempty"` // the document that it replaces, as of the upload
}

// replaced reports whether another document replaced one that was rehearsed. A removed one is not replaced.
func replaced(c change, now []site.Document) bool {
	for i, gone := range c.Gone {
		for _, d := range now {
			if i < len(c.Uploads) && d.Scope == gone.Scope && d.ID == gone.ID && (d.Size != c.Uploads[i].Size || !d.Added.Equal(c.Uploads[i].Added)) {
				return true
			}
		}
	}
	return false
}

// documentsChange returns that documents are added, or gone.
func (m *Room) documentsChange(ctx context.Context, by bot.User, of site.RehearsedChange, id string) (c change, name string, wrong map[string]string, err error) {
	all, err := m.desk.AllDocuments(ctx, by, bot.Thread{})
	if err != nil {
		return c, "", nil, err
	}
	if len(of.Files) > 0 {
		return m.additions(ctx, by, of, id, all)
	}
	var titles []string
	for _, d := range all {
		one := site.Chosen{Scope: d.Scope, ID: d.ID}
		if d.Removable && slices.Contains(of.Gone, one) {
			title := cmp.Or(fit.OneLine(d.Title), d.Name)
			c.Uploads = append(c.Uploads, upload{d.Size, d.Added})
			c.Gone, titles = append(c.Gone, one), append(titles, title)
			c.Values = append(c.Values, site.RehearsedValue{Name: title})
		}
	}
	return c, strings.Join(titles, ", "), nil, nil
}

// additions reads files into the shadow of a scope, as any upload is read.
func (m *Room) additions(ctx context.Context, by bot.User, of site.RehearsedChange, id string, all []site.Document) (c change, name string, wrong map[string]string, err error) {
	if err := console.CheckTarget(ctx, m.desk, by, bot.Thread{}, of.To); err != nil {
		return c, "", nil, err
	}
	c.To = of.To
	shadow := library.Shadow(id, library.ShadowNew, of.To)
	var titles []string
	for _, f := range of.Files {
		d, err := m.cfg.Library.Add(ctx, bot.NewDocument{Scope: shadow, Name: f.Name, By: bot.Thread{Platform: "web", Team: "local"}.Person(by), Body: bytes.NewReader(f.Data)})
		if err != nil {
			e := bot.FileError(err, by.Locale, f.Name, int64(len(f.Data)), m.cfg.MaxFile)
			return c, "", map[string]string{"file": e.Say}, errors.Join(m.clear(context.WithoutCancel(ctx), id), unless(e.Say != "", e))
		}
		a := addition{ID: rag.DocumentID(of.To, d.Source), Shadow: d.ID, Name: d.Source}
		after := phrase.Say(by.Locale, "web.rehearsal.added", d.Chunks)
		if i := slices.IndexFunc(all, func(o site.Document) bool { return o.Scope == of.To && o.ID == a.ID }); i >= 0 {
			a.Replaces = &upload{all[i].Size, all[i].Added}
			after = phrase.Say(by.Locale, "web.rehearsal.replaces", d.Chunks)
		}
		title := cmp.Or(fit.OneLine(d.Title), d.Source)
		c.Added = slices.DeleteFunc(c.Added, func(o addition) bool { return o.ID == a.ID }) // two of one name: the later one
		c.Added, titles = append(c.Added, a), append(titles, title)
		c.Values = append(c.Values, site.RehearsedValue{Name: title, After: after})
	}
	return c, strings.Join(titles, ", "), nil, nil
}

// unless returns an error that was not told in another way.
func unless(told bool, err error) error {
	if told {
		return nil
	}
	return err
}

// stands returns the document of a scope, nil if there is none.
func (m *Room) stands(ctx context.Context, scope, id string) (*rag.Document, error) {
	d, err := m.cfg.Library.Document(ctx, []string{scope}, id)
	switch {
	case errors.Is(err, rag.ErrNotFound):
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, fmt.Errorf("look for document %s: %w", id, err)
	}
	return &d, nil
}

// alike reports whether both are copies of one upload.
func alike(a, b *rag.Document) bool {
	return a != nil && b != nil && a.Hash == b.Hash && a.At.Equal(b.At)
}

// acceptDocuments adds and removes documents. It can be repeated after a crash: removed documents were copied before,
// and present ones are left alone.
func (m *Room) acceptDocuments(ctx context.Context, by bot.User, from bot.Thread, id string, c *change) (site.RehearsalRefusal, error) {
	now, err := m.desk.AllDocuments(ctx, by, bot.Thread{})
	if err != nil {
		return "", err
	}
	if replaced(*c, now) {
		return changed, nil
	}
	shadow, old := library.Shadow(id, library.ShadowNew, c.To), library.Shadow(id, library.ShadowOld, c.To)
	var todo []addition
	for _, a := range c.Added {
		there, err := m.stands(ctx, c.To, a.ID)
		if err != nil {
			return "", err
		}
		tried, err := m.stands(ctx, shadow, a.Shadow)
		switch {
		case err != nil:
			return "", err
		case tried == nil:
			return changed, nil
		case alike(there, tried):
			continue
		case there != nil && (a.Replaces == nil || there.Size != a.Replaces.Size || !there.At.Equal(a.Replaces.Added)):
			return changed, nil
		}
		todo = append(todo, a)
	}
	if !c.Kept {
		c.Kept = true
		if err := m.notes.write(ctx, partKey(id, "change"), *c); err != nil {
			return "", err
		}
	}
	for _, a := range todo {
		if err := m.keepCopy(ctx, c.To, a.ID, old); err != nil { // also of what was uploaded since the look above
			return "", err
		}
		if err := m.cfg.Library.Copy(ctx, shadow, a.Shadow, c.To, a.ID); err != nil {
			return "", err
		}
		m.desk.NoteAct(ctx, from, by, "document.add", map[string]any{"document": a.ID, "name": a.Name, "scope": c.To})
	}
	for _, g := range c.Gone {
		if err := m.keepCopy(ctx, g.Scope, g.ID, library.Shadow(id, library.ShadowOld, g.Scope)); err != nil {
			return "", err
		}
	}
	_, err = m.desk.RemoveDocuments(ctx, by, from, c.Gone)
	return nothing, err
}

// keepCopy keeps a copy of a document in a shadow, if it is there.
func (m *Room) keepCopy(ctx context.Context, scope, id, to string) error {
	err := m.cfg.Library.Copy(ctx, scope, id, to, library.ShadowID(to, id))
	if errors.Is(err, rag.ErrNotFound) {
		return nil
	}
	return err
}

// restoreDocuments restores the documents as they were before the change was accepted. half is whether accepting stopped in
// the middle: documents that it had not replaced yet are left as they are.
func (m *Room) restoreDocuments(ctx context.Context, by bot.User, from bot.Thread, id string, c change, half bool) (site.RehearsalRefusal, error) {
	if !c.Kept {
		return decided, nil // an older version removed them for good
	}
	type move struct {
		scope, id string
		back      bool // a copy is put back, otherwise it is removed
	}
	var moves []move
	plan := func(scope, doc, shadowed string) (site.RehearsalRefusal, error) {
		there, err := m.stands(ctx, scope, doc)
		if err != nil {
			return "", err
		}
		kept := library.Shadow(id, library.ShadowOld, scope)
		old, err := m.stands(ctx, kept, library.ShadowID(kept, doc))
		if err != nil {
			return "", err
		}
		var put *rag.Document
		if shadowed != "" {
			if put, err = m.stands(ctx, library.Shadow(id, library.ShadowNew, scope), shadowed); err != nil {
				return "", err
			}
		}
		switch {
		case old == nil && there == nil, alike(there, old): // it was rolled back, before a crash
		case half && old == nil && !alike(there, put):
		case there != nil && !alike(there, put):
			return changed, nil
		default:
			moves = append(moves, move{scope, doc, old != nil})
		}
		return nothing, nil
	}
	for _, a := range c.Added {
		if refused, err := plan(c.To, a.ID, a.Shadow); err != nil || refused != nothing {
			return refused, err
		}
	}
	for _, g := range c.Gone {
		if refused, err := plan(g.Scope, g.ID, ""); err != nil || refused != nothing {
			return refused, err
		}
	}
	for _, v := range moves {
		what := "document.add"
		var err error
		if v.back {
			kept := library.Shadow(id, library.ShadowOld, v.scope)
			err = m.cfg.Library.Copy(ctx, kept, library.ShadowID(kept, v.id), v.scope, v.id)
		} else {
			what = "document.remove"
			_, err = m.cfg.Library.Delete(ctx, v.scope, v.id)
		}
		if err != nil {
			return "", err
		}
		m.desk.NoteAct(ctx, from, by, what, map[string]any{"document": v.id, "scope": v.scope})
	}
	return nothing, nil
}

// discard forgets a rehearsal. What accepting took away before it stopped in the middle is put back first: the only copies go with the
// rehearsal.
func (m *Room) discard(ctx context.Context, by bot.User, from bot.Thread, r row, c change) (site.RehearsalRefusal, error) {
	if open := r.State != site.RehearsalAccepted && r.State != site.RehearsalRolled; open && c.Kept {
		if refused, err := m.restoreDocuments(ctx, by, from, r.ID, c, true); err != nil || refused != nothing {
			return refused, err
		}
	}
	return nothing, m.forget(ctx, r)
}

// forget removes a rehearsal with its documents. From the first step on it can be neither accepted nor rolled back: the copies
// that would serve for that may be gone.
func (m *Room) forget(ctx context.Context, r row) error {
	if err := m.notes.leave(ctx, r); err != nil {
		return err
	}
	if err := m.clear(ctx, r.ID); err != nil {
		return err
	}
	return m.notes.forget(ctx, r)
}

// clear removes the documents that a rehearsal keeps.
func (m *Room) clear(ctx context.Context, id string) error {
	return m.eachShadow(ctx, func(rehearsal string, _ rag.Document) bool { return rehearsal == id })
}

// orphaned is how old documents of a rehearsal that is not there must be to be removed: it may be about to be written.
const orphaned = time.Hour

// sweepShadows removes the documents of rehearsals that are gone.
func (m *Room) sweepShadows(ctx context.Context, all []row) error {
	return m.eachShadow(ctx, func(id string, d rag.Document) bool {
		return !slices.ContainsFunc(all, func(r row) bool { return r.ID == id }) && m.cfg.Now().Sub(d.At) > orphaned
	})
}

// eachShadow removes the documents of rehearsals that are to go.
func (m *Room) eachShadow(ctx context.Context, goes func(id string, d rag.Document) bool) error {
	if m.cfg.Library == nil {
		return nil
	}
	scopes, err := m.cfg.Library.Scopes(ctx)
	if err != nil {
		return fmt.Errorf("list scopes: %w", err)
	}
	for _, scope := range scopes {
		id, _, ok := library.ShadowOf(scope)
		if !ok {
			continue
		}
		docs, err := m.cfg.Library.Documents(ctx, []string{scope})
		if err != nil {
			return fmt.Errorf("list documents of a rehearsal: %w", err)
		}
		for _, d := range docs {
			if !goes(id, d) {
				continue
			}
			if _, err := m.cfg.Library.Delete(ctx, scope, d.ID); err != nil {
				return fmt.Errorf("remove document of a rehearsal: %w", err)
			}
		}
	}
	return nil
}
