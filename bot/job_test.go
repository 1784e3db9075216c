package bot_test

import (
	"context"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/service"
)

// ahead is a record into which a newer replica puts a job that this program does
// not know; said tells what has become of it, once that is written: a clock that
// jumps before ends the turn of whoever does the job.
type ahead struct {
	bot.Record

	said chan string
}

func (r ahead) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	out.Jobs = append(out.Jobs, bot.Job{ID: "future", Kind: "of the next release", Body: []byte(`{}`)})
	return r.Record.Finish(ctx, l, item, out)
}

func (r ahead) EndJob(ctx context.Context, id string) error {
	defer func() { r.said <- "ended" }()
	return r.Record.EndJob(ctx, id)
}

func (r ahead) BuryJob(ctx context.Context, id, why string) error {
	defer func() { r.said <- "buried" }()
	return r.Record.BuryJob(ctx, id, why)
}

func (r ahead) DelayJob(ctx context.Context, id string, by time.Duration, why string) error {
	defer func() { r.said <- "put off" }()
	return r.Record.DelayJob(ctx, id, by, why)
}

// A job of a newer replica is left to it, however often it comes up, for a day.
func TestJobsOfANewerProgramAreLeftToIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	said := make(chan string, 1000)
	w.change = func(cfg *service.Config) { cfg.Record = ahead{cfg.Record, said} }
	forward := clockOf(w)
	becomes := func(want string) {
		t.Helper()
		select {
		case got := <-said:
			if got != want {
				t.Fatalf("the job was %s, want %s", got, want)
			}
		case <-w.ctx.Done():
			t.Fatal("nobody looked at the job")
		}
	}
	m := w.say("hello", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	for range 12 {
		becomes("put off")
		forward(time.Hour)
	}
	becomes("put off")
	forward(13 * time.Hour)
	becomes("buried")
}
