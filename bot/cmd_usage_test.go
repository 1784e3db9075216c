package bot_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
)

// spent stores a run of n tokens that began some days ago, waited an hour and
// worked two seconds.
func (w *world) spent(id, agentName string, days, n int, now time.Time) {
	w.t.Helper()
	usage, err := json.Marshal(agent.Usage{Calls: 1, Input: n})
	if err != nil {
		w.t.Fatal(err)
	}
	start := now.AddDate(0, 0, -days)
	if err := w.store.SaveRun(w.ctx, bot.Run{
		ID: id, Thread: w.platform.Thread("C1", id).Key(), Agent: agentName, User: "U1", Status: "done", Day: start.Format(time.DateOnly),
		Started: start, Ended: start.Add(time.Hour), Worked: 2 * time.Second, Usage: usage,
	}); err != nil {
		w.t.Fatal(err)
	}
}

// TestUsageCharts draws every day that was asked for, in bars of a size.
func TestUsageCharts(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	w := newWorld(t, nil)
	for id, days := range map[string]int{"today": 0, "twenty": 20, "hundred": 100} {
		w.spent(id, "chat", days, 10, now)
	}
	for args, want := range map[string]struct {
		title string
		bars  int
		sum   string
	}{
		"1": {"Tokens by day", 1, "1 run ·"}, "14": {"Tokens by day", 14, "1 run ·"}, "15": {"Tokens by week", 3, "1 run ·"}, "30": {"Tokens by week", 5, "2 runs ·"},
		"98": {"Tokens by week", 14, "2 runs ·"}, "101": {"Tokens by month", 0, "3 runs ·"},
	} {
		got := w.order(bot.Invocation{Name: "usage", Args: args, Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U9", Admin: true}})
		_, after, _ := strings.Cut(got, "```\n")
		lines, _, _ := strings.Cut(after, "```")
		drawn := 0
		for line := range strings.Lines(lines) {
			if strings.Contains(line, "█") {
				drawn++
			}
		}
		if n := strings.Count(lines, "\n"); want.bars > 0 && n != want.bars {
			t.Errorf("usage %s has %d bars, want %d:\n%s", args, n, want.bars, got)
		}
		if !strings.Contains(got, want.title) || !strings.Contains(got, want.sum) || want.bars > 0 && drawn != int(want.sum[0]-'0') {
			t.Errorf("usage %s: want %q and %q with a bar for each\n%s", args, want.title, want.sum, got)
		}
		if !strings.Contains(got, "2.0 s of work on average") {
			t.Errorf("usage %s counts what was waited:\n%s", args, got)
		}
	}
}

// TestUsageTellsFeedback: by agent, also of answers that are rated on a later day.
func TestUsageTellsFeedback(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	w := newWorld(t, nil)
	w.spent("a", "chat", 0, 10, now)
	w.spent("b", "guide", 20, 10, now)
	for run, votes := range map[string][]int{"a": {1, 1, -1}, "b": {-1}} {
		for i, v := range votes {
			if _, _, err := w.store.Rate(w.ctx, w.platform.Thread("C1", run).Key(), run, string(rune('x'+i)), v); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := w.order(bot.Invocation{Name: "usage", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U9", Admin: true}})
	for _, want := range []string{"👍 2 · 👎 2", "`chat` 1 (👍 2 👎 1)", "`guide` 0 (👎 1)"} {
		if !strings.Contains(strings.ReplaceAll(got, "👍 0 ", ""), want) {
			t.Errorf("usage lacks %q:\n%s", want, got)
		}
	}
	got = w.order(bot.Invocation{Name: "usage", Thread: bot.Thread{Platform: "test", Team: "T2", Channel: "C1"}, User: bot.User{ID: "U9", Admin: true}})
	if strings.Contains(got, "👍") {
		t.Errorf("another workspace sees the feedback:\n%s", got)
	}
	var csv strings.Builder
	rows, err := bot.ReadUsage(context.Background(), w.store, bot.UsageQuery{}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if err := bot.WriteUsage(&csv, rows); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(csv.String(), ",cost,up,down\n") || !strings.Contains(csv.String(), ",U1,chat,1,0,2.0,1,10,0,0,0.000000,2,1\n") {
		t.Errorf("CSV:\n%s", csv.String())
	}
}

// TestWaitingIsNotWork: a run that a person decided after an hour has worked for
// as long as it took before and after.
func TestWaitingIsNotWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventModelCall, Name: "plan", Usage: &agent.Usage{Calls: 1, Input: 3}})
		return asking(ctx, req, sink)
	})
	w.stop()
	var ahead atomic.Int64
	w.change = func(c *bot.Config) { c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) } }
	w.start()
	m := w.say("do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	ahead.Store(int64(time.Hour))
	w.act(bot.Action{ID: card.Buttons[0].ID, Verb: "accept", Thread: m.Thread, User: bot.User{ID: m.User.ID}})
	w.settled()
	runs, err := w.store.RunsOf(w.ctx, m.Thread.Key(), 1)
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %+v, %v", runs, err)
	}
	if r := runs[0]; r.Status != "done" || r.Worked <= 0 || r.Worked > 30*time.Minute || r.Ended.Sub(r.Started) < time.Hour {
		t.Errorf("run %s worked %s of %s", r.Status, r.Worked, r.Ended.Sub(r.Started))
	}
}
