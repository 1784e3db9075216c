package bot_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/service"
	"maru/phrase/when"
)

// folder is a team's workflows with triggers, which a test changes.
type folder struct {
	mu   sync.Mutex
	list map[string][]calendar.Trigger
}

func (f *folder) all() map[string][]calendar.Trigger {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.list
}

func (f *folder) put(list map[string][]calendar.Trigger) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = list
}

func trigger(cron, input string) map[string][]calendar.Trigger {
	return map[string][]calendar.Trigger{"chat": {{
		Workflow: "chat", Name: "Weekly", ID: "monday", Owner: "fake/T1/U7", Rule: when.Rule{Cron: cron}, Zone: "Asia/Seoul", Input: input,
	}}}
}

// triggered returns a bot with a workflow that runs on Mondays at 9 in Seoul.
func triggered(t *testing.T) (*world, *hands, *folder) {
	t.Helper()
	w, h := scheduled(t)
	f := &folder{list: trigger("0 9 * * 1", "sum the week up")}
	w.stop()
	w.change = func(c *service.Config) { c.Poll, c.Workflows = 10*time.Millisecond, f.all }
	w.start()
	return w, h, f
}

func TestTriggerRunsWhereItIsEnabled(t *testing.T) {
	t.Parallel()
	w, h, _ := triggered(t)
	in := w.platform.Thread("C1", "t1")
	if got := h.command(t, w, "U1", "enable", in).Text; !strings.Contains(got, "`chat/monday` **every Monday at 9:00 am**: sum the week up") {
		t.Errorf("what can be enabled: %q", got)
	}
	if got := h.command(t, w, "U1", "enable chat", in).Text; !strings.Contains(got, "Only an admin of this channel or the owner") {
		t.Errorf("a member enabled it: %q", got)
	}
	for range 2 { // a second time changes nothing
		if got := h.command(t, w, "U7", "켜기 chat/monday", in).Text; !strings.Contains(got, "sum the week up") || !strings.Contains(got, "(Asia/Seoul)") {
			t.Errorf("enabled with %q", got)
		}
	}
	h.to(time.Date(2026, 11, 30, 0, 0, 1, 0, time.UTC))
	card := shown(t, w, "echo: sum the week up")
	if !strings.Contains(card.Footer, "U7") || card.Run == "" {
		t.Errorf("footer %q, run %q", card.Footer, card.Run)
	}
	req := w.agent.asked()
	if len(req) != 1 || req[0].User.ID != in.Person(bot.User{ID: "U7"}) || req[0].Thread != w.platform.Thread("C1", "").Key() {
		t.Errorf("asked %+v", req)
	}
	w.until("the trace is kept", func() bool {
		run, err := w.store.RunByID(w.ctx, card.Run)
		return err == nil && run.User == "U7"
	})
	if got := h.command(t, w, "U1", "disable chat", in); strings.Contains(got.Text, "Deleted") {
		t.Error("another member disabled it")
	}
	if got := h.command(t, w, "U7", "disable chat", in).Text; !strings.Contains(got, "sum the week up") {
		t.Errorf("disabled with %q", got)
	}
	rows, err := w.store.SourceSchedules(w.ctx)
	if err != nil || len(rows) != 0 {
		t.Errorf("%d rows are left, %v", len(rows), err)
	}
}

// TestTriggerFollowsItsFile changes, breaks and removes the workflow of an enabled trigger.
func TestTriggerFollowsItsFile(t *testing.T) {
	t.Parallel()
	row := func(w *world) calendar.Row {
		rows, err := w.store.SourceSchedules(w.ctx)
		if err != nil || len(rows) != 1 {
			w.t.Fatalf("%d rows, %v", len(rows), err)
		}
		return rows[0]
	}
	monday := time.Date(2026, 11, 30, 0, 0, 1, 0, time.UTC)
	for _, c := range []struct {
		name  string
		after map[string][]calendar.Trigger
		when  func(w *world) bool
		at    time.Time
		want  string
		state calendar.State
	}{
		{"another_time_and_input", trigger("30 10 * * 1", "sum it up again"), func(w *world) bool { return row(w).Due.Equal(time.Date(2026, 11, 30, 1, 30, 0, 0, time.UTC)) },
			time.Date(2026, 11, 30, 1, 30, 1, 0, time.UTC), "echo: sum it up again", calendar.Active},
		{"a_broken_file_skips", map[string][]calendar.Trigger{}, func(*world) bool { return true }, monday, "the workflow chat isn't available", calendar.Active},
		{"no_trigger_any_more", map[string][]calendar.Trigger{"chat": nil}, func(w *world) bool { return row(w).State == calendar.Paused }, monday, "", calendar.Paused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, h, f := triggered(t)
			in := w.platform.Thread("C1", "t1")
			h.command(t, w, "U7", "enable chat", in)
			f.put(c.after)
			waitUntil(t, "the row of the new file", func() bool { return c.when(w) })
			h.to(c.at)
			if c.want != "" {
				shown(t, w, c.want)
			}
			if got := row(w); got.State != c.state || c.state == calendar.Paused && !strings.Contains(got.Why, "chat") {
				t.Errorf("the row is %+v", got)
			}
		})
	}
}
