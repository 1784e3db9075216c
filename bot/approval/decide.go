package approval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/label"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// Kinds of approvals that the bot itself asks for, and button labels. These are offers below an answer, for which
// no run waits.
const (
	KindFiles  = "files" // adding a message's files to the documents
	KindTask   = "task"  // to work on a message as a task
	VerbAccept = agent.VerbAccept
	verbReject = agent.VerbReject
	VerbClosed = "closed" // a form was closed without being sent
)

// IsOffer reports whether an approval of a kind is an offer.
func IsOffer(kind string) bool { return kind == KindFiles || kind == KindTask }

// Click decides an approval by one of its buttons or forms.
func (qs *Questions) Click(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	row, err := qs.record.ApprovalByID(ctx, a.ID)
	if errors.Is(err, bot.ErrNotFound) {
		return Refuse(bot.CodeUnknown, lang), nil
	}
	if err != nil {
		return bot.Answer{}, fmt.Errorf("read approval: %w", err)
	}
	if !carries(row, a) {
		astray(ctx, qs, row, a)
		qs.refused(ctx, row, a, bot.CodeUnknown)
		return Refuse(bot.CodeUnknown, lang), nil
	}
	if row.State != bot.ApprovalPending {
		astray(ctx, qs, row, a)
	}
	return qs.rule(ctx, row, a, lang)
}

// astray has the clicked message closed where it shows a decided question. A pending one, which is in another message, is shown
// there again: that message may be deleted, and is then posted again.
func astray(ctx context.Context, qs *Questions, row bot.Approval, a bot.Action) {
	t, err := bot.ParseThread(row.Thread)
	if err != nil || a.Message == "" || a.Home || IsOffer(row.Kind) || !a.Thread.SharesChannel(row.Thread) || !inThread(t, a) {
		return
	}
	rows, err := qs.record.RunApprovals(ctx, row.Thread, row.Run, MaxAsked)
	if err != nil || slices.ContainsFunc(rows, func(o bot.Approval) bool {
		return o.State == bot.ApprovalPending && slices.Contains(o.Ref.Messages, a.Message)
	}) {
		return // it asks something else as well
	}
	if row.State == bot.ApprovalPending {
		qs.later(ctx, row, showAstray+a.Message)
		return
	}
	q, err := Read(row)
	if err != nil {
		return
	}
	ref := bot.Ref{Thread: t, Channel: cmp.Or(row.Ref.Channel, t.Channel), Messages: []string{a.Message}}
	var decision []bot.Field
	if slices.Contains(row.Ref.Messages, a.Message) {
		ref.Messages, ref.Key, decision = row.Ref.Messages, cmp.Or(row.Ref.Key, row.ID), []bot.Field{settled(q, qs.rules.ZoneOf(q.About.Message.User))}
	}
	qs.replies.CloseStray(ctx, row.Run, ref, decision, q.About.Lang)
}

// carries reports whether a click comes from where the approval was asked: its channel, its thread, and the
// message with its buttons, or the person's own page. Copied buttons decide nothing, and neither does a payload
// that names the message and another thread.
func carries(row bot.Approval, a bot.Action) bool {
	t, err := bot.ParseThread(row.Thread)
	switch {
	case err != nil:
		return false
	case a.Home:
		return t.TeamKey() == a.Thread.TeamKey()
	case !a.Thread.SharesChannel(row.Thread):
		return false
	case !row.Ref.IsZero() && a.Message != "" && (a.Guess || !slices.Contains(row.Ref.Messages, a.Message)):
		return slices.Contains(row.Ref.Messages, a.Message)
	}
	return inThread(t, a)
}

// inThread reports whether a click of the thread's channel is in the thread. A card in the channel itself has its own ID as the
// click's thread.
func inThread(t bot.Thread, a bot.Action) bool {
	return t.ID == "" || a.Thread.ID == "" || a.Thread.ID == t.ID || a.Thread.ID == a.Message
}

// rule applies a person's decision, whatever control they used.
func (qs *Questions) rule(ctx context.Context, row bot.Approval, a bot.Action, lang string) (bot.Answer, error) {
	may, err := qs.MayDecide(ctx, row, a.Thread, a.User)
	switch {
	case err != nil:
		return bot.Answer{}, err
	case !may:
		qs.refused(ctx, row, a, bot.CodeNotAllowed)
		c := (&bot.Error{Code: bot.CodeNotAllowed, Detail: place.WhoDecides(lang)}).Notice(lang)
		return bot.Answer{Card: &c}, nil
	case row.State != bot.ApprovalPending:
		qs.refused(ctx, row, a, bot.CodeStale)
		ans := refuseRow(row, lang, qs.rules.ZoneOf(a.User))
		if text := typed(a); text != "" {
			ans.Card.Text = fit.Paragraphs(ans.Card.Text, phrase.Say(lang, "bot.approval.you_wrote", text))
		}
		return ans, nil
	}
	d, ans, code, err := qs.choice(ctx, row, a, lang)
	switch {
	case err != nil:
		return bot.Answer{}, err
	case code != "":
		qs.refused(ctx, row, a, code)
		return Refuse(code, lang), nil
	case d.Verb == "":
		return ans, nil
	}
	_, ans, err = qs.decide(ctx, row, a, d)
	return ans, err
}

// refused audits a decision that did not count.
func (qs *Questions) refused(ctx context.Context, row bot.Approval, a bot.Action, why bot.Code) {
	qs.rules.Audit(ctx, a.Thread, a.User, "approval.refused", map[string]any{"approval": row.ID, "why": why})
}

// choice interprets a click or form for an approval. If the decision has no verb, the answer is
// the immediate result.
func (qs *Questions) choice(ctx context.Context, row bot.Approval, a bot.Action, lang string) (decision, bot.Answer, bot.Code, error) {
	if IsOffer(row.Kind) {
		if a.Verb != VerbAccept && a.Verb != verbReject {
			return decision{}, bot.Answer{}, bot.CodeUnknown, nil
		}
		return decision{Verb: a.Verb}, bot.Answer{}, "", nil
	}
	q, err := Read(row)
	if err != nil {
		qs.log.Error("approval refused", "err", err)
		return decision{}, bot.Answer{}, bot.CodeStale, nil
	}
	if verb, _ := strings.CutSuffix(a.Verb, formSuffix); verb == agent.VerbAllow && !qs.mayAllow(row, a.Thread, a.User) {
		return decision{}, bot.Answer{}, bot.CodeMayNot, nil
	}
	lang = cmp.Or(q.About.Lang, lang) // a form has one language: that of the question in it
	d, ans, code := q.choose(a, lang)
	if code == "" && d.Verb != "" {
		if cut, err := unseen(ctx, qs, q, d.Verb); cut || err != nil {
			return decision{}, bot.Answer{}, bot.CodeTooLong, err
		}
		d, ans, code = qs.fits(q.About.Interrupt, d, a, lang)
	}
	if ans.Form != nil { // opens, or is shown again with its errors
		ans.Form = named(ctx, label.SourcesOf(q.About.Message, qs.adapters), q.About.Message, lang, *ans.Form)
	}
	return d, ans, code, nil
}

// decide commits a decision if it is the first. It returns the approval's present state.
func (qs *Questions) decide(ctx context.Context, row bot.Approval, a bot.Action, d decision) (bot.Approval, bot.Answer, error) {
	lang := qs.rules.Language(ctx, a.Thread, a.User, "")
	d.Name = a.User.Name
	value, err1 := json.Marshal(d)
	follow, err2 := qs.follow(row, "")
	if err := errors.Join(err1, err2); err != nil {
		return row, bot.Answer{}, fmt.Errorf("encode decision: %w", err)
	}
	now, err := qs.record.Decide(ctx, bot.Vote{
		Approval: row.ID, By: qs.voter(row, a), Decision: value, Key: d.key(), Alone: alone(d.Verb), Follow: follow,
	})
	switch {
	case errors.Is(err, bot.ErrDecided) && now.State == bot.ApprovalExpired:
		qs.GiveUp(ctx, now)
		return now, refuseRow(now, lang, qs.rules.ZoneOf(a.User)), nil
	case errors.Is(err, bot.ErrDecided):
		return now, refuseRow(now, lang, qs.rules.ZoneOf(a.User)), nil
	case err != nil:
		return row, bot.Answer{}, fmt.Errorf("decide approval: %w", err)
	}
	detail := map[string]any{"approval": row.ID, "kind": row.Kind, "verb": d.Verb, "run": row.Run, "digest": row.Digest, "key": d.key()}
	if now.State == bot.ApprovalPending {
		qs.rules.Audit(ctx, a.Thread, a.User, "approval.agreed", detail)
		return now, qs.agreed(ctx, now, lang), nil
	}
	qs.rules.Audit(ctx, a.Thread, a.User, "approval.decided", detail)
	busy := qs.threads.BusyBeside(row.Thread, row.Run)
	qs.threads.Wake(row.Thread)
	if !busy {
		return now, bot.Answer{}, nil
	}
	return now, Notice(lang, "bot.approval.noted_busy"), nil
}

// voter returns the ID of the person who decides: the platform's on the question's platform, their full name
// elsewhere.
func (qs *Questions) voter(row bot.Approval, a bot.Action) string {
	if t, err := bot.ParseThread(row.Thread); err == nil && t.SharesTeam(a.Thread) {
		return a.User.ID
	}
	return a.Thread.Person(a.User)
}

// agreed shows that one of several people has agreed.
func (qs *Questions) agreed(ctx context.Context, row bot.Approval, lang string) bot.Answer {
	if q, err := Read(row); err == nil {
		lang = cmp.Or(q.About.Lang, lang) // as the card speaks
	}
	qs.later(ctx, row, fmt.Sprintf("%s%d.%d", showAgreed, len(row.Agreed), row.Agreed[len(row.Agreed)-1].At.UnixMicro()))
	return Notice(lang, "bot.approval.agreement_noted")
}

func Refuse(code bot.Code, lang string) bot.Answer {
	e := &bot.Error{Code: code}
	if code == bot.CodeTooLong {
		e.Say = phrase.Say(lang, "bot.approval.unseen")
	}
	c := e.Notice(lang)
	return bot.Answer{Card: &c}
}

// refuseRow answers a late decision with the earlier one, or, if nobody decided in time, with what to do.
func refuseRow(row bot.Approval, lang string, zone *time.Location) bot.Answer {
	said := phrase.MomentWords(outcomeLine(row, lang, zone))
	if row.State == bot.ApprovalExpired {
		said += "\n" + phrase.Say(lang, "bot.approval.too_late")
	}
	c := (&bot.Error{Code: bot.CodeStale, Detail: said}).Notice(lang)
	return bot.Answer{Card: &c}
}

// typed returns what a person typed into a form, so that a late form is not lost to them.
func typed(a bot.Action) string {
	if !strings.HasSuffix(a.Verb, formSuffix) {
		return ""
	}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(a.Values)) {
		lines = append(lines, fit.Visible(a.Values[id]))
	}
	return fit.Clip(strings.TrimSpace(strings.Join(lines, "\n")), maxReminded*5)
}

// Notice returns a private response to a click.
func Notice(lang, key string) bot.Answer {
	return bot.Answer{Card: bot.NewNotice(phrase.Say(lang, key), lang)}
}
