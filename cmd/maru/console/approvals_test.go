package console_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
)

// TestPageShowsWhatRuns: the page on which a plan is approved shows the values of each step, as its card does.
func TestPageShowsWhatRuns(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	th := bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}
	o.ran(t, "m1", th)
	m := bot.Message{ID: "m1", Thread: th, User: bot.User{ID: "U1"}}
	ask, err := json.Marshal(agent.Ask{
		Question: "Run it?", Detail: "Because.", Notes: []string{"From memory."}, Effect: agent.EffectSends,
		Steps:   []agent.PlanStep{{Text: "Tell the team", Detail: `send_mail {"to":"boss@example.com"}`, Effect: agent.EffectSends}},
		Actions: []agent.Action{{Verb: agent.VerbAccept}},
	})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(approval.Paused{Message: m, Lang: "en", Interrupt: agent.Interrupt{ID: "i1", Kind: "plan", Payload: ask}})
	if err != nil {
		t.Fatal(err)
	}
	lease, ok, err := o.record.Claim(t.Context(), th.Key(), "me", time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	row := bot.Approval{
		ID: "a1", Kind: "plan", Thread: th.Key(), Run: m.Run(), Interrupt: "i1", Digest: bot.Digest(payload), Payload: payload, State: bot.ApprovalPending,
		Allowed: []string{"U1"}, Created: time.Now(), Expires: time.Now().Add(time.Hour),
	}
	if err := o.record.CreateApproval(t.Context(), lease, row); err != nil {
		t.Fatal(err)
	}
	list, err := o.Waiting(t.Context(), operator, bot.Thread{Platform: "web", Team: "local", Channel: "home"})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	w := list[0]
	if want := []string{`Tell the team — 📨 sends data out · send_mail {"to":"boss@example.com"}`}; !slices.Equal(w.Steps, want) {
		t.Errorf("steps %q", w.Steps)
	}
	for _, want := range []string{"Because.", "From memory.", "sends data out"} {
		if !strings.Contains(w.Detail, want) {
			t.Errorf("lacks %q: %s", want, w.Detail)
		}
	}
}
