package autonomous

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

// bundle writes a definition and all that it runs as JSON: the first is the
// definition itself. It is kept with the thread, so that a turn that waits goes
// on under the definition it began with, after any change and any restart.
func bundle(d workflow.Definition, find workflow.Find) (string, error) {
	text, err := json.Marshal(workflow.Closure(d, find))
	if err != nil {
		return "", fmt.Errorf("workflow %s: %w", d.ID, err)
	}
	return string(text), nil
}

// planFor returns the plan of a run: that of its definition if it was begun
// under another one, else the agent's own. fresh is the definition if the thread
// must be told of it.
func (a *Agent) planFor(ctx context.Context, req agent.Request) (plan *graph.Plan, fresh string, err error) {
	head, err := a.cfg.Runtime.Peek(ctx, a.plan, a.logOf(req.Thread))
	if errors.Is(err, graph.ErrNoCheckpointer) {
		return a.plan, "", nil // nothing outlives the call
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: read thread: %w", a.name, err)
	}
	pinned := a.st.Definition.Get(head.State)
	switch {
	case pinned == a.bundle:
		return a.plan, "", nil
	case pinned == "" || head.Turn != req.Run || head.Done:
		return a.plan, a.bundle, nil
	}
	plan, err = a.earlier(pinned)
	return plan, "", err
}

// maxOld bounds the earlier plans that are kept compiled.
const maxOld = 16

// earlier compiles a bundle that a turn was begun under.
func (a *Agent) earlier(text string) (*graph.Plan, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.old[text]; p != nil {
		return p, nil
	}
	var all []workflow.Definition
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) == 0 {
		return nil, fmt.Errorf("%s: the definition that the run began with cannot be read: %w", a.name, err)
	}
	find := func(id string) (workflow.Definition, bool) {
		for _, d := range all[1:] {
			if d.ID == id {
				return d, true
			}
		}
		return workflow.Definition{}, false
	}
	plan, _, err := workflow.CompileWith(all[0], a.types, a.st.Schema, graph.Options{}, find)
	if err != nil {
		return nil, fmt.Errorf("%s: the definition that the run began with does not compile any more: %w", a.name, err)
	}
	if len(a.old) >= maxOld {
		clear(a.old)
	}
	a.old[text] = plan
	return plan, nil
}
