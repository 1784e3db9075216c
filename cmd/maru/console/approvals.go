package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/overview"
)

var _ site.Approvals = (*Desk)(nil)

const (
	maxWaiting = 100             // questions of the inbox
	namesWait  = 2 * time.Second // for the names of all IDs in them
)

// Waiting implements site.Approvals. A question that cannot be read is left out of the list, as it cannot be decided.
func (d *Desk) Waiting(ctx context.Context, by bot.User, from bot.Thread) ([]site.Waiting, error) {
	rows, err := d.questions(ctx, by, from)
	if err != nil {
		return nil, err
	}
	var out []site.Waiting
	soon, cancel := context.WithTimeout(ctx, namesWait)
	defer cancel()
	for _, q := range rows {
		asked, err := d.Shown(soon, q.Approval)
		if err != nil || approval.IsOffer(q.Kind) {
			continue
		}
		w, err := d.waiting(ctx, q, asked, by, from)
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		out = append(out, w)
	}
	return out, nil
}

// questions lists the open questions that concern a person: for operators, all except those of private conversations.
func (d *Desk) questions(ctx context.Context, by bot.User, from bot.Thread) ([]overview.Question, error) {
	switch {
	case from.TeamKey() == own || from.Team == "": // the owner, and tokens of programs
		if err := allowed(by); err != nil {
			return nil, err
		}
		return d.cfg.Record.ListQuestions(ctx, own, d.cfg.Now(), maxWaiting)
	case !by.Operator:
		return questionsFor(ctx, d, by, from)
	}
	all, err := d.cfg.Record.ListQuestions(ctx, "", d.cfg.Now(), maxWaiting)
	if err != nil {
		return nil, err
	}
	mine, err := questionsFor(ctx, d, by, from)
	for _, q := range mine {
		if !slices.ContainsFunc(all, func(a overview.Question) bool { return a.ID == q.ID }) {
			all = append(all, q)
		}
	}
	return all, err
}

func (d *Desk) waiting(ctx context.Context, q overview.Question, asked approval.Asked, by bot.User, from bot.Thread) (site.Waiting, error) {
	about := asked.About
	w := site.Waiting{
		ID: q.ID, Run: q.Run, Digest: q.Digest, Thread: about.Message.Thread, Title: q.Title, Agreed: len(q.Agreed), Needs: q.Needs,
		Created: q.Created, Expires: q.Expires, Asker: asker(about.Message, by.Locale),
	}
	w.Question, w.Detail, w.Steps = asked.Plainly()
	for _, wait := range d.Waits(ctx, bot.Run{ID: q.Run, Thread: q.Thread, Status: bot.RunWaiting}) {
		w.Others = wait.Others
	}
	feed, may, err := d.Decidable(ctx, q.Approval, placeOf(ctx, d, from, by, q.Run), by)
	if err != nil || !may {
		return w, err
	}
	for _, a := range feed.Actions {
		if a.Verb != agent.VerbReuse { // an earlier answer is chosen on the card
			w.Actions = append(w.Actions, site.WaitingAction{Verb: a.Verb, Label: a.Label, Style: a.Style, Words: a.Verb == agent.VerbEdit || a.Verb == agent.VerbClarify, Inputs: inputs(a.Inputs)})
		}
	}
	return w, nil
}

// inputs turns an action's fields into those of a form.
func inputs(list []agent.Input) []bot.Input {
	var out []bot.Input
	for _, i := range list {
		in := bot.Input{ID: i.ID, Label: i.Label, Hint: i.Hint, Value: i.Value, Long: i.Long, Required: i.Required, Max: i.Max}
		for _, o := range i.Options {
			in.Options = append(in.Options, bot.Option{Value: o.Value, Label: o.Label})
		}
		out = append(out, in)
	}
	return out
}
