package task_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"maru/adapters/discord/task"
	"maru/logtest"
)

func TestStopEndsWhatWasStarted(t *testing.T) {
	t.Parallel()
	g := task.New(slog.New(slog.DiscardHandler))
	ended, goesOn := false, make(chan bool)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // work does not end with who started it
	if !g.Spawn(ctx, func(ctx context.Context) {
		goesOn <- ctx.Err() == nil
		<-ctx.Done()
		ended = true
	}) {
		t.Fatal("a new group takes nothing")
	}
	if !<-goesOn {
		t.Error("the work ends with who started it")
	}
	g.Stop()
	if !ended {
		t.Error("Stop has not waited")
	}
	if g.Spawn(t.Context(), func(context.Context) { t.Error("it ran") }) {
		t.Error("a stopped group takes work")
	}
}

func TestAPanicIsLoggedAndEndsNothingElse(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	g := task.New(log.Logger())
	g.Spawn(t.Context(), func(context.Context) { panic("in the background") })
	if err := g.Guard(t.Context(), "a call", func() error { panic("in a call") }); err == nil {
		t.Error("a panic in a call is no error")
	}
	g.Stop()
	for _, want := range []string{"in the background", "in a call", "a call"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log says nothing of %q:\n%s", want, log.String())
		}
	}
}
