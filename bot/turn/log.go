package turn

import (
	"context"
	"time"

	"maru/agent"
	"maru/bot"
)

// logAnswer logs one line per answer, without content of messages or documents: run ID, cost and
// outcome, for operators.
func logAnswer(ctx context.Context, ts *Turns, it bot.Item, c conclusion, whole agent.Trace, outcome string) {
	var route string
	tools := 0
	for _, e := range whole.Events {
		switch {
		case e.Kind == agent.EventCustom && e.Name == eventRouter:
			route = e.Text
		case e.Kind == agent.EventToolResult:
			tools++
		}
	}
	u := whole.Usage
	ts.cfg.Log.InfoContext(ctx, "answered", "run", c.p.Run, "thread", it.Thread, "agent", c.set.Agent, "route", route, "outcome", outcome,
		"model", u.Model, "calls", u.Calls, "tools", tools, "input_tokens", u.Input, "output_tokens", u.Output, "cost", u.Cost,
		"sources", len(c.res.Sources), "took_ms", ts.cfg.Now().Sub(c.m.At).Round(time.Millisecond).Milliseconds(), "tries", it.Attempts+1)
}

// eventRouter names the custom event in which an agent reports its route for a message.
const eventRouter = "router"
