package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// triesInAll bounds, in multiples of Config.Attempts, how often an item is tried
// although it gets further every time.
const triesInAll = 5

// triesNote names the note of how often an item had been tried when it last got
// further.
func triesNote(item string) string { return "tries/" + item }

// spent reports whether an item was tried often enough. An item is tried again
// because the process died under it. If the item was the cause it stays where
// it is; one that gets a node further each time only had bad neighbours.
func (b *Bot) spent(ctx context.Context, it Item) (bool, error) {
	if it.Attempts < b.cfg.Attempts || it.Attempts >= triesInAll*b.cfg.Attempts {
		return it.Attempts >= b.cfg.Attempts, nil
	}
	note, err := b.cfg.Record.Note(ctx, triesNote(it.ID))
	if err != nil {
		return false, fmt.Errorf("read note: %w", err)
	}
	since, err := strconv.Atoi(note)
	return err != nil || it.Attempts-since >= b.cfg.Attempts, nil
}

// further notes that an item which was tried before got further this time.
func (b *Bot) further(ctx context.Context, it Item) {
	if err := b.cfg.Record.SetNote(ctx, triesNote(it.ID), strconv.Itoa(it.Attempts+1)); err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "progress not noted", "item_kind", it.Kind, "err", err)
	}
}

// bury ends an item that failed too often, and says so where the answer was
// expected.
func (b *Bot) bury(ctx context.Context, l Lease, it Item) error {
	b.log.ErrorContext(ctx, "item given up", "item_kind", it.Kind, "attempts", it.Attempts)
	out := Outcome{Dead: true, Why: "failed too often"}
	m, lang, ok, err := b.owedBy(ctx, it)
	if err != nil {
		return err
	}
	if ok {
		e := &Error{Code: CodeInternal, Ref: reference()}
		b.log.ErrorContext(ctx, "run given up", "run", runID(m.Key()), "ref", e.Ref)
		p, err := b.present(ctx, l, it, m, look{lang: lang})
		if err == nil {
			reply := p.finish(ctx, e.notice(lang))
			out.Reply = &reply
		}
		b.cfg.Observe.Finished("", "dead", b.cfg.Now().Sub(m.At))
	}
	return b.cfg.Record.Finish(ctx, l, it.ID, out)
}

// owedBy returns the message to which an item owes an answer, and the language
// of it: its own, or that of the run which goes on after a decision.
func (b *Bot) owedBy(ctx context.Context, it Item) (m Message, lang string, ok bool, err error) {
	switch it.Kind {
	case ItemMessage:
		if json.Unmarshal(it.Body, &m) != nil {
			return Message{}, "", false, nil
		}
		return m, b.language(ctx, m.Thread, m.User, m.Text), true, nil
	case ItemResume:
		var r resumption
		if json.Unmarshal(it.Body, &r) != nil || r.Show != "" {
			return Message{}, "", false, nil
		}
		row, err := b.cfg.Record.ApprovalByID(ctx, r.Approval)
		if errors.Is(err, ErrNotFound) {
			return Message{}, "", false, nil
		}
		if err != nil {
			return Message{}, "", false, fmt.Errorf("read approval: %w", err)
		}
		a, err := readAsked(row)
		if err != nil || row.Kind == approvalFiles {
			return Message{}, "", false, nil //nolint:nilerr // what cannot be read owes nothing that could be told
		}
		return a.w.Message, a.w.Lang, true, nil
	}
	return Message{}, "", false, nil
}
