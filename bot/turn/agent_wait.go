package turn

import (
	"context"
	"slices"
	"time"

	"maru/agent"
	"maru/phrase"
)

// awaitAgent waits until the agent of an interrupted run is installed. A team's workflow file may be
// invalid or missing when the program restarts; once it is repaired, the run resumes. New questions and
// decisions do not wait, and the wait is limited: the Runner then reports the missing agent.
func (ts *Turns) awaitAgent(ctx context.Context, t turn, see func(agent.Event)) error {
	there := func() bool { return slices.Contains(ts.cfg.Runner.All(), t.set.Agent) }
	if t.item.Attempts == 0 || there() {
		return nil
	}
	ts.cfg.Log.WarnContext(ctx, "run waits for its agent, which is not installed: mend or bring back its workflow file", "agent", t.set.Agent, "longest", ts.cfg.AgentWait)
	see(agent.Event{Kind: agent.EventStatus, Text: phrase.Say(t.lang, "bot.approval.agent_missing", t.set.Agent)})
	over := time.NewTimer(ts.cfg.AgentWait)
	defer over.Stop()
	look := time.NewTicker(ts.cfg.Poll)
	defer look.Stop()
	for !there() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-over.C:
			return nil // the Runner reports the missing agent
		case <-look.C:
		}
	}
	return nil
}
