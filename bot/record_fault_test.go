package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/bot"
)

// sqlError is an error as PostgreSQL's clients give it.
type sqlError string

func (e sqlError) Error() string    { return "SQLSTATE " + string(e) }
func (e sqlError) SQLState() string { return string(e) }

// TestFaultsOfTheRecordEndNoRun: the record failed a run and is back before the failure could be stored. Then the run
// is tried again, however often that happens within its tries, and answers; any other failure is told.
func TestFaultsOfTheRecordEndNoRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail error
		told bool
	}{
		"starting_up":    {fail: sqlError("57P03")},
		"shutting_down":  {fail: sqlError("57P01")},
		"connection":     {fail: sqlError("08006")},
		"time_limit":     {fail: sqlError("57014")},
		"away":           {fail: noRoom(bot.CodeStoreAway)},
		"busy":           {fail: noRoom(bot.CodeStoreBusy)},
		"full":           {fail: noRoom(bot.CodeStoreFull)},
		"wrong_type":     {fail: sqlError("42804"), told: true},
		"of_the_message": {fail: noRoom(bot.CodeTooLong), told: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tried atomic.Int64
			w := newWorld(t, func(_ context.Context, r agent.Request, _ agent.Sink) (agent.Result, error) {
				if tried.Add(1) <= 25 { // more often than an item that does not get further may be tried
					return agent.Result{}, fmt.Errorf("graph: node answer, step 3: append to thread: %w", c.fail)
				}
				return agent.Result{Text: "echo: " + r.Text}, nil
			})
			said := w.replies(w.say("hello", w.platform.Thread("C1", "")).Thread, 1)
			if len(said) != 1 || strings.Contains(said[0].Card.Text, "echo: hello") == c.told {
				t.Errorf("after %d tries: %q", tried.Load(), said[0].Card.Text)
			}
			if c.told && tried.Load() != 1 {
				t.Errorf("tried %d times", tried.Load())
			}
		})
	}
}
