package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
)

// cmdApprove decides an approval by its id: "approve ID", or "approve ID VERB
// words" for another of its actions. It is for where a card has no buttons.
func (b *Bot) cmdApprove(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	return b.cmdDecide(ctx, c, lang, agent.VerbAccept)
}

// cmdReject rejects an approval by its id.
func (b *Bot) cmdReject(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	return b.cmdDecide(ctx, c, lang, agent.VerbReject)
}

func (b *Bot) cmdDecide(ctx context.Context, c bot.Invocation, lang, verb string) (*bot.Card, error) {
	id, rest, _ := strings.Cut(strings.TrimSpace(c.Args), " ")
	words := strings.TrimSpace(rest)
	if v := c.Options["id"]; v != "" {
		id, words = v, strings.TrimSpace(c.Options["verb"])
	}
	if id == "" {
		command := "approve"
		if verb == agent.VerbReject {
			command = "reject"
		}
		return b.waitingCard(ctx, c, command, lang)
	}
	if first, more, _ := strings.Cut(words, " "); first != "" && verb == agent.VerbAccept {
		verb, words = strings.ToLower(first), strings.TrimSpace(more)
	}
	ans, err := b.decideByID(ctx, strings.ToLower(id), bot.Action{Verb: verb, Thread: c.Thread, User: c.User, At: c.At}, words)
	if err != nil || ans.Card != nil {
		return ans.Card, err
	}
	return notice(lang, "bot.your_decision_is_recorded").Card, nil
}

// decideByID lets a person decide an approval that they name, from wherever they
// are: the place of the question does not matter, who they are does.
func (b *Bot) decideByID(ctx context.Context, id string, a bot.Action, words string) (bot.Answer, error) {
	lang := b.language(ctx, a.Thread, a.User, words)
	row, err := b.cfg.Record.ApprovalByID(ctx, id)
	if errors.Is(err, bot.ErrNotFound) {
		return noSuchQuestion(lang), nil
	}
	if err != nil {
		return bot.Answer{}, fmt.Errorf("read approval: %w", err)
	}
	may, err := b.mayDecide(ctx, row, a.Thread, a.User)
	if err != nil {
		return bot.Answer{}, err
	}
	if !may { // nor learn that there is such a thing
		b.refused(ctx, row, a, bot.CodeNotAllowed)
		return noSuchQuestion(lang), nil
	}
	if row.State != bot.ApprovalPending {
		b.refused(ctx, row, a, bot.CodeStale)
		return refuseRow(row, lang, b.zoneOf(a.User)), nil
	}
	if a.ID = row.ID; row.Kind == approvalFiles {
		return b.rule(ctx, row, a, lang)
	}
	q, err := readAsked(row)
	if err != nil {
		return bot.Answer{}, err
	}
	a.Verb = q.meant(a.Verb)
	act, ok := q.action(a.Verb)
	switch {
	case !ok && !strings.HasPrefix(a.Verb, pickPrefix) && !strings.HasPrefix(a.Verb, samePrefix), words != "" && !act.Words:
		b.refused(ctx, row, a, bot.CodeUnknown)
		c := q.notOffered(lang).Notice(lang)
		return bot.Answer{Card: &c}, nil
	case words == "":
		ans, err := b.rule(ctx, row, a, lang)
		if ans.Form != nil {
			return notice(lang, "bot.this_choice_needs_words_write"), err
		}
		return ans, err
	}
	d, _, code := q.decided(agent.Reply{Action: act.Verb, Text: words})
	if code == "" {
		d, _, code = b.fits(q.w.Interrupt, d, a, lang)
	}
	if code != "" {
		return refuse(code, lang), nil
	}
	_, ans, err := b.decide(ctx, row, a, d)
	return ans, err
}

// waitingCard lists the questions that wait for a person, each with the id that the
// command takes.
func (b *Bot) waitingCard(ctx context.Context, c bot.Invocation, command, lang string) (*bot.Card, error) {
	rows, err := b.waitingFrom(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.waiting_for_my_decision"), Language: lang, Final: true}
	if len(rows) == 0 {
		card.Text = phrase.Say(lang, "bot.nothing_is_waiting")
		return &card, nil
	}
	var s strings.Builder
	for i, row := range rows {
		if i == listed {
			s.WriteString(phrase.Say(lang, "bot.and_more", len(rows)-listed))
			break
		}
		line := "- `" + row.ID + "`"
		if label := kindTitle(row.Kind, lang); label != "" {
			line += " **" + label + "**"
		}
		if a, err := readAsked(row); err == nil && a.Question != "" {
			line += " " + quoted(a.reminded(), maxReminded)
		}
		s.WriteString(line + "\n")
	}
	card.Text, card.Footer = s.String(), phrase.Say(lang, "bot.decide_by_id", command)
	return &card, nil
}

// noSuchQuestion is said of a question that is not there, and of one that is not
// the person's to decide.
func noSuchQuestion(lang string) bot.Answer {
	c := (&bot.Error{Code: bot.CodeNotFound, Say: phrase.Say(lang, "bot.no_question_with_that_id")}).Notice(lang)
	return bot.Answer{Card: &c}
}
