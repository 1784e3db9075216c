package service

import (
	"context"
	"fmt"
	"slices"

	"maru/bot"
	"maru/bot/about"
	"maru/bot/command"
	"maru/bot/gap"
	"maru/bot/inbox"
	"maru/bot/parking"
	"maru/bot/privacy"
	"maru/bot/said"
	"maru/bot/turn"
	"maru/phrase/intent"
)

// threads adapts the active threads of this process for other packages.
type threads struct {
	*inbox.Workers
	*turn.Runs
	record bot.Record
}

// Busy implements reply.Workers.
func (t threads) Busy(thread string) bool {
	return t.Workers.Has(thread) || t.Runs.Busy(thread)
}

// Held implements reply.Workers. A thread whose process died is held until another one claims it.
func (t threads) Held(ctx context.Context, thread string) (bool, error) {
	store, ok := t.record.(parking.Store)
	if t.Busy(thread) || !ok {
		return t.Busy(thread), nil
	}
	list, err := store.InHand(ctx)
	return slices.ContainsFunc(list, func(h parking.Held) bool { return h.Thread == thread }), err
}

// asks adapts the pending questions for the runs, which are built before them.
type asks struct{ b *Bot }

// StillAsked implements turn.Asks.
func (a asks) StillAsked(ctx context.Context, thread, run string) ([]string, error) {
	return a.b.questions.StillAsked(ctx, thread, run)
}

// expiries adapts the retention items for the turns.
type expiries struct{ b *Bot }

// Expire implements turn.Expiries.
func (ex expiries) Expire(ctx context.Context, l bot.Lease, it bot.Item) error {
	e, err := privacy.ReadExpiry(it)
	if err != nil {
		return fmt.Errorf("%w: %w", turn.ErrUnreadable, err)
	}
	return ex.b.keeper.Expire(ctx, l, it, e)
}

// self answers questions about the bot for the turns: about a person's memories and about its set-up.
type self struct{ b *Bot }

// Answer implements turn.Self. Agents are not told of a list of memories, which may be forgotten one by one.
func (s self) Answer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	if s.remembers(m) {
		if err := s.unsaid(ctx, m); err != nil {
			return "", nil, err
		}
		text, err = s.b.Room.Memory.Own(ctx, m, lang)
		return text, nil, err
	}
	if s.b.cfg.Memory != nil {
		if text, buttons, err = s.b.Room.Memory.Forgets(ctx, m, lang); err == nil && text != "" {
			err = s.unsaid(ctx, m)
		}
	}
	if text == "" && err == nil && s.setUp().Answers(m) {
		text, err = s.setUp().Answer(ctx, m, lang)
	}
	return text, buttons, err
}

// unsaid keeps a message and its answer from agents.
func (s self) unsaid(ctx context.Context, m bot.Message) error {
	if err := s.b.cfg.Record.SetNote(ctx, bot.NoteUnsaid+m.Key(), "1"); err != nil {
		return fmt.Errorf("record an unquotable message: %w", err)
	}
	return nil
}

// remembers reports whether a message asks for its author's memories.
func (s self) remembers(m bot.Message) bool {
	return s.b.cfg.Memory != nil && intent.AsksOwnMemory(m.Text)
}

func (s self) setUp() about.Self {
	return about.Self{
		Rules: s.b.rules, Settings: s.b.cfg.Setup,
		Searches: func(t bot.Thread) bool {
			_, ok := s.b.adapters[t.Platform].(said.Searcher)
			return ok && s.offers(said.Tool)
		},
		Offers: s.offers,
	}
}

// offers reports whether a tool is offered.
func (s self) offers(name string) bool {
	return slices.ContainsFunc(s.b.cfg.Toolbox.Tools(nil), func(t command.ToolInfo) bool { return t.Name == name })
}

// offers returns the schedules for the turns, nil if there are none.
func (b *Bot) offers() turn.Schedules {
	if b.schedules == nil {
		return nil
	}
	return b.schedules
}

// reports returns the schedules of weekly reports, nil without schedules in the record.
func (b *Bot) reports() gap.Weekly {
	if b.schedules == nil {
		return nil
	}
	return b.schedules
}
