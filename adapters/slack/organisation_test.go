package slack_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// grid returns an app that an organisation with two workspaces has installed.
func grid(t *testing.T, overHTTP bool) (d *distributed, one, two *slackfake.Server) {
	t.Helper()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	one = fake.Add(slackfake.Options{Team: "T1", Enterprise: "E1", Org: true})
	two = fake.Add(slackfake.Options{Team: "T2", Enterprise: "E1", Org: true})
	one.AddChannel(slackfake.Channel{ID: "C11", Name: "one", Members: []string{"UBOT", "U1"}})
	two.AddChannel(slackfake.Channel{ID: "C22", Name: "two", Members: []string{"UBOT", "U1"}})
	d = distribute(t, fake, newRows(), overHTTP)
	d.install("T1")
	return d, one, two
}

// TestAnOrganisationTakesAWorkspaceAway: the app's end in one workspace is that of
// an installation there, the others go on, and it works again when it is given
// back; over Socket Mode and over HTTP.
func TestAnOrganisationTakesAWorkspaceAway(t *testing.T) {
	t.Parallel()
	for name, overHTTP := range map[string]bool{"socket": false, "http": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, one, two := grid(t, overHTTP)
			one.Say("U1", "C11", "<@UBOT> in one", "")
			two.Say("U1", "C22", "<@UBOT> in two", "")
			here, there := d.heard("T1", 1)[0], d.heard("T2", 1)[0]
			if row := d.in.rows.get("T1"); !row.Covered() || row.Enterprise != "E1" {
				t.Fatalf("the workspace's row is %+v", row)
			}

			d.Withhold("T1", true)
			if err := one.Settle(d.ctx); err != nil {
				t.Fatal(err)
			}
			if row := d.in.rows.get("T1"); row.State != bot.InstallRemoved || row.Why != "team_access_revoked" {
				t.Fatalf("the workspace's row is %+v", row)
			}
			d.in.rows.mu.Lock()
			left := slices.Compact(slices.Clone(d.in.rows.left)) // the event's, and the census' if it looked just then
			d.in.rows.mu.Unlock()
			if len(left) != 1 || left[0].Enterprise != "E1" {
				t.Errorf("departures %+v", left)
			}
			var failed *bot.DeliveryError
			if err := d.answer(here, "too late"); !errors.As(err, &failed) || failed.Code != "not_installed" {
				t.Errorf("an answer after the end: %v", err)
			}
			if err := d.answer(there, "still here"); err != nil {
				t.Errorf("the other workspace: %v", err)
			}
			one.EmitRaw("events_api", fromGrid("EvLate", "T1", time.Now().Add(-time.Second), `{"type":"message","channel":"C11","user":"U1","ts":"5.1","text":"<@UBOT> late"}`))
			one.EmitRaw("interactive", []byte(`{"type":"block_actions","api_app_id":"AMARU","enterprise":{"id":"E1"},"is_enterprise_install":true,"team":{"id":"T1"},"user":{"id":"U1","team_id":"T2"},
				"channel":{"id":"C11"},"message":{"ts":"5.2","team":"T1"},"trigger_id":"t1","actions":[{"type":"button","action_id":"maru:approve","value":"row"}]}`))
			if err := one.Settle(d.ctx); err != nil {
				t.Fatal(err)
			}
			d.in.mu.Lock()
			clicks := len(d.in.actions)
			d.in.mu.Unlock()
			if n := len(d.heard("T1", 1)); n != 1 || clicks != 0 {
				t.Errorf("%d messages and %d clicks came from a workspace that the app was taken away from", n, clicks)
			}

			d.Withhold("T1", false)
			if err := one.Settle(d.ctx); err != nil {
				t.Fatal(err)
			}
			one.Say("U1", "C11", "<@UBOT> again", "")
			if err := d.answer(d.heard("T1", 2)[1], "here I am"); err != nil {
				t.Error(err)
			}
		})
	}
}

// fromGrid returns an event that Slack sends to the organisation's installation.
func fromGrid(id, team string, at time.Time, event string) []byte {
	return fmt.Appendf(nil, `{"type":"event_callback","team_id":%q,"context_team_id":%q,"enterprise_id":"E1","api_app_id":"AMARU","event_id":%q,"event_time":%d,
		"authorizations":[{"enterprise_id":"E1","team_id":%q,"user_id":"UBOT","is_bot":true,"is_enterprise_install":true}],"event":%s}`, team, team, id, at.Unix(), team, event)
}

// TestAccessOfLongAgo: what Slack tells late of the end of an access does no harm to
// a later one, and a return that nobody was told of shows in the first word.
func TestAccessOfLongAgo(t *testing.T) {
	t.Parallel()
	d, one, _ := grid(t, true)
	settle := func() {
		t.Helper()
		if err := one.Settle(d.ctx); err != nil {
			t.Fatal(err)
		}
	}
	one.Say("U1", "C11", "<@UBOT> hello", "")
	d.heard("T1", 1)
	one.EmitRaw("events_api", fromGrid("EvOld", "T1", time.Unix(1000, 0), `{"type":"team_access_revoked","team_ids":["T1"]}`))
	settle()
	if row := d.in.rows.get("T1"); !row.Covered() {
		t.Fatalf("after an old event the row is %+v", row)
	}
	// As Slack's page shows the two events: in one more wrapper, and with null for
	// the workspace.
	one.EmitRaw("events_api", fmt.Appendf(nil, `{"type":"event_callback","team_id":"T1","api_app_id":"AMARU","event_id":"EvWrapped","event_time":%d,
		"event":{"team_id":null,"enterprise_id":"E1","api_app_id":"AMARU","event":{"type":"team_access_revoked","team_ids":["T1","T7"]}},
		"authorizations":[{"enterprise_id":"E1","team_id":"T1","is_bot":false,"is_enterprise_install":false}]}`, time.Now().Unix()+1))
	settle()
	for _, team := range []string{"T1", "T7"} {
		if row := d.in.rows.get(team); row.State != bot.InstallRemoved || row.Enterprise != "E1" {
			t.Errorf("the row of %s is %+v", team, row)
		}
	}
	one.EmitRaw("events_api", fromGrid("EvBack", "T1", time.Now().Add(time.Hour), `{"type":"message","channel":"C11","user":"U1","ts":"7.1","text":"<@UBOT> we are back"}`))
	settle()
	if row := d.in.rows.get("T1"); !row.Covered() {
		t.Errorf("after a message of the workspace its row is %+v", row)
	}
	if got := d.heard("T1", 2); got[len(got)-1].Text != "we are back" && got[0].Text != "we are back" {
		t.Errorf("heard %+v", got)
	}
	one.EmitRaw("events_api", []byte(strings.ReplaceAll(string(fromGrid("EvForeign", "T1", time.Now().Add(2*time.Hour), `{"type":"team_access_revoked","team_ids":["T1"]}`)), "E1", "E9")))
	settle()
	if row := d.in.rows.get("T1"); !row.Covered() {
		t.Errorf("after another organisation's event the row is %+v", row)
	}
}

// TestAWorkspaceOfItsOwnInAnOrganisation: an installation of the workspace's own
// is not the organisation's to take away.
func TestAWorkspaceOfItsOwnInAnOrganisation(t *testing.T) {
	t.Parallel()
	d, one, two := grid(t, true)
	two.Say("U1", "C22", "<@UBOT> hello", "")
	d.heard("T2", 1)
	d.in.rows.change("T2", func(in *bot.Installation) { in.Secret = []byte("its own") })
	before := d.in.rows.get("T2")
	one.EmitRaw("events_api", fromGrid("EvGranted", "T1", time.Now(), `{"type":"team_access_granted","team_ids":["T2"]}`))
	if err := one.Settle(d.ctx); err != nil {
		t.Fatal(err)
	}
	if row := d.in.rows.get("T2"); string(row.Secret) != "its own" || row.Version != before.Version {
		t.Errorf("the row is %+v", row)
	}
}

// TestManifestForOrganisations: only an app that organisations install may hear of
// their workspaces.
func TestManifestForOrganisations(t *testing.T) {
	t.Parallel()
	for install, want := range map[bool]int{true: 2, false: 0} {
		text, err := slack.Manifest(slack.ManifestOptions{URL: "https://maru.example.com", Install: install})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "- team_access_"); n != want {
			t.Errorf("install %v: %d of the events are in %s", install, n, text)
		}
	}
}
