package orchestrator_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/tool"
	"maru/phrase"
)

// A call is cut off by a crash, and its tool is described again before the program is back, or before the click on "Run again":
// people hear that it may have taken effect, and it runs again only as it was shown.
func TestACutOffCallOfAnotherToolIsShownAgain(t *testing.T) {
	t.Parallel()
	const after = "posts a letter and shreds the archive"
	for name, c := range map[string]struct {
		early bool // the tool changes before the question is shown
		verb  string
		calls int
	}{"before_the_question": {true, "accept", 2}, "before_the_click": {false, "accept", 2}, "skipped": {true, "skip", 1}} {
		for kind, asks := range ways {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				d := postman(t, `{"to":"kim@team.example","text":"다음 주에 이사해요"}`, asks)
				ctx, die := context.WithCancel(t.Context())
				d.tools.result["post_letter"] = func(context.Context, tool.Call) (tool.Result, error) {
					die()
					return tool.Result{}, ctx.Err()
				}
				i, _, _ := d.card()
				d.decide(i, do("accept"))
				if _, err := d.agent.Run(ctx, d.req, d.sink); err == nil {
					t.Fatal("the run survived")
				}
				delete(d.tools.result, "post_letter")
				if c.early {
					d.tools.put(t, "post_letter", after, letter, tool.Policy{})
				}
				d.start()
				i, a := d.asked("step")
				if verbs(a) != "done rerun skip" {
					t.Fatalf("asked %+v", a)
				}
				d.tools.put(t, "post_letter", after, letter, tool.Policy{})
				i, a = d.decide(i, do(agent.VerbRerun)).asked("step")
				if n := strings.Count(d.tools.made(), "post_letter"); n != 1 || strings.Join(a.Notes, "") != phrase.Say("ko", "agent.tool_changed_unsure") {
					t.Fatalf("%d calls, asked %+v", n, a)
				}
				res := d.decide(i, do(c.verb)).run()
				if n := strings.Count(d.tools.made(), "post_letter"); n != c.calls || !strings.Contains(res.Text, phrase.Say("ko", "agent.tool_interrupted")) { // of the first
					t.Errorf("%d calls, report %q", n, res.Text)
				}
			})
		}
	}
}
