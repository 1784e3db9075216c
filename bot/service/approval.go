package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/place"
	"maru/phrase"
)

// Kinds of approvals that the bot itself asks for, and what buttons say.
const (
	approvalFiles = "files"
	verbAccept    = agent.VerbAccept
	verbReject    = agent.VerbReject
	verbClosed    = "closed" // a form was closed without being sent
)

// Click decides an approval by one of its buttons or forms.
func (b *Bot) Click(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	row, err := b.cfg.Record.ApprovalByID(ctx, a.ID)
	if errors.Is(err, bot.ErrNotFound) {
		return refuse(bot.CodeUnknown, lang), nil
	}
	if err != nil {
		return bot.Answer{}, fmt.Errorf("read approval: %w", err)
	}
	if !carries(row, a) {
		b.refused(ctx, row, a, bot.CodeUnknown)
		return refuse(bot.CodeUnknown, lang), nil
	}
	return b.rule(ctx, row, a, lang)
}

// carries reports whether a click comes from where the approval was asked for:
// its channel, and the message with its buttons, or the person's own page, where
// only what they may decide stands. What was copied elsewhere decides nothing.
func carries(row bot.Approval, a bot.Action) bool {
	if a.Home {
		t, err := bot.ParseThread(row.Thread)
		return err == nil && t.TeamKey() == a.Thread.TeamKey()
	}
	return a.Thread.SharesChannel(row.Thread) &&
		(row.Ref.IsZero() || a.Message == "" || slices.Contains(row.Ref.Messages, a.Message))
}

// rule lets a person decide an approval, whatever they used for it.
func (b *Bot) rule(ctx context.Context, row bot.Approval, a bot.Action, lang string) (bot.Answer, error) {
	may, err := b.mayDecide(ctx, row, a.Thread, a.User)
	switch {
	case err != nil:
		return bot.Answer{}, err
	case !may:
		b.refused(ctx, row, a, bot.CodeNotAllowed)
		c := (&bot.Error{Code: bot.CodeNotAllowed, Detail: place.WhoDecides(lang)}).Notice(lang)
		return bot.Answer{Card: &c}, nil
	case row.State != bot.ApprovalPending:
		b.refused(ctx, row, a, bot.CodeStale)
		return refuseRow(row, lang, b.rules.ZoneOf(a.User)), nil
	}
	d, ans, code := b.choice(row, a, lang)
	switch {
	case code != "":
		b.refused(ctx, row, a, code)
		return refuse(code, lang), nil
	case d.Verb == "":
		return ans, nil
	}
	_, ans, err = b.decide(ctx, row, a, d)
	return ans, err
}

// refused audits a decision that did not count.
func (b *Bot) refused(ctx context.Context, row bot.Approval, a bot.Action, why bot.Code) {
	b.audit(ctx, a.Thread, a.User, "approval.refused", map[string]any{"approval": row.ID, "why": why})
}

// choice reads what a click or a form decides about an approval. Without a verb
// in the decision, the answer is what happens at once.
func (b *Bot) choice(row bot.Approval, a bot.Action, lang string) (decision, bot.Answer, bot.Code) {
	if row.Kind == approvalFiles {
		if a.Verb != verbAccept && a.Verb != verbReject {
			return decision{}, bot.Answer{}, bot.CodeUnknown
		}
		return decision{Verb: a.Verb}, bot.Answer{}, ""
	}
	q, err := readAsked(row)
	if err != nil {
		b.log.Error("approval refused", "err", err)
		return decision{}, bot.Answer{}, bot.CodeStale
	}
	if short, ok := strings.CutPrefix(a.Verb, samePrefix); ok {
		return q.same(short)
	}
	lang = cmp.Or(q.w.Lang, lang) // a form has one language: that of the question in it
	d, ans, code := q.choose(a, lang)
	if code != "" || d.Verb == "" {
		return d, ans, code
	}
	if q.tooLong() && !alone(d.Verb) {
		return decision{}, bot.Answer{}, bot.CodeTooLong
	}
	return b.fits(q.w.Interrupt, d, a, lang)
}

// decide makes a decision count, if it is the first. It returns the approval as
// it is then.
func (b *Bot) decide(ctx context.Context, row bot.Approval, a bot.Action, d decision) (bot.Approval, bot.Answer, error) {
	lang := b.language(ctx, a.Thread, a.User, "")
	d.Name = a.User.Name
	value, err1 := json.Marshal(d)
	follow, err2 := b.follow(row, "")
	if err := errors.Join(err1, err2); err != nil {
		return row, bot.Answer{}, fmt.Errorf("encode decision: %w", err)
	}
	now, err := b.cfg.Record.Decide(ctx, bot.Vote{
		Approval: row.ID, By: b.voter(row, a), Decision: value, Key: d.key(), Alone: alone(d.Verb), Follow: follow,
	})
	switch {
	case errors.Is(err, bot.ErrDecided) && now.State == bot.ApprovalExpired:
		b.expire(ctx, now)
		return now, refuseRow(now, lang, b.rules.ZoneOf(a.User)), nil
	case errors.Is(err, bot.ErrDecided):
		return now, refuseRow(now, lang, b.rules.ZoneOf(a.User)), nil
	case err != nil:
		return row, bot.Answer{}, fmt.Errorf("decide approval: %w", err)
	}
	detail := map[string]any{"approval": row.ID, "kind": row.Kind, "verb": d.Verb, "run": row.Run, "digest": row.Digest, "key": d.key()}
	if now.State == bot.ApprovalPending {
		b.audit(ctx, a.Thread, a.User, "approval.agreed", detail)
		return now, b.agreed(ctx, now, lang), nil
	}
	b.audit(ctx, a.Thread, a.User, "approval.decided", detail)
	busy := b.active.other(row.Thread, row.Run)
	b.queue.add(row.Thread)
	if !busy {
		return now, bot.Answer{}, nil
	}
	return now, notice(lang, "bot.your_decision_is_recorded_i"), nil
}

// voter names who decides: with the platform's id where the question was asked,
// with their whole name elsewhere.
func (b *Bot) voter(row bot.Approval, a bot.Action) string {
	if t, err := bot.ParseThread(row.Thread); err == nil && t.SharesTeam(a.Thread) {
		return a.User.ID
	}
	return a.Thread.Person(a.User)
}

// agreed shows that one of several people has agreed.
func (b *Bot) agreed(ctx context.Context, row bot.Approval, lang string) bot.Answer {
	b.later(ctx, row, fmt.Sprintf("%s%d.%d", showAgreed, len(row.Agreed), row.Agreed[len(row.Agreed)-1].At.UnixMicro()))
	return notice(lang, "bot.your_agreement_is_recorded_i")
}

func refuse(code bot.Code, lang string) bot.Answer {
	c := (&bot.Error{Code: code}).Notice(lang)
	return bot.Answer{Card: &c}
}

// refuseRow says that it is too late, and who was quicker.
func refuseRow(row bot.Approval, lang string, zone *time.Location) bot.Answer {
	c := (&bot.Error{Code: bot.CodeStale, Detail: outcomeLine(row, lang, zone)}).Notice(lang)
	return bot.Answer{Card: &c}
}

// notice is a private word after a click.
func notice(lang, key string) bot.Answer {
	return bot.Answer{Card: &bot.Card{Kind: bot.CardNotice, Text: phrase.Say(lang, key), Language: lang, Final: true}}
}
