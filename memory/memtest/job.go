package memtest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"maru/bot"
)

// queue finishes one message with jobs.
func queue(t *testing.T, r bot.Record, jobs ...bot.Job) {
	t.Helper()
	l, it := working(t, r)
	finish(t, r, l, it.ID, bot.Outcome{Jobs: jobs})
	noErr(t, "release", r.Release(t.Context(), l))
}

func job(id, person string) bot.Job {
	return bot.Job{ID: id, Kind: "learn", Person: person, Body: json.RawMessage(`{"id":"` + id + `"}`)}
}

// claimJob claims a job that must be there.
func claimJob(t *testing.T, r bot.Record, ttl time.Duration) bot.Job {
	t.Helper()
	j, ok, err := r.ClaimJob(t.Context(), ttl)
	if err != nil || !ok {
		t.Fatalf("claim a job: %v, %v", ok, err)
	}
	return j
}

// noJob checks that no job is due.
func noJob(t *testing.T, what string, r bot.Record) {
	t.Helper()
	if j, ok, err := r.ClaimJob(t.Context(), long); ok || err != nil {
		t.Errorf("%s: job %q, %v, %v", what, j.ID, ok, err)
	}
}

func waitingJobs(t *testing.T, r bot.Record) int {
	t.Helper()
	n, _, err := r.PendingJobs(t.Context())
	noErr(t, "pending jobs", err)
	return n
}

var jobCases = map[string]func(*testing.T, bot.Record){
	"kinds_that_are_left_out_hide_no_other": func(t *testing.T, r bot.Record) {
		first, second, third := job("j1", "p"), job("j2", "p"), job("j3", "p")
		second.Kind, third.Kind = "files", "unmark"
		for i, j := range []*bot.Job{&first, &second, &third} {
			j.At = time.Now().Add(time.Duration(i-10) * time.Minute)
		}
		queue(t, r, first, second, third)
		for _, c := range []struct {
			but  []string
			want string
		}{{[]string{"learn", "files"}, "j3"}, {[]string{"learn"}, "j2"}, {[]string{"learn"}, ""}, {nil, "j1"}} {
			j, ok, err := r.ClaimJob(t.Context(), long, c.but...)
			noErr(t, "claim a job", err)
			equal(t, fmt.Sprintf("without %q", c.but), j.ID, c.want)
			equal(t, "found", ok, c.want != "")
		}
	},
	"a_wait_is_no_attempt": func(t *testing.T, r bot.Record) {
		queue(t, r, job("j1", "p"))
		for range 3 {
			j := claimJob(t, r, long)
			equal(t, "attempts", j.Attempts, 0)
			equal(t, "lapsed", j.Lapsed, false)
			noErr(t, "wait", r.DelayJob(t.Context(), j.ID, 0, bot.JobWaits))
		}
		noErr(t, "fail", r.DelayJob(t.Context(), claimJob(t, r, long).ID, 0, "it failed"))
		equal(t, "attempts after a failure", claimJob(t, r, 0).Attempts, 1)
		j := claimJob(t, r, long) // the worker died
		equal(t, "attempts after a death", j.Attempts, 2)
		equal(t, "lapsed", j.Lapsed, true)
	},
	"a_job_is_committed_with_its_outcome_and_comes_back_as_it_was": func(t *testing.T, r bot.Record) {
		noJob(t, "before", r)
		at := time.Now().Add(-time.Hour)
		in := job("j1", "slack/T1/U1")
		in.At = at
		queue(t, r, in)
		n, oldest, err := r.PendingJobs(t.Context())
		noErr(t, "pending", err)
		equal(t, "pending", n, 1)
		sameTime(t, "oldest", oldest, at)
		got := claimJob(t, r, long)
		if got.ID != in.ID || got.Kind != in.Kind || got.Person != in.Person || string(got.Body) != string(in.Body) || got.Attempts != 0 {
			t.Errorf("job %+v", got)
		}
		sameTime(t, "at", got.At, at)
		noJob(t, "while it is worked on", r)
		equal(t, "pending while it is worked on", waitingJobs(t, r), 1)
		noErr(t, "end", r.EndJob(t.Context(), got.ID))
		noErr(t, "end again", r.EndJob(t.Context(), got.ID))
		equal(t, "pending after the end", waitingJobs(t, r), 0)
	},
	"a_job_of_the_future_waits_for_its_time": func(t *testing.T, r bot.Record) {
		later, now := job("j1", "u"), job("j2", "u")
		later.At = time.Now().Add(time.Hour)
		queue(t, r, later, now)
		equal(t, "job", claimJob(t, r, long).ID, "j2")
		noJob(t, "before its time", r)
		noErr(t, "delay", r.DelayJob(t.Context(), "j1", 0, "it failed"))
		equal(t, "job", claimJob(t, r, long).ID, "j1")
	},
	"a_refused_outcome_leaves_no_job": func(t *testing.T, r bot.Record) {
		old, now := takenOver(t, r)
		wantErr(t, "finish", r.Finish(t.Context(), old, message(t, threadA, "100", "").ID, bot.Outcome{Jobs: []bot.Job{job("j1", "u")}}), bot.ErrFenced)
		noJob(t, "after the zombie", r)
		it := next(t, r, now)
		finish(t, r, now, it.ID, bot.Outcome{Jobs: []bot.Job{job("j1", "u"), job("j2", "u")}})
		finish(t, r, now, it.ID, bot.Outcome{Jobs: []bot.Job{job("j3", "u")}}) // it has ended
		equal(t, "pending", waitingJobs(t, r), 2)
	},
	"a_job_whose_worker_died_is_handed_out_again": func(t *testing.T, r bot.Record) {
		queue(t, r, job("j1", "u"))
		claimJob(t, r, time.Microsecond)
		again := claimJob(t, r, long)
		equal(t, "attempts", again.Attempts, 1)
		noErr(t, "delay", r.DelayJob(t.Context(), "j1", -time.Second, "it failed"))
		equal(t, "attempts", claimJob(t, r, long).Attempts, 2)
		noErr(t, "delay", r.DelayJob(t.Context(), "j1", time.Hour, "it failed"))
		noJob(t, "delayed", r)
	},
	"the_one_that_waits_longest_comes_first": func(t *testing.T, r bot.Record) {
		queue(t, r, job("a", "u"), job("b", "u"))
		noErr(t, "delay", r.DelayJob(t.Context(), "a", -time.Hour, "it failed"))
		noErr(t, "delay", r.DelayJob(t.Context(), "b", -2*time.Hour, "it failed"))
		equal(t, "first", claimJob(t, r, long).ID, "b")
		equal(t, "second", claimJob(t, r, long).ID, "a")
	},
	"a_buried_job_waits_for_nobody": func(t *testing.T, r bot.Record) {
		queue(t, r, job("j1", "u"))
		noErr(t, "bury", r.BuryJob(t.Context(), "j1", "the model said nothing"))
		noErr(t, "delay", r.DelayJob(t.Context(), "j1", -time.Hour, "it failed"))
		noJob(t, "buried", r)
		equal(t, "pending", waitingJobs(t, r), 0)
	},
	"a_persons_jobs_are_dropped": func(t *testing.T, r bot.Record) {
		queue(t, r, job("j1", "u"), job("j2", "u"), job("j3", "v"))
		noErr(t, "bury", r.BuryJob(t.Context(), "j1", ""))
		n, err := r.DropJobs(t.Context(), "u")
		noErr(t, "drop", err)
		equal(t, "dropped", n, 2)
		equal(t, "left", claimJob(t, r, long).ID, "j3")
		noJob(t, "after it", r)
	},
}

// Buried leaves the jobs of these ids in a record as dead ones of a person.
func Buried(t *testing.T, r bot.Record, person string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		put(t, r, message(t, threadA, id, "x"))
		l := claim(t, r, threadA.Key())
		it := next(t, r, l)
		finish(t, r, l, it.ID, bot.Outcome{Jobs: []bot.Job{{ID: id, Kind: "learn", Person: person, Body: []byte("{}")}}})
		noErr(t, "release", r.Release(t.Context(), l))
		noErr(t, "bury", r.BuryJob(t.Context(), id, "failed too often"))
	}
}
