package bot_test

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/label"
	"maru/bot/service"
)

// directory is a platform that names IDs; names change.
type directory struct {
	bot.Adapter
	mu    *sync.Mutex
	names map[string]label.Label
}

func (directory) IDs(text string) []string {
	out := regexp.MustCompile(`[CU]0[0-9A-Z]+`).FindAllString(text, -1)
	slices.Sort(out)
	return slices.Compact(out)
}

func (d directory) LabelOf(_ context.Context, m bot.Message, id string) label.Label {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.Thread.Channel != "C1" || m.User.ID != "U1" {
		return label.Label{}
	}
	return d.names[id]
}

// TestCardsNameTheIDsOfCalls: names are beside the IDs of the call, of each step and of the form, and are no part of
// what is approved.
func TestCardsNameTheIDsOfCalls(t *testing.T) {
	t.Parallel()
	d := directory{mu: &sync.Mutex{}, names: map[string]label.Label{
		"C04QX7BR2": {Kind: label.Channel, Name: "#general"}, "U02AB3CD4": {Kind: label.Person, Name: "김민지 `@here`"},
	}}
	ask := agent.Ask{
		Question: "Send it?", Detail: "```json\n{\"channel\": \"C04QX7BR2\", \"cc\": \"U0UNKNOWN\"}\n```", Effect: agent.EffectSends,
		Steps: []agent.PlanStep{{Text: "Read"}, {Text: "Tell", Detail: `send {"to":"U02AB3CD4"}`, Effect: agent.EffectSends}},
		Actions: []agent.Action{
			{Verb: agent.VerbAccept}, {Verb: agent.VerbEdit, Inputs: []agent.Input{
				{ID: "to", Label: "To", Value: "U02AB3CD4", Hint: "a person"},
				{ID: "in", Label: "In", Options: []agent.Option{{Value: "C04QX7BR2", Label: "C04QX7BR2"}, {Value: "x", Label: "x"}}},
			}},
		},
	}
	think := interrupting(ask)
	w := newWorld(t, think)
	w.stop()
	w.change = func(c *service.Config) { d.Adapter = w.platform; c.Adapters = []bot.Adapter{d} }
	w.start()
	m := w.say("tell them", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	if !strings.Contains(card.Text, "\n\n`C04QX7BR2`: `#general` (channel)\n") || strings.Contains(card.Text, "`U0UNKNOWN`") {
		t.Errorf("the card says %s", card.Text)
	}
	if got := card.Steps[1].Detail; !strings.HasSuffix(got, ` · “U02AB3CD4”: “김민지 '@here'” (person)`) {
		t.Errorf("the step says %s", got)
	}
	err := w.bot.Follow(w.ctx, m.Thread, m.User, card.Run, func(f bot.Feed) error {
		if len(f.Asks) == 0 {
			return nil
		}
		want := map[string]string{"C04QX7BR2": "“#general” (channel)", "U02AB3CD4": "“김민지 '@here'” (person)"}
		if !maps.Equal(f.Asks[0].Names, want) {
			t.Errorf("the feed names %v", f.Asks[0].Names)
		}
		return context.Canceled
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ans, err := w.bot.Action(w.ctx, click(m, button(t, card, "Edit"), "U1"))
	if err != nil || ans.Form == nil {
		t.Fatal(ans, err)
	}
	to, in := ans.Form.Inputs[0], ans.Form.Inputs[1]
	if to.Value != "U02AB3CD4" || to.Hint != `“U02AB3CD4”: “김민지 '@here'” (person) · a person` ||
		in.Options[0] != (bot.Option{Value: "C04QX7BR2", Label: "C04QX7BR2 · “C04QX7BR2”: “#general” (channel)"}) {
		t.Errorf("the form has %+v", ans.Form.Inputs)
	}
	sent := click(m, button(t, card, "Edit"), "U1")
	sent.Verb, sent.Values = ans.Form.Verb, map[string]string{"to": "C04QX7BR2", "in": "nowhere"}
	ans, err = w.bot.Action(w.ctx, sent)
	if err != nil || ans.Form == nil || ans.Errors["in"] == "" || ans.Form.Inputs[0].Hint != `“C04QX7BR2”: “#general” (channel) · a person` || ans.Form.Inputs[1].Options[0] != in.Options[0] {
		t.Errorf("with errors it has %+v, %v", ans, err)
	}
	d.mu.Lock()
	d.names["C04QX7BR2"] = label.Label{Kind: label.Channel, Name: "#renamed"}
	d.mu.Unlock()
	w.act(click(m, button(t, card, "Approve"), "U1"))
	awaitCard(w, m, func(c bot.Card) bool { return c.Text == `fake/T1/U1 {"action":"accept"}` })
}

// TestNamesLeaveTheCallItsRoom: a call that can be shown whole without the names is shown whole.
func TestNamesLeaveTheCallItsRoom(t *testing.T) {
	t.Parallel()
	d := directory{mu: &sync.Mutex{}, names: map[string]label.Label{"C04QX7BR2": {Kind: label.Channel, Name: "#general"}}}
	ask := agent.Ask{Question: "Send it?", Detail: "C04QX7BR2 " + strings.Repeat("가", 11_960), Actions: []agent.Action{{Verb: agent.VerbAccept}}}
	w := newWorld(t, interrupting(ask))
	w.stop()
	w.change = func(c *service.Config) { d.Adapter = w.platform; c.Adapters = []bot.Adapter{d} }
	w.start()
	card := waitingCard(w, w.say("tell them", w.platform.Thread("C1", "")))
	if button(t, card, "Approve").Verb != agent.VerbAccept || strings.Contains(card.Text, "#general") {
		t.Errorf("%d letters with %+v", len([]rune(card.Text)), card.Buttons)
	}
}
