package slack_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
)

// replica starts one of several bots that share a PostgreSQL record and a Slack
// workspace, and waits until it is connected.
func replica(t *testing.T, f *slackfake.Server, schema, owner string, think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := pgstore.Open(t.Context(), pgstore.Config{URL: servers.Postgres(t), Schema: schema, Log: log, Timeout: patience, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	a, err := slack.New(slack.Config{BotToken: f.BotToken(), AppToken: f.AppToken(), APIURL: f.URL(), PostEvery: time.Nanosecond, EditEvery: 20 * time.Millisecond, AskWithin: patience})
	if err != nil {
		t.Fatal(err)
	}
	b := service.New(service.Config{
		Record: store, Runner: agent.NewRunner(log, 0, time.Now, &thinker{think: think, running: map[string]int{}}), Library: noDocuments{},
		Adapters: []bot.Adapter{a}, Log: log, Poll: 50 * time.Millisecond, Owner: owner,
	})
	before := f.Opened()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("%s ended with %v", owner, err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	wait, done := contextWithTimeout(t, patience)
	defer done()
	err = f.Wait(wait, func() bool { return f.Opened() > before })
	for err == nil && a.Ready(wait) != nil {
		err = shortly(wait, time.Second)
	}
	if err != nil {
		t.Fatalf("%s is not connected: %v", owner, err)
	}
}

// Slack gives the press of its stop button to any of the connections: the run is
// stopped on the replica that has it, and its one reply says so.
func TestStopButtonReachesTheOtherReplica(t *testing.T) {
	t.Parallel()
	f, schema := slackfake.Start(t, slackfake.Options{}), servers.Name()
	began := make(chan string, 4)
	works := func(name string) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
		return func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
			sink(agent.Event{Kind: agent.EventToken, Text: "half of it and "})
			began <- name
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		}
	}
	replica(t, f, schema, "one", works("one"))
	th := f.Say("U1", "C1", "<@UBOT> work for ever", "")
	if by := <-began; by != "one" {
		t.Fatalf("%s works", by)
	}
	replica(t, f, schema, "two", works("two")) // the newest connection is given what comes
	ctx, cancel := contextWithTimeout(t, patience)
	defer cancel()
	grows := func() bool {
		r := f.Replies("C1", th)
		return len(r) == 1 && strings.Contains(r[0].Shown(), "half of it")
	}
	if err := f.Wait(ctx, grows); err != nil {
		t.Fatalf("the answer does not grow: %v; refused %v", err, f.Refused())
	}
	f.PressStop("U1", "C1", th)
	stopped := func() bool {
		r := f.Replies("C1", th)
		return len(r) == 1 && !r[0].Streaming() && strings.Contains(r[0].Shown(), "Stopped, as you asked.") && f.Session("C1", th).Status == "active"
	}
	if err := f.Wait(ctx, stopped); err != nil {
		for _, r := range f.Replies("C1", th) {
			t.Logf("reply %q streaming %v", r.Shown(), r.Streaming())
		}
		t.Fatalf("not stopped: %v; session %+v; refused %v", err, f.Session("C1", th), f.Refused())
	}
	if len(began) != 0 {
		t.Error("the run began again")
	}
}
