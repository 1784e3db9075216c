package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/bot/approval"
	"maru/bot/reply"
	"maru/phrase"
	"maru/phrase/intent"
)

// tell answers a message with a fixed text.
func (ts *Turns) tell(ctx context.Context, l bot.Lease, it bot.Item, m bot.Message, text string, buttons ...bot.Button) error {
	lang := ts.cfg.Rules.Language(ctx, m.Thread, m.User, m.Text)
	p, err := ts.cfg.Replies.Begin(ctx, l, it, m, reply.Look{Lang: lang, Still: true})
	if err != nil {
		return err
	}
	defer p.Close()
	if p.Delivered {
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Reply: &p.Row})
	}
	reply, err := p.Finish(ctx, bot.Card{Kind: bot.CardNotice, Text: text, Buttons: buttons, Language: lang, Final: true})
	if err != nil {
		return err
	}
	return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Reply: &reply, Jobs: p.Owed(ctx)})
}

// pointToReply replies to a message that ended a run with a pointer to the run's reply, because no new card
// appears below the message.
func (ts *Turns) pointToReply(ctx context.Context, it bot.Item, c conclusion) {
	card := bot.Card{Kind: bot.CardNotice, Text: phrase.Say(c.lang, "bot.approval.continued_above"), Language: c.lang, Final: true}
	to := bot.Target{Thread: c.m.Thread, ReplyTo: c.m.ReplyTo, User: c.m.User}
	if _, err := ts.cfg.Adapters[c.m.Thread.Platform].Post(ctx, to, card, "above-"+strings.TrimPrefix(it.ID, approval.ItemPrefix)); err != nil {
		ts.cfg.Log.WarnContext(ctx, "point up at an answer", "run", c.p.Run, "err", err)
	}
}

// noticeNothingPending returns the notice that the thread has no pending question, for a message such as "yes", which an
// agent would take for a task. Ambiguous words count only after a decided question, such as the second
// yes to a plan. It returns "" if the bot's last message was a question.
func (ts *Turns) noticeNothingPending(ctx context.Context, m bot.Message, lang string) (string, error) {
	entries, err := ts.cfg.Record.Transcript(ctx, m.Thread.Key(), 4)
	if err != nil {
		return "", fmt.Errorf("read transcript: %w", err)
	}
	for _, e := range slices.Backward(entries) {
		if !e.Own || e.Deleted {
			continue
		}
		if strings.HasSuffix(strings.TrimRight(e.Text, " \n*_)”\""), "?") {
			return "", nil
		}
		past, err := ts.cfg.Questions.History(ctx, m.Thread.Key(), e.Run)
		if err != nil {
			return "", err
		}
		if len(past) > 0 {
			return phrase.Say(lang, "bot.approval.decided_before", past[len(past)-1].Value), nil
		}
		break
	}
	if intent.Ruling(m.Text) {
		return phrase.Say(lang, "bot.approval.none_here"), nil
	}
	return "", nil
}
