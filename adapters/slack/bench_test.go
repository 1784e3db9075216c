package slack_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/agent"
	"maru/bot"
)

// report prints the middle and the 99th percentile of what was measured.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkClick measures from a click in Slack to the card that is rendered
// anew, with an intake that decides at once.
func BenchmarkClick(b *testing.B) {
	f := slackfake.Start(b, slackfake.Options{NoEcho: true})
	a, err := slack.New(config(f))
	if err != nil {
		b.Fatal(err)
	}
	refs := map[string]bot.Ref{}
	in := &intake{}
	in.onAction = func(act bot.Action) (bot.Answer, error) {
		ref := refs[act.Message]
		go func() {
			if _, err := a.Edit(context.Background(), ref, final("Approved by "+act.User.Name)); err != nil {
				b.Error(err)
			}
		}()
		return bot.Answer{}, nil
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, in) }()
	root := f.Say("U1", "C1", "<@UBOT> go", "")
	if err := f.Settle(ctx); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		ref, err := a.Post(ctx, target("C1", root), planCard, fmt.Sprint("key-", len(took)))
		if err != nil {
			b.Fatal(err)
		}
		ts := ref.Messages[0]
		refs[ts] = ref
		b.StartTimer()
		began := time.Now()
		if _, err := f.Click("U1", "C1", ts, "Accept"); err != nil {
			b.Fatal(err)
		}
		if err := f.Wait(ctx, func() bool { m, _ := f.Message("C1", ts); return m.Edits > 0 }); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		if len(took)%40 == 0 { // chat.update takes fifty a minute: another process goes on
			b.StopTimer()
			if a, err = slack.New(config(f)); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	}
	report(b, took)
	cancel()
	if err := <-done; err != nil {
		b.Error(err)
	}
}

// BenchmarkSignOfLife measures from a message in Slack to the first thing that
// people see: with a whole bot, its record on disk and an agent that takes its
// time.
func BenchmarkSignOfLife(b *testing.B) {
	slowly := func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		select {
		case <-time.After(400 * time.Millisecond):
		case <-ctx.Done():
		}
		return echo(ctx, req, sink)
	}
	var w *office
	var status, posted []time.Duration
	for b.Loop() {
		if len(status)%15 == 0 { // more than that a minute is more than Slack takes
			w = hire(b, slackfake.Options{NoEcho: true}, slowly, nil)
			w.Say("U1", "D1", "warm up", "")
			w.settle()
		}
		began := time.Now()
		ts := w.Say("U1", "C1", "<@UBOT> hello", "")
		w.until("status", func() bool { return w.Status("C1", ts) != "" || len(w.Replies("C1", ts)) > 0 })
		status = append(status, time.Since(began))
		w.until("message", func() bool { return len(w.Replies("C1", ts)) > 0 })
		posted = append(posted, time.Since(began))
		w.until("answer", func() bool { a := w.answers("C1", ts); return len(a) == 1 })
	}
	slices.Sort(posted)
	b.ReportMetric(float64(posted[len(posted)*99/100].Microseconds())/1000, "message-p99-ms")
	report(b, status)
}
