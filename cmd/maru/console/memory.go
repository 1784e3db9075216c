package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/command"
	"maru/bot/note"
	"maru/phrase/fit"
	"maru/rag"
)

var _ site.Memory = (*Desk)(nil)

// ListMemory implements site.Memory.
func (d *Desk) ListMemory(ctx context.Context, by bot.User, from bot.Thread) ([]site.Remembered, string, error) {
	var out []site.Remembered
	var state string
	for i, t := range homes(from, by) { // memory knows the person by another name in each
		lines, on, err := d.Room.Memory.Lines(ctx, t, by, by.Locale)
		if err != nil {
			return nil, "", fmt.Errorf("read memory: %w", err)
		}
		if i == 0 {
			state = on
		}
		for _, l := range lines {
			out = append(out, site.Remembered(l))
		}
	}
	return out, state, nil
}

// ForgetMemory implements site.Memory: it is the command, given by the person.
func (d *Desk) ForgetMemory(ctx context.Context, by bot.User, from bot.Thread, id string) (string, error) {
	for _, t := range homes(from, by) {
		lines, _, err := d.Room.Memory.Lines(ctx, t, by, by.Locale)
		if err != nil {
			return "", fmt.Errorf("read memory: %w", err)
		}
		if !slices.ContainsFunc(lines, func(l command.Line) bool { return l.ID == id }) {
			continue
		}
		card, err := d.Command(ctx, bot.Invocation{Name: "memory", Args: "forget " + id, Thread: t, User: by, At: d.cfg.Now()})
		if err != nil || card == nil {
			return "", err
		}
		return card.Text, nil
	}
	return "", bot.ErrNotFound
}

// noteScopes lists the scopes whose notes a person may see.
func noteScopes(ctx context.Context, d *Desk, by bot.User, from bot.Thread) ([]string, error) {
	if by.Operator {
		return d.scopes(ctx, by, from)
	}
	return []string{from.ChannelScope()}, nil
}

// ListNotes implements site.Memory.
func (d *Desk) ListNotes(ctx context.Context, by bot.User, from bot.Thread, skip, limit int) (list []site.Note, total int, err error) {
	scopes, err := noteScopes(ctx, d, by, from)
	if err != nil {
		return nil, 0, err
	}
	docs, err := d.cfg.Library.Documents(ctx, scopes)
	if err != nil {
		return nil, 0, fmt.Errorf("list notes: %w", err)
	}
	docs = slices.DeleteFunc(slices.Clone(docs), func(doc rag.Document) bool { return !strings.HasPrefix(doc.By, bot.NotePrefix) })
	slices.SortStableFunc(docs, func(a, b rag.Document) int { return b.At.Compare(a.At) })
	for _, doc := range docs[min(skip, len(docs)):min(skip+limit, len(docs))] {
		n := site.Note{ID: doc.ID, Scope: doc.Scope, Words: doc.Title, By: note.Author(doc), At: doc.At}
		switch passage, _, err := d.cfg.Library.Passage(ctx, []string{doc.Scope}, doc.ID+"#0"); {
		case err == nil:
			n.Words = fit.OneLine(passage.Text)
		case ctx.Err() != nil: // one that was removed meanwhile keeps its title
			return nil, 0, fmt.Errorf("read a note: %w", err)
		}
		list = append(list, n)
	}
	return list, len(docs), nil
}

// ForgetNote implements site.Memory: it is a click on the note's own button in its channel.
func (d *Desk) ForgetNote(ctx context.Context, by bot.User, from bot.Thread, scope, id string) (string, error) {
	scopes, err := noteScopes(ctx, d, by, from)
	if err != nil {
		return "", err
	}
	if !slices.Contains(scopes, scope) {
		return "", bot.ErrNotFound
	}
	answer, err := d.Action(ctx, bot.Action{ID: note.Control + id, Verb: "forget", Thread: scopeThread(scope, from), User: by, At: d.cfg.Now()})
	if err != nil || answer.Card == nil {
		return "", err
	}
	return answer.Card.Text, nil
}
