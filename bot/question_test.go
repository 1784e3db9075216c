package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// planAsk returns a plan that waits, with every kind of control.
func planAsk() agent.Ask {
	return agent.Ask{
		Question: "Run this plan?", Detail: "Two steps.", Notes: []string{"Based on what I know: short reports."},
		Steps: []agent.PlanStep{
			{Text: "Read the wiki", Effect: agent.EffectReads}, {Text: "Mail the team", Detail: "send_mail", Effect: agent.EffectSends},
		},
		Actions: []agent.Action{
			{Verb: agent.VerbAccept, Style: "primary"},
			{Verb: agent.VerbEdit, Words: true, Inputs: []agent.Input{
				{ID: "plan", Label: "Plan", Value: "1. Read\n2. Mail", Long: true, Required: true, Max: 60},
				{ID: "tone", Label: "Tone", Options: []agent.Option{{Value: "s", Label: "short"}, {Value: "l", Label: "long"}}},
			}},
			{Verb: agent.VerbReject, Style: "danger"},
		},
		Suggestions: []agent.Option{{Value: "v1", Label: "As last week"}},
		Effect:      agent.EffectSends,
	}
}

// interrupting waits with these questions, one run each time for those that are
// still open, and then answers with what was decided.
func interrupting(asks ...agent.Ask) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	decided := map[string]string{} // by interrupt; one thread, one run at a time
	return func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		for _, d := range req.Decisions {
			if _, twice := decided[d.Interrupt]; twice {
				return agent.Result{}, errors.New("decided twice: " + d.Interrupt)
			}
			decided[d.Interrupt] = d.By + " " + string(d.Value)
		}
		var out []string
		var open []agent.Interrupt
		for n, a := range asks {
			id := "i" + string(rune('1'+n))
			if d, ok := decided[id]; ok {
				out = append(out, d)
				continue
			}
			raw, err := json.Marshal(a)
			if err != nil {
				return agent.Result{}, err
			}
			open = append(open, agent.Interrupt{ID: id, Kind: "plan", Payload: raw})
		}
		return agent.Result{Text: strings.Join(out, "\n"), Interrupts: open}, nil
	}
}

func button(t *testing.T, c bot.Card, label string) bot.Button {
	t.Helper()
	i := slices.IndexFunc(c.Buttons, func(b bot.Button) bool { return b.Label == label })
	if i < 0 {
		t.Fatalf("no button %q on %+v", label, c.Buttons)
	}
	return c.Buttons[i]
}

func click(m bot.Message, b bot.Button, user string) bot.Action {
	return bot.Action{ID: b.ID, Verb: b.Verb, Thread: m.Thread, User: bot.User{ID: user, Name: user}}
}

func TestAskIsShownWithEverythingThatWouldHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk()))
	card := waitingCard(w, w.say("mail the team", w.platform.Thread("C1", "")))
	for _, want := range []string{"Run this plan?", "Two steps.", "Based on what I know: short reports.", "sends data out"} {
		if !strings.Contains(card.Text, want) {
			t.Errorf("the card does not say %q: %s", want, card.Text)
		}
	}
	if card.Kind != bot.CardPlan || len(card.Steps) != 2 || !strings.Contains(card.Steps[0].Detail, "reads only") ||
		card.Steps[1].Detail != "📨 sends data out · send_mail" {
		t.Errorf("steps %+v", card.Steps)
	}
	var labels []string
	for _, b := range card.Buttons {
		labels = append(labels, b.Label)
		if len(b.ID)+len(b.Verb) > 64 {
			t.Errorf("button %q carries %d bytes", b.Label, len(b.ID)+len(b.Verb))
		}
	}
	if !slices.Equal(labels, []string{"As last week", "Approve", "Edit", "Reject"}) {
		t.Errorf("buttons %q", labels)
	}
}

// TestControlsBecomeReplies uses every control of an Ask and looks at what the
// run is told.
func TestControlsBecomeReplies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		label  string
		values map[string]string // of the form that the click opens
		want   string
	}{
		"accept":                              {"Approve", nil, `{"action":"accept"}`},
		"reject":                              {"Reject", nil, `{"action":"reject"}`},
		"suggestion":                          {"As last week", nil, `{"action":"edit","suggestion":"v1"}`},
		"edit":                                {"Edit", map[string]string{"plan": " 1. Read only\r\n", "tone": "s"}, `{"action":"edit","values":{"plan":"1. Read only","tone":"s"}}`},
		"edit_where_a_field_was_not_shown":    {"Edit", map[string]string{"tone": ""}, `{"action":"edit","values":{"plan":"1. Read\n2. Mail","tone":""}}`},
		"edit_with_a_field_that_is_not_there": {"Edit", map[string]string{"plan": "x", "tool": "rm"}, `{"action":"edit","values":{"plan":"x","tone":""}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(planAsk()))
			m := w.say("mail the team", w.platform.Thread("C1", ""))
			act := click(m, button(t, waitingCard(w, m), c.label), "U1")
			ans, err := w.bot.Action(w.ctx, act)
			if err != nil || (ans.Form != nil) != (c.values != nil) {
				t.Fatalf("click: %+v, %v", ans, err)
			}
			if ans.Form != nil {
				act.ID, act.Verb, act.Values = ans.Form.ID, ans.Form.Verb, c.values
				if ans, err = w.bot.Action(w.ctx, act); err != nil || ans.Card != nil || len(ans.Errors) > 0 {
					t.Fatalf("form: %+v, %v", ans, err)
				}
			}
			final := w.replies(m.Thread, 1)[0].Card
			if final.Text != "fake/T1/U1 "+c.want {
				t.Errorf("the run was told %s, want %s", final.Text, c.want)
			}
			if len(final.Buttons) != 0 || len(final.Fields) != 1 || !strings.Contains(final.Fields[0].Value, "U1") {
				t.Errorf("the reply does not show who decided: %+v %+v", final.Buttons, final.Fields)
			}
		})
	}
}

// TestOneFieldIsQuotedWithoutItsLabel has a question edited whose form has a single
// field: its label is an instruction, and nobody said it.
func TestOneFieldIsQuotedWithoutItsLabel(t *testing.T) {
	t.Parallel()
	q := agent.Ask{Question: "Run this plan?", Actions: []agent.Action{
		{Verb: agent.VerbEdit, Inputs: []agent.Input{{ID: "plan", Label: "Change one line a step", Value: "1. Read", Required: true}}},
	}}
	w := newWorld(t, interrupting(q))
	m := w.say("mail the team", w.platform.Thread("C1", ""))
	act := click(m, button(t, waitingCard(w, m), "Edit"), "U1")
	ans, err := w.bot.Action(w.ctx, act)
	if err != nil || ans.Form == nil {
		t.Fatalf("click: %+v, %v", ans, err)
	}
	act.ID, act.Verb, act.Values = ans.Form.ID, ans.Form.Verb, map[string]string{"plan": "1. Read twice"}
	if ans, err = w.bot.Action(w.ctx, act); err != nil || len(ans.Errors) > 0 {
		t.Fatalf("form: %+v, %v", ans, err)
	}
	if got := w.replies(m.Thread, 1)[0].Card.Fields[0].Value; !strings.Contains(got, "changed it to “1. Read twice”") {
		t.Errorf("the card says %q", got)
	}
}

func TestFormSaysWhatIsWrongAndLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk()))
	w.stop()
	w.change = func(c *service.Config) {
		c.CheckAnswer = func(_ agent.Interrupt, value json.RawMessage) error {
			if strings.Contains(string(value), "rm -rf") {
				return &bot.AnswerError{Fields: map[string]string{"plan": "no such tool"}, Err: errors.New("no such tool")}
			}
			return nil
		}
	}
	w.start()
	m := w.say("mail the team", w.platform.Thread("C1", ""))
	act := click(m, button(t, waitingCard(w, m), "Edit"), "U1")
	ans, err := w.bot.Action(w.ctx, act)
	if err != nil || ans.Form == nil {
		t.Fatalf("click: %+v, %v", ans, err)
	}
	act.Verb = ans.Form.Verb
	for field, values := range map[string]map[string]string{
		"plan": {"plan": "  "}, "tone": {"plan": "x", "tone": "loud"},
	} {
		act.Values = values
		if ans, err := w.bot.Action(w.ctx, act); err != nil || ans.Errors[field] == "" {
			t.Errorf("%v: %+v, %v", values, ans, err)
		}
	}
	for _, bad := range []string{strings.Repeat("가", 61), "rm -rf"} {
		act.Values = map[string]string{"plan": bad}
		ans, err := w.bot.Action(w.ctx, act)
		if err != nil || ans.Errors["plan"] == "" {
			t.Errorf("%s: %+v, %v", bad, ans, err)
		}
		if f := ans.Form; f == nil || f.ID != act.ID || f.Verb != act.Verb || f.Inputs[0].Label == "" || f.Inputs[0].Value != bad {
			t.Errorf("the form to correct is %+v", f)
		}
	}
	act.Values = map[string]string{"plan": strings.Repeat("가", 60)}
	if ans, err := w.bot.Action(w.ctx, act); err != nil || len(ans.Errors) > 0 || ans.Card != nil {
		t.Errorf("still pending: %+v, %v", ans, err)
	}
	w.replies(m.Thread, 1)
}

func TestSeveralQuestionsAreAnsweredInAnyOrder(t *testing.T) {
	t.Parallel()
	one, two := planAsk(), planAsk()
	one.Question, two.Question = "First?", "Second?"
	w := newWorld(t, interrupting(one, two))
	m := w.say("do two things", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	if !strings.Contains(card.Text, "**1.** First?") || !strings.Contains(card.Text, "**2.** Second?") || !strings.Contains(card.Text, "1. Read the wiki") {
		t.Errorf("card: %s", card.Text)
	}
	if _, err := w.bot.Action(w.ctx, click(m, button(t, card, "Approve 2"), "U1")); err != nil {
		t.Fatal(err)
	}
	rest := awaitCard(w, m, func(c bot.Card) bool { return len(c.Buttons) == 4 })
	if strings.Contains(rest.Text, "Second?") {
		t.Errorf("what is left: %+v", rest)
	}
	if _, err := w.bot.Action(w.ctx, click(m, button(t, rest, "Reject"), "U1")); err != nil {
		t.Fatal(err)
	}
	posts := w.replies(m.Thread, 1)
	want := `fake/T1/U1 {"action":"reject"}` + "\n" + `fake/T1/U1 {"action":"accept"}`
	if len(posts) != 1 || posts[0].Card.Text != want {
		t.Errorf("replies %+v", posts)
	}
}

// awaitCard waits until the thread shows a card that fits.
func awaitCard(w *world, m bot.Message, fits func(bot.Card) bool) bot.Card {
	w.t.Helper()
	card, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return fits(p.Card) })
	if err != nil {
		w.t.Fatal(err)
	}
	w.settled()
	return card.Card
}

// "approve" and "reject" are understood of every question; what is not among its
// decisions is answered with those that are.
func TestGeneralVerbsFitEveryQuestion(t *testing.T) {
	t.Parallel()
	unclear := agent.Ask{Question: "Which one?", Actions: []agent.Action{{Verb: agent.VerbClarify, Words: true}, {Verb: agent.VerbProceed}}}
	step := agent.Ask{Question: "Run step 1?", Effect: agent.EffectWrites, Actions: []agent.Action{
		{Verb: agent.VerbAccept}, {Verb: agent.VerbEdit, Words: true}, {Verb: agent.VerbSkip},
	}, Steps: []agent.PlanStep{{Text: "Look", State: agent.StepDone}, {Text: "Send the mail", State: agent.StepRunning}}}
	unfit := step
	unfit.Actions = step.Actions[1:]
	for name, c := range map[string]struct {
		ask           agent.Ask
		command, args string
		want          string // decided as, or what is said
	}{
		"approve_what_is_unclear": {unclear, "approve", "", agent.VerbProceed},
		"reject_what_is_unclear":  {unclear, "reject", "", "Choices: `clarify`, `proceed`"},
		"approve_a_step":          {step, "approve", "", agent.VerbAccept},
		"reject_a_step":           {step, "reject", "", agent.VerbSkip},
		"approve_what_is_unfit":   {unfit, "approve", "", "Choices: `edit`, `skip`"},
		"words_for_a_step":        {step, "approve", "edit to U2 instead", agent.VerbEdit},
		"words_for_a_refusal":     {step, "approve", "skip because", agent.VerbSkip},
		"a_no_in_words":           {step, "approve", "아니 보내지 마세요", agent.VerbSkip},
		"no_such_decision":        {step, "approve", "perhaps", "Choices: `accept`, `edit`, `skip`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(c.ask))
			m := w.say("send a mail", w.platform.Thread("C1", ""))
			id := waitingCard(w, m).Buttons[0].ID
			said := w.order(bot.Invocation{Name: c.command, Args: strings.TrimSpace(id + " " + c.args), Thread: m.Thread, User: bot.User{ID: "U1", Name: "U1"}})
			if strings.HasPrefix(c.want, "Choices") {
				if !strings.Contains(said, c.want) || w.state(id) != bot.ApprovalPending {
					t.Errorf("said %q, the question is %s", said, w.state(id))
				}
				return
			}
			posts := w.replies(m.Thread, 1)
			if !strings.Contains(posts[0].Card.Text, `"action":"`+c.want+`"`) {
				t.Errorf("decided %q, want %s; said %q", posts[0].Card.Text, c.want, said)
			}
			if steps := len(c.ask.Steps) > 0; steps != strings.Contains(posts[0].Card.Fields[0].Label, "Send the mail") {
				t.Errorf("the decision is labelled %q", posts[0].Card.Fields[0].Label)
			}
		})
	}
}
