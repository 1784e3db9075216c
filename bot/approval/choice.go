package approval

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// choose interprets a click or a submitted form. Exactly one result is set: a form to fill in,
// errors in a submitted one, a refusal, or the decision.
func (q question) choose(a bot.Action, lang string) (decision, bot.Answer, bot.Code) {
	verb, submitted := strings.CutSuffix(a.Verb, formSuffix)
	if n, ok := strings.CutPrefix(verb, pickPrefix); ok && !submitted {
		r, ok := q.picked(n)
		if !ok {
			return decision{}, bot.Answer{}, bot.CodeUnknown
		}
		return q.decided(r)
	}
	act, ok := q.action(verb)
	if !ok {
		return decision{}, bot.Answer{}, bot.CodeUnknown
	}
	form := q.form(act, lang)
	switch {
	case form != nil && !submitted:
		return decision{}, bot.Answer{Form: form}, ""
	case form == nil && submitted:
		return decision{}, bot.Answer{}, bot.CodeUnknown
	case form == nil:
		return q.decided(agent.Reply{Action: act.Verb})
	}
	values, wrong := fillForm(form, a.Values, lang)
	if len(wrong) > 0 {
		return decision{}, bot.Answer{Form: form.Typed(a.Values), Errors: wrong}, ""
	}
	reply := agent.Reply{Action: act.Verb, Values: values}
	switch {
	case len(act.Inputs) > 0:
	case values[fieldSuggestion] != "":
		reply.Values, reply.Suggestion = nil, values[fieldSuggestion]
	default:
		if reply, ok = q.worded(act, values[fieldText]); !ok {
			return decision{}, bot.Answer{}, bot.CodeBadAnswer
		}
	}
	return q.decided(reply)
}

// picked returns the reply of a click on a suggestion, or on one of the likely answers, which are numbered after
// them.
func (q question) picked(number string) (r agent.Reply, ok bool) {
	in := q.offers()
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(q.Suggestions)+len(in.Offers) || strconv.Itoa(n) != number {
		return agent.Reply{}, false
	}
	words, takes := q.inWords()
	if n >= len(q.Suggestions) {
		return agent.Reply{Action: words.Verb, Values: map[string]string{in.ID: in.Offers[n-len(q.Suggestions)].Value}}, true
	}
	verb := agent.VerbReuse
	if _, reuses := q.action(verb); !reuses && takes {
		verb = words.Verb
	}
	return agent.Reply{Action: verb, Suggestion: q.Suggestions[n].Value}, true
}

// decided converts a reply into the run's decision.
func (q question) decided(r agent.Reply) (decision, bot.Answer, bot.Code) {
	if r.Action == agent.VerbConnect { // the sign-in itself decides: see SignedIn
		return decision{}, bot.Answer{}, bot.CodeUnknown
	}
	// The other people who must agree have not seen the change.
	r.Confirm = q.needs > 1 && r.Action == agent.VerbEdit
	var value any = r
	if q.plain {
		v := map[string]any{"approved": r.Action == agent.VerbAccept}
		if r.Text != "" {
			v["comment"] = r.Text
		}
		value = v
	}
	raw, err := json.Marshal(value)
	if err != nil { // strings only: cannot be
		return decision{}, bot.Answer{}, bot.CodeInternal
	}
	said, wish := q.told(r)
	return decision{Verb: r.Action, Value: raw, Said: said, Wish: wish}, bot.Answer{}, ""
}

// told puts a decision into words, next to its verb: for a form its entries, with labels where
// they are needed. wish reports that it only asks for a change.
func (q question) told(r agent.Reply) (said string, wish bool) {
	for _, s := range q.Suggestions {
		if r.Suggestion != "" && s.Value == r.Suggestion {
			return fit.Visible(s.Label), false
		}
	}
	if len(r.Values) == 0 {
		return fit.Visible(r.Text), false
	}
	act, _ := q.action(r.Action)
	written := slices.DeleteFunc(slices.Clone(act.Inputs), func(in agent.Input) bool {
		v := r.Values[in.ID]
		return v == "" || len(act.Inputs) > 1 && v == in.Value
	})
	wishes := func(in agent.Input) bool { return in.Wish }
	bare := len(act.Inputs) == 1 || slices.ContainsFunc(act.Inputs, wishes) // labels are instructions, not a person's words
	lines := make([]string, len(written))
	for i, in := range written {
		lines[i] = r.Values[in.ID]
		switch {
		case bare:
		case strings.HasSuffix(in.Label, "?"):
			lines[i] = in.Label + " " + lines[i]
		default:
			lines[i] = in.Label + ": " + lines[i]
		}
	}
	wish = len(written) > 0 && !slices.ContainsFunc(written, func(in agent.Input) bool { return !in.Wish })
	return fit.Visible(strings.Join(lines, "\n")), wish
}

// fits checks a decision against the question's schema before it counts. Errors are shown at their fields, and
// nothing changes.
func (qs *Questions) fits(i agent.Interrupt, d decision, a bot.Action, lang string) (decision, bot.Answer, bot.Code) {
	if qs.checkAnswer == nil {
		return d, bot.Answer{}, ""
	}
	err := qs.checkAnswer(i, d.Value)
	if err == nil {
		return d, bot.Answer{}, ""
	}
	var e *bot.AnswerError
	if !errors.As(err, &e) || !strings.HasSuffix(a.Verb, formSuffix) {
		qs.log.Error("decision refused by its schema", "interrupt", i.ID, "verb", d.Verb, "err", err)
		return decision{}, bot.Answer{}, bot.CodeBadAnswer
	}
	q := questionOf(a.ID, i)
	act, _ := q.action(d.Verb)
	wrong := map[string]string{}
	for _, in := range act.Inputs {
		if why := e.Fields[in.ID]; why != "" {
			wrong[in.ID] = phrase.Say(lang, "bot.form.bad_value", why)
		}
	}
	if len(wrong) == 0 {
		first := fieldText
		if len(act.Inputs) > 0 {
			first = act.Inputs[0].ID
		}
		wrong[first] = phrase.Say(lang, "bot.form.bad_answer", e.Err)
	}
	ans := bot.Answer{Errors: wrong}
	if form := q.form(act, lang); form != nil {
		ans.Form = form.Typed(a.Values)
	}
	return decision{}, ans, ""
}
