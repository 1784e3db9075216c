package discord_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// bench is an adapter on a fake for measurements.
type bench struct {
	ctx  context.Context
	fake *discordfake.Fake
	in   *intake
	a    *discord.Adapter
}

func newBench(b *testing.B, cfg discordfake.Config) *bench {
	b.Helper()
	f := discordfake.Start(b, cfg)
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	a, err := discord.New(discord.Config{Token: f.Token(), APIURL: f.URL(), HTTPClient: client, Logger: slog.New(slog.DiscardHandler), Jitter: func() float64 { return 0 }})
	if err != nil {
		b.Fatal(err)
	}
	w := &bench{ctx: b.Context(), fake: f, in: newIntake(), a: a}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, w.in) }()
	b.Cleanup(func() {
		cancel()
		<-ended
		client.CloseIdleConnections()
	})
	if err := f.AwaitReady(b.Context()); err != nil {
		b.Fatal(err)
	}
	return w
}

// report gives the middle and the slowest hundredth of what was measured.
func report(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// paced calls f a hundred times a second, n times, and waits for all.
func paced(n int, f func(i int)) {
	var all sync.WaitGroup
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		all.Go(func() { f(i) })
	}
	all.Wait()
}

const measured = 500

// BenchmarkEventToCommit is from a message at the platform to its commit, at a
// hundred a second.
func BenchmarkEventToCommit(b *testing.B) {
	w := newBench(b, discordfake.Config{})
	for b.Loop() {
		var mu sync.Mutex
		var took []time.Duration
		at := map[string]chan time.Time{}
		for i := range measured {
			at[fmt.Sprint("m", i)] = make(chan time.Time, 1)
		}
		w.in.onMessage = func(m bot.Message) {
			if c, ok := at[m.Text]; ok {
				c <- time.Now()
			}
		}
		paced(measured, func(i int) {
			text := fmt.Sprint("m", i)
			begun := time.Now()
			w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" "+text)
			d := (<-at[text]).Sub(begun)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, d)
		})
		report(b, took)
	}
}

// BenchmarkClickToAcknowledgement is from a click to the first answer, which
// Discord wants within 3 s, at a hundred a second.
func BenchmarkClickToAcknowledgement(b *testing.B) {
	w := newBench(b, discordfake.Config{})
	m, id := w.question(b)
	for b.Loop() {
		tokens := make([]string, measured)
		paced(measured, func(i int) {
			tokens[i] = w.fake.Click(w.fake.Alice, m.ID, id, "m1:row1:accept")
			if err := w.fake.Await(w.ctx, func() bool { return !w.fake.Interaction(tokens[i]).Answered.IsZero() }); err != nil {
				b.Error(err)
			}
		})
		var took []time.Duration
		for _, t := range tokens {
			i := w.fake.Interaction(t)
			took = append(took, i.Answered.Sub(i.Sent))
		}
		report(b, took)
	}
}

// question posts a card with buttons.
func (w *bench) question(b *testing.B) (bot.Message, string) {
	b.Helper()
	w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" hello")
	var m bot.Message
	if err := w.in.wait(w.ctx, func() bool { return len(w.in.messages) > 0 }); err != nil {
		b.Fatal(err)
	}
	m = w.in.all()[0]
	ref, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread, Title: "t"}, question(), "k")
	if err != nil {
		b.Fatal(err)
	}
	return m, ref.Messages[0]
}

// BenchmarkClickToRenderedCard is from a click to the card that shows who
// decided.
func BenchmarkClickToRenderedCard(b *testing.B) {
	w := newBench(b, discordfake.Config{Spec: "-"}) // what checking takes is not the bot's
	m, id := w.question(b)
	ref := bot.Ref{Thread: m.Thread, Channel: m.ID, Messages: []string{id}}
	n := 0
	w.in.onAction = func(bot.Action) (bot.Answer, error) {
		n++
		c := question()
		c.Footer = fmt.Sprint("decided ", n)
		_, err := w.a.Edit(w.ctx, ref, c)
		return bot.Answer{}, err
	}
	for b.Loop() {
		var took []time.Duration
		tick := time.NewTicker(30 * time.Millisecond) // Discord takes 50 requests a second of all
		for range 200 {
			<-tick.C
			begun := time.Now()
			edits := w.fake.BotMessages(m.ID)[0].Edits
			w.fake.Click(w.fake.Alice, m.ID, id, "m1:row1:accept")
			if err := w.fake.Await(w.ctx, func() bool { return w.fake.BotMessages(m.ID)[0].Edits > edits }); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(begun))
		}
		tick.Stop()
		report(b, took)
	}
}

// BenchmarkDeadConnection is how long a connection that acknowledges no
// heartbeats is kept, in heartbeat intervals.
func BenchmarkDeadConnection(b *testing.B) {
	const interval = 300 * time.Millisecond
	w := newBench(b, discordfake.Config{Heartbeat: interval})
	for b.Loop() {
		var most time.Duration
		for range 5 {
			resumes := w.fake.Resumes()
			w.fake.SetAcks(false)
			begun := time.Now()
			if err := w.fake.Await(w.ctx, func() bool { return !w.fake.Connected() || w.fake.Resumes() > resumes }); err != nil {
				b.Fatal(err)
			}
			most = max(most, time.Since(begun))
			w.fake.SetAcks(true)
			if err := w.fake.Await(w.ctx, func() bool { return w.fake.Resumes() > resumes && w.fake.Connected() }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(most)/float64(interval), "intervals-at-most")
		b.ReportMetric(0, "ns/op")
	}
}
