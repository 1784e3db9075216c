package slack_test

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/datatest"
)

// A thousand reconnects of Socket Mode in every way there is, with a message
// before and one during each: none is lost, and the inbox takes each once.
func TestThousandReconnects(t *testing.T) {
	t.Parallel()
	cuts := 1000
	if datatest.Short(t) {
		cuts = 100
	}
	w := start(t, slackfake.Options{Ping: -1}, func(c *slack.Config) { c.Logger = slog.New(slog.NewTextHandler(io.Discard, nil)) })
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	ways := []func(){
		w.Kill, func() { w.Disconnect("warning") }, func() { w.Disconnect("refresh_requested") },
		func() { w.Frame(`{"type":"events_api","envelope_id":`); w.Kill() },
	}
	random := rand.New(rand.NewPCG(8, 8)) //nolint:gosec // G404: repeatable
	var said []string
	connected := 0 // how often
	for i := range cuts {
		if err := w.Wait(ctx, func() bool { n, asked := w.Connections(); return n == 1 && asked == w.Opened() && asked > connected }); err != nil {
			t.Fatalf("cut %d: not connected again: %v", i, err)
		}
		connected = w.Opened()
		channel := []string{"D1", "C1", "C2"}[i%3]
		said = append(said, channel+"/"+w.Say("U1", channel, "before "+strconv.Itoa(i), ""))
		ways[random.IntN(len(ways))]()
		said = append(said, channel+"/"+w.Say("U1", channel, "during "+strconv.Itoa(i), ""))
	}
	if err := w.Settle(ctx); err != nil {
		t.Fatalf("not everything was acknowledged: %v", err)
	}
	lost, all := 0, w.in.unique()
	for _, id := range said {
		if _, ok := all["slack/T1/"+id]; !ok {
			lost++
		}
	}
	t.Logf("%d messages over %d cuts, %d connections: %d lost, %d taken once, %d deliveries came again",
		len(said), cuts, connected, lost, len(all), len(w.in.said())-len(all))
	if lost > 0 || len(all) != len(said) || connected < cuts {
		t.Errorf("%d lost of %d, %d taken, %d connections", lost, len(said), len(all), connected)
	}
}

// A burst waits for a slow record when the connection is cut: what has been
// handled but cannot be acknowledged must not keep the client from connecting,
// whether the record is quick again before or after the client sees the cut.
func TestBurstIsCutOff(t *testing.T) {
	t.Parallel()
	const burst = 400
	for name, wait := range map[string]bool{"seen": true, "not seen yet": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, slackfake.Options{Ping: -1})
			begun, hold := make(chan struct{}), make(chan struct{})
			first, release := sync.OnceFunc(func() { close(begun) }), sync.OnceFunc(func() { close(hold) })
			t.Cleanup(release) // else a failure would wait for itself
			w.in.onMessage = func(bot.Message) error {
				first()
				<-hold
				return nil
			}
			for i := range burst {
				w.Say("U1", "D1", strconv.Itoa(i), "")
			}
			<-begun
			w.Kill()
			if wait {
				w.until("the connection is gone", func() bool { n, _ := w.Connections(); return n == 0 })
			}
			release()
			w.settle()
			if n := len(w.in.unique()); n != burst {
				t.Errorf("%d of %d messages", n, burst)
			}
		})
	}
}

// Messages of a hundred channels are taken while one channel waits. On a busy machine
// that takes longer than Slack waits for the held ones, so Slack sends those again.
func TestAChannelThatWaitsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	const others = 100
	w := start(t, slackfake.Options{})
	begun, hold := make(chan struct{}), make(chan struct{})
	begin, release := sync.OnceFunc(func() { close(begun) }), sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release) // else a failure would wait for itself
	w.in.hold = func(m bot.Message) {
		if m.Thread.Channel == "D1" {
			begin()
			<-hold
		}
	}
	taken := func() (beside, waited int) {
		for _, m := range w.in.unique() {
			if m.Thread.Channel == "D1" {
				waited++
			} else {
				beside++
			}
		}
		return beside, waited
	}
	w.Say("U1", "D1", "held", "")
	<-begun
	w.Say("U1", "D1", "behind it", "")
	for i := range others {
		id := "C9" + strconv.Itoa(i)
		w.AddChannel(slackfake.Channel{ID: id, Name: "beside-" + strconv.Itoa(i), Members: []string{"U1", "UBOT"}})
		w.Say("U1", id, "<@UBOT> goes on", "")
	}
	w.until("all others are taken", func() bool { n, _ := taken(); return n == others })
	if _, n := taken(); n != 0 {
		t.Errorf("%d of the held messages were taken", n)
	}
	release()
	w.RedeliverUnacked()
	w.until("so are those that waited", func() bool { _, n := taken(); return n == 2 })
	w.settle()
}
