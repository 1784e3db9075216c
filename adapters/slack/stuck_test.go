package slack_test

import (
	"strings"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// A stream that Slack will not end holds up no answer: it is there within
// seconds, once and whole, in a message of its own or below what cannot be taken
// away.
func TestStreamThatNeverEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults []slackfake.Fault
		gone   bool // the process that began the stream
		whole  bool // the answer is in one message
	}{
		"stop_fails":    {faults: []slackfake.Fault{{Code: "fatal_error"}}, whole: true},
		"stop_away":     {faults: []slackfake.Fault{{Status: 500}}, whole: true},
		"stop_cut":      {faults: []slackfake.Fault{{Drop: true}}, whole: true},
		"stop_unknown":  {faults: []slackfake.Fault{{Code: "not_on_this_plan"}}, whole: true},
		"other_process": {faults: []slackfake.Fault{{Code: "internal_error"}}, gone: true, whole: true},
		"stays":         {faults: []slackfake.Fault{{Code: "fatal_error"}, {Method: "chat.delete", Code: "cant_delete_message"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, clk := virtual(t, slackfake.Options{})
			ref := begin(t, w, "C1")
			ref = write(t, w, clk, ref, answer[:strings.Index(answer, "```")], 10)
			for _, f := range c.faults {
				if f.Method == "" {
					f.Method = "chat.stopStream"
				}
				w.Fail(f)
			}
			asked, from := clk.Now(), w.adapter
			if c.gone {
				from = successor(t, w)
			}
			ref, err := from.Edit(t.Context(), ref, final(answer))
			if err != nil {
				t.Fatal(err)
			}
			if took := clk.Now().Sub(asked); took > 10*time.Second {
				t.Errorf("the answer took %v", took)
			}
			shown := shownIn(t, w, ref)
			if len(shown) != 1 && c.whole {
				t.Errorf("%d messages: %q", len(shown), shown)
			}
			for _, words := range []string{"Leave", "15 days", "return y", "second", "The end.", "footer"} {
				if n := strings.Count(strings.Join(shown, "\n"), words); n != 1 {
					t.Errorf("%q stands there %d times: %q", words, n, shown)
				}
			}
		})
	}
}

// shownIn returns what the messages of a thread show, which must be those that
// the reply's Ref names.
func shownIn(t *testing.T, w *world, ref bot.Ref) []string {
	t.Helper()
	var out, at []string
	for _, m := range w.Replies("C1", ref.Thread.ID) {
		out, at = append(out, m.Shown()), append(at, m.TS)
	}
	if strings.Join(at, " ") != strings.Join(ref.Messages, " ") {
		t.Errorf("messages %v, the reply's %v", at, ref.Messages)
	}
	return out
}
