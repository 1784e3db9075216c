package tool_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent"
	"maru/agent/tool"
	"maru/logtest"
)

// caller is an agent that calls one tool.
type caller struct{ tools *tool.Registry }

func (caller) Name() string { return "caller" }

func (c caller) Run(ctx context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	time.Sleep(55 * time.Second) // it has worked before
	_, err := c.tools.Invoke(ctx, "forecast", tool.Call{Arguments: []byte(`{"city":"Seoul"}`), Until: req.Until})
	var failed *tool.Error
	if !errors.As(err, &failed) || ctx.Err() != nil {
		return agent.Result{}, errors.Join(err, ctx.Err())
	}
	return agent.Result{Text: failed.Code}, nil
}

// TestAToolLeavesTheRunItsLastWord: a call that would take all that is left of a run's time is
// given up before the run is.
func TestAToolLeavesTheRunItsLastWord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := forecast(func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		})
		var log logtest.Log
		r := agent.NewRunner(log.Logger(), time.Minute+10*time.Second, time.Now, caller{registry(t, stuck)})
		if res, _, err := r.Run(t.Context(), agent.Request{Run: "r1", Agent: "caller"}, nil); err != nil || res.Text != "timeout" {
			t.Errorf("%q, %v", res.Text, err)
		}
	})
}
