package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/chore"
	"maru/bot/place"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/phrase/fit"
)

// ControlsRecord is the part of the record that controls need.
type ControlsRecord interface {
	Reply(ctx context.Context, run string) (bot.Reply, error)
	RunByID(ctx context.Context, id string) (bot.Run, error)
	Rate(ctx context.Context, thread, run, who string, vote int) (up, down int, err error)
}

// ControlsConfig holds the dependencies of Controls. All fields but Memory are required.
type ControlsConfig struct {
	Record   ControlsRecord
	Rules    *place.Rules
	Runs     *Runs
	Memory   *longterm.Memory // nil: no memory of people
	Chores   *chore.Chores
	Adapters bot.Platforms
	Log      *slog.Logger
}

// Controls handles a reply's buttons other than decisions: stop, rating, memory. It is safe for
// concurrent use.
type Controls struct {
	record   ControlsRecord
	rules    *place.Rules
	runs     *Runs
	memory   *longterm.Memory
	chores   *chore.Chores
	adapters bot.Platforms
	log      *slog.Logger
}

// NewControls returns Controls.
func NewControls(c ControlsConfig) *Controls {
	return &Controls{record: c.Record, rules: c.Rules, runs: c.Runs, memory: c.Memory, chores: c.Chores, adapters: c.Adapters, log: c.Log}
}

// runOf returns the reply that a button belongs to, if it is in the channel where the button was
// clicked.
func (cs *Controls) runOf(ctx context.Context, a bot.Action) (bot.Reply, bool, error) {
	reply, err := cs.record.Reply(ctx, a.ID)
	if errors.Is(err, bot.ErrNotFound) {
		return bot.Reply{}, false, nil
	}
	if err != nil {
		return bot.Reply{}, false, fmt.Errorf("read reply: %w", err)
	}
	return reply, a.Thread.SharesChannel(reply.Thread), nil
}

// Stop stops the button's run on whichever replica it is active, and no later run of the
// thread.
func (cs *Controls) Stop(ctx context.Context, a bot.Action) (bot.Answer, error) {
	lang := cs.rules.Language(ctx, a.Thread, a.User, "")
	reply, ok, err := cs.runOf(ctx, a)
	if err != nil || !ok {
		return approval.Refuse(bot.CodeUnknown, lang), err
	}
	cs.rules.Audit(ctx, a.Thread, a.User, "run.stop", map[string]any{"run": reply.Run})
	if reply.State == bot.ReplyOpen {
		stopped, err := cs.runs.stopReply(ctx, reply)
		switch {
		case err != nil:
			cs.log.WarnContext(ctx, "stop a run", "run", reply.Run, "err", err)
			return approval.Notice(lang, "bot.stop.unsure"), nil
		case stopped:
			return bot.Answer{}, nil
		}
	}
	return approval.Notice(lang, "bot.stop.already_over"), nil
}

// Rate stores a person's rating of an answer and shows it below the answer.
func (cs *Controls) Rate(ctx context.Context, a bot.Action) (bot.Answer, error) {
	lang := cs.rules.Language(ctx, a.Thread, a.User, "")
	reply, ok, err := cs.runOf(ctx, a)
	var card bot.Card
	if err != nil || !ok || json.Unmarshal(reply.Card, &card) != nil || card.Kind != bot.CardFeedback {
		return approval.Refuse(bot.CodeUnknown, lang), err
	}
	vote := 1
	if a.Verb == bot.VerbDown {
		vote = -1
	}
	up, down, err := cs.record.Rate(ctx, reply.Thread, reply.Run, a.Thread.Person(a.User), vote)
	if err != nil {
		return bot.Answer{}, fmt.Errorf("store rating: %w", err)
	}
	cs.rules.Audit(ctx, a.Thread, a.User, "answer.rated", map[string]any{"run": reply.Run, "vote": vote})
	card.Footer = fit.Dots(card.Footer, fmt.Sprintf("👍 %d · 👎 %d", up, down))
	if editor, ok := adapterOf(cs.adapters, reply.Thread).(bot.Editor); ok && !reply.Ref.IsZero() {
		cs.chores.Start(ctx, func(ctx context.Context) {
			if _, err := editor.Edit(ctx, reply.Ref, card); err != nil {
				cs.log.WarnContext(ctx, "show rating", "run", reply.Run, "err", err)
			}
		})
	}
	return approval.Notice(lang, "bot.rating.thanks"), nil
}

// DisableMemories disables the memories that an answer used, if the person who clicks is the one they
// are about.
func (cs *Controls) DisableMemories(ctx context.Context, a bot.Action) (bot.Answer, error) {
	lang := cs.rules.Language(ctx, a.Thread, a.User, "")
	reply, ok, err := cs.runOf(ctx, a)
	if err != nil || !ok || cs.memory == nil {
		return approval.Refuse(bot.CodeUnknown, lang), err
	}
	cs.runs.AwaitTrace(ctx, reply.Run, "")
	run, err := cs.record.RunByID(ctx, reply.Run)
	if err != nil {
		return approval.Refuse(bot.CodeUnknown, lang), nil //nolint:nilerr // the run was deleted, and its memories with it
	}
	if run.User != a.User.ID {
		cs.rules.Audit(ctx, a.Thread, a.User, "memory.refused", map[string]any{"run": run.ID})
		c := (&bot.Error{Code: bot.CodeNotAllowed, Detail: phrase.Say(lang, "bot.refused.ask_owner")}).Notice(lang)
		return bot.Answer{Card: &c}, nil
	}
	var events []agent.Event
	if err := json.Unmarshal(run.Trace, &events); err != nil {
		return bot.Answer{}, fmt.Errorf("decode trace: %w", err)
	}
	var ids []string
	for _, k := range agent.KnownIn(events) {
		ids = append(ids, k.ID)
	}
	n, err := cs.memory.Mute(ctx, a.Thread.Person(a.User), ids, true)
	if err != nil {
		return bot.Answer{}, fmt.Errorf("mute memory: %w", err)
	}
	cs.rules.Audit(ctx, a.Thread, a.User, "memory.mute", map[string]any{"run": run.ID, "records": n})
	cs.removeMemoryButton(ctx, reply, lang)
	return approval.Notice(lang, "bot.known.will_not_use"), nil
}

// removeMemoryButton removes the button from the answer.
func (cs *Controls) removeMemoryButton(ctx context.Context, reply bot.Reply, lang string) {
	var card bot.Card
	editor, ok := adapterOf(cs.adapters, reply.Thread).(bot.Editor)
	if !ok || reply.Ref.IsZero() || json.Unmarshal(reply.Card, &card) != nil {
		return
	}
	card.Buttons = slices.DeleteFunc(card.Buttons, func(b bot.Button) bool { return b.Verb == bot.VerbDont })
	card.Footer = fit.Dots(card.Footer, phrase.Say(lang, "bot.known.not_used"))
	cs.chores.Start(ctx, func(ctx context.Context) {
		if _, err := editor.Edit(ctx, reply.Ref, card); err != nil {
			cs.log.WarnContext(ctx, "show that memory is not used", "run", reply.Run, "err", err)
		}
	})
}
