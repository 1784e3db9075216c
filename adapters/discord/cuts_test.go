package discord_test

import (
	"io"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/datatest"
)

// A thousand cuts of the gateway, in every way after which a session goes on
// and now and then in one that ends it, with a message before and one during
// each: none is lost, each is one message to the inbox, and those of a channel
// come in their order.
func TestThousandReconnects(t *testing.T) {
	t.Parallel()
	cuts, ends := 1000, 50 // every so often the session is over
	if datatest.Short(t) {
		cuts = 100
	}
	cfg := hurried(2000)
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	w := newWorld(t, discordfake.Config{Heartbeat: 40 * time.Second, Overlap: 3, Now: cfg.Now, Turn: time.Second}, cfg)
	goesOn := []func(){w.fake.Drop, w.fake.AskReconnect, func() { w.fake.Invalidate(true) }}
	for _, code := range []int{1006, 1011, 1012, 4000, 4001, 4002, 4005, 4008} {
		goesOn = append(goesOn, func() { w.fake.CloseGateway(code) })
	}
	isOver := []func(){func() { w.fake.Invalidate(false) }, func() { w.fake.ForgetSessions(); w.fake.Drop() }}
	for _, code := range []int{1000, 1001, 4003, 4007, 4009} {
		isOver = append(isOver, func() { w.fake.CloseGateway(code) })
	}
	random := rand.New(rand.NewPCG(8, 8)) //nolint:gosec // G404: repeatable
	var said []string
	for i := range cuts {
		before := w.fake.Resumes() + len(w.fake.Identifies())
		channel := []string{w.fake.General, w.fake.Random}[i%2]
		said = append(said, w.fake.Say(w.fake.Alice, channel, w.fake.Mention()+" before "+strconv.Itoa(i)).ID)
		ways := goesOn
		if i%ends == ends-1 {
			ways = isOver
		}
		ways[random.IntN(len(ways))]()
		said = append(said, w.fake.Say(w.fake.Alice, channel, w.fake.Mention()+" during "+strconv.Itoa(i)).ID)
		back := func() bool { return w.fake.Connected() && w.fake.Resumes()+len(w.fake.Identifies()) > before }
		if err := w.fake.Await(w.ctx, back); err != nil {
			t.Fatalf("cut %d: not connected again: %v", i, err)
		}
	}
	if err := w.in.wait(w.ctx, func() bool { return len(w.in.messages) >= len(said) }); err != nil {
		t.Errorf("not everything came: %v", err)
	}
	had, last, inversions := map[string]bool{}, map[string]string{}, 0
	for _, m := range w.in.all() {
		if !had[m.ID] && m.ID < last[m.Thread.Channel] {
			inversions++
		}
		had[m.ID], last[m.Thread.Channel] = true, max(m.ID, last[m.Thread.Channel])
	}
	lost := 0
	for _, id := range said {
		if !had[id] {
			lost++
		}
	}
	t.Logf("%d messages over %d cuts (%d resumes, %d sessions): %d lost, %d taken once, %d out of order, %d deliveries came again",
		len(said), cuts, w.fake.Resumes(), len(w.fake.Identifies()), lost, len(had), inversions, len(w.in.all())-len(had))
	if lost > 0 || len(had) != len(said) || inversions > 0 {
		t.Errorf("%d lost, %d taken, %d out of order", lost, len(had), inversions)
	}
}
