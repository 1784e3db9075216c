package slack_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent"
)

// reads is an agent that looks something up and streams what it found.
func reads(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	text, status := "연차는 **15일**이에요 [1]. 자세한 내용은 취업규칙에 있어요.", "문서를 찾고 있어요…"
	if req.Language == "en" {
		text, status = "You have **15 days** of leave [1]. The rules say more.", "Searching the documents…"
	}
	sink(agent.Event{Kind: agent.EventStatus, Text: status})
	for _, w := range strings.SplitAfter(text, " ") {
		sink(agent.Event{Kind: agent.EventToken, Text: w})
	}
	return agent.Result{Text: text, Sources: []agent.Source{{N: 1, Title: "취업규칙.pdf", Heading: "제15조", Page: 12}}}, nil
}

// slowly lets a reply be seen while it grows.
func slowly(think func(context.Context, agent.Request, agent.Sink) (agent.Result, error), seen func(*office, agent.Request) bool, w **office) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		res, err := think(ctx, req, sink)
		_ = (*w).Wait(ctx, func() bool { return seen(*w, req) })
		return res, err
	}
}

// From a question to its answer with sources, in both languages: a status, a
// stream that grows, one message in the end, nothing left behind.
func TestFlowOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ user, question, grows, answer, sources string }{
		{"U1", "<@UBOT> 연차는 며칠이야?", "연차는 **15일**이에요", "자세한 내용은 취업규칙에 있어요.", "출처"},
		{"U2", "<@UBOT> How many days off do I have?", "You have **15 days**", "The rules say more.", "Sources"},
	} {
		var w *office
		growing := func(w *office, req agent.Request) bool {
			id := strings.Split(req.Thread, "/")
			r := w.Replies("C1", id[len(id)-1])
			return len(r) == 1 && r[0].Streaming() && strings.Contains(r[0].Shown(), c.grows)
		}
		w = hire(t, slackfake.Options{}, slowly(reads, growing, &w), nil)
		ts := w.Say(c.user, "C1", c.question, "")
		w.until("answer", func() bool { a := w.answers("C1", ts); return len(a) == 1 && strings.Contains(a[0], c.answer) })
		w.until("nothing is left behind", func() bool {
			calls := w.Calls("assistant.threads.setStatus")
			return (len(calls) == 0 || calls[len(calls)-1].Args["status"] == "") && // a stream that begins at once needs none
				w.OpenStreams() == 0 && w.Session("C1", ts).Status == "active"
		})
		got := w.answers("C1", ts)[0]
		if strings.Count(got, c.grows) != 1 || !strings.Contains(got, c.sources) || !strings.Contains(got, "취업규칙.pdf") {
			t.Errorf("answer %q", got)
		}
		if r, p := w.Refused(), w.Problems(); len(r)+len(p) > 0 {
			t.Errorf("refused %v, problems %v", r, p)
		}
	}
}

// plans asks for its plan to be approved or changed, and then says what it did.
func plans(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	if len(req.Decisions) > 0 {
		var r agent.Reply
		if err := json.Unmarshal(req.Decisions[0].Value, &r); err != nil {
			return agent.Result{}, err
		}
		return agent.Result{Text: "decided: " + r.Action + " " + r.Values["to"]}, nil
	}
	raw, err := json.Marshal(agent.Ask{
		Question: "Shall I do this?", Effect: agent.EffectSends,
		Steps: []agent.PlanStep{{Text: "look up <addresses>", Effect: agent.EffectReads}, {Text: "send the mail", Effect: agent.EffectSends}},
		Actions: []agent.Action{
			{Verb: agent.VerbAccept, Style: "primary"}, {Verb: agent.VerbReject, Style: "danger"},
			{Verb: agent.VerbEdit, Inputs: []agent.Input{{ID: "to", Label: "To whom?", Required: true}}},
		},
	})
	return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: "plan", Node: "plan", Payload: raw}}}, err
}

// planAsked starts a run that asks for its plan, and returns where the card is.
func planAsked(t *testing.T) (w *office, thread, card string) {
	t.Helper()
	w = hire(t, slackfake.Options{}, plans, nil)
	thread = w.Say("U2", "C1", "<@UBOT> send it", "")
	w.until("card", func() bool {
		r := w.Replies("C1", thread)
		if len(r) == 1 && len(r[0].Buttons()) == 3 {
			card = r[0].TS
		}
		return card != ""
	})
	return w, thread, card
}

// A plan is shown with its steps and what each does; a click decides it, is seen
// by all, and takes the buttons away; who may not decide is told alone.
func TestFlowOfAnApproval(t *testing.T) {
	t.Parallel()
	w, thread, card := planAsked(t)
	m, _ := w.Message("C1", card)
	for _, want := range []string{"Shall I do this?", "look up <addresses>", "reads only", "send the mail", "sends data out"} {
		if !strings.Contains(m.Shown(), want) {
			t.Errorf("the card lacks %q: %q", want, m.Shown())
		}
	}
	if !slices.Equal(m.Buttons(), []string{"Approve", "Reject", "Edit"}) {
		t.Errorf("buttons %v", m.Buttons())
	}
	if _, err := w.Click("U3", "C1", card, "Approve"); err != nil {
		t.Fatal(err)
	}
	w.until("a private refusal", func() bool { return len(w.Whispers("U3")) == 1 })
	if _, err := w.Click("U2", "C1", card, "Approve"); err != nil {
		t.Fatal(err)
	}
	w.until("the run goes on", func() bool { return strings.Contains(strings.Join(w.answers("C1", thread), "\n"), "decided: accept") })
	w.until("the card has its decision and no buttons", func() bool {
		m, _ = w.Message("C1", card)
		return len(m.Buttons()) == 0 && strings.Contains(m.Shown(), "approved")
	})
	w.settle()
	// Slack notifies of no edit: the answer is a message of its own.
	if all := w.Replies("C1", thread); len(all) != 2 || all[0].TS != card || !strings.Contains(all[1].Shown(), "decided: accept") {
		t.Errorf("want the card, then the answer: %+v", all)
	}
	if r, p := w.Refused(), w.Problems(); len(r)+len(p) > 0 {
		t.Errorf("refused %v, problems %v", r, p)
	}
}

// A change is asked for in a form, whose mistakes are shown at its fields.
func TestFlowOfAForm(t *testing.T) {
	t.Parallel()
	w, thread, card := planAsked(t)
	if _, err := w.Click("U2", "C1", card, "Edit"); err != nil {
		t.Fatal(err)
	}
	w.until("form", func() bool { _, ok := w.LastView(); return ok })
	v, _ := w.LastView()
	if _, err := w.Submit("U2", v.ID, map[string]string{"to": " "}); err != nil {
		t.Fatal(err)
	}
	w.until("the mistake is shown", func() bool { v, _ = w.LastView(); return v.Errors["to"] != "" })
	if _, err := w.Submit("U2", v.ID, map[string]string{"to": "alice"}); err != nil {
		t.Fatal(err)
	}
	w.until("the run goes on", func() bool {
		return strings.Contains(strings.Join(w.answers("C1", thread), "\n"), "decided: edit alice")
	})
	w.until("the form is closed", func() bool { v, _ = w.LastView(); return !v.Open })
	if r, p := w.Refused(), w.Problems(); len(r)+len(p) > 0 {
		t.Errorf("refused %v, problems %v", r, p)
	}
}
