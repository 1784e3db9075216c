package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/place"
	"maru/bot/reply"
	"maru/phrase"
	"maru/phrase/fit"
)

// resume continues a run after its question was decided, expired or was withdrawn, and renders
// the card without buttons.
func (ts *Turns) resume(ctx context.Context, l bot.Lease, it bot.Item) error {
	var r approval.Resumption
	if err := json.Unmarshal(it.Body, &r); err != nil {
		return ts.drop(ctx, l, it, err)
	}
	row, err := ts.cfg.Record.ApprovalByID(ctx, r.Approval)
	if errors.Is(err, bot.ErrNotFound) {
		return ts.drop(ctx, l, it, err)
	}
	if err != nil {
		return fmt.Errorf("read approval: %w", err)
	}
	switch {
	case r.Show == approval.ShowRemind:
		return ts.remind(ctx, l, it, row)
	case r.Show != "":
		return ts.showAgain(ctx, l, it, row)
	case row.State == bot.ApprovalPending:
		return ts.drop(ctx, l, it, fmt.Errorf("approval %s is not decided", row.ID))
	case row.Kind == approval.KindFiles:
		return ts.resumeFiles(ctx, l, it, row)
	case row.Kind == approval.KindTask:
		return ts.resumeTask(ctx, l, it, row)
	}
	a, err := approval.Read(row)
	if err != nil {
		return ts.drop(ctx, l, it, err)
	}
	var told sync.WaitGroup // in parallel with the run
	told.Go(func() { ts.cfg.Questions.EndPointers(ctx, a) })
	defer told.Wait()
	if row.State == bot.ApprovalRevoked {
		return ts.withdrawn(ctx, l, it, a)
	}
	return ts.resumeRun(ctx, l, it, a)
}

// resumeRun continues a run after a decision or expiry, with the settings from its
// start.
func (ts *Turns) resumeRun(ctx context.Context, l bot.Lease, it bot.Item, a approval.Asked) error {
	row, w := a.Row, a.About
	spoken := false
	d := agent.Decision{Interrupt: row.Interrupt, At: row.Decided, Expired: row.State == bot.ApprovalExpired}
	if !d.Expired {
		made, err := approval.ReadDecision(row.Decision)
		if err != nil {
			return ts.drop(ctx, l, it, err)
		}
		d.By, d.Value, spoken = row.By, made.Value, made.Spoken && !slices.Contains(approval.Verdicts, made.Verb)
		if t := w.Message.Thread; !fromElsewhere(row.By) {
			d.By = t.Person(bot.User{ID: row.By})
		}
	}
	past, err := ts.cfg.Questions.History(ctx, row.Thread, row.Run)
	if err != nil {
		return err
	}
	if err := ts.allow(ctx, a, d); err != nil {
		return err
	}
	set, err := ts.cfg.Rules.Settings(ctx, w.Message.Thread, w.Message.User)
	if err != nil {
		return err
	}
	now := set.Means // restrictions added during the wait apply: they are permissions, not preferences
	set.Agent, set.Persona, set.Language, set.Approvals, set.Means = w.Agent, w.Persona, w.Lang, w.Approvals, w.Means
	set.Means.ToolsOff = fit.Distinct(append(slices.Clone(w.Means.ToolsOff), now.ToolsOff...))
	set.Means.Allowed = now.Allowed // which may have ended
	set.Means.ToolsAsk = fit.Distinct(append(slices.Clone(w.Means.ToolsAsk), now.ToolsAsk...))
	return ts.runTurn(ctx, l, it, turn{m: w.Message, set: set, lang: w.Lang, history: past, log: w.Log, missing: w.Missing, spoken: spoken, decisions: []agent.Decision{d}})
}

// allow keeps the standing permission of a decision that gives one. The decision is committed, so that a crash before loses nothing.
func (ts *Turns) allow(ctx context.Context, a approval.Asked, d agent.Decision) error {
	var r agent.Reply
	if d.Expired || a.Allows == nil || json.Unmarshal(d.Value, &r) != nil || r.Action != agent.VerbAllow {
		return nil
	}
	days, err := strconv.Atoi(r.Values[agent.InputDays])
	if err != nil {
		return nil //nolint:nilerr // no permission without its end
	}
	return ts.cfg.Rules.Allow(ctx, a.About.Message.Thread, place.Allowed{Tool: a.Allows.Tool, Digest: a.Allows.Digest, By: d.By, At: a.Row.Decided, Days: days})
}

// fromElsewhere reports whether a name is that of a person who decided on another surface, rather than
// a platform's user ID.
func fromElsewhere(by string) bool { return strings.Count(by, "/") == 2 }

// withdrawn ends a run whose question was withdrawn, or restarts it if the reason was an edit of
// the message.
func (ts *Turns) withdrawn(ctx context.Context, l bot.Lease, it bot.Item, a approval.Asked) error {
	lang, m := a.About.Lang, a.About.Message
	why := &bot.Error{Code: bot.CodeStopped}
	if m.Request != nil {
		why = unasked(m, lang)
	}
	switch t, changed, err := ts.reworded(ctx, a); {
	case errors.Is(err, errWithdrawn): // no stop request, but the question was deleted
		why = unasked(m, lang)
	case err != nil:
		return err
	case changed:
		return ts.restartWaiting(ctx, l, it, a, t)
	}
	past, err := ts.cfg.Questions.History(ctx, a.Row.Thread, a.Row.Run)
	if err != nil {
		return err
	}
	p, err := ts.cfg.Replies.Begin(ctx, l, it, a.About.Message, reply.Look{Lang: lang, Still: true})
	if err != nil {
		return err
	}
	defer p.Close()
	defer ts.cfg.Jobs.Wake()
	if p.Delivered {
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Jobs: callback(m)})
	}
	card := why.Notice(lang)
	card.Run, card.Fields = a.Row.Run, past
	reply, err := p.Finish(ctx, card)
	if err != nil {
		return err
	}
	ts.ended(ctx, a.Row.Run, bot.RunStopped)
	return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Reply: &reply, Jobs: append(p.Owed(ctx), callback(m)...)})
}

// resumeFiles adds the offered files, or removes the offer.
func (ts *Turns) resumeFiles(ctx context.Context, l bot.Lease, it bot.Item, row bot.Approval) error {
	o, err := readOffered(row)
	if err != nil {
		return ts.drop(ctx, l, it, err)
	}
	said := phrase.Say(o.Lang, "bot.files.not_added")
	if row.State == bot.ApprovalDecided {
		d, err := approval.ReadDecision(row.Decision)
		if err != nil {
			return ts.drop(ctx, l, it, err)
		}
		if d.Verb == approval.VerbAccept {
			said = ts.cfg.Files.addOffered(ctx, o)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return ts.afterDecision(ctx, l, it, o, row, said, bot.Outcome{})
}

// afterDecision finishes an item with out. It shows the outcome in the reply that carried the buttons,
// or in a new message below it if the reply may not be edited.
func (ts *Turns) afterDecision(ctx context.Context, l bot.Lease, it bot.Item, o offered, row bot.Approval, said string, out bot.Outcome) error {
	reply, err := ts.cfg.Record.Reply(ctx, row.Run)
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		return fmt.Errorf("read reply: %w", err)
	}
	out.Entry = &bot.Entry{ID: it.ID, Thread: it.Thread, Own: true, Text: said, Run: row.Run, At: ts.cfg.Now()}
	var card bot.Card
	shown := false
	editor, canEdit := adapterOf(ts.cfg.Adapters, it.Thread).(bot.Editor)
	if err == nil && canEdit && !reply.Ref.IsZero() && json.Unmarshal(reply.Card, &card) == nil {
		card.Buttons, card.Final = nil, true
		card.Text = fit.Paragraphs(card.Text, said)
		err := ts.cfg.Replies.Patiently(ctx, it.Thread, func(ctx context.Context) error {
			ref, err := editor.Edit(ctx, reply.Ref, card)
			if err == nil || !ref.IsZero() {
				reply.Ref = ref
			}
			return err
		})
		if shown = err == nil; !shown {
			ts.cfg.Log.WarnContext(ctx, "show decision", "run", row.Run, "err", err)
		}
		if raw, err := json.Marshal(card); err == nil {
			reply.Card = raw
		}
		out.Reply = &reply
	}
	if !shown {
		ts.postBelow(ctx, it, o, said)
	}
	if ctx.Err() != nil && !shown {
		return context.Cause(ctx)
	}
	return ts.cfg.Record.Finish(ctx, l, it.ID, out)
}

// postBelow posts the outcome of an item as a new message, unless an earlier attempt
// did.
func (ts *Turns) postBelow(ctx context.Context, it bot.Item, o offered, said string) {
	adapter, to, key := ts.cfg.Adapters[o.Thread.Platform], bot.Target{Thread: o.Thread, User: o.User}, "said-"+bot.RunID(it.ID)
	if adapter == nil {
		return
	}
	card := bot.Card{Kind: bot.CardNotice, Text: said, Language: o.Lang, Final: true}
	err := ts.cfg.Replies.Patiently(ctx, it.Thread, func(ctx context.Context) error {
		if f, ok := adapter.(bot.Finder); ok && it.Attempts > 0 {
			if _, found, err := f.Find(ctx, to, key); found || err != nil {
				return err
			}
		}
		_, err := adapter.Post(ctx, to, card, key)
		return err
	})
	if err != nil {
		ts.cfg.Log.WarnContext(ctx, "say what was decided", "item_kind", it.Kind, "err", err)
	}
}

// adapterOf returns the adapter of a thread's platform, or nil.
func adapterOf(all bot.Platforms, thread string) bot.Adapter {
	t, err := bot.ParseThread(thread)
	if err != nil {
		return nil
	}
	return all[t.Platform]
}
