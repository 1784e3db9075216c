package bot_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/logtest"
)

// TestALeftWorkspaceIsNoFault: a run that ends with its workspace is buried with
// it. The log warns of nothing, least of all that the question waits.
func TestALeftWorkspaceIsNoFault(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 1)
	w := newWorld(t, func(ctx context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	var log logtest.Log
	w.stop()
	w.change = func(cfg *service.Config) { cfg.Log = log.Logger() }
	w.start()
	w.join("T1")
	here := bot.Thread{Platform: "fake", Team: "T1", Channel: "C1", ID: "1"}
	m := w.platform.Message("U1", "think", here)
	m.Thread, m.ID, m.Order = here, "1", "1"
	w.deliver(m)
	<-began
	if err := w.bot.Leave(w.ctx, bot.Departure{Platform: "fake", Team: "T1", Why: "app_uninstalled"}); err != nil {
		t.Fatal(err)
	}
	w.until("the lease was taken", func() bool { return strings.Contains(log.String(), "lease was taken") })
	w.settled()
	if s := log.String(); strings.Contains(s, "stays in the inbox") || strings.Contains(s, "level=WARN") {
		t.Errorf("the log says\n%s", s)
	}
}
