package chat

import (
	"context"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/memory/longterm"
)

// Memory is what lasts about a person beyond a thread; [longterm.Memory] is one.
type Memory interface {
	Recall(ctx context.Context, o longterm.Owner, query string, budget int) (longterm.Recollection, error)
}

// known returns what is known of the person and helps with the question, as
// lines of the prompt. It costs no model call. It is asked anew at every visit,
// so that what is forgotten meanwhile is in no further prompt; an answer without
// it is still an answer.
func (a *Agent) known(ctx context.Context, x *workflow.Exec, s graph.State) string {
	r := x.Request
	if a.cfg.Memory == nil || r.NoMemory || a.cfg.Known < 0 {
		return ""
	}
	o := longterm.Owner{Person: r.User.ID, Scopes: r.Scopes, Home: r.Home}
	found, err := a.cfg.Memory.Recall(ctx, o, a.ch.question.Get(s), a.cfg.Known)
	if err != nil {
		a.cfg.Log.WarnContext(ctx, "recall failed, the answer goes without", "run", r.Run, "err", err)
		return ""
	}
	if len(found.Mementos) == 0 {
		return ""
	}
	used := make([]agent.Known, len(found.Mementos))
	for i, m := range found.Mementos {
		used[i] = agent.Known{ID: m.ID, Kind: string(m.Kind), Text: m.Text, Why: m.Why().In(r.Language)}
	}
	x.Knew("", used)
	return found.Prompt()
}
