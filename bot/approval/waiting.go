package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Limits of the list of questions that wait for a person. Rights are checked per question, so the
// workspace's questions are read in pages.
const (
	maxWaiting  = 100    // of theirs
	waitingStep = 100    // read at a time
	waitingLook = 10_000 // approvals read per list

	waitingListed = 30 // named on a card
)

// DecideByID lets a person decide an approval by its ID from anywhere: their identity counts, not the question's
// channel.
func (qs *Questions) DecideByID(ctx context.Context, id string, a bot.Action, words string) (bot.Answer, error) {
	lang := qs.rules.Language(ctx, a.Thread, a.User, words)
	row, err := qs.record.ApprovalByID(ctx, id)
	if errors.Is(err, bot.ErrNotFound) {
		return noSuchQuestion(lang), nil
	}
	if err != nil {
		return bot.Answer{}, fmt.Errorf("read approval: %w", err)
	}
	may, err := qs.MayDecide(ctx, row, a.Thread, a.User)
	if err != nil {
		return bot.Answer{}, err
	}
	if !may { // nor learn that it exists
		qs.refused(ctx, row, a, bot.CodeNotAllowed)
		return noSuchQuestion(lang), nil
	}
	if row.State != bot.ApprovalPending {
		qs.refused(ctx, row, a, bot.CodeStale)
		return refuseRow(row, lang, qs.rules.ZoneOf(a.User)), nil
	}
	if a.ID = row.ID; IsOffer(row.Kind) {
		return qs.rule(ctx, row, a, lang)
	}
	q, err := Read(row)
	if err != nil {
		return bot.Answer{}, err
	}
	reply, verb, ok := q.commanded(a.Verb, words)
	switch a.Verb = verb; {
	case !ok:
		qs.refused(ctx, row, a, bot.CodeUnknown)
		c := q.notOffered(lang).Notice(lang)
		return bot.Answer{Card: &c}, nil
	case reply.Text == "":
		ans, err := qs.rule(ctx, row, a, lang)
		if ans.Form != nil {
			return Notice(lang, "bot.approval.words_needed"), err
		}
		return ans, err
	}
	d, _, code := q.decided(reply)
	if cut, err := unseen(ctx, qs, q, d.Verb); err != nil {
		return bot.Answer{}, err
	} else if cut {
		code = bot.CodeTooLong
	}
	if code == "" {
		d, _, code = qs.fits(q.About.Interrupt, d, a, lang)
	}
	if code != "" {
		return Refuse(code, lang), nil
	}
	_, ans, err := qs.decide(ctx, row, a, d)
	return ans, err
}

// commanded interprets a command's decision: a verb, with words, or words alone. Words are
// interpreted as a reply but cannot replace a verb, so that a mistyped verb is not taken as a
// change. click is the equivalent click of a decision without words.
func (q Asked) commanded(verb, words string) (r agent.Reply, click string, ok bool) {
	if strings.HasPrefix(verb, pickPrefix) && words == "" {
		return agent.Reply{}, verb, true
	}
	named, rest := verb, words
	if verb == agent.VerbAccept && words != "" {
		first, more, _ := strings.Cut(words, " ")
		named, rest = strings.ToLower(first), strings.TrimSpace(more)
		if strings.HasPrefix(named, pickPrefix) && rest == "" {
			return agent.Reply{}, named, true
		}
	}
	if act, known := q.action(q.meant(named)); known {
		r, ok = q.worded(act, rest)
		return r, r.Action, ok
	}
	r, ok = q.read(words, 1)
	free, _ := q.inWords()
	return r, r.Action, ok && words != "" && r.Suggestion == "" && r.Action != free.Verb
}

// WaitingCard lists the questions that a person may decide, each with the ID that the command takes.
func (qs *Questions) WaitingCard(ctx context.Context, c bot.Invocation, command, lang string) (*bot.Card, error) {
	rows, err := qs.WaitingFrom(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.approval.mine"), Language: lang, Final: true}
	if len(rows) == 0 {
		card.Text = phrase.Say(lang, "bot.approval.none_mine")
		return &card, nil
	}
	var s strings.Builder
	for i, row := range rows {
		if i == waitingListed {
			s.WriteString(phrase.Say(lang, "bot.list.more", len(rows)-waitingListed))
			break
		}
		line := "- `" + row.ID + "`"
		if label := KindTitle(row.Kind, lang); label != "" {
			line += " **" + label + "**"
		}
		if a, err := Read(row); err == nil && a.Question != "" {
			line += " " + fit.Quoted(a.reminded(), maxReminded)
		}
		s.WriteString(line + "\n")
	}
	card.Text, card.Footer = s.String(), phrase.Say(lang, "bot.approval.decide_by_id", command)
	return &card, nil
}

// noSuchQuestion answers for questions that do not exist and for those that the person may not decide.
func noSuchQuestion(lang string) bot.Answer {
	c := (&bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.approval.no_such_id")}).Notice(lang)
	return bot.Answer{Card: &c}
}

// WaitingFrom returns the pending questions of a workspace that a person may decide, oldest first.
func (qs *Questions) WaitingFrom(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Approval, error) {
	var out []bot.Approval
	var last bot.Approval
	r := qs.rightsOf(t, u)
	for range waitingLook / waitingStep {
		rows, err := qs.record.TeamApprovals(ctx, t.TeamKey(), last, waitingStep)
		if err != nil {
			return nil, fmt.Errorf("read approvals: %w", err)
		}
		for _, row := range rows {
			may, err := r.decides(ctx, row)
			if err != nil { // show nothing whose rights cannot be checked
				qs.log.WarnContext(ctx, "skip unreadable approval", "approval", row.ID, "err", err)
			}
			if err == nil && may {
				out = append(out, row)
			}
			if len(out) == maxWaiting {
				return out, nil
			}
		}
		if len(rows) < waitingStep {
			return out, nil
		}
		last = rows[len(rows)-1]
	}
	qs.log.WarnContext(ctx, "list of pending approvals truncated", "team", t.TeamKey(), "looked", waitingLook)
	return out, nil
}

// CardOf returns the card of an approval, nil if it does not exist.
func (qs *Questions) CardOf(ctx context.Context, row bot.Approval) (*bot.Card, error) {
	reply, err := qs.record.Reply(ctx, row.Run)
	if errors.Is(err, bot.ErrNotFound) {
		return nil, nil //nolint:nilnil // it was never posted
	}
	if err != nil {
		return nil, fmt.Errorf("read reply: %w", err)
	}
	var card bot.Card
	if json.Unmarshal(reply.Card, &card) != nil {
		return nil, nil //nolint:nilnil,nilerr // a card of another version
	}
	var own []bot.Button
	for _, x := range card.Buttons {
		if x.ID == row.ID {
			own = append(own, x)
		}
	}
	if card.Buttons = own; len(own) == 0 {
		return nil, nil //nolint:nilnil // there is another question now
	}
	return &card, nil
}
