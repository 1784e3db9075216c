package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/bot"
	"maru/config"
	"maru/phrase/intent"
)

// Message implements Intake: it commits a message that the bot should answer to
// its thread's inbox.
func (in *Intake) Message(ctx context.Context, m bot.Message) error {
	defer in.workers.Accepting()()
	result := "ignored"
	defer func() { in.observe.Received(m.Thread.Platform, result) }()
	if m.ID == "" || m.Thread.Channel == "" {
		return nil // nothing that could be answered or told apart
	}
	if m.At.IsZero() {
		m.At = in.now()
	}
	m, err := in.settle(ctx, m)
	if err != nil {
		result = "error"
		return err
	}
	if intent.Stops(m.Text) && !m.User.Bot && in.runs.StopSaidBy(ctx, m) {
		in.knowAgain(ctx, m)
		return nil
	}
	set, heard, err := in.hear(ctx, m)
	if err != nil {
		result = "error"
		return err
	}
	if heard == heardOthers {
		return nil
	}
	m.Overheard = heard == heardUnsure
	if m.Reach == bot.ReachAmbient && set.Engage == config.EngageDocuments {
		m.Agent = readsDocuments
	}
	taken, then, err := in.admit(ctx, m, set)
	if err != nil {
		result = "error"
		return err
	}
	if !taken {
		result = "rejected"
		return nil
	}
	fresh, err := in.accept(ctx, m)
	switch {
	case err != nil:
		result = "error"
		return refusal(err)
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
func (in *Intake) settle(ctx context.Context, m bot.Message) (bot.Message, error) {
	if !m.Top || m.Thread.Direct {
		return m, nil
	}
	set, err := in.settings(ctx, m)
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
func (in *Intake) knowAgain(ctx context.Context, m bot.Message) {
	_, err := in.workers.Enqueue(ctx, bot.Item{ID: m.Key(), Thread: m.Thread.Key(), Kind: bot.ItemStop, Order: m.Position()})
	if err != nil {
		in.log.WarnContext(ctx, "a word of stop is not noted", "err", err)
	}
}

func (in *Intake) accept(ctx context.Context, m bot.Message) (fresh bool, err error) {
	body, err := json.Marshal(m)
	if err != nil {
		return false, fmt.Errorf("encode message: %w", err)
	}
	key, thread := m.Key(), m.Thread.Key()
	fresh, err = in.workers.Enqueue(ctx, bot.Item{
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
func (in *Intake) Change(ctx context.Context, c bot.Change) error {
	known, err := in.amend(ctx, &c)
	if err == nil && !known && c.Thread.ID != "" { // said in a channel that is one conversation
		c.Thread.ID = ""
		known, err = in.amend(ctx, &c)
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
	fresh, err := in.record.Put(ctx, bot.Item{
		// The wording too: two edits may come in one tick of a clock, one delivered twice is the same.
		ID:     fmt.Sprintf("%s!%d.%s", key, c.At.UnixMilli(), bot.Wording(c.Text)),
		Thread: thread, Kind: bot.ItemChange, Order: c.Message, Body: body,
	})
	if err != nil {
		return fmt.Errorf("commit change: %w", err)
	}
	if c.Deleted { // after the item: what comes of the run is newer than the change
		in.runs.EndRun(ctx, thread, bot.RunID(key), bot.StopWithdrawn)
		in.questions.WithdrawRun(ctx, thread, bot.RunID(key))
	} else {
		in.runs.Reword(ctx, c)
	}
	if fresh {
		in.workers.Wake(thread)
	}
	return nil
}

// amend changes what is stored of a message, and reports whether it is. Whether it had
// its answer is looked up before: what is answered later may be the new words.
func (in *Intake) amend(ctx context.Context, c *bot.Change) (bool, error) {
	thread, key := c.Thread.Key(), bot.Message{ID: c.Message, Thread: c.Thread}.Key()
	known, err := in.record.Known(ctx, thread)
	if err != nil || !known {
		return false, err
	}
	_, err = in.record.Entry(ctx, thread, bot.RunID(key))
	if c.Answered = err == nil; err != nil && !errors.Is(err, bot.ErrNotFound) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	err = in.record.Amend(ctx, thread, key, c.Text, c.Deleted)
	if errors.Is(err, bot.ErrNotFound) { // it was not for the bot
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("amend transcript: %w", err)
	}
	return true, nil
}

// Notes implements Intake.
func (in *Intake) Notes() bot.Notes { return in.record }

// refusal returns the refusal of a record as one that people can read, if the record says why.
func refusal(err error) error {
	if e := bot.AsError(err); e.Code == bot.CodeStoreFull || e.Code == bot.CodeStoreBusy {
		return e
	}
	return err
}
