package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"maru/bot"
	"maru/bot/place"
	"maru/bot/privacy"
	"maru/phrase"
)

// forgetActions returns the targets of "/maru forget"; the first is the default.
func forgetActions() []string { return []string{"all", "me", "thread", "everywhere"} }

// counted limits the rows of a thread that a receipt counts.
const counted = 1000

// ForgetRecord is the part of the record that [Forget] needs.
type ForgetRecord interface {
	Known(ctx context.Context, thread string) (bool, error)
	RunsOf(ctx context.Context, thread string, limit int) ([]bot.Run, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
}

// Forget deletes threads and the caller's data on request.
type Forget struct {
	rules     *place.Rules
	record    ForgetRecord
	turns     Turns
	platforms bot.Platforms
	memories  *Memory
	forgetter *privacy.Forgetter
}

// forget deletes the caller's data and this thread, and shows a receipt. Before deleting the caller's data it
// shows what would be deleted and asks. In a direct message, or with "everywhere", it covers all servers that know
// the account.
func (fg *Forget) forget(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	args, yes := confirmed(c.Args)
	what := choiceFor(args, forgetActions())
	if v := c.Options["what"]; v != "" {
		what = v
	}
	var receipt []string
	switch what {
	case "", "all", "me", "thread", "everywhere":
	default:
		return nil, unknownChoice("forget", what, forgetActions(), lang)
	}
	if everywhere := c.Thread.Direct || what == "everywhere"; what != "thread" && !yes {
		if card, err := fg.memories.askFirst(ctx, c, cmp.Or(what, "all"), everywhere, lang); card != nil || err != nil {
			return card, err
		}
	}
	if what != "thread" {
		card, err := fg.memories.forget(ctx, c, nil, c.Thread.Direct || what == "everywhere", lang)
		if err != nil {
			return nil, err
		}
		receipt = append(receipt, card.Text)
	}
	if what != "me" && what != "everywhere" {
		line, err := fg.forgetThread(ctx, c, lang)
		if err != nil {
			return nil, err
		}
		receipt = append(receipt, line)
	}
	return &bot.Card{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.forget.title"), Text: strings.Join(receipt, "\n\n"), Language: lang, Final: true,
		Footer: phrase.Say(lang, "bot.forget.kept"),
	}, nil
}

// forgetThread deletes the thread in which the command was given or, in a direct message
// without threads, the most recent one. A channel is not a thread: other people's messages
// stay.
func (fg *Forget) forgetThread(ctx context.Context, c bot.Invocation, lang string) (string, error) {
	t := c.Thread
	if t.ID == "" {
		if !t.Direct {
			if fg.platforms.Facts(t.Platform).CommandsInMenus {
				return phrase.Say(lang, "bot.forget.no_thread_menu"), nil
			}
			return phrase.Say(lang, "bot.forget.no_thread"), nil
		}
		list, err := fg.record.Threads(ctx, t.Platform, t.Team, t.Channel, 1)
		if err != nil {
			return "", fmt.Errorf("find the thread: %w", err)
		}
		if len(list) > 0 {
			t.ID = list[0].Thread.ID
		}
	}
	if err := fg.rules.MembersOnly(ctx, t, c.User, lang); err != nil {
		return "", err
	}
	fg.turns.AwaitTrace(ctx, "", t.Key())
	entries, err := fg.record.Transcript(ctx, t.Key(), counted)
	if err != nil {
		return "", fmt.Errorf("count deleted rows: %w", err)
	}
	runs, err := fg.record.RunsOf(ctx, t.Key(), counted)
	if err != nil {
		return "", fmt.Errorf("count deleted rows: %w", err)
	}
	if err := fg.forgetter.Forget(ctx, t, c.User); err != nil {
		return "", err
	}
	return phrase.Say(lang, "bot.forget.thread", len(entries), len(runs)), nil
}
