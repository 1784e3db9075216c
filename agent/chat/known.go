package chat

import (
	"context"
	"fmt"
	"sync"

	"maru/agent"
	"maru/agent/workflow"
	"maru/memory/longterm"
)

// Memory is what lasts about a person beyond a thread; [longterm.Memory] is one.
type Memory interface {
	Recall(ctx context.Context, o longterm.Owner, query string, budget int) (longterm.Recollection, error)
}

// recollection is what the memory gives for a turn's question, asked for while the
// router's model is at work: it may wait for an embedding.
type recollection struct {
	once  sync.Once
	came  chan struct{}
	found longterm.Recollection
	err   error
}

type recollectionKey struct{}

// recallAhead begins to recall for a turn. The returned context has what comes; the
// returned func ends it.
func (a *Agent) recallAhead(ctx context.Context, r agent.Request) (context.Context, func()) {
	if !a.recalls(r) {
		return ctx, func() {}
	}
	c := &recollection{came: make(chan struct{})}
	asking, cancel := context.WithCancel(ctx)
	go func() {
		defer close(c.came)
		defer func() {
			if p := recover(); p != nil { // as in a node, where it would be an error
				c.err = fmt.Errorf("chat: panic in memory: %v", p)
			}
		}()
		c.found, c.err = a.recall(asking, r)
	}()
	return context.WithValue(ctx, recollectionKey{}, c), func() {
		cancel()
		<-c.came
	}
}

// recalls reports whether memory is asked in a turn.
func (a *Agent) recalls(r agent.Request) bool {
	return a.cfg.Memory != nil && !r.NoMemory && a.cfg.Known >= 0
}

func (a *Agent) recall(ctx context.Context, r agent.Request) (longterm.Recollection, error) {
	return a.cfg.Memory.Recall(ctx, longterm.Owner{Person: r.User.ID, Scopes: r.Scopes, Home: r.Home}, r.Text, a.cfg.Known)
}

// recalled returns at the turn's first visit what was asked for ahead, and asks anew at
// every further one, so that what is forgotten meanwhile is in no further prompt.
func (a *Agent) recalled(ctx context.Context, r agent.Request) (found longterm.Recollection, err error) {
	first := false
	if c, ok := ctx.Value(recollectionKey{}).(*recollection); ok {
		c.once.Do(func() {
			<-c.came
			first, found, err = true, c.found, c.err
		})
	}
	if !first {
		return a.recall(ctx, r)
	}
	return found, err
}

// known returns what is known of the person and helps with the question, as
// lines of the prompt. It costs no model call. An answer without it is still an
// answer.
func (a *Agent) known(ctx context.Context, x *workflow.Exec) string {
	r := x.Request
	if !a.recalls(r) {
		return ""
	}
	found, err := a.recalled(ctx, r)
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
