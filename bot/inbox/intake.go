package inbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"maru/bot"
	"maru/bot/wording"
	"maru/config"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// Message implements [bot.Intake]: it commits a message to its thread's inbox if the bot should answer it.
func (in *Intake) Message(ctx context.Context, m bot.Message) error {
	defer in.workers.Accepting()()
	result := "ignored"
	defer func() { in.observe.Received(m.Thread.Platform, result) }()
	if m.ID == "" || m.Thread.Channel == "" {
		return nil // can neither be answered nor deduplicated
	}
	if m.At.IsZero() {
		m.At = in.now()
	}
	m.Files, m.Quoted = shortNames(m.Files), shortQuoted(m.Quoted)
	m, err := in.settle(ctx, m)
	if err != nil {
		result = "error"
		return err
	}
	if intent.Stops(m.Text) && !m.User.Bot {
		stopped, err := in.runs.StopSaidBy(ctx, m)
		if stopped { // also after an error: another replica may get the redelivery
			in.rememberStop(ctx, m)
		}
		if err != nil { // the platform delivers it again
			result = "error"
			return refusal(fmt.Errorf("stop: %w", err))
		}
		if stopped {
			return nil
		}
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
	fresh, err := in.accept(ctx, m, stops(m, set))
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

// settle assigns a top-level channel message to a conversation by the reply_in_thread setting: a new thread, or the
// channel itself as one conversation. Without an explicit setting the adapter's choice holds.
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
		m.ReplyTo = cmp.Or(m.ReplyTo, m.ID)
	case m.Thread.ID == "":
		m.Thread.ID = m.ID
	}
	return m, nil
}

// rememberStop stores a message that stopped a run, so that its redelivery is not answered with "nothing is running".
func (in *Intake) rememberStop(ctx context.Context, m bot.Message) {
	_, err := in.workers.Enqueue(ctx, bot.Item{ID: m.Key(), Thread: m.Thread.Key(), Kind: bot.ItemStop, Order: m.Position()})
	if err != nil {
		in.log.WarnContext(ctx, "store stop message", "err", err)
	}
}

// accept commits a message. Earlier messages that wait for a worker are stopped in the same transaction.
func (in *Intake) accept(ctx context.Context, m bot.Message, why bot.StopReason) (fresh bool, err error) {
	body, err := json.Marshal(m)
	if err != nil {
		return false, fmt.Errorf("encode message: %w", err)
	}
	key, thread := m.Key(), m.Thread.Key()
	fresh, err = in.workers.Enqueue(ctx, bot.Item{
		ID: key, Thread: thread, Kind: bot.ItemMessage, Order: m.Position(), Body: body, Stops: why, Spares: in.runs.Answered(thread),
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

// Change implements [bot.Intake] for an edited or deleted message. It updates the stored text at once, stops the run
// that answers a deleted message and restarts the run that answers an edited one.
func (in *Intake) Change(ctx context.Context, c bot.Change) error {
	c.Files, c.Quoted = shortNames(c.Files), shortQuoted(c.Quoted)
	known, fresh, err := in.amend(ctx, &c)
	if err == nil && !known && c.Thread.ID != "" { // the channel may be one conversation: see settle
		c.Thread.ID = ""
		known, fresh, err = in.amend(ctx, &c)
	}
	if err != nil || !known {
		return err
	}
	thread := c.Thread.Key()
	if c.Deleted { // after the commit, so that the run's outcome is ordered behind the change
		run := bot.Message{ID: c.Message, Thread: c.Thread}.Run()
		in.runs.EndRun(ctx, thread, run, bot.StopWithdrawn)
		in.questions.WithdrawRun(ctx, thread, run)
	} else {
		in.runs.Reword(ctx, c)
	}
	if fresh {
		in.workers.Wake(thread)
	}
	return nil
}

// amend updates the stored text of a message, and puts the item that follows it up in the same transaction; known is
// false if the message is not stored.
func (in *Intake) amend(ctx context.Context, c *bot.Change) (known, fresh bool, err error) {
	thread, key := c.Thread.Key(), bot.Message{ID: c.Message, Thread: c.Thread}.Key()
	known, err = in.record.Known(ctx, thread)
	if err != nil || !known {
		return false, false, err
	}
	e, err := in.record.Entry(ctx, thread, key)
	if errors.Is(err, bot.ErrNotFound) { // the message was not for the bot
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("read the message: %w", err)
	}
	c.Before = wording.Of(e.Text)
	body, err := json.Marshal(c)
	if err != nil {
		return false, false, fmt.Errorf("encode change: %w", err)
	}
	fresh, err = in.record.Amend(ctx, thread, key, *c, &bot.Item{
		// With a digest of the text, since two edits may have the same timestamp. A redelivered edit has the same ID.
		ID:     fmt.Sprintf("%s!%d.%s", key, c.At.UnixMilli(), wording.Of(c.Text)),
		Thread: thread, Kind: bot.ItemChange, Order: c.Message, Body: body,
	})
	if errors.Is(err, bot.ErrNotFound) { // deleted before, or edited again
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("commit change: %w", err)
	}
	return true, fresh, nil
}

// Notes implements Intake.
func (in *Intake) Notes() bot.Notes { return in.record }

// refusal returns the record's error as a [bot.Error] if people can act on it: the store is full or overloaded.
func refusal(err error) error {
	if e := bot.AsError(err); e.Code == bot.CodeStoreFull || e.Code == bot.CodeStoreBusy {
		return e
	}
	return err
}

// maxFileName limits the name of a file, in characters: prompts and answers contain it. The platforms allow thousands.
const maxFileName = 200

// shortNames returns files with names that can be shown.
func shortNames(files []bot.File) []bot.File {
	files = slices.Clone(files)
	for i, f := range files {
		files[i].Name = fit.Name(f.Name, maxFileName)
	}
	return files
}

// shortQuoted is shortNames for quotes.
func shortQuoted(quoted []bot.Quote) []bot.Quote {
	quoted = slices.Clone(quoted)
	for i, q := range quoted {
		quoted[i].Files = shortNames(q.Files)
	}
	return quoted
}
