package service

import (
	"context"
	"fmt"
	"strings"

	"maru/bot"
	"maru/phrase"
)

// forgetActions are what "/maru forget" can forget; the first is the default.
func forgetActions() []string { return []string{"all", "me", "thread", "everywhere"} }

// counted bounds how many rows of a thread a receipt counts.
const counted = 1000

// cmdForget removes everything that is kept of the caller, and this thread, and
// says what is gone. In a direct message, or when told so, "everything" is that of
// all servers where the account is known.
func (b *Bot) cmdForget(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	what := heardAs(c.Args, forgetActions())
	if v := c.Options["what"]; v != "" {
		what = v
	}
	var receipt []string
	switch what {
	case "", "all", "me", "thread", "everywhere":
	default:
		return nil, badAction("forget", what, forgetActions(), lang)
	}
	if what != "thread" {
		card, err := b.forgetMemory(ctx, c, nil, c.Thread.Direct || what == "everywhere", lang)
		if err != nil {
			return nil, err
		}
		receipt = append(receipt, card.Text)
	}
	if what != "me" && what != "everywhere" {
		line, err := b.forgetThread(ctx, c, lang)
		if err != nil {
			return nil, err
		}
		receipt = append(receipt, line)
	}
	return &bot.Card{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.what_is_forgotten"), Text: strings.Join(receipt, "\n\n"), Language: lang, Final: true,
		Footer: phrase.Say(lang, "bot.documents_and_the_audit_log"),
	}, nil
}

// forgetThread forgets the thread that the command was given in; in a direct
// message without threads, the one that was last spoken in. A channel is no
// thread: what others said there is not forgotten by the way.
func (b *Bot) forgetThread(ctx context.Context, c bot.Invocation, lang string) (string, error) {
	t := c.Thread
	if t.ID == "" {
		if !t.Direct {
			if b.facts(t.Platform).CommandsInMenus {
				return phrase.Say(lang, "bot.this_is_no_thread_menu"), nil
			}
			return phrase.Say(lang, "bot.this_is_no_thread_so"), nil
		}
		list, err := b.cfg.Record.Threads(ctx, t.Platform, t.Team, t.Channel, 1)
		if err != nil {
			return "", fmt.Errorf("find the thread: %w", err)
		}
		if len(list) > 0 {
			t.ID = list[0].Thread.ID
		}
	}
	if err := b.membersOnly(ctx, t, c.User, lang); err != nil {
		return "", err
	}
	b.active.awaitTrace(ctx, "", t.Key())
	entries, err := b.cfg.Record.Transcript(ctx, t.Key(), counted)
	if err != nil {
		return "", fmt.Errorf("count what is forgotten: %w", err)
	}
	runs, err := b.cfg.Record.RunsOf(ctx, t.Key(), counted)
	if err != nil {
		return "", fmt.Errorf("count what is forgotten: %w", err)
	}
	if err := b.forgetter.Forget(ctx, t, c.User); err != nil {
		return "", err
	}
	return phrase.Say(lang, "bot.this_thread_is_forgotten_messages", len(entries), len(runs)), nil
}
