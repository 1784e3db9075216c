package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/memory"
)

// Config is what a Host is made of. All below Warn, Budget, Options
// and Find may be zero.
type Config struct {
	Definition workflow.Definition // what the agent runs; its id is the agent's name
	Find       workflow.Find       // the definitions that it may run as sub-workflows
	Types      *workflow.Registry
	Schema     *graph.Schema
	Options    graph.Options
	Pinned     graph.Chan[string]         // per thread: the definition that its turns run
	Messages   graph.List[memory.Message] // what a thread remembers, oldest first
	Runtime    *graph.Runtime
	Exec       workflow.Exec // what a run has at hand, but its request
	Budget     llm.Budget    // of one Run call; with Spent of a turn
	Warn       *slog.Logger  // of what a run does without; may be nil

	// Spent says what a turn has spent so far, so that its budget counts over
	// waits and restarts; nil: every Run call begins again.
	Spent func(graph.State) (calls int, used llm.Usage)

	// GoesOn is told where a turn stands that goes on, after a wait or a restart:
	// what it has shown so far is forgotten.
	GoesOn func(*workflow.Exec, graph.State)

	// Ahead begins what a call of Run needs later, beside its first nodes; end ends it.
	Ahead func(context.Context, *workflow.Exec) (end func())

	// Summaries is what is left of a thread's older messages; nil: nothing.
	Summaries *graph.Chan[[]memory.Summary]

	// Restarts reports whether a turn may begin again that an update of the program broke
	// off, if the definition it began with cannot run any more; nil: none may.
	Restarts func(*workflow.Exec, graph.State) bool
}

// Host runs the turns of one agent's workflow. It is safe for concurrent use.
type Host struct {
	cfg      Config
	versions *versions
	warnings workflow.Problems
	tools    []string // that new turns may call
	anyTool  bool     // they may call others too
}

// New compiles the workflow. The error is workflow.Problems when the definition
// is at fault.
func New(c Config) (*Host, error) {
	v, warnings, err := newVersions(c)
	if err != nil {
		return nil, fmt.Errorf("workflow %s: %w", c.Definition.ID, err)
	}
	h := &Host{cfg: c, versions: v, warnings: warnings}
	h.tools, h.anyTool = workflow.Tools(workflow.Closure(c.Definition, c.Find), c.Types)
	return h, nil
}

// Name returns the agent's name: the id of its definition.
func (h *Host) Name() string { return h.cfg.Definition.ID }

// Serves returns the definition that new turns run.
func (h *Host) Serves() workflow.Definition { return h.cfg.Definition }

// Warnings returns what is doubtful about the definition.
func (h *Host) Warnings() workflow.Problems { return h.warnings }

// Log names the thread's log of this agent.
func (h *Host) Log(thread string) string { return thread + "#" + h.Name() }

// Exec returns what a run has at hand.
func (h *Host) Exec(req agent.Request, sink agent.Sink) *workflow.Exec {
	x := h.cfg.Exec
	x.Request, x.Sink, x.Session, x.Warn = req, sink, req.Thread, h.cfg.Warn
	return &x
}

// Run runs a turn until it is over, waits for people or fails. input is what a new turn begins with besides its
// messages, which Run adds. Another message ends a turn that waits for an answer; a turn that continues does so under
// the definition with which it began.
func (h *Host) Run(ctx context.Context, x *workflow.Exec, input ...graph.Write) (graph.Result, agent.Usage, error) {
	r := x.Request
	ctx, acc := x.Begin(ctx, h.cfg.Budget)
	if h.cfg.Ahead != nil {
		defer h.cfg.Ahead(ctx, x)()
	}
	at, err := h.At(ctx, r)
	restarts := errors.Is(err, graph.ErrPlanChanged) && h.cfg.Restarts != nil && h.cfg.Restarts(x, at.Head.State)
	if err != nil && !restarts {
		return graph.Result{}, agent.Usage{}, workflow.Failure(err)
	}
	h.settle(ctx, x, at)
	if h.cfg.Spent != nil && at.Head.Turn == r.Run {
		acc.Charge(h.cfg.Spent(at.Head.State))
	}
	if h.cfg.GoesOn != nil && at.Head.Turn == r.Run {
		h.cfg.GoesOn(x, at.Head.State)
	}
	before := workflow.Usage(acc)
	heard := node.Heard(r)
	if at.Head.Turn != r.Run {
		var summaries []memory.Summary
		if h.cfg.Summaries != nil {
			summaries = h.cfg.Summaries.Get(at.Head.State)
		}
		heard = append(missedMessages(ctx, x, h.cfg.Warn, h.cfg.Messages.Get(at.Head.State), summaries), heard...)
	}
	input = append([]graph.Write{h.cfg.Messages.Add(heard...)}, input...)
	if at.Fresh {
		input = append(input, h.cfg.Pinned.Set(h.versions.bundle))
	}
	res, err := h.cfg.Runtime.Run(ctx, at.Plan, graph.Call{
		Thread: h.Log(r.Log()), Turn: r.Run, Fence: r.Fence, Abandon: true, Anew: restarts, Answers: workflow.Answers(r.Decisions), Input: input, Sink: x.Forward, Local: x,
	})
	if err != nil {
		return graph.Result{}, since(before, acc), workflow.Failure(err)
	}
	return res, since(before, acc), nil
}

// settle waits for tools that are late, if the turn may call one of them.
func (h *Host) settle(ctx context.Context, x *workflow.Exec, at At) {
	switch {
	case x.Tools == nil:
	case h.anyTool || at.Plan != h.versions.now: // what earlier definitions call is not looked up
		x.Tools.Settle(ctx, lateTools)
	case len(h.tools) > 0:
		x.Tools.Settle(ctx, lateTools, h.tools...)
	}
}

// lateTools is how long a run waits for tools whose servers have not answered yet
// since the program started.
const lateTools = 5 * time.Second

// At is the position of a thread, and the plan under which a run continues there.
type At struct {
	Head  graph.Result
	Plan  *graph.Plan
	Fresh bool // the next turn must tell the thread its definition
}

// At returns where a thread stands for a run. The error is graph.ErrPlanChanged if
// the run began under a definition that this program cannot run any more; then the plan
// is that of new turns.
func (h *Host) At(ctx context.Context, r agent.Request) (At, error) {
	run := r.Run
	head, err := h.cfg.Runtime.PeekUnder(ctx, h.versions.now, h.Log(r.Log()), r.Fence)
	if errors.Is(err, graph.ErrNoCheckpointer) {
		return At{Plan: h.versions.now}, nil // nothing outlives the call
	}
	if err != nil {
		return At{}, fmt.Errorf("%s: read thread: %w", h.Name(), err)
	}
	pinned := h.cfg.Pinned.Get(head.State)
	at := At{Head: head, Plan: h.versions.now, Fresh: pinned != h.versions.bundle}
	if head.Turn != run || head.Done || head.Plan == at.Plan.Hash() {
		return at, nil
	}
	at.Fresh = false
	at.Plan, err = h.versions.earlier(pinned, head.Plan)
	if err != nil {
		return At{Head: head, Plan: h.versions.now, Fresh: true}, fmt.Errorf("%s: %w", h.Name(), err)
	}
	return at, nil
}

// Edit changes the state of a thread's run as if a node had written it.
func (h *Host) Edit(ctx context.Context, r agent.Request, as string, writes ...graph.Write) error {
	at, err := h.At(ctx, r)
	if err != nil {
		return workflow.Failure(err)
	}
	_, err = h.cfg.Runtime.Edit(ctx, at.Plan, graph.Edit{Thread: h.Log(r.Log()), Fence: r.Fence, Writes: writes, As: as, Local: h.Exec(r, nil)})
	return workflow.Failure(err)
}

// since returns what an account has spent in one Run call.
func since(before agent.Usage, acc *llm.Account) agent.Usage {
	u := workflow.Usage(acc)
	u.Calls -= before.Calls
	u.Input -= before.Input
	u.Output -= before.Output
	u.Cached -= before.Cached
	return u
}

// Amend makes a thread forget a message, or know its new text: in the window, and in the summaries made from it, which lose their
// text; recall finds the rest of their content in the thread's transcript. What a deleted message led to goes with it: the
// answer may quote it, and so does the log behind it. also is what else is written then; it may be nil.
func (h *Host) Amend(ctx context.Context, thread, message, text string, deleted bool, also func(graph.State) []graph.Write) error {
	return h.Rewrite(ctx, thread, deleted, func(s graph.State) []graph.Write {
		writes := h.amended(s, message, text, deleted)
		if len(writes) > 0 && also != nil {
			writes = append(writes, also(s)...)
		}
		return writes
	})
}

// Rewrite changes what a thread remembers, and leaves nothing of what was before
// in its log. Without writes it does nothing, unless a message was deleted: it
// may have left the window, and the log behind it still hold it.
func (h *Host) Rewrite(ctx context.Context, thread string, deleted bool, writes func(graph.State) []graph.Write) error {
	log, rt, plan := h.Log(thread), h.cfg.Runtime, h.versions.now
	res, err := rt.Peek(ctx, plan, log)
	if err != nil {
		return fmt.Errorf("%s: read thread: %w", h.Name(), err)
	}
	list := writes(res.State)
	if len(list) == 0 && (!deleted || res.Seq == 0) {
		return nil
	}
	if len(list) > 0 {
		if _, err := rt.Update(ctx, plan, log, 0, list...); err != nil {
			return fmt.Errorf("%s: amend thread: %w", h.Name(), err)
		}
	}
	if err := rt.Compact(ctx, plan, log, 0); err != nil {
		return fmt.Errorf("%s: compact thread: %w", h.Name(), err)
	}
	return nil
}

func (h *Host) amended(s graph.State, message, text string, deleted bool) (writes []graph.Write) {
	messages := h.cfg.Messages.Get(s)
	i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.ID == message })
	switch {
	case i >= 0 && deleted:
		writes = append(writes, h.cfg.Messages.Remove(memory.WithAnswer(messages, i)...))
	case i >= 0:
		m := messages[i]
		m.Text = text
		writes = append(writes, h.cfg.Messages.Add(m))
	}
	if h.cfg.Summaries != nil {
		if kept, unsaid := memory.Unsay(h.cfg.Summaries.Get(s), message); unsaid {
			writes = append(writes, h.cfg.Summaries.Set(kept))
		}
	}
	return writes
}

// Forget removes the thread's log. It is part of agent.Amender.
func (h *Host) Forget(ctx context.Context, thread string) error {
	err := h.cfg.Runtime.Delete(ctx, h.Log(thread))
	if err != nil && !errors.Is(err, graph.ErrNoCheckpointer) {
		return fmt.Errorf("%s: forget thread: %w", h.Name(), err)
	}
	return nil
}

// Retain implements agent.Keeper: it shortens the thread's log.
func (h *Host) Retain(ctx context.Context, thread string) error {
	if err := workflow.Retain(ctx, h.cfg.Runtime, h.versions.now, h.Log(thread)); err != nil {
		return fmt.Errorf("%s: %w", h.Name(), err)
	}
	return nil
}
