package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// Codes of tasks that cannot be carried out again, as [agent.Redoer] says.
const (
	RedoGone = "redo_gone"
	RedoStep = "redo_step"
)

// Redo begins the run of a request where the earlier run ended that it redoes: with that run's state, changed by the
// returned writes, after the node as. What the thread has heard since is kept. It runs nothing; Run goes on. If the
// run has begun already, as after a crash, it does nothing.
//
// The failure is "redo_gone" if the records of the earlier run are not kept any
// more: they go with a message that is deleted or edited, with what is forgotten,
// and after many turns.
func (h *Host) Redo(ctx context.Context, r agent.Request, as string, writes func(then graph.State) ([]graph.Write, error)) error {
	rt, plan, log := h.cfg.Runtime, h.versions.now, h.Log(r.Log())
	now, err := rt.Peek(ctx, plan, log)
	if err != nil {
		return fmt.Errorf("%s: read thread: %w", h.Name(), err)
	}
	if now.Turn == r.Run {
		return nil
	}
	seq, err := h.lastOf(ctx, log, r.Redo.Run, now.Seq)
	if err != nil {
		return err
	}
	then, err := rt.StateAt(ctx, plan, log, seq)
	if err != nil {
		return &agent.Failure{Code: RedoGone, Err: err}
	}
	list, err := writes(then)
	if err != nil {
		return err
	}
	talk := append(slices.Clone(h.cfg.Messages.Get(now.State)), node.Heard(r)...) // what was forgotten since stays so
	list = append(list, h.cfg.Messages.Set(talk), h.cfg.Pinned.Set(h.versions.bundle))
	_, err = rt.Fork(ctx, plan, graph.Fork{Thread: log, Seq: seq, Turn: r.Run, Fence: r.Fence, Writes: list, As: as, Local: h.Exec(r, nil)})
	if errors.Is(err, graph.ErrNothingToResume) {
		return &agent.Failure{Code: RedoGone, Err: err}
	}
	return workflow.Failure(err)
}

// redoPage is how many records are looked through at once.
const redoPage = 256

// lastOf finds the last record of a run, from the newest record of its thread back.
func (h *Host) lastOf(ctx context.Context, log, run string, to int64) (int64, error) {
	for ; to >= 1; to -= redoPage {
		page, err := h.cfg.Runtime.History(ctx, log, max(1, to-redoPage+1), to, 0)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", h.Name(), err)
		}
		for i := len(page) - 1; i >= 0; i-- {
			if page[i].Turn == run {
				return page[i].Seq, nil
			}
		}
	}
	return 0, &agent.Failure{Code: RedoGone, Err: fmt.Errorf("no record of the run %q is kept", run)}
}
