package slack_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/logtest"
)

// gridRows returns what a record says of an organisation whose installation served T1,
// T2, T6 and T7 when the program went down; T5 was taken away long before.
func gridRows(t *testing.T, d *distributed) *rows {
	t.Helper()
	r := newRows()
	r.list["E1"] = d.in.rows.get("E1")
	ago := time.Now().Add(-time.Hour)
	for _, team := range []string{"T1", "T2", "T5", "T6", "T7"} {
		r.list[team] = bot.Installation{Platform: slack.Platform, Team: team, Enterprise: "E1", State: bot.InstallActive, Installed: ago, Updated: ago, Version: 1}
	}
	r.change("T5", func(in *bot.Installation) { in.State, in.Why = bot.InstallRemoved, "team_access_revoked" })
	r.change("T6", func(in *bot.Installation) { in.Secret = []byte("its own"); in.State = bot.InstallBroken })
	return r
}

// TestWorkspacesThatCameAndWentWhileTheProgramWasDown: at its start it asks where
// the organisation's installation is, and ends only what Slack denies as well.
func TestWorkspacesThatCameAndWentWhileTheProgramWasDown(t *testing.T) {
	t.Parallel()
	first, one, _ := grid(t, true)
	fake, r := first.App, gridRows(t, first)
	for _, team := range []string{"T3", "T4", "T5"} {
		fake.Add(slackfake.Options{Team: team, Enterprise: "E1", Org: true})
	}
	fake.Add(slackfake.Options{Team: "T8", Enterprise: "E2", Org: true})
	fake.Grant("T1", false)
	fake.Grant("T4", false)
	one.Fail(slackfake.Fault{Method: "auth.teams.list", Status: http.StatusTooManyRequests, After: 1, Times: 1})
	d := distribute(t, fake, r, true)
	d.await("the workspaces are compared", func() bool {
		return r.get("T1").State == bot.InstallRemoved && r.get("T7").State == bot.InstallRemoved && r.get("T3").Covered() && r.get("T5").Covered()
	})
	if row := r.get("T3"); row.Enterprise != "E1" || row.Name != "Team T3" {
		t.Errorf("a workspace that was given: %+v", row)
	}
	if row := r.get("T1"); row.Why != "team_access_revoked" {
		t.Errorf("a workspace that was taken away: %+v", row)
	}
	if row := r.get("T2"); !row.Covered() || row.Version != 1 {
		t.Errorf("a workspace where nothing happened: %+v", row)
	}
	if row := r.get("T6"); string(row.Secret) != "its own" {
		t.Errorf("a workspace with an installation of its own: %+v", row)
	}
	for _, team := range []string{"T4", "T8"} {
		if row := r.get(team); row.Version != 0 {
			t.Errorf("a workspace that is not the installation's: %+v", row)
		}
	}
}

// TestAListAloneEndsNothing: a workspace that is not listed, and of which Slack
// speaks all the same, stays; so does everything if Slack does not give the list,
// of which the operator is told once.
func TestAListAloneEndsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault slackfake.Fault
		line  string
	}{
		"still spoken of":      {slackfake.Fault{Method: "users.list", Code: "user_is_restricted"}, "does not list a workspace"},
		"the scope is missing": {slackfake.Fault{Method: "users.list", Code: "missing_scope", Needed: "users:read"}, "does not list a workspace"},
		"not for this token":   {slackfake.Fault{Method: "auth.teams.list", Code: "not_allowed_token_type"}, "does not list the organisation's workspaces"},
		"no right to the list": {slackfake.Fault{Method: "auth.teams.list", Code: "missing_scope", Needed: "team:read"}, "lacks a scope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, one, _ := grid(t, true)
			r := gridRows(t, first)
			r.change("T7", func(in *bot.Installation) { in.Secret = []byte("its own"); in.State = bot.InstallBroken })
			first.Grant("T1", false)
			one.Fail(c.fault)
			var log logtest.Log
			d := distribute(t, first.App, r, true, func(ac *slack.AppConfig) { ac.Logger = log.Logger() })
			d.await("a line in the log", func() bool { return strings.Contains(log.String(), c.line) })
			if row := r.get("T1"); !row.Covered() {
				t.Errorf("the row is %+v", row)
			}
			if n := strings.Count(log.String(), "does not list the organisation's workspaces") + strings.Count(log.String(), "lacks a scope"); n > 1 {
				t.Errorf("%d lines: %s", n, log.String())
			}
		})
	}
}

// TestTheTokenOfAnOrganisationIsAskedToo, which has no row of its own.
func TestTheTokenOfAnOrganisationIsAskedToo(t *testing.T) {
	t.Parallel()
	fake := slackfake.Start(t, slackfake.Options{Enterprise: "E1", Org: true})
	r := newRows()
	r.list["T9"] = bot.Installation{Platform: slack.Platform, Team: "T9", Enterprise: "E1", State: bot.InstallActive, Version: 1}
	in := &host{intake: &intake{}, rows: r}
	c := config(fake)
	c.Installations = r
	a, err := slack.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	var running sync.WaitGroup
	running.Go(func() {
		if err := a.Run(ctx, in); err != nil {
			t.Errorf("the adapter ended with %v", err)
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
	for r.get("T9").State != bot.InstallRemoved || !r.get("T1").Covered() {
		select {
		case <-ctx.Done():
			t.Fatalf("the rows are %+v and %+v", r.get("T9"), r.get("T1"))
		case <-time.After(2 * time.Millisecond):
		}
	}
}
