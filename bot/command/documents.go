package command

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"maru/bot"
	"maru/bot/cited"
	"maru/rag"
)

// Documents lists the documents that a run for this person in this thread may read.
func (dc *Docs) Documents(ctx context.Context, t bot.Thread, u bot.User) ([]bot.DocumentInfo, error) {
	scopes, err := dc.rules.ScopesNow(ctx, t, u)
	if err != nil {
		return nil, err
	}
	docs, err := dc.library.Documents(ctx, scopes)
	if err != nil {
		return nil, err
	}
	out, lang := make([]bot.DocumentInfo, len(docs)), dc.rules.Language(ctx, t, u, "")
	for i, d := range docs {
		out[i] = documentInfo(d, t, lang)
	}
	return out, nil
}

func documentInfo(d rag.Document, t bot.Thread, lang string) bot.DocumentInfo {
	return bot.DocumentInfo{
		ID: d.ID, Title: d.Title, Name: d.Source, MIME: d.MIME, Size: d.Size,
		Passages: d.Chunks, Added: d.At, Tags: d.Tags,
		Public: d.Scope == bot.ScopePublic || d.Scope == rag.ScopeSample, Sample: d.Scope == rag.ScopeSample, Removable: d.Scope == t.ChannelScope(), Unread: bot.Unread(d, lang),
	}
}

// Ingest adds a document to the channel of a thread and returns when it can be found.
func (dc *Docs) Ingest(ctx context.Context, up bot.Upload) (bot.DocumentInfo, error) {
	lang := dc.rules.Language(ctx, up.Thread, up.User, "")
	if up.Size > dc.maxFile {
		return bot.DocumentInfo{}, bot.TooBig(lang, up.Name, up.Size, dc.maxFile)
	}
	if err := bot.CheckTags(up.Tags, lang); err != nil {
		return bot.DocumentInfo{}, err
	}
	doc, err := dc.library.Add(ctx, bot.NewDocument{
		Scope: up.Thread.ChannelScope(), Name: up.Name, MIME: up.MIME,
		By: up.Thread.Person(up.User), Tags: up.Tags, Body: up.Body, Progress: up.Progress,
	})
	if err != nil {
		dc.log.InfoContext(ctx, "reject document", "err", err)
		return bot.DocumentInfo{}, bot.FileError(err, lang, up.Name, up.Size, dc.maxFile)
	}
	dc.rules.Audit(ctx, up.Thread, up.User, "document.add", map[string]any{"document": doc.ID, "name": up.Name, "scope": doc.Scope})
	return documentInfo(doc, up.Thread, lang), nil
}

// RemoveDocument removes a document of the thread's channel.
func (dc *Docs) RemoveDocument(ctx context.Context, t bot.Thread, u bot.User, id string) error {
	own := []string{t.ChannelScope()}
	docs, err := dc.library.Documents(ctx, own)
	i := slices.IndexFunc(docs, func(d rag.Document) bool { return d.ID == id })
	if err != nil || i < 0 {
		return cmp.Or(err, bot.ErrNotFound)
	}
	name := docs[i].Source
	removed, err := dc.library.Remove(ctx, own, id)
	if err != nil || !removed {
		return cmp.Or(err, bot.ErrNotFound)
	}
	dc.rules.Audit(ctx, t, u, "document.remove", map[string]any{"document": id, "name": name})
	return nil
}

// Passage returns a passage with the text around it, if the person may read it.
func (dc *Docs) Passage(ctx context.Context, t bot.Thread, u bot.User, chunk string) (cited.View, error) {
	scopes, err := dc.rules.ScopesNow(ctx, t, u)
	if err != nil {
		return cited.View{}, err
	}
	c, d, err := dc.library.Passage(ctx, scopes, chunk)
	if errors.Is(err, rag.ErrNotFound) {
		return cited.View{}, bot.ErrNotFound
	}
	if err != nil {
		return cited.View{}, err
	}
	v := cited.View{
		Chunk: c.ID, Document: d.ID, Title: d.Title, Heading: strings.Join(headingBelow(d.Title, c.Heading), " › "),
		Page: c.Page, Text: c.Text,
	}
	if prev, ok := dc.neighbour(ctx, scopes, c, -1); ok {
		v.Previous, v.Before = prev.ID, prev.Text
	}
	if next, ok := dc.neighbour(ctx, scopes, c, +1); ok {
		v.Next, v.After = next.ID, next.Text
	}
	return v, nil
}

// headingBelow strips the document's title from the path of headings; the title is shown
// separately.
func headingBelow(title string, path []string) []string {
	if len(path) > 0 && path[0] == title {
		return path[1:]
	}
	return path
}

func (dc *Docs) neighbour(ctx context.Context, scopes []string, c rag.Chunk, by int) (rag.Chunk, bool) {
	n := c.Ordinal + by
	if n < 0 {
		return rag.Chunk{}, false
	}
	near, _, err := dc.library.Passage(ctx, scopes, c.Document+"#"+strconv.Itoa(n))
	return near, err == nil
}
