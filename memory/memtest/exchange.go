package memtest

import (
	"testing"
	"time"

	"maru/bot"
	"maru/bot/exchange"
)

// exchanges returns the part of a record that keeps prompts and replies: every record has it.
func exchanges(t *testing.T, r bot.Record) exchange.Store {
	t.Helper()
	s, ok := r.(exchange.Store)
	if !ok {
		t.Fatalf("%T keeps no exchanges", r)
	}
	return s
}

// asked stores a question of a person in threadA, the run that answered it, and one exchange of that run.
func asked(t *testing.T, r bot.Record, id, user string, at time.Time) bot.Item {
	t.Helper()
	it := message(t, threadA, id, "what is the launch day?")
	it.Entry.User, it.Entry.At = user, at
	put(t, r, it)
	run := "r" + id
	noErr(t, "save run", r.SaveRun(t.Context(), bot.Run{ID: run, Thread: threadA.Key(), User: user, Agent: "chat", Started: at, Ended: at}))
	noErr(t, "save exchange", exchanges(t, r).SaveExchanges(t.Context(), run, threadA.Key(), at, []exchange.Row{{ID: "c1", Body: []byte("prompt " + id)}}))
	return it
}

// kept counts the exchanges of runs.
func kept(t *testing.T, r bot.Record, runs ...string) int {
	t.Helper()
	n := 0
	for _, run := range runs {
		list, err := exchanges(t, r).Exchanges(t.Context(), run)
		noErr(t, "exchanges", err)
		n += len(list)
	}
	return n
}

var exchangeCases = map[string]func(*testing.T, bot.Record){
	"a_run_is_saved_with_its_exchanges": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "1", "what is the launch day?"))
		s, run := exchanges(t, r), bot.Run{ID: "r1", Thread: threadA.Key(), User: "U1", Agent: "chat", Status: bot.RunDone, Started: dueAt, Ended: dueAt, Day: "2026-11-21", Usage: []byte(`{"calls":1}`), Trace: []byte(`[{}]`)}
		for _, rows := range [][]exchange.Row{{{ID: "c1", Body: []byte("prompt")}}, {{ID: "c1", Body: []byte("other")}, {ID: "c2", Body: []byte("second")}}} {
			noErr(t, "save", s.SaveRunWith(t.Context(), run, dueAt, rows))
		}
		equal(t, "exchanges", kept(t, r, "r1"), 2)
		got, err := r.RunByID(t.Context(), "r1")
		noErr(t, "read", err)
		equal(t, "status", got.Status, bot.RunDone)
		used, err := r.Usage(t.Context(), bot.UsageQuery{From: run.Day, To: run.Day})
		noErr(t, "usage", err)
		equal(t, "sums", len(used), 1)
		equal(t, "runs counted", used[0].Runs, 1)
	},
	"an_exchange_is_kept_once": func(t *testing.T, r bot.Record) {
		asked(t, r, "1", "U1", dueAt)
		s := exchanges(t, r)
		noErr(t, "save again", s.SaveExchanges(t.Context(), "r1", threadA.Key(), dueAt, []exchange.Row{{ID: "c1", Body: []byte("other")}, {ID: "c2", Body: []byte("\x00\xff")}}))
		list, err := s.Exchanges(t.Context(), "r1")
		noErr(t, "list", err)
		equal(t, "exchanges", len(list), 2)
		for _, e := range list {
			if want := map[string]string{"c1": "prompt 1", "c2": "\x00\xff"}[e.ID]; string(e.Body) != want {
				t.Errorf("%s has %q, want %q", e.ID, e.Body, want)
			}
		}
	},
	"none_is_kept_of_a_run_that_is_not": func(t *testing.T, r bot.Record) {
		asked(t, r, "1", "U1", dueAt)
		rows := []exchange.Row{{ID: "c9", Body: []byte("prompt")}}
		noErr(t, "save", exchanges(t, r).SaveExchanges(t.Context(), "unknown", threadA.Key(), dueAt, rows))
		noErr(t, "save", exchanges(t, r).SaveExchanges(t.Context(), "r1", threadB.Key(), dueAt, rows))
		equal(t, "exchanges", kept(t, r, "unknown", "r1"), 1)
	},
	"old_ones_are_pruned": func(t *testing.T, r bot.Record) {
		asked(t, r, "1", "U1", dueAt)
		asked(t, r, "2", "U1", dueAt.Add(time.Hour))
		n, err := exchanges(t, r).PruneExchanges(t.Context(), dueAt.Add(time.Minute))
		noErr(t, "prune", err)
		equal(t, "pruned", n, 1)
		equal(t, "old", kept(t, r, "r1"), 0)
		equal(t, "new", kept(t, r, "r2"), 1)
	},
	"they_go_with_what_they_may_quote": func(t *testing.T, r bot.Record) {
		for name, do := range map[string]func(t *testing.T, it bot.Item) error{
			"edit": func(t *testing.T, it bot.Item) error {
				return amend(t, r, it.Thread, it.ID, "new words", false)
			},
			"delete":   func(t *testing.T, it bot.Item) error { return amend(t, r, it.Thread, it.ID, "", true) },
			"withdraw": func(t *testing.T, it bot.Item) error { _, err := r.Withdraw(t.Context(), it.Thread, "U1"); return err },
			"forget":   func(t *testing.T, it bot.Item) error { return r.Forget(t.Context(), it.Thread) },
			"drop":     func(t *testing.T, it bot.Item) error { return exchanges(t, r).DropExchanges(t.Context(), it.Thread) },
		} {
			it := asked(t, r, "1"+name, "U1", time.Now())
			asked(t, r, "2"+name, "U2", time.Now())
			equal(t, "before "+name, kept(t, r, "r1"+name, "r2"+name), 2)
			noErr(t, name, do(t, it))
			equal(t, "after "+name, kept(t, r, "r1"+name, "r2"+name), 0)
		}
	},
	"they_expire_with_a_message_of_their_thread": func(t *testing.T, r bot.Record) {
		old := asked(t, r, "1", "U1", daysAgo(9))
		asked(t, r, "2", "U2", time.Now())
		l := claim(t, r, threadA.Key())
		finish(t, r, l, next(t, r, l).ID, bot.Outcome{})
		n, err := r.Expire(t.Context(), l, "", daysAgo(5))
		noErr(t, "expire", err)
		if n != 1 {
			t.Fatalf("%d expired, %s among them", n, old.ID)
		}
		equal(t, "exchanges", kept(t, r, "r1", "r2"), 0)
	},
}
