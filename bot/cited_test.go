package bot_test

import (
	"context"
	"testing"

	"maru/agent"
	"maru/bot"
)

// TestWhatWasCitedIsKnown: an answer's sources are told as they were, where the answer stands.
func TestWhatWasCitedIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
		return agent.Result{Text: "15 days [1]", Sources: []agent.Source{{N: 1, Document: "d", Chunk: "d#1", Title: "Leave", Quote: "15 days of leave"}}}, nil
	})
	m := w.say("how much leave?", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	run, elsewhere := bot.RunID(m.Key()), m.Thread
	elsewhere.Channel = "C2"
	for name, c := range map[string]struct {
		from bot.Thread
		run  string
		n    int
		want string
	}{
		"there":     {m.Thread, run, 1, "15 days of leave"},
		"no source": {m.Thread, run, 2, ""},
		"elsewhere": {elsewhere, run, 1, ""},
		"no run":    {m.Thread, "none", 1, ""},
	} {
		if got, err := w.bot.Cited(w.ctx, c.from, bot.User{ID: "U1"}, c.run, c.n); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
