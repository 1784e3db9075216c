package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/bot"
	"maru/phrase/intent"
)

var _ bot.Intake = (*Bot)(nil)

// Message implements Intake: it commits a message that the bot should answer to
// its thread's inbox.
func (b *Bot) Message(ctx context.Context, m bot.Message) error {
	defer b.workers.Accepting()()
	result := "ignored"
	defer func() { b.cfg.Observe.Received(m.Thread.Platform, result) }()
	if m.ID == "" || m.Thread.Channel == "" {
		return nil // nothing that could be answered or told apart
	}
	if m.At.IsZero() {
		m.At = b.cfg.Now()
	}
	m, err := b.settle(ctx, m)
	if err != nil {
		result = "error"
		return err
	}
	if intent.Stop(m.Text) && b.stopSaidBy(ctx, m) {
		b.knowAgain(ctx, m)
		return nil
	}
	set, heard, err := b.hear(ctx, m)
	if err != nil {
		result = "error"
		return err
	}
	if heard == heardOthers {
		return nil
	}
	m.Overheard = heard == heardUnsure
	taken, then, err := b.admit(ctx, m, set)
	if err != nil {
		result = "error"
		return err
	}
	if !taken {
		result = "rejected"
		return nil
	}
	fresh, err := b.accept(ctx, m)
	switch {
	case err != nil:
		result = "error"
		return refusedBy(err)
	case fresh:
		result = "new"
		then()
	default:
		result = "duplicate"
	}
	return nil
}

// settle says which conversation a message in a channel belongs to: the thread
// that its answer opens, or where the place wants answers in the channel, the one
// conversation that the channel then is. Unless somebody has chosen, the adapter
// has.
func (b *Bot) settle(ctx context.Context, m bot.Message) (bot.Message, error) {
	if !m.Top || m.Thread.Direct {
		return m, nil
	}
	set, err := b.settingsSoon(ctx, m)
	if _, chosen := set.From["reply_in_thread"]; err != nil || !chosen {
		return m, err
	}
	switch {
	case !set.ReplyInThread:
		m.Thread.ID = ""
		if m.ReplyTo == "" {
			m.ReplyTo = m.ID
		}
	case m.Thread.ID == "":
		m.Thread.ID = m.ID
	}
	return m, nil
}

// knowAgain puts a message that stopped a run into the inbox: delivered once more, by a platform that
// did not hear us or after a restart, it is not told that nothing is running.
func (b *Bot) knowAgain(ctx context.Context, m bot.Message) {
	_, err := b.workers.Enqueue(ctx, bot.Item{ID: m.Key(), Thread: m.Thread.Key(), Kind: bot.ItemStop, Order: m.Position()})
	if err != nil {
		b.log.WarnContext(ctx, "a word of stop is not noted", "err", err)
	}
}

func (b *Bot) accept(ctx context.Context, m bot.Message) (fresh bool, err error) {
	body, err := json.Marshal(m)
	if err != nil {
		return false, fmt.Errorf("encode message: %w", err)
	}
	key, thread := m.Key(), m.Thread.Key()
	fresh, err = b.workers.Enqueue(ctx, bot.Item{
		ID: key, Thread: thread, Kind: bot.ItemMessage, Order: m.Position(), Body: body,
		Entry: &bot.Entry{
			ID: key, Thread: thread, Author: m.User.Name, User: m.User.ID,
			Text: m.EntryText(), At: m.At,
		},
	})
	if err != nil {
		return false, fmt.Errorf("commit message: %w", err)
	}
	return fresh, nil
}

// Change implements Intake: a person edited or deleted a message. The stored
// text follows at once; a run that is answering a deleted message stops, one that
// is answering an edited one begins again.
func (b *Bot) Change(ctx context.Context, c bot.Change) error {
	known, err := b.amend(ctx, &c)
	if err == nil && !known && c.Thread.ID != "" { // said in a channel that is one conversation
		c.Thread.ID = ""
		known, err = b.amend(ctx, &c)
	}
	if err != nil || !known {
		return err
	}
	thread := c.Thread.Key()
	key := bot.Message{ID: c.Message, Thread: c.Thread}.Key()
	body, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode change: %w", err)
	}
	fresh, err := b.cfg.Record.Put(ctx, bot.Item{
		// The wording too: two edits may come in one tick of a clock, one delivered twice is the same.
		ID:     fmt.Sprintf("%s!%d.%s", key, c.At.UnixMilli(), revisionOf(c.Text)),
		Thread: thread, Kind: bot.ItemChange, Order: c.Message, Body: body,
	})
	if err != nil {
		return fmt.Errorf("commit change: %w", err)
	}
	if c.Deleted { // after the item: what comes of the run is newer than the change
		b.endRun(ctx, thread, bot.RunID(key), bot.StopWithdrawn)
		b.questions.WithdrawRun(ctx, thread, bot.RunID(key))
	} else {
		b.reword(ctx, c)
	}
	if fresh {
		b.workers.Wake(thread)
	}
	return nil
}

// amend changes what is stored of a message, and reports whether it is. Whether it had
// its answer is looked up before: what is answered later may be the new words.
func (b *Bot) amend(ctx context.Context, c *bot.Change) (bool, error) {
	thread, key := c.Thread.Key(), bot.Message{ID: c.Message, Thread: c.Thread}.Key()
	known, err := b.cfg.Record.Known(ctx, thread)
	if err != nil || !known {
		return false, err
	}
	_, err = b.cfg.Record.Entry(ctx, thread, bot.RunID(key))
	if c.Answered = err == nil; err != nil && !errors.Is(err, bot.ErrNotFound) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	err = b.cfg.Record.Amend(ctx, thread, key, c.Text, c.Deleted)
	if errors.Is(err, bot.ErrNotFound) { // it was not for the bot
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("amend transcript: %w", err)
	}
	return true, nil
}

// Notes implements Intake.
func (b *Bot) Notes() bot.Notes { return b.cfg.Record }
