package bot_test

import (
	"testing"

	"maru/bot"
)

// covered stores that an organisation's installation serves a workspace.
func (w *world) covered(team, enterprise string) {
	w.t.Helper()
	for range 2 { // as every replica does that hears of it
		row, err := w.bot.Join(w.ctx, bot.Installation{Platform: "fake", Team: team, Enterprise: enterprise})
		if err != nil || !row.Covered() || row.Version != 1 {
			w.t.Fatalf("row %+v, %v", row, err)
		}
	}
}

// organisation installs the bot in a whole organisation and hears of workspaces.
func (w *world) organisation(enterprise string, teams ...string) {
	w.t.Helper()
	if _, err := w.bot.Join(w.ctx, bot.Installation{Platform: "fake", Team: enterprise, Enterprise: enterprise, Org: true, Secret: []byte("sealed")}); err != nil {
		w.t.Fatal(err)
	}
	for _, team := range teams {
		w.covered(team, enterprise)
	}
}

// kept returns how many entries of a workspace's thread are kept.
func (w *world) kept(team string) int {
	w.t.Helper()
	list, err := w.store.Transcript(w.ctx, bot.Thread{Platform: "fake", Team: team, Channel: "C1", ID: "1"}.Key(), 10)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(list)
}

// talk writes a message in a workspace and waits until the answer is in the record, which
// is after people see it.
func (w *world) talk(team string) {
	w.t.Helper()
	th := bot.Thread{Platform: "fake", Team: team, Channel: "C1", ID: "1"}
	m := w.platform.Message("U1", "hello", th)
	m.Thread, m.ID, m.Order = th, "1", "1"
	w.deliver(m)
	w.replies(th, 1)
	w.until("the answer is kept", func() bool { return w.kept(team) == 2 })
}

// purgeOnLeave makes a workspace want its data removed when the bot goes.
func (w *world) purgeOnLeave(team string) {
	w.t.Helper()
	here := bot.Thread{Platform: "fake", Team: team, Channel: "C1", ID: "1"}
	w.order(bot.Invocation{Name: "settings", Args: "set workspace on_leave purge", Thread: here, User: admin})
}

// TestAnOrganisationTakesTheBotFromAWorkspace: that workspace alone ends, as its
// setting says, whether it was heard of before or not; its organisation's and its
// neighbour's rows stay.
func TestAnOrganisationTakesTheBotFromAWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.organisation("E1", "T1", "T2")
	for _, team := range []string{"T1", "T2"} {
		w.purgeOnLeave(team)
		w.talk(team)
	}
	gone := bot.Departure{Platform: "fake", Team: "T1", Why: "team_access_revoked", Enterprise: "E1"}
	for range 2 { // Slack may tell twice
		if err := w.bot.Evict(w.ctx, gone); err != nil {
			t.Fatal(err)
		}
	}
	if row := w.installed("T1", bot.InstallRemoved); row.Why != "team_access_revoked" || row.Version != 3 {
		t.Errorf("row %+v", row)
	}
	if w.kept("T1") != 0 || w.kept("T2") != 2 {
		t.Errorf("kept: %d of the workspace, %d of its neighbour", w.kept("T1"), w.kept("T2"))
	}
	if row := w.installed("E1", bot.InstallActive); string(row.Secret) != "sealed" {
		t.Errorf("the organisation's row is %+v", row)
	}
	if row := w.installed("T2", bot.InstallActive); !row.Covered() {
		t.Errorf("the neighbour's row is %+v", row)
	}

	// One that was never heard of has a row from then on.
	if err := w.bot.Evict(w.ctx, bot.Departure{Platform: "fake", Team: "T3", Why: "team_access_revoked", Enterprise: "E1"}); err != nil {
		t.Fatal(err)
	}
	if row := w.installed("T3", bot.InstallRemoved); row.Enterprise != "E1" {
		t.Errorf("row %+v", row)
	}
	if back, err := w.bot.Join(w.ctx, bot.Installation{Platform: "fake", Team: "T1", Enterprise: "E1"}); err != nil || !back.Covered() || back.Why != "" {
		t.Errorf("given back: %+v, %v", back, err)
	}
}

// TestAnOrganisationsWordIsForItsOwnWorkspaces: it ends neither what a workspace
// installed by itself nor what another organisation's installation serves.
func TestAnOrganisationsWordIsForItsOwnWorkspaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.organisation("E1")
	w.organisation("E2", "T2")
	w.join("T1")
	for _, team := range []string{"T1", "T2"} {
		if err := w.bot.Evict(w.ctx, bot.Departure{Platform: "fake", Team: team, Why: "team_access_revoked", Enterprise: "E1"}); err != nil {
			t.Fatal(err)
		}
		if row := w.installed(team, bot.InstallActive); row.Version != 1 {
			t.Errorf("row %+v", row)
		}
	}
	// An own installation that ended long ago is not the end of the organisation's.
	if err := w.bot.Evict(w.ctx, bot.Departure{Platform: "fake", Team: "T1", Why: "app_uninstalled"}); err != nil {
		t.Fatal(err)
	}
	if err := w.bot.Evict(w.ctx, bot.Departure{Platform: "fake", Team: "T1", Why: "team_access_revoked", Enterprise: "E1"}); err != nil {
		t.Fatal(err)
	}
	if row := w.installed("T1", bot.InstallRemoved); row.Why != "team_access_revoked" {
		t.Errorf("row %+v", row)
	}
}

// TestTheEndOfAnOrganisationIsThatOfItsWorkspaces: their runs and data end as if
// each had removed the app; a workspace that installed it by itself goes on.
func TestTheEndOfAnOrganisationIsThatOfItsWorkspaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.organisation("E1", "T1", "T2")
	w.organisation("E2", "T3")
	w.join("T4")
	for _, team := range []string{"T1", "T2", "T3", "T4"} {
		w.purgeOnLeave(team)
		w.talk(team)
	}
	if err := w.bot.Evict(w.ctx, bot.Departure{Platform: "fake", Team: "E1", Why: "app_uninstalled"}); err != nil {
		t.Fatal(err)
	}
	for team, left := range map[string]bool{"E1": true, "T1": true, "T2": true, "E2": false, "T3": false, "T4": false} {
		if left {
			if row := w.installed(team, bot.InstallRemoved); row.Why != "app_uninstalled" || row.Secret != nil {
				t.Errorf("row %+v", row)
			}
			if n := w.kept(team); n != 0 {
				t.Errorf("%s: %d entries are kept", team, n)
			}
			continue
		}
		w.installed(team, bot.InstallActive)
	}
	if w.kept("T3") != 2 || w.kept("T4") != 2 {
		t.Errorf("kept: %d, %d", w.kept("T3"), w.kept("T4"))
	}
}
