package parking_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/parking"
	"maru/config"
)

// TestRule lets processes die with items in hand and asks after each death which are parked by then.
func TestRule(t *testing.T) {
	t.Parallel()
	type step struct {
		held    string // the items in hand when a process dies, one letter each
		further string // items that get further before
		wait    time.Duration
		parks   string // items that are parked from then on
	}
	for name, list := range map[string][]step{
		"alone_at_the_second":             {{held: "a"}, {held: "a", parks: "a"}},
		"far_apart":                       {{held: "a"}, {held: "a", wait: time.Hour, parks: "a"}},
		"once_in_company_at_the_third":    {{held: "ab"}, {held: "a"}, {held: "a", parks: "a"}},
		"always_in_company_at_the_fourth": {{held: "abc"}, {held: "ab", further: "b"}, {held: "ad"}, {held: "ae", parks: "a"}},
		"rarely_in_company_at_the_third":  {{held: "ab"}, {held: "ac", wait: time.Hour}, {held: "ad", wait: time.Hour, parks: "a"}},
		"further_is_innocent":             {{held: "a"}, {held: "a", further: "a"}, {held: "a", further: "a"}, {held: "a", wait: time.Hour, parks: "a"}},
		"deaths_without_it_speak_for_it":  {{held: "a"}, {held: "b"}, {held: "a"}, {held: "a", parks: "a"}},
		"deaths_long_ago_do_not":          {{held: "b"}, {held: "a", wait: time.Hour}, {held: "a", parks: "a"}},
		"a_set_one_by_one":                {{held: "ab"}, {held: "ab"}, {held: "ab"}, {held: "ab", parks: "a"}, {held: "b"}, {held: "b", parks: "b"}},
		"a_storm_with_progress":           {{held: "abc"}, {held: "abc", further: "a"}, {held: "abc", further: "b"}, {held: "abc", further: "ac"}, {held: "abc", further: "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
			steps := map[rune]int64{}
			for n, s := range list {
				for _, it := range s.further {
					steps[it]++
				}
				r.clock, r.held = r.clock.Add(time.Second+s.wait), nil
				for i, it := range s.held {
					r.held = append(r.held, parking.Held{Owner: fmt.Sprint("process", n), Thread: string(it), Token: int64(10*n + i), Item: string(it), Lapsed: true, Steps: steps[it]})
				}
				next := r.process("next")
				for range 2 { // a second look finds nothing new
					next.Look(t.Context())
				}
				got := ""
				for _, it := range s.held {
					parks, err := next.Parks(t.Context(), bot.Item{ID: string(it), Attempts: n + 1})
					if err != nil {
						t.Fatal(err)
					}
					if parks {
						got += string(it)
					}
				}
				if got != s.parks {
					t.Fatalf("after death %d %q are parked, want %q", n+1, got, s.parks)
				}
			}
		})
	}
}

// TestNoDeath lets leases run out without a death.
func TestNoDeath(t *testing.T) {
	t.Parallel()
	item := bot.Item{ID: "a", Attempts: 3}
	parks := func(t *testing.T, d *parking.Deaths) bool {
		t.Helper()
		ok, err := d.Parks(t.Context(), item)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	t.Run("of_its_own", func(t *testing.T) {
		t.Parallel()
		r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
		d := r.process("me")
		for token := range int64(3) {
			r.held = []parking.Held{{Owner: "me", Token: token, Item: "a", Lapsed: true}}
			d.Look(t.Context())
		}
		if parks(t, d) {
			t.Error("parked for leases of a process that lives")
		}
	})
	t.Run("that_still_holds", func(t *testing.T) {
		t.Parallel()
		r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
		d := r.process("me")
		for token := range int64(3) {
			r.held = []parking.Held{{Owner: fmt.Sprint(token), Token: token, Item: "a"}}
			d.Look(t.Context())
		}
		if parks(t, d) {
			t.Error("parked for leases that hold")
		}
	})
	t.Run("taken_back_after_a_long_outage", func(t *testing.T) {
		t.Parallel()
		r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
		me := r.process("me")
		for token := range int64(4) {
			me.Survived()
			r.away = errors.New("the database is away")
			for range 10 {
				r.clock = r.clock.Add(time.Minute)
				me.Look(t.Context())
			}
			r.away, r.held = nil, []parking.Held{{Owner: "me", Token: token, Item: "a", Lapsed: true}}
			other := r.process("other")
			other.Look(t.Context())
			r.held, r.clock = nil, r.clock.Add(time.Minute)
			me.Look(t.Context())
			if parks(t, other) || r.notes["deaths"] != "" {
				t.Fatalf("a death counts after outage %d: %s", token+1, r.notes["deaths"])
			}
		}
	})
	t.Run("taken_back", func(t *testing.T) {
		t.Parallel()
		r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
		for token := range int64(4) { // an outage: each of two replicas takes the other for dead
			me, other := r.process(fmt.Sprint("me", token%2)), r.process(fmt.Sprint("me", (token+1)%2))
			r.held = []parking.Held{{Owner: other.Owner, Token: token, Item: "a", Lapsed: true}}
			me.Look(t.Context())
			r.held = nil
			other.Survived()
			other.Look(t.Context())
			if parks(t, me) {
				t.Fatalf("parked after %d outages", token+1)
			}
		}
	})
}

// TestJobs parks a job at the third death in a row.
func TestJobs(t *testing.T) {
	t.Parallel()
	r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
	j := bot.Job{ID: "files/r1", Attempts: 1, Lapsed: true}
	died := func(want bool) {
		t.Helper()
		got, err := r.process("next").JobDied(t.Context(), j)
		if err != nil || got != want {
			t.Fatalf("parked: %v, %v; want %v", got, err, want)
		}
	}
	died(false)
	died(false)
	r.process("one").JobReturned(t.Context(), j, true) // it failed, and the process lived
	died(false)
	died(false)
	lives := r.process("another")
	lives.JobReturned(t.Context(), j, false) // the record was away: no death
	if got, err := lives.JobDied(t.Context(), j); err != nil || got {
		t.Fatalf("parked for a record that was away: %v, %v", got, err)
	}
	died(true)
}

// TestAJobBesideADeadlyItem: an item that kills processes is parked before a job that they had in hand, too, and that
// explains those deaths. A job that kills them itself is parked in the end.
func TestAJobBesideADeadlyItem(t *testing.T) {
	t.Parallel()
	r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
	j := bot.Job{ID: "files/r1", Attempts: 1, Lapsed: true}
	for n := 1; n <= 6; n++ {
		owner := fmt.Sprint("process", n)
		r.clock = r.clock.Add(time.Second)
		r.held = []parking.Held{{Owner: owner, Token: int64(2 * n), Item: "a", Lapsed: true}, {Owner: owner, Token: int64(2*n + 1), Item: fmt.Sprint("b", n), Lapsed: true}}
		if n > 4 {
			r.held = nil // the deadly item rests
		}
		next := r.process("next")
		next.Look(t.Context())
		item, err := next.Parks(t.Context(), bot.Item{ID: "a", Attempts: n})
		if err != nil || n <= 4 && item != (n == 4) {
			t.Fatalf("death %d: the item is parked: %v, %v", n, item, err)
		}
		if job, err := next.JobDied(t.Context(), j); err != nil || job != (n == 6) {
			t.Fatalf("death %d: the job is parked: %v, %v", n, job, err)
		}
	}
}

// TestRetriedIsParkedAnew: the deaths for which an item was parked speak neither for nor against it once it is retried.
func TestRetriedIsParkedAnew(t *testing.T) {
	t.Parallel()
	r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
	p := parking.New(parking.Config{Store: r, Notes: r, Log: slog.New(slog.DiscardHandler)})
	for n := range 4 {
		r.clock, r.held = r.clock.Add(time.Second), []parking.Held{{Owner: fmt.Sprint("process", n), Token: int64(n), Item: "a", Lapsed: true}}
		next := r.process("next")
		next.Look(t.Context())
		for range 2 { // the second time after it could not be parked at once
			if got, err := next.Parks(t.Context(), bot.Item{ID: "a", Attempts: n + 1}); err != nil || got != (n%2 == 1) {
				t.Fatalf("death %d: parked: %v, %v", n+1, got, err)
			}
		}
		if n == 1 {
			if _, err := p.Retry(t.Context(), parking.Item{ID: "a"}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestResting: items rest in their thread for every process until they are finished, also while a retried one is pending.
// Where nothing ever rested no message costs a look at the record.
func TestResting(t *testing.T) {
	t.Parallel()
	r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
	one, two := r.process("one"), r.process("two")
	resting := func(d *parking.Deaths, want ...string) {
		t.Helper()
		if got, err := d.Resting(t.Context(), "t"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q rest, %v; want %q", got, err, want)
		}
	}
	one.Look(t.Context())
	two.Look(t.Context())
	r.away = errors.New("asked for a message where nothing rests")
	resting(one)
	r.away = nil
	for _, item := range []string{"a", "b", "a"} {
		if err := one.Rested(t.Context(), "t", item); err != nil {
			t.Fatal(err)
		}
	}
	r.parked = []parking.Item{{ID: "a", Thread: "t"}, {ID: "b", Thread: "t"}}
	resting(one, "a", "b")
	two.Look(t.Context())
	resting(two, "a", "b")
	resting(r.process("three"), "a", "b")
	r.parked = r.parked[1:] // its message is deleted
	resting(one, "b")
	if _, err := parking.New(parking.Config{Store: r, Notes: r, Log: slog.New(slog.DiscardHandler)}).Retry(t.Context(), r.parked[0]); err != nil {
		t.Fatal(err)
	}
	resting(two, "b")
	r.again = nil // finished
	resting(two)
	if r.notes["resting/t"] != "" {
		t.Error("the note stays")
	}
}

// members may retry in their thread; nobody is an admin.
type members struct{ retried []string }

func (*members) May(bot.Thread, bot.User, config.Role) bool { return false }
func (*members) ZoneOf(bot.User) *time.Location             { return time.UTC }
func (m *members) Audit(_ context.Context, _ bot.Thread, _ bot.User, what string, detail map[string]any) {
	m.retried = append(m.retried, fmt.Sprint(what, " ", detail["job"]))
}

// TestJobsOfOthersHideNone: a thread's parked job is retried although hundreds of older ones are parked elsewhere.
func TestJobsOfOthersHideNone(t *testing.T) {
	t.Parallel()
	r, rules, in := &record{notes: map[string]string{}}, &members{}, bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	for i := range 300 {
		r.jobs = append(r.jobs, bot.Job{ID: fmt.Sprintf("files/other%d", i)})
	}
	r.jobs = append(r.jobs, bot.Job{ID: "files/ours"})
	p := parking.New(parking.Config{Store: r, Notes: r, Rules: rules, Wake: func(string) {}, Log: slog.New(slog.DiscardHandler), Thread: func(_ context.Context, run string) (string, error) {
		if run == "ours" {
			return in.Key(), nil
		}
		return "slack/T2/C9/" + run, nil
	}})
	card, err := p.Command(t.Context(), bot.Invocation{Thread: in, User: bot.User{ID: "U1"}}, "en")
	if err != nil || !strings.Contains(card.Text, "1") || !slices.Equal(rules.retried, []string{"job.retry files/ours"}) {
		t.Errorf("%+v, %v, retried %v", card, err, rules.retried)
	}
}

// TestAnEarlyClickIsNotLost: a click on a notice whose item is not parked yet counts, whoever dies and whenever the commit
// comes; once the item is tried again it is spent.
func TestAnEarlyClickIsNotLost(t *testing.T) {
	t.Parallel()
	in := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	about := func(t *testing.T) (r *record, click func(want string)) {
		t.Helper()
		r = &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
		for n := range 2 {
			r.clock, r.held = r.clock.Add(time.Second), []parking.Held{{Owner: fmt.Sprint("process", n), Thread: in.Key(), Token: int64(n), Item: "a", Lapsed: true}}
			r.process("next").Look(t.Context())
		}
		r.held = []parking.Held{{Owner: "next", Thread: in.Key(), Token: 3, Item: "a"}}
		p := parking.New(parking.Config{Store: r, Notes: r, Rules: &members{}, Log: slog.New(slog.DiscardHandler)})
		return r, func(want string) {
			t.Helper()
			ans, err := p.Action(t.Context(), bot.Action{ID: parking.Notice("a", "en").Buttons[0].ID, Thread: in, User: bot.User{ID: "U1"}}, "en")
			if err != nil || !strings.Contains(ans.Card.Text, want) {
				t.Fatalf("%+v, %v", ans.Card, err)
			}
		}
	}
	t.Run("of_a_process_that_dies_after_the_commit", func(t *testing.T) {
		t.Parallel()
		r, click := about(t)
		click("1")
		next := r.process("another")
		next.Look(t.Context()) // the commit has not come yet
		if len(r.again) > 0 {
			t.Fatal("retried before it is parked")
		}
		r.held, r.parked = nil, []parking.Item{{ID: "a", Thread: in.Key()}}
		for range 2 {
			next.Look(t.Context())
		}
		if !slices.Equal(r.again, []string{"a"}) || r.notes["retry/a"]+r.notes["retries"] != "" {
			t.Errorf("retried: %q; notes %q", r.again, r.notes)
		}
	})
	t.Run("while_the_commit_comes", func(t *testing.T) {
		t.Parallel()
		r, click := about(t)
		r.late = true
		click("1")
		if !slices.Equal(r.again, []string{"a"}) {
			t.Errorf("retried: %q", r.again)
		}
	})
	t.Run("spent_by_another_try", func(t *testing.T) {
		t.Parallel()
		r, click := about(t)
		click("1")
		r.notes["deaths"] = "" // its processes had not died
		next := r.process("another")
		if parks, err := next.Parks(t.Context(), bot.Item{ID: "a", Attempts: 3}); err != nil || parks || r.notes["retry/a"] != "" {
			t.Errorf("parks: %v, %v; noted %q", parks, err, r.notes["retry/a"])
		}
		r.held = nil // it is answered
		next.Look(t.Context())
		if r.notes["retries"] != "" || len(r.again) > 0 {
			t.Errorf("retried: %q; notes %q", r.again, r.notes)
		}
	})
}

// TestProcessesShareNotes: processes note items that rest in one thread at once, and none is lost.
func TestProcessesShareNotes(t *testing.T) {
	t.Parallel()
	const n = 6
	r := &record{notes: map[string]string{}, clock: time.Unix(1_800_000_000, 0)}
	left, all := n, make(chan struct{})
	r.meet = func() {
		r.mu.Lock()
		if left--; left == 0 {
			close(all)
		}
		r.mu.Unlock()
		<-all
	}
	var done sync.WaitGroup
	for i := range n {
		item := fmt.Sprint("item", i)
		r.parked = append(r.parked, parking.Item{ID: item})
		done.Go(func() {
			if err := r.process(item).Rested(t.Context(), "thread", item); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if rest, err := r.process("next").Resting(t.Context(), "thread"); err != nil || len(rest) != n {
		t.Errorf("%q rest, %v; want all %d", rest, err, n)
	}
}
