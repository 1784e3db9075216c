package slack_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// stopped returns a clock that stands still: two workspaces then give equal ids to
// what is said in them. It stands ahead, for what happened in the second before the
// installation counts no more.
func stopped() func() time.Time {
	at := time.Now().Add(time.Minute)
	return func() time.Time { return at }
}

// twins returns an app in two workspaces that have all ids in common but their own.
func twins(t *testing.T, overHTTP bool, change ...func(*slack.AppConfig)) (d *distributed, one, two *slackfake.Server) {
	t.Helper()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	clock := stopped()
	one, two = fake.Add(slackfake.Options{Team: "T1", Now: clock}), fake.Add(slackfake.Options{Team: "T2", Now: clock})
	d = distribute(t, fake, newRows(), overHTTP, change...)
	d.install("T1")
	d.install("T2")
	return d, one, two
}

// TestTwoWorkspacesWithEqualIDs: everything is answered in the workspace where
// it was said, with that workspace's token, over Socket Mode and over HTTP.
func TestTwoWorkspacesWithEqualIDs(t *testing.T) {
	t.Parallel()
	for name, overHTTP := range map[string]bool{"socket": false, "http": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, one, two := twins(t, overHTTP)
			file1 := one.AddFile(slackfake.File{ID: "F1", Name: "a.txt", MIME: "text/plain", Data: []byte("of one")})
			file2 := two.AddFile(slackfake.File{ID: "F1", Name: "a.txt", MIME: "text/plain", Data: []byte("of two")})
			ts1 := one.SayFiles("U1", "C1", "<@UBOT> from one", "", file1)
			ts2 := two.SayFiles("U1", "C1", "<@UBOT> from two", "", file2)
			if ts1 != ts2 {
				t.Fatalf("the test wants equal ids: %s, %s", ts1, ts2)
			}
			for team, w := range map[string]*slackfake.Server{"T1": one, "T2": two} {
				m := d.heard(team, 1)[0]
				word := map[string]string{"T1": "one", "T2": "two"}[team]
				if m.Text != "from "+word || m.Reach != bot.ReachMention {
					t.Errorf("%s heard %+v", team, m)
				}
				if err := d.answer(m, "answer to "+word); err != nil {
					t.Fatal(err)
				}
				body, err := d.app.Fetch(d.ctx, m.Files[0], 1<<10)
				if err != nil {
					t.Fatal(err)
				}
				raw, err := io.ReadAll(body)
				if err != nil || string(raw) != "of "+word {
					t.Errorf("file of %s: %q, %v", team, raw, err)
				}
				_ = body.Close()
				replies := w.Replies("C1", ts1)
				if len(replies) != 1 || !strings.Contains(replies[0].Shown(), "answer to "+word) {
					t.Errorf("%s shows %+v", team, replies)
				}
				if bad := w.Refused(); len(bad) > 0 {
					t.Errorf("%s refused %q", team, bad)
				}
			}
			if bad := d.Unknown(); len(bad) > 0 {
				t.Errorf("calls with the token of no workspace: %q", bad)
			}
			one.Slash("U1", "C1", "/maru", "help")
			two.Slash("U1", "C1", "/maru", "status")
			d.await("commands", func() bool { return len(d.in.commands()) >= 2 })
			for _, c := range d.in.commands() {
				if want := map[string]string{"help": "T1", "status": "T2"}[c.Name]; c.Thread.Team != want {
					t.Errorf("command %s is of %s, want %s", c.Name, c.Thread.Team, want)
				}
			}
		})
	}
}

// TestClicksGoToTheirWorkspace: a button is pressed in two workspaces whose
// messages have equal ids, and a form opens where it was pressed.
func TestClicksGoToTheirWorkspace(t *testing.T) {
	t.Parallel()
	d, one, two := twins(t, false)
	d.in.onAction = func(a bot.Action) (bot.Answer, error) {
		if a.Verb == "edit" {
			return bot.Answer{Form: &bot.Form{ID: a.ID, Verb: "edited", Title: "Edit", Submit: "OK", Inputs: []bot.Input{{ID: "v", Label: "Value"}}}}, nil
		}
		return bot.Answer{}, nil
	}
	for team, w := range map[string]*slackfake.Server{"T1": one, "T2": two} {
		w.Say("U1", "C1", "<@UBOT> plan", "")
		m := d.heard(team, 1)[0]
		ref, err := d.app.Post(d.ctx, bot.Target{Thread: m.Thread}, bot.Card{
			Kind: bot.CardPlan, Text: "the plan", Buttons: []bot.Button{{ID: "row-" + team, Verb: "accept", Label: "Yes"}, {ID: "row-" + team, Verb: "edit", Label: "Edit"}},
		}, "k"+team)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"Yes", "Edit"} {
			if _, err := w.Click("U1", "C1", ref.Messages[0], label); err != nil {
				t.Fatal(err)
			}
		}
		d.await("a form in "+team, func() bool {
			for _, c := range w.Calls("views.open") {
				if c.Error == "" {
					return true
				}
			}
			return false
		})
	}
	d.in.mu.Lock()
	defer d.in.mu.Unlock()
	if len(d.in.actions) != 4 {
		t.Fatalf("actions %+v", d.in.actions)
	}
	for _, a := range d.in.actions {
		if a.ID != "row-"+a.Thread.Team {
			t.Errorf("a click on %s came from %s", a.ID, a.Thread.Team)
		}
	}
}

// TestUninstallAndReinstall: the token goes at once, late events of the end
// before do no harm, and the app works again after it was installed again.
func TestUninstallAndReinstall(t *testing.T) {
	t.Parallel()
	d, one, two := twins(t, false)
	one.Say("U1", "C1", "<@UBOT> before", "")
	before := d.heard("T1", 1)[0]
	d.Uninstall("T1")
	d.await("the departure", func() bool { return d.in.rows.get("T1").State == bot.InstallRemoved })
	if row := d.in.rows.get("T1"); row.Secret != nil || row.Why == "" {
		t.Errorf("row %+v", row)
	}
	var failed *bot.DeliveryError
	if err := d.answer(before, "too late"); !errors.As(err, &failed) || !errors.Is(err, bot.ErrForbidden) || failed.Code != "not_installed" {
		t.Errorf("an answer after the end: %v", err)
	}
	two.Say("U1", "C1", "<@UBOT> still here", "")
	if err := d.answer(d.heard("T2", 1)[0], "yes"); err != nil {
		t.Errorf("the other workspace: %v", err)
	}

	d.install("T1")
	one.EmitRaw("events_api", []byte(`{"type":"event_callback","team_id":"T1","api_app_id":"AMARU","event_id":"EvOld","event_time":1000,"event":{"type":"app_uninstalled"}}`))
	one.EmitRaw("events_api", []byte(`{"type":"event_callback","team_id":"T1","api_app_id":"AMARU","event_id":"EvUser","event_time":4000000000,"event":{"type":"tokens_revoked","tokens":{"oauth":["U1"]}}}`))
	if err := one.Settle(d.ctx); err != nil {
		t.Fatal(err)
	}
	if row := d.in.rows.get("T1"); row.State != bot.InstallActive {
		t.Fatalf("the new installation is %s", row.State)
	}
	one.Say("U1", "C1", "<@UBOT> again", "")
	if err := d.answer(d.heard("T1", 2)[1], "here I am"); err != nil {
		t.Error(err)
	}
}

// TestAReplicaLearnsOfInstallations: what is installed or removed at one replica
// holds at the others.
func TestAReplicaLearnsOfInstallations(t *testing.T) {
	t.Parallel()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	one := fake.Add(slackfake.Options{Team: "T1"})
	r := newRows()
	first := distribute(t, fake, r, false)
	second := distribute(t, fake, r, false) // the newest connection gets what is sent
	second.await("a connection", func() bool { return fake.Connections() == 2 })
	one.Say("U1", "C1", "<@UBOT> nobody is here", "")
	if err := one.Settle(first.ctx); err != nil {
		t.Fatal(err)
	}
	first.install("T1")
	target := bot.Target{Thread: bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}}
	second.await("the installation at the other replica", func() bool {
		_, err := second.app.Post(second.ctx, target, bot.Card{Kind: bot.CardText, Text: "hi", Final: true}, "k")
		return err == nil
	})
	first.Uninstall("T1")
	for _, d := range []*distributed{first, second} {
		d.await("the end at every replica", func() bool {
			_, err := d.app.Post(d.ctx, target, bot.Card{Kind: bot.CardText, Text: "hi", Final: true}, "k")
			var f *bot.DeliveryError
			return errors.As(err, &f) && f.Code == "not_installed"
		})
	}
}

// TestOneOrganisation: an installation for a whole Enterprise Grid organisation
// serves its workspaces, and answers go out without an event before them.
func TestOneOrganisation(t *testing.T) {
	t.Parallel()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	one := fake.Add(slackfake.Options{Team: "T1", Enterprise: "E1", Org: true})
	two := fake.Add(slackfake.Options{Team: "T2", Enterprise: "E1", Org: true})
	one.AddChannel(slackfake.Channel{ID: "C11", Name: "one", Members: []string{"UBOT", "U1"}})
	two.AddChannel(slackfake.Channel{ID: "C22", Name: "two", Members: []string{"UBOT", "U1"}})
	r := newRows()
	d := distribute(t, fake, r, false)
	d.install("T1")
	if row := r.get("E1"); !row.Org || row.Enterprise != "E1" || row.Name != "Org E1" {
		t.Fatalf("row %+v", row)
	}
	one.Say("U1", "C11", "<@UBOT> in one", "")
	two.Say("U1", "C22", "<@UBOT> in two", "")
	for _, m := range []bot.Message{d.heard("T1", 1)[0], d.heard("T2", 1)[0]} {
		if err := d.answer(m, "answer"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(two.Replies("C22", two.Messages("C22", "")[0].TS)); n != 1 {
		t.Errorf("%d replies in the second workspace", n)
	}
	later := distribute(t, fake, r, false) // another process, which saw no event
	later.in.notes = d.in.notes
	if _, err := later.app.Post(later.ctx, bot.Target{Thread: bot.Thread{Platform: "slack", Team: "T2", Channel: "C22"}}, bot.Card{Kind: bot.CardText, Text: "late", Final: true}, "k"); err != nil {
		t.Error(err)
	}
	fake.Uninstall("T1")
	d.await("the departure", func() bool { return r.get("E1").State == bot.InstallRemoved })
}

// TestASharedChannelOfTwoInstallations: Slack sends a message in a Slack Connect
// channel once, with any of the installations that see it; it belongs to the one
// that it names, and what follows in its thread does, too.
func TestASharedChannelOfTwoInstallations(t *testing.T) {
	t.Parallel()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	one, two := fake.Add(slackfake.Options{Team: "T1"}), fake.Add(slackfake.Options{Team: "T2"})
	three := fake.Add(slackfake.Options{Team: "T3"})
	for _, w := range []*slackfake.Server{one, two} {
		w.AddChannel(slackfake.Channel{ID: "CSHARED", Name: "shared", Members: []string{"UBOT", "U1"}})
	}
	r := newRows()
	d := distribute(t, fake, r, true)
	for team, user := range map[string]string{"T1": "UONE", "T2": "UTWO", "T3": "UTHREE"} {
		d.install(team)
		r.change(team, func(in *bot.Installation) { in.BotUser = user })
	}
	for team, user := range map[string]string{"T1": "UONE", "T2": "UTWO"} {
		d.await("the name in "+team, func() bool {
			one.EmitRaw("events_api", []byte(event(team, "1.0001", "", "<@"+user+"> ready?")))
			_ = one.Settle(d.ctx)
			return slices.ContainsFunc(d.in.said(), func(m bot.Message) bool {
				return m.Reach == bot.ReachMention && m.Thread.Team == team
			})
		})
	}
	say := func(auth, ts, thread, text string) bot.Message {
		t.Helper()
		n := len(d.in.said())
		one.EmitRaw("events_api", []byte(event(auth, ts, thread, text)))
		if err := one.Settle(d.ctx); err != nil {
			t.Fatal(err)
		}
		all := d.in.said()
		if len(all) != n+1 {
			t.Fatalf("%q came in %d times", text, len(all)-n)
		}
		return all[n]
	}
	if m := say("T1", "2.0001", "", "<@UTWO> hello"); m.Thread.Team != "T2" || m.Reach != bot.ReachMention {
		t.Errorf("a message that names T2's bot: %+v", m)
	}
	if m := say("T1", "2.0002", "2.0001", "and more"); m.Thread.Team != "T2" || m.Reach != bot.ReachFollow {
		t.Errorf("what follows in its thread: %+v", m)
	}
	if m := say("T2", "3.0001", "", "<@UONE> hello"); m.Thread.Team != "T1" {
		t.Errorf("a message that names T1's bot: %+v", m)
	}
	if m := say("T1", "4.0001", "", "<@UTHREE> hello"); m.Thread.Team != "T1" || m.Reach == bot.ReachMention {
		t.Errorf("a bot that is not in the channel was named: %+v", m)
	}
	_ = three
}

// event returns a message in the shared channel, as Slack sends it to one
// installation.
func event(auth, ts, thread, text string) string {
	follow := ""
	if thread != "" {
		follow = `"thread_ts":"` + thread + `",`
	}
	return `{"type":"event_callback","team_id":"` + auth + `","context_team_id":"` + auth + `","api_app_id":"AMARU","event_id":"Ev` + ts + `","is_ext_shared_channel":true,
		"authorizations":[{"team_id":"` + auth + `","user_id":"UBOT","is_bot":true}],
		"event":{"type":"message","channel":"CSHARED","channel_type":"channel","user":"U1","user_team":"T9","ts":"` + ts + `",` + follow + `"text":"` + text + `"}}`
}

// TestEventsOfStrangers: nobody has installed the app there, or the record
// cannot say.
func TestEventsOfStrangers(t *testing.T) {
	t.Parallel()
	d, one, _ := twins(t, true)
	raw := []byte(`{"type":"event_callback","team_id":"T9","api_app_id":"AMARU","event_id":"Ev9","authorizations":[{"team_id":"T9"}],"event":{"type":"message","channel":"D1","user":"U1","ts":"9.1","text":"hi"}}`)
	one.EmitRaw("events_api", raw)
	if err := one.Settle(d.ctx); err != nil {
		t.Fatal(err)
	}
	if all := one.Deliveries(); all[len(all)-1].Status != http.StatusOK || len(d.in.said()) != 0 {
		t.Errorf("delivery %+v, heard %v", all[len(all)-1], d.in.said())
	}
	d.in.rows.fail(errors.New("the record is away"), nil)
	one.EmitRaw("events_api", bytes.ReplaceAll(raw, []byte("T9"), []byte("T8")))
	if err := one.Settle(d.ctx); err != nil {
		t.Fatal(err)
	}
	if all := one.Deliveries(); all[len(all)-1].Status != http.StatusServiceUnavailable {
		t.Errorf("while the record is away the answer is %d: Slack would not send it again", all[len(all)-1].Status)
	}
}
