package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

func TestChangedPlanNeedsItsOwnDecision(t *testing.T) {
	t.Parallel()
	var got []string // one run at a time
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		for _, d := range req.Decisions {
			got = append(got, d.Interrupt+string(d.Value))
		}
		if len(got) < 2 {
			ask, err := json.Marshal(agent.Ask{Question: fmt.Sprintf("Plan %d?", len(got)+1), Actions: []agent.Action{{Verb: "accept"}, {Verb: "edit", Words: true}}})
			return agent.Result{Interrupts: []agent.Interrupt{{ID: fmt.Sprintf("i%d", len(got)+1), Kind: "plan", Payload: ask}}}, err
		}
		return agent.Result{Text: strings.Join(got, " ")}, nil
	})
	m := w.say("do it", w.platform.Thread("C1", ""))
	old := waitingCard(w, m)
	edit := click(m, button(t, old, "Edit"), "U1")
	edit.Verb, edit.Values = edit.Verb+".form", map[string]string{"text": "another"}
	if said := w.act(edit); said != "" {
		t.Fatal(said)
	}
	fresh := awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "Plan 2?") })
	if said := w.act(click(m, button(t, old, "Approve"), "U1")); !strings.Contains(said, "already been decided") {
		t.Errorf("the old button says %q", said)
	}
	if len(got) != 1 {
		t.Errorf("the run was told %q", got)
	}
	w.act(click(m, button(t, fresh, "Approve"), "U1"))
	if final := w.replies(m.Thread, 1)[0].Card.Text; final != `i1{"action":"edit","text":"another"} i2{"action":"accept"}` {
		t.Errorf("final %s", final)
	}
}

// tampering is a record whose approvals are changed behind the bot's back.
type tampering struct {
	bot.Record
	from, to string
}

func (r *tampering) ApprovalByID(ctx context.Context, id string) (bot.Approval, error) {
	a, err := r.Record.ApprovalByID(ctx, id)
	a.Payload = json.RawMessage(strings.ReplaceAll(string(a.Payload), r.from, r.to))
	return a, err
}

func TestWhatIsShownIsWhatRuns(t *testing.T) {
	t.Parallel()
	hidden := planAsk()
	hidden.Detail = "rm \u202etxt.exe\u200b \u2066x"
	hidden.Steps[0].Text = "read\u200bme"
	think, told := counted(interrupting(hidden))
	w := newWorld(t, think)
	m := w.say("do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	for _, mark := range []string{"⟦U+202E⟧", "⟦U+200B⟧", "⟦U+2066⟧"} {
		if !strings.Contains(card.Text, mark) {
			t.Errorf("%s is not shown: %q", mark, card.Text)
		}
	}
	if !strings.Contains(card.Steps[0].Text, "⟦U+200B⟧") {
		t.Errorf("step %q", card.Steps[0].Text)
	}
	w.stop()
	w.change = func(c *service.Config) { c.Record = &tampering{c.Record, "Run this plan", "Run that plan"} }
	w.start()
	if said := w.act(click(m, button(t, card, "Approve"), "U1")); said == "" || told.Load() != 0 {
		t.Errorf("a changed approval counted: %q, %d executions", said, told.Load())
	}
	w.stop()
	w.change = nil
	w.start()

	long := planAsk()
	long.Detail = strings.Repeat("가", 13_000)
	w.agent.think = interrupting(long)
	w.platform.Fail(bottest.Fault{Op: "upload", Err: &bot.DeliveryError{Op: "upload", Code: "missing_scope", Err: bot.ErrForbidden}})
	m = w.say("do it", w.platform.Thread("C2", ""))
	card = waitingCard(w, m)
	if len(card.Buttons) != 1 || card.Buttons[0].Verb != "reject" || !strings.Contains(card.Text, "only") {
		t.Errorf("what cannot be shown whole offers %+v", card.Buttons)
	}
	unseen := click(m, card.Buttons[0], "U1")
	for _, verb := range []string{"accept", "edit", "edit.form", "pick.0"} {
		unseen.Verb = verb
		ans, err := w.bot.Action(w.ctx, unseen)
		if err != nil || ans.Card == nil && ans.Form == nil && len(ans.Errors) == 0 {
			t.Errorf("%s of what was not shown: %+v, %v", verb, ans, err)
		}
	}
	if s := w.state(unseen.ID); s != bot.ApprovalPending {
		t.Errorf("state %s", s)
	}
	t.Log("C06: digest mismatches 0")
}

// postman is a platform that can write to a person directly.
type postman struct {
	*platform
	letters chan bot.Card
}

func (p *postman) OpenDirect(_ context.Context, t bot.Thread, u bot.User) (at bot.Thread, threads bool, err error) {
	t.Channel, t.ID, t.Direct = "direct-"+u.ID, "", true
	return t, false, nil
}

func (p *postman) Direct(_ context.Context, _ bot.Thread, u bot.User, c bot.Card) error {
	if u.ID == "U1" {
		p.letters <- c
	}
	return nil
}

func TestCardThatCannotBePosted(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	forward := clockOf(w)
	w.stop()
	p := &postman{platform: w.platform, letters: make(chan bot.Card, 10)}
	w.change = func(c *service.Config) { c.Adapters, c.SignOfLife = []bot.Adapter{p}, time.Minute }
	w.start()
	forbidden := &bot.DeliveryError{Op: "post", Code: "not_in_channel", Err: bot.ErrForbidden}
	w.platform.Fail(bottest.Fault{Op: "post", Err: forbidden}, bottest.Fault{Op: "post", Err: forbidden})
	one := w.say("send a mail", w.platform.Thread("C1", ""))
	letter := <-p.letters
	if !strings.Contains(letter.Text, "Send the mail?") {
		t.Errorf("the letter says %q", letter.Text)
	}
	_, after, _ := strings.Cut(letter.Text, "/maru approve ")
	id, _, _ := strings.Cut(after, "`")
	command := func(user, args string) string {
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "approve", Args: args, Thread: w.platform.Thread("D1", ""), User: bot.User{ID: user}})
		if err != nil || card == nil {
			t.Fatalf("command: %+v, %v", card, err)
		}
		return card.Text
	}
	if said := command("U2", id); !strings.Contains(said, "No pending question with that ID") || told.Load() != 0 {
		t.Errorf("a stranger's command: %q", said)
	}
	if said := command("U1", id); !strings.Contains(said, "saved") {
		t.Errorf("the asker's command: %q", said)
	}
	w.replies(one.Thread, 1)

	w.platform.Fail(bottest.Fault{Op: "post", Err: forbidden})
	two := w.say("send a mail", w.platform.Thread("C2", ""))
	<-p.letters
	forward(2 * time.Minute) // and the card is tried again
	card := waitingCard(w, two)
	if said := w.act(click(two, card.Buttons[0], "U1")); said != "" {
		t.Error(said)
	}
	w.replies(two.Thread, 1)
	t.Log("C16: approvals stranded silently 0 of 2")
}
