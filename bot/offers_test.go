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
		return agent.Ask{Question: "I need more information", Actions: []agent.Action{
			{Verb: agent.VerbClarify, Label: "Answer", Words: true, Inputs: []agent.Input{in}}, {Verb: agent.VerbProceed, Label: "Go on"},
		}}
	}
	two := ask("서울", "Busan")
	two.Actions[0].Inputs = append(two.Actions[0].Inputs, agent.Input{ID: "q2", Label: "When?"})
	reused := ask("서울", "Busan")
	reused.Suggestions = []agent.Option{{Value: "v1", Label: "Incheon"}}
	reused.Actions = append(reused.Actions, agent.Action{Verb: agent.VerbReuse})
	for name, c := range map[string]struct {
		ask     agent.Ask
		buttons []string
		click   string
		want    string
	}{
		"one click":        {ask("서울", "Busan"), []string{"서울", "Busan", "Answer", "Go on"}, "서울", `"values":{"q1":"서울"}`},
		"behind earlier":   {reused, []string{"As before: Incheon", "서울", "Busan", "Answer", "Go on"}, "Busan", `"values":{"q1":"Busan"}`},
		"the earlier one":  {reused, []string{"As before: Incheon", "서울", "Busan", "Answer", "Go on"}, "As before: Incheon", `"suggestion":"v1"`},
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

// TestAFormThatSaysNothingDecidesNothing: a form in which nothing is filled in, or more lines than there is room
// for, stays open with what was typed, and the card does not say that it was answered.
func TestAFormThatSaysNothingDecidesNothing(t *testing.T) {
	t.Parallel()
	ask := agent.Ask{Question: "I need more information", Actions: []agent.Action{{
		Verb: agent.VerbClarify, Label: "Answer", Some: true, Inputs: []agent.Input{{ID: "q1", Label: "Which?"}, {ID: "q2", Label: "What?", Long: true, Lines: 2}},
	}}}
	for name, c := range map[string]struct {
		values map[string]string
		wrong  string // field; "" if the form counts
	}{
		"empty":        {map[string]string{"q1": " ", "q2": "\n"}, "q1"},
		"too many":     {map[string]string{"q1": "", "q2": "a\nb\n\nc"}, "q2"},
		"one":          {map[string]string{"q1": "", "q2": "a\n\nb"}, ""},
		"two and more": {map[string]string{"q1": "", "q2": "1. a\n   which is long\n2. b"}, ""},
		"three":        {map[string]string{"q1": "x", "q2": "- a\n- b\n- c"}, "q2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(ask))
			m := w.say("book a desk", w.platform.Thread("C1", ""))
			a := click(m, button(t, waitingCard(w, m), "Answer"), "U1")
			a.Verb, a.Values = a.Verb+".form", c.values
			ans, err := w.bot.Action(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if c.wrong == "" {
				if len(ans.Errors) > 0 {
					t.Errorf("refused: %v", ans.Errors)
				}
				return
			}
			if ans.Errors[c.wrong] == "" || ans.Form == nil || len(ans.Errors) != 1 {
				t.Fatalf("errors %v, form %v", ans.Errors, ans.Form)
			}
			for _, in := range ans.Form.Inputs {
				if in.Value != c.values[in.ID] {
					t.Errorf("%s is kept as %q", in.ID, in.Value)
				}
			}
			if card := waitingCard(w, m); len(card.Fields) > 0 {
				t.Errorf("the card tells of a decision: %v", card.Fields)
			}
		})
	}
}

// TestACardTellsWhatAFormSaid: of a form the card tells what was written into it, under its question where there are
// several, and whether it changes what was there or only asks for a change.
func TestACardTellsWhatAFormSaid(t *testing.T) {
	t.Parallel()
	edit := agent.Ask{Question: "Shall I?", Actions: []agent.Action{{Verb: agent.VerbEdit, Label: "Edit", Inputs: []agent.Input{
		{ID: "tasks", Label: "One a line", Value: "a\nb", Long: true}, {ID: "words", Label: "Or what you wish", Wish: true},
	}}}}
	clarify := agent.Ask{Question: "I need more information", Actions: []agent.Action{{Verb: agent.VerbClarify, Label: "Answer", Inputs: []agent.Input{
		{ID: "q1", Label: "Which?"}, {ID: "q2", Label: "Until when"},
	}}}}
	for name, c := range map[string]struct {
		ask    agent.Ask
		values map[string]string
		told   string
	}{
		"asked for":   {edit, map[string]string{"tasks": "a\nb", "words": "free ones"}, "requested a change “free ones”"},
		"emptied":     {edit, map[string]string{"tasks": "", "words": "free ones"}, "requested a change “free ones”"},
		"changed":     {edit, map[string]string{"tasks": "a\nc", "words": ""}, "changed it to “a · c”"},
		"both":        {edit, map[string]string{"tasks": "a\nc", "words": "free ones"}, "changed it to “a · c · free ones”"},
		"two answers": {clarify, map[string]string{"q1": "Both", "q2": "Friday"}, "answered “Which? Both · Until when: Friday”"},
		"one answer":  {clarify, map[string]string{"q1": "", "q2": "Friday"}, "answered “Until when: Friday”"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, interrupting(c.ask))
			m := w.say("book a desk", w.platform.Thread("C1", ""))
			a := click(m, waitingCard(w, m).Buttons[0], "U1")
			a.Verb, a.Values = a.Verb+".form", c.values
			w.act(a)
			card := awaitCard(w, m, func(card bot.Card) bool { return card.Final })
			if len(card.Fields) != 1 || !strings.Contains(card.Fields[0].Value, c.told) {
				t.Errorf("the card tells %+v, want %q", card.Fields, c.told)
			}
		})
	}
}
