package guide_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/extractive"
)

// TestFreeServicesForWhoWantsThem: without a model, too, what somebody has said about
// prices decides between services that fit.
func TestFreeServicesForWhoWantsThem(t *testing.T) {
	t.Parallel()
	const ask = "I want to draw an illustration and send a newsletter"
	for name, c := range map[string]struct {
		known, ask string
		free       bool
	}{
		"remembered":        {"free tools: likes it", ask, true},
		"said_now":          {"", ask + ". Only free tools please.", true},
		"not_said":          {"team: data", ask, false},
		"does_not_want_it":  {"free tools: does not like it", ask, false},
		"of_something_else": {"gluten-free food: likes it", ask, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, extractive.New())
			d.cfg.Documents, d.cfg.Memory, d.cfg.Known = nil, diary{texts: []string{c.known}}, -1
			d.use(extractive.New())
			r := d.request(c.ask, "en")
			res, err := d.decide(r, d.must(r), agent.Reply{Action: agent.VerbAccept})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(res.Text, "Midjourney") == c.free || strings.Contains(res.Text, "Stable Diffusion") != c.free {
				t.Errorf("the guide, free services first: %t\n%s", c.free, res.Text)
			}
		})
	}
}
