package approval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
)

// Rule applies a decision made elsewhere than on the question's card. Rejections are *Error; CodeStale comes with
// the earlier decision.
func (qs *Questions) Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error) {
	row, err := qs.ruledOn(ctx, r)
	if err != nil {
		return bot.Ruled{}, err
	}
	lang := qs.rules.Language(ctx, r.Thread, r.User, r.Text)
	act := bot.Action{ID: row.ID, Verb: r.Action, Thread: r.Thread, User: r.User, At: qs.now()}
	out := func(row bot.Approval) bot.Ruled {
		return bot.Ruled{Approval: row.ID, Run: row.Run, Kind: row.Kind, State: row.State, By: row.By, Outcome: phrase.MomentWords(outcomeLine(row, lang, qs.rules.ZoneOf(r.User)))}
	}
	if row.State != bot.ApprovalPending {
		qs.refused(ctx, row, act, bot.CodeStale)
		return out(row), &bot.Error{Code: bot.CodeStale}
	}
	q, err := Read(row)
	if err != nil {
		return bot.Ruled{}, err
	}
	d, wrong, code := q.ruled(r, lang)
	if code == "" && d.Verb == agent.VerbAllow && !qs.mayAllow(row, r.Thread, r.User) {
		code = bot.CodeMayNot
	}
	if code == "" && len(wrong) == 0 {
		var ans bot.Answer
		act.Verb = d.Verb + formSuffix // errors are reported by field
		if d, ans, code = qs.fits(q.About.Interrupt, d, act, lang); len(ans.Errors) > 0 {
			wrong = ans.Errors
		}
	}
	switch {
	case code == bot.CodeUnknown:
		qs.refused(ctx, row, act, code)
		return out(row), q.notOffered(lang)
	case code != "":
		qs.refused(ctx, row, act, code)
		return out(row), &bot.Error{Code: code}
	case len(wrong) > 0:
		res := out(row)
		res.Errors = wrong
		return res, &bot.Error{Code: bot.CodeBadAnswer}
	}
	now, _, err := qs.decide(ctx, row, act, d)
	if err != nil {
		return bot.Ruled{}, err
	}
	if ours := now.By == qs.voter(row, act); now.State != bot.ApprovalPending && !ours {
		return out(now), &bot.Error{Code: bot.CodeStale}
	}
	return out(now), nil
}

// ruledOn returns the approval of a ruling if the person may decide it. Others learn nothing else
// about it.
func (qs *Questions) ruledOn(ctx context.Context, r bot.Ruling) (bot.Approval, error) {
	reply, err := qs.record.Reply(ctx, r.Run)
	if errors.Is(err, bot.ErrNotFound) {
		return bot.Approval{}, &bot.Error{Code: bot.CodeNotFound, Err: err}
	}
	if err != nil {
		return bot.Approval{}, fmt.Errorf("read reply: %w", err)
	}
	rows, err := qs.record.RunApprovals(ctx, reply.Thread, r.Run, MaxAsked)
	if err != nil {
		return bot.Approval{}, fmt.Errorf("read approvals: %w", err)
	}
	var found, pending []bot.Approval
	for _, row := range rows {
		switch {
		case IsOffer(row.Kind):
		case r.Approval == row.ID, r.Approval == row.Interrupt && r.Approval != "":
			found = append(found, row)
		case r.Approval == "" && row.State == bot.ApprovalPending:
			pending = append(pending, row)
		case r.Approval == "":
			found = []bot.Approval{row} // the newest, if none is pending
		}
	}
	if len(pending) > 0 {
		found = pending
	}
	switch {
	case len(found) == 0:
		return bot.Approval{}, &bot.Error{Code: bot.CodeNotFound}
	case len(found) > 1:
		return bot.Approval{}, &bot.Error{Code: bot.CodeAmbiguous}
	}
	may, err := qs.MayDecide(ctx, found[0], r.Thread, r.User)
	if err != nil {
		return bot.Approval{}, err
	}
	if !may {
		qs.refused(ctx, found[0], bot.Action{Thread: r.Thread, User: r.User}, bot.CodeNotAllowed)
		return bot.Approval{}, &bot.Error{Code: bot.CodeNotAllowed}
	}
	return found[0], nil
}

// ruled reads a ruling as strictly as a form. Programs and the console's page have the question whole, whatever its length.
func (a Asked) ruled(r bot.Ruling, lang string) (decision, map[string]string, bot.Code) {
	verb := map[string]string{"approve": agent.VerbAccept, "approved": agent.VerbAccept, "rejected": agent.VerbReject}[r.Action]
	if verb == "" {
		verb = r.Action
	}
	verb = a.meant(verb)
	if r.Suggestion != "" && !slices.ContainsFunc(a.Suggestions, func(o agent.Option) bool { return o.Value == r.Suggestion }) {
		return decision{}, nil, bot.CodeUnknown
	}
	act, ok := a.action(verb)
	if !ok && !(verb == agent.VerbReuse && r.Suggestion != "") {
		return decision{}, nil, bot.CodeUnknown
	}
	reply, ok := a.worded(agent.Action{Verb: verb, Words: act.Words}, r.Text)
	if !ok || utf8.RuneCountInString(r.Text) > maxWords {
		return decision{}, nil, bot.CodeBadAnswer
	}
	if r.Suggestion != "" {
		reply.Suggestion = r.Suggestion
	}
	form := a.form(act, lang)
	if form != nil && r.Text == "" && reply.Suggestion == "" {
		if len(act.Inputs) == 0 { // its form asks for a member of the body
			return decision{}, map[string]string{form.Inputs[0].ID: phrase.Say(lang, "bot.form.required")}, ""
		}
		values, wrong := fillForm(form, r.Values, lang)
		for name := range maps.Keys(r.Values) {
			if !slices.ContainsFunc(form.Inputs, func(in bot.Input) bool { return in.ID == name }) {
				wrong[name] = phrase.Say(lang, "bot.form.no_such_field")
			}
		}
		if len(wrong) > 0 {
			return decision{}, wrong, ""
		}
		reply.Values = values
	} else if len(r.Values) > 0 {
		return decision{}, nil, bot.CodeBadAnswer
	}
	d, _, code := a.decided(reply)
	return d, nil, code
}
