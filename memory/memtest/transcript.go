package memtest

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
)

var transcriptCases = map[string]func(*testing.T, bot.Record){
	"known_from_the_first_message_on": func(t *testing.T, r bot.Record) {
		known := func(want bool) {
			t.Helper()
			got, err := r.Known(t.Context(), threadA.Key())
			noErr(t, "known", err)
			equal(t, "known", got, want)
		}
		known(false)
		put(t, r, message(t, threadA, "100", "hi"))
		known(true)
	},
	"the_last_entries_oldest_first": func(t *testing.T, r bot.Record) {
		base := time.Now()
		for i, s := range []string{"c", "a", "b", "d"} {
			it := message(t, threadA, s, s)
			it.Entry.At = base.Add(time.Duration(s[0]) * time.Second)
			_ = i
			put(t, r, it)
		}
		list, err := r.Transcript(t.Context(), threadA.Key(), 3)
		noErr(t, "transcript", err)
		var got []string
		for _, e := range list {
			got = append(got, e.Text)
		}
		if !slices.Equal(got, []string{"b", "c", "d"}) {
			t.Errorf("transcript %q", got)
		}
		e := list[0]
		if e.ID == "" || e.Thread != threadA.Key() || e.Own || e.Author != "철수" || e.User != "U1" || e.Deleted {
			t.Errorf("entry %+v", e)
		}
		sameTime(t, "at", e.At, base.Add('b'*time.Second))
	},
	"what_people_said_is_read_alone": func(t *testing.T, r bot.Record) {
		s, ok := r.(interface {
			SaidIn(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
		})
		if !ok {
			t.Fatalf("%T does not read what people said", r)
		}
		base := time.Now()
		for i, text := range []string{"one", "two", "", "three", "four"} {
			it := message(t, threadA, strconv.Itoa(i), text)
			it.Entry.At, it.Entry.Own = base.Add(time.Duration(i)*time.Second), text == "two"
			put(t, r, it)
		}
		put(t, r, message(t, threadB, "5", "elsewhere"))
		noErr(t, "delete", amend(t, r, threadA.Key(), message(t, threadA, "3", "").Entry.ID, "", true))
		list, err := s.SaidIn(t.Context(), threadA.Key(), 10)
		noErr(t, "said", err)
		var got []string
		for _, e := range list {
			got = append(got, e.Text)
		}
		if !slices.Equal(got, []string{"one", "four"}) {
			t.Errorf("people said %q", got)
		}
		list, err = s.SaidIn(t.Context(), threadA.Key(), 1)
		noErr(t, "said last", err)
		if len(list) != 1 || list[0].Text != "four" || list[0].User != "U1" || list[0].Sources != nil {
			t.Errorf("last %+v", list)
		}
	},
	"all_of_a_long_thread": func(t *testing.T, r bot.Record) {
		if testing.Short() {
			t.Skip("a bound of a query, and a thousand messages")
		}
		const long = 1100 // more than other lists give at once
		for i := range long {
			id := strconv.Itoa(i)
			put(t, r, message(t, threadA, id, id))
		}
		list, err := r.Transcript(t.Context(), threadA.Key(), 2*long)
		noErr(t, "transcript", err)
		if len(list) != long || list[0].Text != "0" {
			t.Errorf("%d entries of %d", len(list), long)
		}
	},
	"threads_of_a_place_newest_first": func(t *testing.T, r bot.Record) {
		put(t, r, message(t, threadA, "100", "a"))
		put(t, r, message(t, other, "100", "elsewhere"))
		put(t, r, message(t, threadB, "101", "b"))
		dm := bot.Thread{Platform: "slack", Team: "T1", Channel: "D1", Direct: true}
		put(t, r, message(t, dm, "1", "psst"))
		list, err := r.Threads(t.Context(), "slack", "T1", "C1", 10)
		noErr(t, "threads", err)
		if len(list) != 2 || list[0].Thread != threadB || list[1].Thread != threadA {
			t.Errorf("threads %+v", list)
		}
		if list[0].Created.IsZero() || list[0].Updated.Before(list[0].Created) {
			t.Errorf("times %+v", list[0])
		}
		list, err = r.Threads(t.Context(), "slack", "T1", "D1", 10)
		noErr(t, "threads", err)
		if len(list) != 1 || list[0].Thread != dm {
			t.Errorf("direct threads %+v, want %+v", list, dm)
		}
		list, err = r.Threads(t.Context(), "slack", "T1", "C1", 1)
		noErr(t, "threads", err)
		equal(t, "limited", len(list), 1)
	},
	"amend_changes_and_deletes_text": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		it := message(t, threadA, "100", "전화번호는 010")
		put(t, r, it)
		noErr(t, "amend", amend(t, r, it.Thread, it.ID, "번호는 비밀", false))
		if got := texts(t, r, it.Thread); !slices.Equal(got, []string{"번호는 비밀"}) {
			t.Errorf("after the edit: %q", got)
		}
		noErr(t, "amend", amend(t, r, it.Thread, it.ID, "ignored", true))
		noErr(t, "amend after deletion", amend(t, r, it.Thread, it.ID, "", true))
		list, err := r.Transcript(ctx, it.Thread, 10)
		noErr(t, "transcript", err)
		if len(list) != 1 || list[0].Text != "" || !list[0].Deleted {
			t.Errorf("after the deletion: %+v", list)
		}
		wantErr(t, "amend of nothing", amend(t, r, it.Thread, "none", "x", false), bot.ErrNotFound)
		wantErr(t, "amend in another thread", amend(t, r, threadB.Key(), it.ID, "x", false), bot.ErrNotFound)
	},
	"a_change_and_its_item_are_one": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		it := message(t, threadA, "100", "first")
		change := func(id string) *bot.Item {
			return &bot.Item{ID: id, Thread: it.Thread, Kind: bot.ItemChange, Order: "100", Body: []byte(`{}`)}
		}
		_, err := r.Amend(ctx, it.Thread, it.ID, bot.Change{Text: "x"}, change("c0"))
		wantErr(t, "change of nothing", err, bot.ErrNotFound)
		put(t, r, it)
		for _, c := range []struct {
			id, text string
			deleted  bool
			fresh    bool
			want     string
		}{
			{"c1", "second", false, true, "second"}, {"c2", "third", false, true, "third"},
			{"c1", "second", false, false, "third"}, {"c2", "", true, false, "third"}, // delivered again
			{"c3", "", true, true, ""},
		} {
			fresh, err := r.Amend(ctx, it.Thread, it.ID, bot.Change{Text: c.text, Deleted: c.deleted}, change(c.id))
			noErr(t, "change", err)
			if got := texts(t, r, it.Thread); fresh != c.fresh || !slices.Equal(got, []string{c.want}) {
				t.Errorf("%s: fresh %v, %q", c.id, fresh, got)
			}
		}
		_, err = r.Amend(ctx, it.Thread, it.ID, bot.Change{Text: "secret again"}, change("c4"))
		wantErr(t, "change of a deleted one", err, bot.ErrNotFound)
		l := claim(t, r, it.Thread)
		for _, want := range []string{it.ID, "c1", "c2", "c3"} {
			if got := next(t, r, l); got.ID != want {
				t.Errorf("item %s, want %s", got.ID, want)
			}
			noErr(t, "finish", r.Finish(ctx, l, want, bot.Outcome{}))
		}
		_, ok, err := r.Next(ctx, l)
		noErr(t, "next", err)
		equal(t, "another item", ok, false)
	},
	"one_entry_as_it_is_now": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		it := message(t, threadA, "100", "first words")
		put(t, r, it)
		noErr(t, "amend", amend(t, r, it.Thread, it.ID, "other words", false))
		e, err := r.Entry(ctx, it.Thread, it.ID)
		noErr(t, "entry", err)
		if e.ID != it.ID || e.Thread != it.Thread || e.Text != "other words" || e.Deleted || e.At.IsZero() {
			t.Errorf("entry %+v", e)
		}
		noErr(t, "delete", amend(t, r, it.Thread, it.ID, "", true))
		e, err = r.Entry(ctx, it.Thread, it.ID)
		noErr(t, "deleted entry", err)
		if !e.Deleted || e.Text != "" {
			t.Errorf("deleted entry %+v", e)
		}
		_, err = r.Entry(ctx, it.Thread, "none")
		wantErr(t, "no entry", err, bot.ErrNotFound)
		_, err = r.Entry(ctx, threadB.Key(), it.ID)
		wantErr(t, "in another thread", err, bot.ErrNotFound)
	},
	"a_deleted_text_does_not_come_back_with_an_edit_that_is_late": func(t *testing.T, r bot.Record) {
		it := message(t, threadA, "100", "secret")
		put(t, r, it)
		noErr(t, "delete", amend(t, r, it.Thread, it.ID, "", true))
		_ = amend(t, r, it.Thread, it.ID, "secret again", false)
		if got := texts(t, r, it.Thread); !slices.Equal(got, []string{""}) {
			t.Errorf("transcript %q", got)
		}
	},
	"forget_removes_everything_of_the_thread_and_nothing_else": forget,
}

// forget fills two threads alike and forgets one of them.
func forget(t *testing.T, r bot.Record) {
	ctx := t.Context()
	leases := map[string]bot.Lease{}
	for _, th := range []bot.Thread{threadA, threadB} {
		key := th.Key()
		put(t, r, message(t, th, th.ID+"1", "one"))
		put(t, r, message(t, th, th.ID+"2", "two"))
		l := claim(t, r, key)
		_, _, err := r.Open(ctx, l, bot.Reply{Run: "run" + key})
		noErr(t, "open", err)
		noErr(t, "set ref", r.SetRef(ctx, l, "run"+key, bot.Ref{Thread: th, Messages: []string{"m" + th.ID}}))
		noErr(t, "save run", r.SaveRun(ctx, bot.Run{ID: "run" + key, Thread: key, Started: time.Now()}))
		noErr(t, "approval", r.CreateApproval(ctx, l, bot.Approval{ID: "a" + key, Expires: time.Now().Add(long)}))
		finish(t, r, l, next(t, r, l).ID, bot.Outcome{Title: "title"})
		leases[key] = l
	}
	noErr(t, "forget", r.Forget(ctx, threadA.Key()))
	noErr(t, "forget again", r.Forget(ctx, threadA.Key()))

	key := threadA.Key()
	_, err := r.Reply(ctx, "run"+key)
	wantErr(t, "reply", err, bot.ErrNotFound)
	_, err = r.RunByID(ctx, "run"+key)
	wantErr(t, "run", err, bot.ErrNotFound)
	_, err = r.ApprovalByID(ctx, "a"+key)
	wantErr(t, "approval", err, bot.ErrNotFound)
	known, err := r.Known(ctx, key)
	noErr(t, "known", err)
	equal(t, "known", known, false)
	equal(t, "entries", len(texts(t, r, key)), 0)
	wantErr(t, "late finish", r.Finish(ctx, leases[key], message(t, threadA, threadA.ID+"2", "").ID, bot.Outcome{
		Entry: &bot.Entry{ID: "late", Text: "late"},
	}), bot.ErrFenced)
	equal(t, "entries after the late finish", len(texts(t, r, key)), 0)
	fresh, err := r.Put(ctx, message(t, threadA, threadA.ID+"1", "a late copy"))
	noErr(t, "put", err)
	equal(t, "a late copy is taken", fresh, false)

	n, _, err := r.Pending(ctx, "")
	noErr(t, "pending", err)
	equal(t, "pending of the other thread", n, 1)
	equal(t, "entries of the other thread", len(texts(t, r, threadB.Key())), 2)
	_, err = r.ApprovalByID(ctx, "a"+threadB.Key())
	noErr(t, "approval of the other thread", err)
	_, err = r.Reply(ctx, "run"+threadB.Key())
	noErr(t, "reply of the other thread", err)
	list, err := r.Threads(ctx, "slack", "T1", "C1", 10)
	noErr(t, "threads", err)
	equal(t, "threads", len(list), 1)

	put(t, r, message(t, threadA, "999", "a new beginning"))
	equal(t, "next", next(t, r, claim(t, r, key)).Order, "999")
}

var runCases = map[string]func(*testing.T, bot.Record){
	"a_run_is_saved_and_replaced": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		run := bot.Run{
			ID: "r1", Thread: threadA.Key(), Agent: "chat", User: "slack/T1/U1", Status: "waiting",
			Started: time.Now(), Usage: json.RawMessage(`{"calls":1}`), Trace: json.RawMessage(`[{"kind":"started"}]`),
		}
		noErr(t, "save", r.SaveRun(ctx, run))
		run.Status, run.Ended, run.Trace = "done", time.Now().Add(time.Second), json.RawMessage(`[1,2]`)
		noErr(t, "save", r.SaveRun(ctx, run))
		got, err := r.RunByID(ctx, "r1")
		noErr(t, "run", err)
		if got.Status != "done" || got.Agent != "chat" || got.User != run.User || got.Thread != run.Thread ||
			string(got.Trace) != "[1,2]" || string(got.Usage) != `{"calls":1}` {
			t.Errorf("run %+v", got)
		}
		sameTime(t, "started", got.Started, run.Started)
		sameTime(t, "ended", got.Ended, run.Ended)
		_, err = r.RunByID(ctx, "none")
		wantErr(t, "run", err, bot.ErrNotFound)
	},
	"runs_of_a_thread_newest_first": func(t *testing.T, r bot.Record) {
		for i, id := range []string{"r1", "r2", "r3"} {
			noErr(t, "save", r.SaveRun(t.Context(), bot.Run{ID: id, Thread: threadA.Key(), Started: time.Now().Add(time.Duration(i) * time.Hour)}))
		}
		noErr(t, "save", r.SaveRun(t.Context(), bot.Run{ID: "x", Thread: threadB.Key(), Started: time.Now()}))
		list, err := r.RunsOf(t.Context(), threadA.Key(), 2)
		noErr(t, "runs", err)
		if len(list) != 2 || list[0].ID != "r3" || list[1].ID != "r2" {
			t.Errorf("runs %+v", list)
		}
	},
	"usage_is_summed_once": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		start := time.Now()
		save := func(id, status, day string, th bot.Thread, user string, tokens int) {
			usage, err := json.Marshal(agent.Usage{Calls: 1, Input: tokens, Output: 1, Cost: 0.5})
			noErr(t, "encode", err)
			noErr(t, "save", r.SaveRun(ctx, bot.Run{
				ID: id, Thread: th.Key(), Agent: "chat", User: user, Status: status, Day: day,
				Started: start, Ended: start.Add(time.Hour), Worked: time.Second, Usage: usage, // an hour including its wait
			}))
		}
		save("r1", "waiting", "2026-11-21", threadA, "U1", 10)
		save("r1", "done", "2026-11-21", threadA, "U1", 30) // the part after people decided
		save("r1", "done", "2026-11-21", threadA, "U1", 30)
		save("r2", bot.RunFailed, "2026-11-21", threadA, "U1", 5)
		save("r3", "done", "2026-11-21", threadA, "U2", 7)
		save("r4", "done", "2026-11-22", threadA, "U1", 100)
		save("r5", "done", "2026-11-21", bot.Thread{Platform: "slack", Team: "T2", Channel: threadA.Channel, ID: "1"}, "U1", 1000)
		save("r6", "done", "", threadA, "U1", 10000) // counts nowhere
		got, err := r.Usage(ctx, bot.UsageQuery{Team: threadA.TeamKey(), To: "2026-11-21"})
		noErr(t, "usage", err)
		want := []bot.Used{
			{Day: "2026-11-21", Team: threadA.TeamKey(), Channel: threadA.Channel, User: "U1", Agent: "chat", Runs: 2, Failed: 1,
				Took: 2 * time.Second, Usage: agent.Usage{Calls: 2, Input: 35, Output: 2, Cost: 1}},
			{Day: "2026-11-21", Team: threadA.TeamKey(), Channel: threadA.Channel, User: "U2", Agent: "chat", Runs: 1,
				Took: time.Second, Usage: agent.Usage{Calls: 1, Input: 7, Output: 1, Cost: 0.5}},
		}
		if !slices.Equal(got, want) {
			t.Errorf("usage %+v, want %+v", got, want)
		}
		for name, c := range map[string]struct {
			q    bot.UsageQuery
			rows int
		}{
			"all": {bot.UsageQuery{}, 4}, "a_person": {bot.UsageQuery{Team: threadA.TeamKey(), User: "U1"}, 2},
			"later": {bot.UsageQuery{From: "2026-11-22"}, 1}, "another_channel": {bot.UsageQuery{Channel: "C0"}, 0},
		} {
			got, err := r.Usage(ctx, c.q)
			noErr(t, name, err)
			equal(t, name, len(got), c.rows)
		}
	},
	"what_is_used_outside_of_runs_is_summed": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		row := bot.Used{Day: "2026-11-21", Team: threadA.TeamKey(), Channel: threadA.Channel, User: "U1", Kind: bot.SpentMemory,
			Usage: agent.Usage{Calls: 1, Input: 30, Output: 2, Cached: 10, Cost: 0.25}}
		noErr(t, "spend", r.Spend(ctx, row))
		noErr(t, "spend again", r.Spend(ctx, row))
		noErr(t, "save", r.SaveRun(ctx, bot.Run{ID: "r1", Thread: threadA.Key(), Agent: "memory", User: "U1", Status: "done", Day: row.Day, Usage: []byte(`{"calls":1,"input":5}`)}))
		indexed := bot.Used{Day: "2026-11-21", Kind: bot.SpentIndexing, Usage: agent.Usage{Calls: 1, Input: 7}} // of no place
		noErr(t, "spend", r.Spend(ctx, indexed))
		got, err := r.Usage(ctx, bot.UsageQuery{Team: threadA.TeamKey()})
		noErr(t, "usage", err)
		twice := row
		twice.Usage = agent.Usage{Calls: 2, Input: 60, Output: 4, Cached: 20, Cost: 0.5}
		asked := bot.Used{Day: row.Day, Team: row.Team, Channel: row.Channel, User: "U1", Agent: "memory", Runs: 1, Usage: agent.Usage{Calls: 1, Input: 5}}
		if !slices.Equal(got, []bot.Used{twice, asked}) {
			t.Errorf("usage %+v", got)
		}
		all, err := r.Usage(ctx, bot.UsageQuery{})
		noErr(t, "all", err)
		if len(all) != 3 || all[0] != indexed {
			t.Errorf("all %+v", all)
		}
		own, err := r.Usage(ctx, bot.UsageQuery{Own: true})
		noErr(t, "the program's own", err)
		if !slices.Equal(own, []bot.Used{indexed}) {
			t.Errorf("the program's own %+v", own)
		}
	},
	"ratings_are_those_of_a_team": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		foreign := bot.Thread{Platform: "slack", Team: "T10", Channel: threadA.Channel, ID: "1"} // its key begins as T1's does
		for id, th := range map[string]bot.Thread{"r1": threadA, "r2": foreign} {
			noErr(t, "save", r.SaveRun(ctx, bot.Run{ID: id, Thread: th.Key(), Agent: "chat", User: "U1", Worked: time.Second}))
			_, _, err := r.Rate(ctx, th.Key(), id, "slack/T1/U2", -1)
			noErr(t, "rate", err)
		}
		_, _, err := r.Rate(ctx, threadA.Key(), "unknown", "slack/T1/U2", 1)
		noErr(t, "rate", err)
		list, err := r.Rated(ctx, threadA.TeamKey(), time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
		noErr(t, "rated", err)
		if len(list) != 1 || list[0].Run != "r1" || list[0].Thread != threadA.Key() || list[0].User != "U1" || list[0].Agent != "chat" || list[0].Vote != -1 || list[0].At.IsZero() {
			t.Errorf("rated %+v", list)
		}
		list, err = r.Rated(ctx, "", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
		noErr(t, "rated", err)
		equal(t, "of all teams", len(list), 2)
		list, err = r.Rated(ctx, "", time.Now().Add(-time.Hour), time.Now().Add(-time.Minute))
		noErr(t, "rated", err)
		equal(t, "earlier", len(list), 0)
		run, err := r.RunByID(ctx, "r1")
		noErr(t, "run", err)
		equal(t, "worked", run.Worked, time.Second)
	},
}
