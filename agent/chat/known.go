package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"maru/agent"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/memory/longterm"
)

// Memory recalls facts about a person across threads; [longterm.Memory] implements it.
type Memory interface {
	Recall(ctx context.Context, o longterm.Owner, query string, budget int) (longterm.Recollection, error)
}

// recallAhead starts recalling in parallel with the router's model call, since it may wait for an embedding. The
// first visit of the agent node gets the result; later visits recall again, so that forgotten memories enter no
// further prompt. end stops the recall.
func (a *Agent) recallAhead(ctx context.Context, x *workflow.Exec) (end func()) {
	r := x.Request
	if !a.recalls(r) {
		return func() {}
	}
	var found longterm.Recollection
	var err error
	came := make(chan struct{})
	asking, cancel := context.WithCancel(ctx)
	go func() {
		defer close(came)
		defer func() {
			if p := recover(); p != nil { // a node would turn it into an error as well
				err = fmt.Errorf("chat: panic in memory: %v", p)
			}
		}()
		found, err = a.recall(asking, r, r.Text)
	}()
	var once sync.Once
	x.Recollect = func(ctx context.Context) (longterm.Recollection, error) {
		first := false
		once.Do(func() { <-came; first = true })
		if first {
			return found, err
		}
		return a.recall(ctx, r, r.Text)
	}
	return func() {
		cancel()
		<-came
	}
}

// recalls reports whether a turn uses memory.
func (a *Agent) recalls(r agent.Request) bool {
	return a.cfg.Memory != nil && !r.NoMemory && a.cfg.Known >= 0
}

func (a *Agent) recall(ctx context.Context, r agent.Request, query string) (longterm.Recollection, error) {
	return a.cfg.Memory.Recall(ctx, longterm.Owner{Person: r.User.ID, Scopes: r.Scopes, Home: r.Home}, query, a.cfg.Known)
}

// remembered returns memories of the person that may have given a call its values. Best effort, as [Agent.known].
func (r *round) remembered(ctx context.Context) []consent.Remembered {
	req := r.x.Request
	if !r.recalls(req) {
		return nil
	}
	queries := []string{req.Text}
	for _, m := range r.messages {
		for _, c := range m.Calls {
			if q, ok := (consent.Call{Tool: c.Name, Arguments: json.RawMessage(c.Arguments)}).Sought(); ok {
				queries = append(queries, q)
			}
		}
	}
	var out []consent.Remembered
	for _, q := range queries[max(0, len(queries)-maxCalls):] {
		found, err := r.recall(ctx, req, q)
		if err != nil {
			r.cfg.Log.WarnContext(ctx, "recall failed, values of calls are not compared with memory", "run", req.Run, "err", err)
		}
		out = append(out, consent.RememberedOf(found)...)
	}
	return out
}

// known returns memories of the person that help with the question, as lines for the prompt. It makes no model
// call. A failure is logged and yields nothing.
func (a *Agent) known(ctx context.Context, x *workflow.Exec) string {
	if x.Recollect == nil {
		return ""
	}
	r := x.Request
	found, err := x.Recollect(ctx)
	if err != nil {
		a.cfg.Log.WarnContext(ctx, "recall failed, answering without memory", "run", r.Run, "err", err)
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
