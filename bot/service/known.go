package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/phrase"
	"maru/phrase/fit"
)

// shownKnown bounds what a card names of what was used.
const shownKnown = 3

// knowing shows on a card what the run used of its person's memory, with one
// click to stop that.
func (b *Bot) knowing(card bot.Card, c conclusion) bot.Card {
	used := agent.KnownIn(c.trace.Events)
	if len(used) == 0 || c.err != nil {
		return card
	}
	var texts []string
	for _, k := range used[:min(len(used), shownKnown)] {
		texts = append(texts, fit.Clip(k.Text, 60))
	}
	more := ""
	if n := len(used) - len(texts); n > 0 {
		more = phrase.Say(c.lang, "bot.known.more", n)
	}
	card.Footer = fit.Dots(card.Footer, phrase.Say(c.lang, "bot.known.used")+strings.Join(texts, "; ")+more)
	card.Buttons = append(card.Buttons, bot.Button{ID: c.p.Run, Verb: bot.VerbDont, Label: phrase.Say(c.lang, "bot.known.dont_use")})
	return card
}

// dont stops the use of what an answer used, if whoever clicks is the person it
// is about.
func (b *Bot) dont(ctx context.Context, a bot.Action) (bot.Answer, error) {
	lang := b.language(ctx, a.Thread, a.User, "")
	reply, ok, err := b.runOf(ctx, a)
	if err != nil || !ok || b.cfg.Memory == nil {
		return approval.Refuse(bot.CodeUnknown, lang), err
	}
	b.Runs.AwaitTrace(ctx, reply.Run, "")
	run, err := b.cfg.Record.RunByID(ctx, reply.Run)
	if err != nil {
		return approval.Refuse(bot.CodeUnknown, lang), nil //nolint:nilerr // a run that is gone used nothing
	}
	if run.User != a.User.ID {
		b.audit(ctx, a.Thread, a.User, "memory.refused", map[string]any{"run": run.ID})
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
	n, err := b.cfg.Memory.Mute(ctx, a.Thread.Person(a.User), ids, true)
	if err != nil {
		return bot.Answer{}, fmt.Errorf("mute memory: %w", err)
	}
	b.audit(ctx, a.Thread, a.User, "memory.mute", map[string]any{"run": run.ID, "records": n})
	b.showDont(ctx, reply, lang)
	return approval.Notice(lang, "bot.known.will_not_use"), nil
}

// showDont takes the control off the answer it stood under.
func (b *Bot) showDont(ctx context.Context, reply bot.Reply, lang string) {
	var card bot.Card
	editor, ok := b.adapterOf(reply.Thread).(bot.Editor)
	if !ok || reply.Ref.IsZero() || json.Unmarshal(reply.Card, &card) != nil {
		return
	}
	var rest []bot.Button
	for _, x := range card.Buttons {
		if x.Verb != bot.VerbDont {
			rest = append(rest, x)
		}
	}
	card.Buttons = rest
	card.Footer = fit.Dots(card.Footer, phrase.Say(lang, "bot.known.not_used"))
	b.chores.Start(ctx, func(ctx context.Context) {
		if _, err := editor.Edit(ctx, reply.Ref, card); err != nil {
			b.log.WarnContext(ctx, "show that memory is not used", "run", reply.Run, "err", err)
		}
	})
}

// impersonal returns events without the words of anybody's memory: a trace keeps
// which records were used and why, so that forgetting one leaves none of it.
func impersonal(events []agent.Event) []agent.Event {
	var out []agent.Event
	for i, e := range events {
		if e.Kind != agent.EventMemory {
			continue
		}
		if out == nil {
			out = append([]agent.Event{}, events...)
		}
		list := agent.KnownIn([]agent.Event{e})
		for j := range list {
			list[j].Text = ""
		}
		if raw, err := json.Marshal(list); err == nil {
			out[i].Data = raw
		} else {
			out[i].Data = nil
		}
	}
	if out == nil {
		return events
	}
	return out
}
