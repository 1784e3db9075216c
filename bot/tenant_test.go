package bot_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// installed waits until a workspace's row is in a state.
func (w *world) installed(team string, state bot.InstallState) (row bot.Installation) {
	w.t.Helper()
	w.until("the installation of "+team+" is "+string(state), func() bool {
		var err error
		row, err = w.store.Installation(w.ctx, "fake", team)
		return err == nil && row.State == state
	})
	return row
}

// untilAudited waits until the audit log of a workspace tells something: an entry
// follows what it is about.
func (w *world) untilAudited(team, words string) {
	w.t.Helper()
	w.until(team+"'s audit log tells "+words, func() bool { return strings.Contains(w.audited(team), words) })
}

// audited lists what the audit log of a workspace tells.
func (w *world) audited(team string) string {
	w.t.Helper()
	list, err := w.store.AuditLog(w.ctx, team, 0, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	var s strings.Builder
	for _, e := range list {
		s.WriteString(e.What + " " + string(e.Detail) + "\n")
	}
	return s.String()
}

func (w *world) join(team string) bot.Installation {
	w.t.Helper()
	in, err := w.bot.Join(w.ctx, bot.Installation{Platform: "fake", Team: team, Name: "Acme", By: "UA", Secret: []byte("sealed")})
	if err != nil {
		w.t.Fatal(err)
	}
	return in
}

// thinksHard answers, and thinks about what says so until it is ended.
func thinksHard(began chan<- struct{}, ended chan<- error) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if !strings.Contains(req.Text, "think") {
			return echo(ctx, req, sink)
		}
		began <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return agent.Result{}, ctx.Err()
	}
}

// sayAs delivers a message of a thread with an id of its own.
func (w *world) sayAs(id, text string, in bot.Thread) {
	w.t.Helper()
	m := w.platform.Message("U1", text, in)
	m.Thread, m.ID, m.Order = in, id, id
	w.deliver(m)
}

// TestLeavingAWorkspace sends the bot away while a run works there and another
// waits, with the data kept or purged as the workspace's setting says; a
// workspace with the same ids must not notice.
func TestLeavingAWorkspace(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"keep", "purge"} {
		t.Run(data, func(t *testing.T) {
			t.Parallel()
			began, ended := make(chan struct{}, 1), make(chan error, 1)
			w := newWorld(t, thinksHard(began, ended))
			here := bot.Thread{Platform: "fake", Team: "T1", Channel: "C1", ID: "1"}
			there := bot.Thread{Platform: "fake", Team: "T2", Channel: "C1", ID: "1"}
			w.join("T1")
			w.join("T2")
			if data == "purge" {
				if _, err := w.bot.Command(w.ctx, bot.Invocation{Name: "settings", Args: "set workspace on_leave purge", Thread: here, User: admin, ID: "i"}); err != nil {
					t.Fatal(err)
				}
			}
			for _, th := range []bot.Thread{here, there} {
				w.sayAs("1", "hello", th)
				w.replies(th, 1)
			}
			w.settled() // the answers are in the record, too
			w.sayAs("2", "think hard", here)
			<-began
			w.sayAs("3", "and this", here)
			w.leave(ended)
			expectKept(t, w, here, data)
			if other, err := w.store.Transcript(w.ctx, there.Key(), 10); err != nil || len(other) != 2 {
				t.Errorf("the other workspace has %d entries, %v", len(other), err)
			}
			if other, err := w.store.Installation(w.ctx, "fake", "T2"); err != nil || other.State != bot.InstallActive || string(other.Secret) != "sealed" {
				t.Errorf("the other workspace's installation is %+v, %v", other, err)
			}
			back := w.join("T1")
			if back.State != bot.InstallActive || back.Why != "" || string(back.Secret) != "sealed" {
				t.Errorf("after it was installed again: %+v", back)
			}
			w.sayAs("9", "hello again", here)
			posts := w.replies(here, 2)
			if last := posts[len(posts)-1]; !strings.Contains(last.Card.Text, "hello again") {
				t.Errorf("after it was installed again: %q", last.Card.Text)
			}
		})
	}
}

// leave sends the bot away from T1, where a run is at work, and waits until it is gone.
func (w *world) leave(ended <-chan error) {
	w.t.Helper()
	gone := bot.Departure{Platform: "fake", Team: "T1", Why: "app_uninstalled"}
	if err := w.bot.Leave(w.ctx, gone); err != nil {
		w.t.Fatal(err)
	}
	if row, err := w.store.Installation(w.ctx, "fake", "T1"); err != nil || row.Secret != nil {
		w.t.Fatalf("the secret is still there: %+v, %v", row, err)
	}
	<-ended
	row := w.installed("T1", bot.InstallRemoved)
	if row.Why != "app_uninstalled" || row.Name != "Acme" {
		w.t.Errorf("row %+v", row)
	}
	if err := w.bot.Leave(w.ctx, gone); err != nil { // Slack tells of it with two events
		w.t.Fatal(err)
	}
	w.settled()
}

// expectKept: what was said in a place that the bot left is kept or purged, and the audit log says which.
func expectKept(t *testing.T, w *world, here bot.Thread, data string) {
	t.Helper()
	w.untilAudited("fake/T1", "installation.remove")
	log := w.audited("fake/T1")
	if strings.Count(log, "installation.remove") != 1 || !strings.Contains(log, `"why":"app_uninstalled"`) || !strings.Contains(log, `"data":"`+data+`"`) {
		t.Errorf("audit:\n%s", log)
	}
	kept, err := w.store.Transcript(w.ctx, here.Key(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if purged := len(kept) == 0; purged != (data == "purge") {
		t.Errorf("%d entries are kept", len(kept))
	}
	for _, file := range []string{w.path, w.path + "-wal"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if data == "purge" && bytes.Contains(raw, []byte("think hard")) {
			t.Errorf("what was said is still in %s", filepath.Base(file))
		}
	}
}

// TestADepartureOfNowhereChangesNothing: events of places that the bot never
// knew come when an installation of long ago is removed.
func TestADepartureOfNowhereChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	if err := w.bot.Leave(w.ctx, bot.Departure{Platform: "fake", Team: "T9"}); err != nil {
		t.Fatal(err)
	}
	if list, err := w.store.Installations(w.ctx, ""); err != nil || len(list) != 0 {
		t.Errorf("installations %+v, %v", list, err)
	}
}

// TestAnUnfinishedDepartureIsFinished starts a program on a record whose last
// one died between the uninstallation and the cleaning.
func TestAnUnfinishedDepartureIsFinished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	in := w.join("T1")
	w.stop()
	w.start()
	in.State, in.Why, in.Secret = bot.InstallLeaving, "tokens_revoked", nil
	if _, err := w.store.SaveInstallation(w.ctx, in); err != nil {
		t.Fatal(err)
	}
	w.installed("T1", bot.InstallRemoved)
	w.untilAudited("fake/T1", `"why":"tokens_revoked"`)
}

// dyingRecord dies once between the purge of a workspace and the note that it
// was done.
type dyingRecord struct {
	bot.Record
	died *atomic.Bool
}

func (r dyingRecord) SaveInstallation(ctx context.Context, in bot.Installation) (bot.Installation, error) {
	if in.State == bot.InstallRemoved && r.died.CompareAndSwap(false, true) {
		return bot.Installation{}, errors.New("the program died here")
	}
	return r.Record.SaveInstallation(ctx, in)
}

// TestAPurgeThatBrokeOffIsToldAsOne: the purge has taken the setting with it that
// asked for it, so who goes on cannot read it any more.
func TestAPurgeThatBrokeOffIsToldAsOne(t *testing.T) {
	t.Parallel()
	var died atomic.Bool
	w := newWorldWith(t, func(cfg *service.Config) { cfg.Record = dyingRecord{cfg.Record, &died} })
	w.join("T1")
	here := bot.Thread{Platform: "fake", Team: "T1", Channel: "C1", ID: "1"}
	w.order(bot.Invocation{Name: "settings", Args: "set workspace on_leave purge", Thread: here, User: admin})
	// It dies under whoever cleans up first: this, or the program's own round.
	if err := w.bot.Evict(w.ctx, bot.Departure{Platform: "fake", Team: "T1", Why: "operator"}); !died.Load() {
		t.Fatalf("the program did not die: %v", err)
	}
	if set, err := w.store.SettingsOf(w.ctx, []string{"fake/T1"}); err != nil || len(set) != 0 {
		t.Fatalf("the setting is still there: %+v, %v", set, err)
	}
	w.stop()
	w.start()
	if row := w.installed("T1", bot.InstallRemoved); row.OnLeave != "" {
		t.Errorf("row %+v", row)
	}
	w.untilAudited("fake/T1", "installation.remove")
	if log := w.audited("fake/T1"); !strings.Contains(log, `"data":"purge"`) {
		t.Errorf("audit:\n%s", log)
	}
}
