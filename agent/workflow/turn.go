package workflow

import (
	"context"
	"sync/atomic"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
)

// Forward turns the engine's events into the run's.
func (x *Exec) Forward(e *graph.Event) {
	name := e.Node
	if e.NS != "" { // of a sub-workflow
		name = e.Graph + "/" + e.Node
	}
	switch e.Kind {
	case graph.EventNodeStart:
		x.Emit(agent.Event{Kind: agent.EventNodeStart, Node: name, At: e.At()})
	case graph.EventNodeEnd:
		out := agent.Event{Kind: agent.EventNodeEnd, Node: name, At: e.At(), Took: e.Took, Waits: e.Waits}
		if e.Err != nil {
			out.Err = "failed"
			if item, ok := failedItem(e.Err); ok {
				out.Text = x.Phrase("agent.item", item.Index+1, item.Count)
			}
		}
		x.Emit(out)
	case graph.EventInterrupt:
		if e.NS == "" && e.Interrupt != nil { // those of sub-workflows are asked again above
			one := Interrupts([]graph.Interrupt{*e.Interrupt})[0]
			x.Emit(agent.Event{Kind: agent.EventInterrupt, Node: name, At: e.At(), Interrupt: &one})
		}
	case graph.EventExpired:
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "expired", Node: name, At: e.At()})
	case graph.EventRetry:
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "retry", Node: name, At: e.At()})
	}
}

// Begin opens the run's account and returns a context in which calls of models and
// embedders become events of the run.
func (x *Exec) Begin(ctx context.Context, budget llm.Budget) (context.Context, *llm.Account) {
	x.doing, x.unkept, x.heard = &atomic.Pointer[string]{}, &unkept{}, &atomic.Pointer[string]{}
	x.account = &llm.Account{
		Budget: budget.Within(llm.Budget(x.Request.Limits)), Who: x.Request.User.ID, Began: x.Request.Now, OnQueue: x.queued,
		OnReset: func(error) { x.Emit(agent.Event{Kind: agent.EventReset}) },
	}
	return llm.Listen(ctx, x.called), x.account
}

// called shows a call of a model or an embedder. A model's usage is in the
// account already.
func (x *Exec) called(c llm.Call) {
	e := agent.Event{
		Kind: agent.EventModelCall, Name: string(c.Purpose), Took: c.Took, Text: c.Model, Cut: c.Cut, Exchange: x.exchange(c),
		Usage: &agent.Usage{Model: c.Model, Host: c.Endpoint, Calls: 1, Input: c.Usage.Input, Output: c.Usage.Output, Cached: c.Usage.Cached},
	}
	if c.Cached { // nothing was spent
		e.Usage.Calls = 0
	} else if x.Request.Price != nil {
		x.account.Pay(x.Request.Price(*e.Usage))
	}
	if c.Err != nil {
		e.Err = string(llm.ClassOf(c.Err))
	}
	if c.Purpose == llm.ForEmbedding {
		x.account.Charge(0, c.Usage)
	}
	x.Emit(e)
}

// Bind returns a model for the run: with its account, and the model and
// temperature that its channel has chosen.
func (x *Exec) Bind(m llm.Model) llm.Model {
	run := x.run()
	run.Model, run.Temperature = x.Request.Model, x.Request.Temperature
	return run.Bind(m)
}

// run returns what every call of the run has, whichever model it asks.
func (x *Exec) run() llm.Run {
	run := llm.Run{Account: x.account}
	for _, p := range x.Request.Pictures {
		run.Pictures = append(run.Pictures, llm.Picture{Name: p.Name, MIME: p.MIME, Digest: p.Digest, Data: p.Data})
	}
	run.Unseen = func() { x.Emit(agent.Event{Kind: agent.EventCustom, Name: agent.CustomUnseen}) }
	return run
}

// Usage returns what an account has spent, in a result's words.
func Usage(a *llm.Account) agent.Usage {
	calls, used := a.Spent()
	return agent.Usage{Calls: calls, Input: used.Input, Output: used.Output, Cached: used.Cached}
}

// Answers turns people's decisions into the engine's answers.
func Answers(decisions []agent.Decision) []graph.Answer {
	var out []graph.Answer
	for _, d := range decisions {
		out = append(out, graph.Answer{ID: d.Interrupt, By: d.By, At: d.At, Value: d.Value, Expired: d.Expired})
	}
	return out
}

// Interrupts turns the questions of a graph into a run's.
func Interrupts(list []graph.Interrupt) []agent.Interrupt {
	var out []agent.Interrupt
	for _, i := range list {
		out = append(out, agent.Interrupt{ID: i.ID, Kind: i.Kind, Node: i.Node, Payload: i.Payload, Schema: i.Schema, Expires: i.Expires})
	}
	return out
}

// Soft reports whether the run can do without a reply that failed this way: the
// model is there, but this question did not work.
func Soft(err error) bool {
	switch llm.ClassOf(err) {
	case llm.Invalid, llm.Refused, llm.Length, llm.ContentFilter, llm.OverBudget:
		return true
	default:
		return false
	}
}

// Silent reports whether an error is that the model does not answer, while the run
// itself may go on: what was done before is told without it.
func Silent(ctx context.Context, err error) bool { return ctx.Err() == nil && llm.ClassOf(err) != "" }

// Filled is a structured reply as it is recorded.
type Filled[T any] struct {
	Value    T         `json:"value"`
	Failed   string    `json:"failed,omitempty"` // class of the failure that the run does without
	Switches []Switch  `json:"switches,omitempty"`
	Usage    llm.Usage `json:"usage,omitzero"`
}

// Fill asks for a value of a shape, once under this name in this visit of the
// node. A reply that the run can do without is not an error: Failed says why
// there is none.
func Fill[T any](ctx context.Context, x *Exec, name string, req llm.Request, shape *llm.Shape) (Filled[T], error) {
	return graph.Repeatable(ctx, name, func(ctx context.Context, _ string) (Filled[T], error) {
		var f Filled[T]
		v, resp, err := llm.Structured[T](ctx, x.Model(&f.Switches), req, shape)
		f.Value, f.Usage = v, resp.Usage
		// The run goes on without: that is a result too. A model that fills no
		// schemas, such as the built-in one, may still answer in words, and what nobody
		// can read, or an empty reply, decides nothing.
		if c := llm.ClassOf(err); Soft(err) || c == llm.BadRequest || c == llm.Garbage {
			x.Without(ctx, req.Purpose, err)
			f.Failed = string(llm.ClassOf(err))
			err = nil
		}
		return f, err
	})
}
