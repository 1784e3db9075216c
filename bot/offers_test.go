package bot_test

import (
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
)

// TestLikelyAnswersHaveButtons: a question with a few likely answers is answered with one click, and another
// answer may be typed; several questions are asked in a form.
func TestLikelyAnswersHaveButtons(t *testing.T) {
	t.Parallel()
	ask := func(offers ...string) agent.Ask {
		in := agent.Input{ID: "q1", Label: "Which office?", Max: 100}
		for _, o := range offers {
			in.Offers = append(in.Offers, agent.Option{Value: o, Label: o})
		}
		return agent.Ask{Question: "I need to know more", Actions: []agent.Action{
			{Verb: agent.VerbClarify, Label: "Answer", Words: true, Inputs: []agent.Input{in}}, {Verb: agent.VerbProceed, Label: "Go on"},
		}}
	}
	two := ask("서울", "Busan")
	two.Actions[0].Inputs = append(two.Actions[0].Inputs, agent.Input{ID: "q2", Label: "When?"})
	reused := ask("서울", "Busan")
	reused.Suggestions = []agent.Option{{Value: "v1", Label: "As last week"}}
	reused.Actions = append(reused.Actions, agent.Action{Verb: agent.VerbReuse})
	for name, c := range map[string]struct {
		ask     agent.Ask
		buttons []string
		click   string
		want    string
	}{
		"one click":        {ask("서울", "Busan"), []string{"서울", "Busan", "Answer", "Go on"}, "서울", `"values":{"q1":"서울"}`},
		"behind earlier":   {reused, []string{"As last week", "서울", "Busan", "Answer", "Go on"}, "Busan", `"values":{"q1":"Busan"}`},
		"the earlier one":  {reused, []string{"As last week", "서울", "Busan", "Answer", "Go on"}, "As last week", `"suggestion":"v1"`},
		"several":          {two, []string{"Answer", "Go on"}, "Go on", `"action":"proceed"`},
		"too many":         {ask("1", "2", "3", "4", "5", "6"), []string{"Answer", "Go on"}, "Go on", `"action":"proceed"`},
		"too long":         {ask("short", strings.Repeat("길", 90)), []string{"Answer", "Go on"}, "Go on", `"action":"proceed"`},
		"nothing to offer": {ask(), []string{"Answer", "Go on"}, "Go on", `"action":"proceed"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(c.ask))
			m := w.say("book a desk", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			var labels []string
			for _, b := range card.Buttons {
				labels = append(labels, b.Label)
			}
			if !slices.Equal(labels, c.buttons) {
				t.Fatalf("buttons %q, want %q", labels, c.buttons)
			}
			stranger := click(m, card.Buttons[0], "U2")
			beyond := click(m, card.Buttons[0], "U1")
			beyond.Verb = "pick.9"
			for _, a := range []bot.Action{stranger, beyond} {
				if said := w.act(a); said == "" {
					t.Errorf("%s of %s counts", a.Verb, a.User.ID)
				}
			}
			w.act(click(m, button(t, card, c.click), "U1"))
			w.until("the run has it", func() bool {
				posts := w.platform.Posts(m.Thread)
				return strings.Contains(posts[len(posts)-1].Card.Text, c.want)
			})
		})
	}
}
