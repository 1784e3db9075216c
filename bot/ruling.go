package bot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/agent"
)

// Ruling is a decision about a run that waits, as a program or a page gives it.
type Ruling struct {
	Run        string
	Approval   string // which of the run's questions; "" if only one waits
	Action     string // one of the question's verbs; "approve" is accept
	Text       string
	Values     map[string]string
	Suggestion string
	Thread     Thread // where the person speaks from
	User       User   // as that surface has authenticated them
}

// Ruled is what became of a ruling.
type Ruled struct {
	Approval string            `json:"approval"`
	Run      string            `json:"run"`
	Kind     string            `json:"kind"`
	State    ApprovalState     `json:"state"` // "pending": more people must agree
	By       string            `json:"by,omitempty"`
	Outcome  string            `json:"outcome,omitempty"` // who decided what and when, in words
	Errors   map[string]string `json:"errors,omitempty"`  // by field: nothing was decided
}

// Rule decides a run's question for a person who does not stand before its card.
// What cannot be done is an *Error; CodeStale comes with the decision that was
// quicker.
func (b *Bot) Rule(ctx context.Context, r Ruling) (Ruled, error) {
	row, err := b.ruledOn(ctx, r)
	if err != nil {
		return Ruled{}, err
	}
	lang := b.language(ctx, r.Thread, r.User, r.Text)
	act := Action{ID: row.ID, Verb: r.Action, Thread: r.Thread, User: r.User, At: b.cfg.Now()}
	out := func(row Approval) Ruled {
		return Ruled{Approval: row.ID, Run: row.Run, Kind: row.Kind, State: row.State, By: row.By, Outcome: outcomeLine(row, lang, b.zoneOf(r.User))}
	}
	if row.State != ApprovalPending {
		b.refused(ctx, row, act, CodeStale)
		return out(row), &Error{Code: CodeStale}
	}
	q, err := readAsked(row)
	if err != nil {
		return Ruled{}, err
	}
	d, wrong, code := q.ruled(r, lang)
	if code == "" && len(wrong) == 0 {
		var ans Answer
		act.Verb = d.Verb + formSuffix // what does not fit is said by field
		if d, ans, code = b.fits(q.w.Interrupt, d, act, lang); len(ans.Errors) > 0 {
			wrong = ans.Errors
		}
	}
	switch {
	case code == CodeUnknown:
		b.refused(ctx, row, act, code)
		return out(row), q.notOffered(lang)
	case code != "":
		b.refused(ctx, row, act, code)
		return out(row), &Error{Code: code}
	case len(wrong) > 0:
		res := out(row)
		res.Errors = wrong
		return res, &Error{Code: CodeBadAnswer}
	}
	now, _, err := b.decide(ctx, row, act, d)
	if err != nil {
		return Ruled{}, err
	}
	if ours := now.By == b.voter(row, act); now.State != ApprovalPending && !ours {
		return out(now), &Error{Code: CodeStale}
	}
	return out(now), nil
}

// ruledOn finds the approval that a ruling is about, if the person may decide
// it. Who may not is told no more than that.
func (b *Bot) ruledOn(ctx context.Context, r Ruling) (Approval, error) {
	reply, err := b.cfg.Record.Reply(ctx, r.Run)
	if errors.Is(err, ErrNotFound) {
		return Approval{}, &Error{Code: CodeNotFound, Err: err}
	}
	if err != nil {
		return Approval{}, fmt.Errorf("read reply: %w", err)
	}
	rows, err := b.cfg.Record.RunApprovals(ctx, reply.Thread, r.Run, maxAsked)
	if err != nil {
		return Approval{}, fmt.Errorf("read approvals: %w", err)
	}
	var found, pending []Approval
	for _, row := range rows {
		switch {
		case row.Kind == approvalFiles:
		case r.Approval == row.ID, r.Approval == row.Interrupt && r.Approval != "":
			found = append(found, row)
		case r.Approval == "" && row.State == ApprovalPending:
			pending = append(pending, row)
		case r.Approval == "":
			found = []Approval{row} // the newest, if nothing waits any more
		}
	}
	if len(pending) > 0 {
		found = pending
	}
	switch {
	case len(found) == 0:
		return Approval{}, &Error{Code: CodeNotFound}
	case len(found) > 1:
		return Approval{}, &Error{Code: CodeAmbiguous}
	}
	may, err := b.mayDecide(ctx, found[0], r.Thread, r.User)
	if err != nil {
		return Approval{}, err
	}
	if !may {
		b.refused(ctx, found[0], Action{Thread: r.Thread, User: r.User}, CodeNotAllowed)
		return Approval{}, &Error{Code: CodeNotAllowed}
	}
	return found[0], nil
}

// ruled reads a ruling as strictly as a form.
func (a asked) ruled(r Ruling, lang string) (decision, map[string]string, Code) {
	verb := map[string]string{"approve": agent.VerbAccept, "approved": agent.VerbAccept, "rejected": agent.VerbReject}[r.Action]
	if verb == "" {
		verb = r.Action
	}
	verb = a.meant(verb)
	if r.Suggestion != "" && !slices.ContainsFunc(a.Suggestions, func(o agent.Option) bool { return o.Value == r.Suggestion }) {
		return decision{}, nil, CodeUnknown
	}
	act, ok := a.action(verb)
	switch {
	case !ok && !(verb == agent.VerbReuse && r.Suggestion != ""):
		return decision{}, nil, CodeUnknown
	case a.tooLong() && !alone(verb):
		return decision{}, nil, CodeTooLong
	case utf8.RuneCountInString(r.Text) > maxWords, r.Text != "" && !act.Words && !a.plain:
		return decision{}, nil, CodeBadAnswer
	}
	reply := agent.Reply{Action: verb, Text: strings.TrimSpace(r.Text), Suggestion: r.Suggestion}
	form := a.form(act, lang)
	if form != nil && reply.Text == "" && reply.Suggestion == "" {
		if act.Words && len(act.Inputs) == 0 {
			return decision{}, map[string]string{fieldText: say(lang, "bot.please_fill_this_in")}, ""
		}
		values, wrong := form.fill(r.Values, lang)
		for name := range maps.Keys(r.Values) {
			if !slices.ContainsFunc(form.Inputs, func(in Input) bool { return in.ID == name }) {
				wrong[name] = say(lang, "bot.there_is_no_such_field")
			}
		}
		if len(wrong) > 0 {
			return decision{}, wrong, ""
		}
		reply.Values = values
	} else if len(r.Values) > 0 {
		return decision{}, nil, CodeBadAnswer
	}
	d, _, code := a.decided(reply)
	return d, nil, code
}
