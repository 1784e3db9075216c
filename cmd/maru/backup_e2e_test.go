package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/memory/memtest/servers"
)

// TestBackupAndRestore is the drill of docs/operating.md: a team works, a backup is made while a plan waits for its
// person, more happens, everything is lost, the backup is restored. The plan can still be approved and is carried out, the
// documents, settings, notes, memories, schedules and sums of usage are there, and nothing of what came later; the audit log is whole and ends where the backup was made.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	unraced(t)
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		w := newSlackWorld(t, planner(t), drillEnv...)
		data, kept := filepath.Join(w.dir, "data"), filepath.Join(t.TempDir(), "backup")
		drill(t, w, func() {
			must(t, "stop", w.stop())
			must(t, "copy", os.CopyFS(kept, os.DirFS(data)))
			w.start()
		}, func() {
			must(t, "lose", os.RemoveAll(data))
			must(t, "restore", os.CopyFS(data, os.DirFS(kept)))
		})
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		for _, tool := range []string{"pg_dump", "psql"} {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("no %s: apt-get install postgresql-client", tool)
			}
		}
		pg, fresh := servers.StartPostgres(t), servers.StartPostgres(t)
		w := newSlackWorld(t, planner(t), append(slices.Clone(drillEnv), "DATABASE_URL="+pg.URL)...)
		dump := filepath.Join(t.TempDir(), "maru.sql")
		sh := func(name string, args ...string) {
			t.Helper()
			if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, out)
			}
		}
		drill(t, w, func() { // while it runs
			sh("pg_dump", "--no-owner", "--file", dump, pg.URL)
		}, func() {
			must(t, "lose", os.RemoveAll(filepath.Join(w.dir, "data")))
			pg.Stop()
			sh("psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, fresh.URL)
			for i, line := range w.env {
				if strings.HasPrefix(line, "DATABASE_URL=") {
					w.env[i] = "DATABASE_URL=" + fresh.URL
				}
			}
		})
	})
}

var drillEnv = []string{"MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_STEP_APPROVAL=false", "MARU_ADMINS=U2"}

// drill works, calls backup, works on, stops, calls restore and sees what is there.
func drill(t *testing.T, w *slackWorld, backup, restore func()) {
	t.Helper()
	set := func(key string) {
		t.Helper()
		before := len(w.slack.Whispers("U2"))
		w.slack.Slash("U2", "C1", "/maru", "settings set channel "+key)
		if err := w.slack.Wait(within(t, atMost), func() bool { return len(w.slack.Whispers("U2")) > before }); err != nil {
			t.Fatalf("%s is not set", key)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		code, out, errs := runHere(t, "", w.env, args...)
		if code != exitOK {
			t.Fatalf("maru %v: %d %s%s", args, code, out, errs)
		}
		return out
	}
	w.start()
	file := filepath.Join(t.TempDir(), "picnic.md")
	must(t, "write", os.WriteFile(file, []byte("# Picnic\n\nThe summer picnic takes place on 14 July at Lake Hwarang.\n"), 0o600))
	run("ingest", file) // beside the running program
	set("react on")
	root := w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 계산해 줘", "")
	ts := ""
	if err := w.slack.Wait(within(t, atMost), func() bool {
		for _, r := range w.slack.Replies("C1", root) {
			if slices.Contains(r.Buttons(), "승인") {
				ts = r.TS
			}
		}
		return ts != ""
	}); err != nil {
		t.Fatalf("no plan is shown: %q", w.bots("C1", root))
	}
	w.slack.Say("U1", "C2", "<@UBOT> remember for this channel: the stand-up is at 10", "")
	w.slack.Say("U3", "C2", "<@UBOT> remind us on Friday at 5pm to send the report", "")
	w.whispered("U2", "C2", "settings set channel agent chat", "agent")
	told := w.slack.Say("U3", "C2", "<@UBOT> 앞으로 표로 답해 줘", "")
	w.await("C2", told, 1, "")
	w.settles()
	backup()
	set("feedback on")
	w.slack.Say("U3", "C2", "<@UBOT> remind us on Friday at 6pm to lock the door", "")
	w.settles()
	must(t, "stop", w.stop())
	if !strings.Contains(run("audit", "list"), "feedback") {
		t.Error("what was set after the backup is not in the audit log before the loss")
	}
	restore()
	log := run("audit", "list")
	if !strings.Contains(log, "react") || strings.Contains(log, "feedback") {
		t.Errorf("the restored audit log is %s", log)
	}
	if whole := run("audit", "verify"); !strings.Contains(whole, "whole") || strings.Contains(whole, "BROKEN") {
		t.Errorf("the restored audit log: %s", whole)
	}
	w.start()
	if _, err := w.slack.Click("U1", "C1", ts, "승인"); err != nil {
		t.Fatal(err)
	}
	w.await("C1", root, 2, "합은 5, 곱은 42예요.")
	w.whispered("U2", "C1", "settings show", "react = On (channel)", "feedback = Off (default)")
	w.whispered("U3", "C2", "memory channel", "stand-up is at 10")
	w.whispered("U3", "C2", "memory", "표로")
	w.whispered("U3", "C2", "schedule", "send the report")
	for _, said := range w.slack.Whispers("U3") {
		if strings.Contains(said.Shown(), "lock the door") {
			t.Errorf("what was scheduled after the backup is there: %s", said.Shown())
		}
	}
	must(t, "stop", w.stop())
	if list := run("docs"); !strings.Contains(list, "picnic.md") {
		t.Errorf("the restored documents are %s", list)
	}
	if used := run("usage"); !strings.Contains(used, "slack/T1,C1,U1,orchestrator,1,") {
		t.Errorf("the restored sums are %s", used)
	}
}
