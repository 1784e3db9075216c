package memtest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"maru/bot"
)

// installed stores an installation as the suite's adapters would.
func installed(t *testing.T, r bot.Record, team string) bot.Installation {
	t.Helper()
	in, err := r.SaveInstallation(t.Context(), bot.Installation{
		Platform: "slack", Team: team, Enterprise: "E1", Name: "철수네", BotUser: "UBOT", By: "U1", Scopes: "chat:write,commands",
		Secret: []byte{0, 1, 255}, Expires: time.Now().Add(12 * time.Hour), State: bot.InstallActive,
	})
	noErr(t, "save", err)
	return in
}

var installCases = map[string]func(*testing.T, bot.Record){
	"an_installation_comes_back_as_it_was_saved": func(t *testing.T, r bot.Record) {
		_, err := r.Installation(t.Context(), "slack", "T1")
		wantErr(t, "before", err, bot.ErrNotFound)
		want := installed(t, r, "T1")
		got, err := r.Installation(t.Context(), "slack", "T1")
		noErr(t, "read", err)
		equal(t, "secret", string(got.Secret), "\x00\x01\xff")
		equal(t, "version", got.Version, int64(1))
		equal(t, "name", got.Name, "철수네")
		equal(t, "names", got.Enterprise+got.BotUser+got.By+got.Scopes, "E1UBOTU1chat:write,commands")
		equal(t, "state", got.State, bot.InstallActive)
		sameTime(t, "expires", got.Expires, want.Expires)
		equal(t, "installed and updated are set", got.Installed.IsZero() || got.Updated.IsZero(), false)
		_, err = r.Installation(t.Context(), "discord", "T1")
		wantErr(t, "same id on another platform", err, bot.ErrNotFound)
		_, err = r.SaveInstallation(t.Context(), bot.Installation{Platform: "slack"})
		equal(t, "one without a workspace is refused", err != nil, true)
	},
	"only_who_read_the_newest_version_writes": func(t *testing.T, r bot.Record) {
		first := installed(t, r, "T1")
		again := first
		again.Version = 0
		at, err := r.SaveInstallation(t.Context(), again)
		wantErr(t, "create twice", err, bot.ErrStale)
		equal(t, "what stands", at.Version, int64(1))
		gone := first
		equal(t, "nothing is decided", gone.OnLeave, "")
		gone.State, gone.Why, gone.OnLeave, gone.Secret, gone.Expires = bot.InstallLeaving, "app_uninstalled", "purge", nil, time.Time{}
		gone, err = r.SaveInstallation(t.Context(), gone)
		noErr(t, "remove", err)
		equal(t, "version", gone.Version, int64(2))
		equal(t, "secret", gone.Secret == nil, true)
		equal(t, "what was decided", gone.OnLeave, "purge")
		equal(t, "expires", gone.Expires.IsZero(), true)
		sameTime(t, "installed", gone.Installed, first.Installed)
		_, err = r.SaveInstallation(t.Context(), first)
		wantErr(t, "write of an older version", err, bot.ErrStale)
	},
	"of_many_writers_one_wins_each_version": func(t *testing.T, r bot.Record) {
		in := installed(t, r, "T1")
		var won sync.Map
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				if _, err := r.SaveInstallation(t.Context(), in); err == nil {
					won.Store(i, true)
				} else if !errors.Is(err, bot.ErrStale) {
					t.Errorf("save: %v", err)
				}
			})
		}
		wg.Wait()
		n := 0
		won.Range(func(any, any) bool { n++; return true })
		equal(t, "winners", n, 1)
	},
	"they_are_listed_by_platform": func(t *testing.T, r bot.Record) {
		installed(t, r, "T2")
		installed(t, r, "T1")
		_, err := r.SaveInstallation(t.Context(), bot.Installation{Platform: "discord", Team: "T1", State: bot.InstallActive})
		noErr(t, "save", err)
		for platform, want := range map[string]int{"": 3, "slack": 2, "discord": 1, "web": 0} {
			list, err := r.Installations(t.Context(), platform)
			noErr(t, "list", err)
			equal(t, "of "+platform, len(list), want)
		}
	},
	"vacating_fences_who_works_and_buries_what_waits": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		l, it := working(t, r) // in T1
		put(t, r, message(t, threadA, "101", "더"))
		put(t, r, message(t, other, "100", "hello")) // the same ids in T2
		noErr(t, "approval", r.CreateApproval(ctx, l, bot.Approval{ID: "a1", Kind: "plan", Thread: threadA.Key(), Run: "r1", State: bot.ApprovalPending}))
		n, err := r.Vacate(ctx, "slack", "T1", "app_uninstalled")
		noErr(t, "vacate", err)
		row, err := r.ApprovalByID(ctx, "a1")
		noErr(t, "approval", err)
		equal(t, "its approval", row.State, bot.ApprovalRevoked)
		equal(t, "threads stopped", n, 1)
		wantErr(t, "finish", r.Finish(ctx, l, it.ID, bot.Outcome{}), bot.ErrFenced)
		_, err = r.Renew(ctx, l, long)
		wantErr(t, "renew", err, bot.ErrFenced)
		_, ok, err := r.Claim(ctx, threadA.Key(), "next", long)
		noErr(t, "claim", err)
		equal(t, "nothing waits there", ok, false)
		fresh, err := r.Put(ctx, message(t, threadA, "101", "더"))
		noErr(t, "put", err)
		equal(t, "a late copy is known", fresh, false)
		claim(t, r, other.Key())
		n, err = r.Vacate(ctx, "slack", "T1", "app_uninstalled")
		noErr(t, "again", err)
		equal(t, "threads stopped by a second time", n, 0)
		put(t, r, message(t, threadA, "102", "돌아왔어"))
		claim(t, r, threadA.Key())
	},
	"purging_leaves_other_workspaces_alone": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		same := bot.Thread{Platform: "discord", Team: "T1", Channel: "C1", ID: threadA.ID}
		near := bot.Thread{Platform: "slack", Team: "T10", Channel: "C1", ID: threadA.ID}
		for _, th := range []bot.Thread{threadA, other, same, near} {
			put(t, r, message(t, th, "100", "in "+th.Key()))
			for _, place := range []string{th.TeamKey(), th.TeamKey() + "/C1", th.Key(), "user:" + th.TeamKey() + "/U1"} {
				noErr(t, "set", r.SetSetting(ctx, bot.Setting{Place: place, Key: "k", Value: []byte(`1`), By: "U1"}))
			}
			noErr(t, "note", r.SetNote(ctx, th.Platform+"/greeted/"+th.Team+"/U1", "x"))
			noErr(t, "run", r.SaveRun(ctx, bot.Run{ID: "r" + th.Key(), Thread: th.Key(), Day: "2026-11-21", Usage: []byte(`{"calls":1}`)}))
		}
		noErr(t, "set", r.SetSetting(ctx, bot.Setting{Place: "", Key: "k", Value: []byte(`1`), By: "U1"}))
		keys, err := r.TeamThreads(ctx, "slack", "T1", 10)
		noErr(t, "threads", err)
		equal(t, "threads of the workspace", len(keys), 1)
		noErr(t, "forget", r.Forget(ctx, keys[0]))
		noErr(t, "purge", r.Purge(ctx, "slack", "T1"))
		noErr(t, "purge again", r.Purge(ctx, "slack", "T1"))
		for _, th := range []bot.Thread{threadA, other, same, near} {
			want := 1
			if th == threadA {
				want = 0
			}
			equal(t, "transcript of "+th.Key(), len(texts(t, r, th.Key())), want)
			set, err := r.SettingsOf(ctx, []string{th.TeamKey(), th.TeamKey() + "/C1", th.Key(), "user:" + th.TeamKey() + "/U1"})
			noErr(t, "settings", err)
			equal(t, "settings of "+th.Key(), len(set), 4*want)
			note, err := r.Note(ctx, th.Platform+"/greeted/"+th.Team+"/U1")
			noErr(t, "note", err)
			equal(t, "notes of "+th.Key(), len(note), want)
			used, err := r.Usage(ctx, bot.UsageQuery{Team: th.TeamKey()})
			noErr(t, "usage", err)
			equal(t, "usage of "+th.Key(), len(used), want)
			log, err := r.AuditLog(ctx, th.TeamKey(), 0, 10)
			noErr(t, "audit", err)
			equal(t, "the audit log of "+th.Key(), len(log), 4)
		}
		set, err := r.SettingsOf(ctx, []string{""})
		noErr(t, "settings", err)
		equal(t, "settings of the program", len(set), 1)
	},
}
