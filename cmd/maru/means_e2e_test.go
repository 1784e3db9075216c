package main

import (
	"strings"
	"testing"
)

// TestAPlaceChoosesItsModelAndTools changes what a channel thinks with from Slack
// and reads at the endpoint what the next question is asked with.
func TestAPlaceChoosesItsModelAndTools(t *testing.T) {
	t.Parallel()
	unraced(t)
	model := brain(t)
	w := newSlackWorld(t, model, "MARU_ADMINS=U2", "OPENAI_MODEL_CHOICES=small", "OPENAI_TEMPERATURE=1")
	w.start()
	set := func(args, want string) {
		t.Helper()
		before := len(w.slack.Whispers("U2"))
		w.slack.Slash("U2", "C1", "/maru", "settings set channel "+args)
		if err := w.slack.Wait(within(t, atMost), func() bool {
			said := w.slack.Whispers("U2")[before:]
			return len(said) > 0 && strings.Contains(bare(said[0].Shown()), want)
		}); err != nil {
			t.Fatalf("%s is not answered with %q: %+v", args, want, w.slack.Whispers("U2")[before:])
		}
	}
	// asked says with which model and temperature a question reaches the endpoint,
	// and whether the calculator is offered.
	asked := func(question string) (name string, temperature float64, calculator bool) {
		t.Helper()
		before := len(model.Chats())
		root := w.slack.Say("U1", "C1", "<@UBOT> "+question, "")
		w.await("C1", root, 1, "You said")
		for _, r := range model.Chats()[before:] {
			name = r.Model
			if r.Temperature != nil {
				temperature = *r.Temperature
			}
			for _, offered := range r.Tools {
				calculator = calculator || offered.Function.Name == "calculator"
			}
		}
		return name, temperature, calculator
	}
	if name, temp, calc := asked("one"); name != "test" || temp != 1 || !calc {
		t.Errorf("by default: %s at %v, calculator offered: %v", name, temp, calc)
	}
	set("model huge", "one of small")
	set("model small", "model = small")
	set("temperature 0.3", "temperature = 0.3")
	set("tools_ask calculator", "tools_ask = calculator") // chat asks before the call
	if _, _, offered := asked("and with a question first?"); !offered {
		t.Error("a tool that is to be asked about is not offered")
	}
	set("tools_ask", "tools_ask = —")
	set("tools_off calculator", "tools_off = calculator")
	if name, temp, calc := asked("two"); name != "small" || temp != 0.3 || calc {
		t.Errorf("as the place has it: %s at %v, calculator offered: %v", name, temp, calc)
	}
}
