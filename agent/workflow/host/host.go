package host

import (
	"context"
	"errors"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/memory"
)

// Host runs the turns of one agent's workflow. All fields are required but
// Budget and Spent; it is safe for concurrent use.
type Host struct {
	Name     string
	Plan     *graph.Plan
	Runtime  *graph.Runtime
	Messages graph.List[memory.Message] // what a thread remembers, oldest first
	Budget   llm.Budget                 // of one Run call; with Spent of a turn

	// Spent says what a turn has spent so far, so that its budget counts over
	// waits and restarts; nil: every Run call begins anew.
	Spent func(graph.State) (calls int, used llm.Usage)
}

// Log names the thread's log of this agent.
func (h *Host) Log(thread string) string { return thread + "#" + h.Name }

// Run runs a turn until it is over, waits for people or fails. input is what a
// new turn begins with beside its messages, which Run adds. A turn that waits
// for an answer is given up when another message comes.
func (h *Host) Run(ctx context.Context, x *workflow.Exec, input ...graph.Write) (graph.Result, agent.Usage, error) {
	acc := x.Account(h.Budget)
	r := x.Request
	if err := h.charge(ctx, r, acc); err != nil {
		return graph.Result{}, agent.Usage{}, err
	}
	before := workflow.Usage(acc)
	ctx = llm.WithAccount(workflow.WithExec(ctx, x), acc)
	res, err := h.Runtime.Run(ctx, h.Plan, graph.Call{
		Thread: h.Log(r.Thread), Turn: r.Run, Fence: r.Fence, Abandon: true, Answers: workflow.Answers(r.Decisions),
		Input: append([]graph.Write{h.Messages.Add(node.Heard(r)...)}, input...),
		Sink:  x.Forward,
	})
	if err != nil {
		return graph.Result{}, since(before, acc), workflow.Failure(err)
	}
	return res, since(before, acc), nil
}

// charge counts what the turn spent before it waited or its process died.
func (h *Host) charge(ctx context.Context, r agent.Request, acc *llm.Account) error {
	if h.Spent == nil {
		return nil
	}
	res, err := h.Runtime.Peek(ctx, h.Plan, h.Log(r.Thread))
	if err != nil && !errors.Is(err, graph.ErrNoCheckpointer) {
		return fmt.Errorf("%s: read thread: %w", h.Name, err)
	}
	if err == nil && res.Turn == r.Run {
		acc.Charge(h.Spent(res.State))
	}
	return nil
}

// since is what an account has spent in one Run call.
func since(before agent.Usage, acc *llm.Account) agent.Usage {
	u := workflow.Usage(acc)
	u.Calls -= before.Calls
	u.Input -= before.Input
	u.Output -= before.Output
	u.Cached -= before.Cached
	return u
}

// Amend makes a thread forget a message, or know its new text. What a deleted
// message led to goes with it: the answer may quote it, and so does the log
// behind it. also is what else is written then; it may be nil.
func (h *Host) Amend(ctx context.Context, thread, message, text string, deleted bool, also func(graph.State) []graph.Write) error {
	log := h.Log(thread)
	res, err := h.Runtime.Peek(ctx, h.Plan, log)
	if err != nil {
		return fmt.Errorf("%s: read thread: %w", h.Name, err)
	}
	writes := h.amended(res.State, message, text, deleted)
	if len(writes) == 0 && (!deleted || res.Seq == 0) {
		return nil
	}
	if len(writes) > 0 { // else it has left the window, and the log behind it may still hold it
		if also != nil {
			writes = append(writes, also(res.State)...)
		}
		if _, err := h.Runtime.Update(ctx, h.Plan, log, 0, writes...); err != nil {
			return fmt.Errorf("%s: amend thread: %w", h.Name, err)
		}
	}
	if err := h.Runtime.Compact(ctx, h.Plan, log, 0); err != nil {
		return fmt.Errorf("%s: compact thread: %w", h.Name, err)
	}
	return nil
}

func (h *Host) amended(s graph.State, message, text string, deleted bool) []graph.Write {
	messages := h.Messages.Get(s)
	for i, m := range messages {
		switch {
		case m.ID != message:
			continue
		case !deleted:
			m.Text = text
			return []graph.Write{h.Messages.Add(m)}
		}
		gone := []string{m.ID}
		for _, next := range messages[i+1:] {
			if next.Role == string(llm.User) {
				break
			}
			gone = append(gone, next.ID)
		}
		return []graph.Write{h.Messages.Remove(gone...)}
	}
	return nil
}

// Forget removes the thread's log.
func (h *Host) Forget(ctx context.Context, thread string) error {
	err := h.Runtime.Delete(ctx, h.Log(thread))
	if err != nil && !errors.Is(err, graph.ErrNoCheckpointer) {
		return fmt.Errorf("%s: forget thread: %w", h.Name, err)
	}
	return nil
}

// Retain shortens the thread's log.
func (h *Host) Retain(ctx context.Context, thread string) error {
	if err := workflow.Retain(ctx, h.Runtime, h.Plan, h.Log(thread)); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	return nil
}
