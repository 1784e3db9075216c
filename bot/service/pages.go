package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maru/bot"
	"maru/rag"
)

// Threads lists the threads of a place, newest first.
func (b *Bot) Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error) {
	return b.cfg.Record.Threads(ctx, platform, team, channel, limit)
}

// Transcript returns the last limit entries of a thread, oldest first.
func (b *Bot) Transcript(ctx context.Context, t bot.Thread, limit int) ([]bot.Entry, error) {
	return b.cfg.Record.Transcript(ctx, t.Key(), limit)
}

// Cards returns what stands in a thread beyond its transcript: replies that are
// being written, and those with buttons that still wait for a person.
func (b *Bot) Cards(ctx context.Context, t bot.Thread) ([]bot.PostedCard, error) {
	cards := b.active.drafts(t.Key())
	pending, err := b.cfg.Record.PendingApprovals(ctx, t.Key(), 20)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	for _, a := range pending {
		reply, err := b.cfg.Record.Reply(ctx, a.Run)
		if errors.Is(err, bot.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read reply: %w", err)
		}
		var card bot.Card
		if json.Unmarshal(reply.Card, &card) == nil && len(card.Buttons) > 0 {
			cards = append(cards, bot.PostedCard{Ref: reply.Ref, Card: card, At: reply.At})
		}
	}
	return cards, nil
}

// Documents lists what a run for this person in this thread may read.
func (b *Bot) Documents(ctx context.Context, t bot.Thread, u bot.User) ([]bot.DocumentInfo, error) {
	scopes, err := b.rules.ScopesNow(ctx, t, u)
	if err != nil {
		return nil, err
	}
	docs, err := b.cfg.Library.Documents(ctx, scopes)
	if err != nil {
		return nil, err
	}
	out, lang := make([]bot.DocumentInfo, len(docs)), b.language(ctx, t, u, "")
	for i, d := range docs {
		out[i] = documentInfo(d, t, lang)
	}
	return out, nil
}

func documentInfo(d rag.Document, t bot.Thread, lang string) bot.DocumentInfo {
	return bot.DocumentInfo{
		ID: d.ID, Title: d.Title, Name: d.Source, MIME: d.MIME, Size: d.Size,
		Passages: d.Chunks, Added: d.At, Tags: d.Tags,
		Public: d.Scope == bot.ScopePublic, Removable: d.Scope == t.ChannelScope(), Unread: bot.Unread(d, lang),
	}
}

// Ingest adds a document to the place of a thread and returns when it can be
// asked about.
func (b *Bot) Ingest(ctx context.Context, up bot.Upload) (bot.DocumentInfo, error) {
	lang := b.language(ctx, up.Thread, up.User, "")
	if up.Size > b.cfg.MaxFile {
		return bot.DocumentInfo{}, bot.TooBig(lang, up.Name, up.Size, b.cfg.MaxFile)
	}
	if err := bot.CheckTags(up.Tags, lang); err != nil {
		return bot.DocumentInfo{}, err
	}
	doc, err := b.cfg.Library.Add(ctx, bot.NewDocument{
		Scope: up.Thread.ChannelScope(), Name: up.Name, MIME: up.MIME,
		By: up.Thread.Person(up.User), Tags: up.Tags, Body: up.Body, Progress: up.Progress,
	})
	if err != nil {
		b.log.InfoContext(ctx, "document refused", "err", err)
		return bot.DocumentInfo{}, bot.FileError(err, lang, up.Name, up.Size, b.cfg.MaxFile)
	}
	b.audit(ctx, up.Thread, up.User, "document.add", map[string]any{"document": doc.ID, "name": up.Name, "scope": doc.Scope})
	return documentInfo(doc, up.Thread, lang), nil
}

// RemoveDocument removes a document of the thread's own place.
func (b *Bot) RemoveDocument(ctx context.Context, t bot.Thread, u bot.User, id string) error {
	removed, err := b.cfg.Library.Remove(ctx, []string{t.ChannelScope()}, id)
	if err != nil {
		return err
	}
	if !removed {
		return bot.ErrNotFound
	}
	b.audit(ctx, t, u, "document.remove", map[string]any{"document": id})
	return nil
}

// Passage returns a passage in its surroundings, if the person may read it.
func (b *Bot) Passage(ctx context.Context, t bot.Thread, u bot.User, chunk string) (bot.PassageView, error) {
	scopes, err := b.rules.ScopesNow(ctx, t, u)
	if err != nil {
		return bot.PassageView{}, err
	}
	c, d, err := b.cfg.Library.Passage(ctx, scopes, chunk)
	if errors.Is(err, rag.ErrNotFound) {
		return bot.PassageView{}, bot.ErrNotFound
	}
	if err != nil {
		return bot.PassageView{}, err
	}
	v := bot.PassageView{
		Chunk: c.ID, Document: d.ID, Title: d.Title, Heading: strings.Join(headingBelow(d.Title, c.Heading), " › "),
		Page: c.Page, Text: c.Text,
	}
	if prev, ok := b.neighbour(ctx, scopes, c, -1); ok {
		v.Previous, v.Before = prev.ID, prev.Text
	}
	if next, ok := b.neighbour(ctx, scopes, c, +1); ok {
		v.Next, v.After = next.ID, next.Text
	}
	return v, nil
}

// Cited returns what the n-th source of a run's answer said when it was cited, "" if the answer
// has none or the person may not see the run.
func (b *Bot) Cited(ctx context.Context, t bot.Thread, u bot.User, run string, n int) (string, error) {
	var e *bot.Error
	if err := b.maySee(ctx, t, u, run); errors.As(err, &e) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	reply, err := b.cfg.Record.Reply(ctx, run)
	if err != nil {
		return "", fmt.Errorf("read reply: %w", err)
	}
	var card bot.Card
	if len(reply.Card) > 0 {
		if err := json.Unmarshal(reply.Card, &card); err != nil {
			return "", fmt.Errorf("read reply: %w", err)
		}
	}
	for _, s := range card.Sources {
		if s.N == n {
			return s.Quote, nil
		}
	}
	return "", nil
}

// headingBelow returns the path of headings below the document's title, which
// often is the first of them and is shown by itself.
func headingBelow(title string, path []string) []string {
	if len(path) > 0 && path[0] == title {
		return path[1:]
	}
	return path
}

func (b *Bot) neighbour(ctx context.Context, scopes []string, c rag.Chunk, by int) (rag.Chunk, bool) {
	n := c.Ordinal + by
	if n < 0 {
		return rag.Chunk{}, false
	}
	near, _, err := b.cfg.Library.Passage(ctx, scopes, c.Document+"#"+strconv.Itoa(n))
	return near, err == nil
}

// Trace explains a run to a person. Whether they may see it is for the surface to
// decide: the console shows every run to who runs the program. What is remembered of
// somebody is told to nobody else, whoever asks.
func (b *Bot) Trace(ctx context.Context, u bot.User, run string) (bot.RunView, error) {
	b.active.awaitTrace(ctx, run, "")
	r, err := b.cfg.Record.RunByID(ctx, run)
	if err != nil {
		return bot.RunView{}, err
	}
	t, err := bot.ParseThread(r.Thread)
	if err != nil {
		return bot.RunView{}, err
	}
	v := bot.RunView{
		ID: r.ID, Thread: t, Agent: r.Agent, User: r.User, Status: r.Status,
		Started: r.Started, Ended: r.Ended,
	}
	if err := errors.Join(json.Unmarshal(r.Usage, &v.Usage), json.Unmarshal(r.Trace, &v.Events)); err != nil {
		return bot.RunView{}, fmt.Errorf("decode trace: %w", err)
	}
	b.personal(ctx, r, u, v.Events)
	v.Question, v.Waits = b.questionOf(ctx, r), b.waits(ctx, r)
	return v, nil
}

// questionOf returns the words that a run answered, "" if they are gone.
func (b *Bot) questionOf(ctx context.Context, r bot.Run) string {
	entries, err := b.cfg.Record.Transcript(ctx, r.Thread, 200)
	if err != nil {
		return ""
	}
	i := slices.IndexFunc(entries, func(e bot.Entry) bool { return !e.Own && bot.RunID(e.ID) == r.ID })
	if i < 0 {
		return ""
	}
	return entries[i].Text
}
