package memtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/overview"
)

// lists returns the part of a record that lists runs and questions of all threads: every record has it.
func lists(t *testing.T, r bot.Record) overview.Store {
	t.Helper()
	s, ok := r.(overview.Store)
	if !ok {
		t.Fatalf("%T lists no runs", r)
	}
	return s
}

// The threads of the lists: a channel's, one in another workspace, a private one, and the console's own.
var (
	listedThreads = []bot.Thread{
		threadA, other,
		{Platform: "slack", Team: "T1", Channel: "D1", ID: "9", Direct: true},
		{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true},
	}
	ranFrom = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
)

// ran stores a run in each of the threads, an hour apart: r0 is the oldest.
func ran(t *testing.T, r bot.Record) overview.Store {
	t.Helper()
	for i, th := range listedThreads {
		put(t, r, message(t, th, fmt.Sprint("m", i), "hello"))
		noErr(t, "save", r.SaveRun(t.Context(), bot.Run{
			ID: fmt.Sprint("r", i), Thread: th.Key(), Agent: []string{"chat", "guide"}[i%2], User: "U1", Status: []string{bot.RunDone, bot.RunWaiting}[i%2],
			Started: ranFrom.Add(time.Duration(i) * time.Hour), Ended: ranFrom.Add(time.Duration(i)*time.Hour + time.Minute), Worked: time.Second,
			Usage: json.RawMessage(`{"calls":2,"input":30,"output":4,"cost":0.5}`), Trace: json.RawMessage(`[]`),
		}))
	}
	return lists(t, r)
}

func listed(t *testing.T, s overview.Store, q overview.RunQuery) []string {
	t.Helper()
	list, err := s.ListRuns(t.Context(), q)
	noErr(t, "list runs", err)
	var out []string
	for _, v := range list {
		out = append(out, v.ID)
	}
	return out
}

var overviewCases = map[string]func(*testing.T, bot.Record){
	"a_listed_run_has_its_thread_person_and_cost": func(t *testing.T, r bot.Record) {
		list, err := ran(t, r).ListRuns(t.Context(), overview.RunQuery{Team: "slack/T2"})
		noErr(t, "list runs", err)
		if len(list) != 1 {
			t.Fatalf("runs %+v", list)
		}
		v := list[0]
		if v.ID != "r1" || v.Thread != other || v.Agent != "guide" || v.User != "U1" || v.Name != "철수" || v.Status != bot.RunWaiting ||
			v.Worked != time.Second || v.Usage.Calls != 2 || v.Usage.Input != 30 || v.Usage.Cost != 0.5 {
			t.Errorf("run %+v", v)
		}
		sameTime(t, "started", v.Started, ranFrom.Add(time.Hour))
		sameTime(t, "ended", v.Ended, ranFrom.Add(time.Hour+time.Minute))
	},
	"runs_are_filtered_and_private_ones_left_out": func(t *testing.T, r bot.Record) {
		s := ran(t, r)
		for name, c := range map[string]struct {
			q    overview.RunQuery
			want []string
		}{
			"all":             {overview.RunQuery{}, []string{"r1", "r0"}},
			"with_my_own":     {overview.RunQuery{Own: "web/local"}, []string{"r3", "r1", "r0"}},
			"own_by_its_name": {overview.RunQuery{Own: "web/loc"}, []string{"r1", "r0"}},
			"agent":           {overview.RunQuery{Agent: "chat"}, []string{"r0"}},
			"status":          {overview.RunQuery{Status: bot.RunWaiting}, []string{"r1"}},
			"team":            {overview.RunQuery{Team: "slack/T1"}, []string{"r0"}},
			"channel":         {overview.RunQuery{Channel: "C1"}, []string{"r1", "r0"}},
			"person":          {overview.RunQuery{User: "U2"}, nil},
			"from":            {overview.RunQuery{From: ranFrom.Add(time.Hour)}, []string{"r1"}},
			"to":              {overview.RunQuery{To: ranFrom.Add(time.Hour)}, []string{"r0"}},
			"limit":           {overview.RunQuery{Limit: 1}, []string{"r1"}},
			"next_page":       {overview.RunQuery{Before: overview.Cursor{Started: ranFrom.Add(time.Hour), ID: "r1"}}, []string{"r0"}},
		} {
			if got := listed(t, s, c.q); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	},
	"a_forgotten_thread_is_not_listed": func(t *testing.T, r bot.Record) {
		s := ran(t, r)
		noErr(t, "forget", r.Forget(t.Context(), threadA.Key()))
		if got := listed(t, s, overview.RunQuery{}); !slices.Equal(got, []string{"r1"}) {
			t.Errorf("runs %q", got)
		}
		for _, c := range []struct {
			thread bot.Thread
			want   bool
		}{{threadA, true}, {other, false}, {listedThreads[2], true}} {
			private, err := s.Private(t.Context(), c.thread.Key())
			noErr(t, "private", err)
			equal(t, "private "+c.thread.Key(), private, c.want)
		}
	},
	"channels_of_direct_conversations": func(t *testing.T, r bot.Record) {
		list, err := ran(t, r).Direct(t.Context())
		noErr(t, "direct", err)
		slices.Sort(list)
		if !slices.Equal(list, []string{"slack/T1/D1", "web/local/home"}) {
			t.Errorf("channels %q", list)
		}
	},
	"people_are_listed_by_their_newest_run": func(t *testing.T, r bot.Record) {
		s := ran(t, r)
		list, err := s.People(t.Context(), 10)
		noErr(t, "people", err)
		var got []string
		for _, p := range list {
			got = append(got, fmt.Sprintf("%s/%s %s %s %d", p.Platform, p.Team, p.User, p.Name, p.Runs))
		}
		if want := []string{"web/local U1 철수 1", "slack/T1 U1 철수 2", "slack/T2 U1 철수 1"}; !slices.Equal(got, want) {
			t.Errorf("people %q, want %q", got, want)
		}
		sameTime(t, "last", list[1].Last, ranFrom.Add(2*time.Hour))
		list, err = s.People(t.Context(), 1)
		noErr(t, "people", err)
		equal(t, "bounded", len(list), 1)
		_, err = r.Withdraw(t.Context(), other.Key(), "U1")
		noErr(t, "withdraw", err)
		list, err = s.People(t.Context(), 10)
		noErr(t, "people", err)
		equal(t, "without the forgotten", len(list), 2)
	},
	"open_questions_are_listed_with_their_thread": func(t *testing.T, r bot.Record) {
		now := time.Now()
		ask(t, r, "a1", now.Add(time.Hour))
		private := listedThreads[2]
		put(t, r, message(t, private, "1", "mine"))
		noErr(t, "create approval", r.CreateApproval(t.Context(), claim(t, r, private.Key()), bot.Approval{ID: "a2", Run: "run2", Expires: now.Add(time.Hour)}))
		s := lists(t, r)
		for name, c := range map[string]struct {
			own  string
			now  time.Time
			want []string
		}{
			"open": {"", now, []string{"a1"}}, "with_their_own": {"slack/T1", now, []string{"a1", "a2"}}, "over": {"", now.Add(2 * time.Hour), nil},
		} {
			list, err := s.ListQuestions(t.Context(), c.own, c.now, 10)
			noErr(t, "list questions", err)
			var got []string
			for _, q := range list {
				got = append(got, q.ID)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
		_, err := r.Decide(t.Context(), bot.Vote{Approval: "a1", By: "U1", Decision: json.RawMessage(`"yes"`)})
		noErr(t, "decide", err)
		list, err := s.ListQuestions(t.Context(), "", now, 10)
		noErr(t, "list questions", err)
		equal(t, "questions after the decision", len(list), 0)
	},
}
