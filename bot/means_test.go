package bot_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/config"
)

// resolving returns how a program resolves whose operator allows these models.
func resolving(models ...string) func([]config.Entry) config.Resolved {
	c := config.Config{Place: config.PlaceDefaults(), Decisions: config.DecisionDefaults(), Model: config.Model{Choices: models}}
	return func(set []config.Entry) config.Resolved { return config.Resolve(c, set) }
}

// TestARunKeepsWhatItBeganWith walks a place's model, temperature and documents
// into a run that waits, and changes all of them before it goes on.
func TestARunKeepsWhatItBeganWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asking)
	w.stop()
	w.change = func(cfg *service.Config) {
		cfg.Models, cfg.Toolbox, cfg.Resolve = []string{"big", "small"}, newToolbox(), resolving("big", "small")
	}
	w.start()
	thread := w.platform.Thread("C1", "")
	set := func(args string) string {
		return w.order(bot.Invocation{Name: "settings", Args: args, Thread: thread, User: admin})
	}
	for args, want := range map[string]string{
		"set model big": "`model` = **big** (channel)", "set workspace temperature 0": "`temperature` = **0** (workspace)",
		"set doc_scopes channel, public": "**channel, public**", "set doc_tags hr": "`doc_tags` = **hr** (channel)",
		"set tools_off calculator": "**calculator**",
		"set tools_off calculater": "some of calculator, wiki_move", "set model huge": "one of big, small", "set me model big": "It can be set for: workspace, channel, thread",
	} {
		if got := set(args); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", args, got, want)
		}
	}
	m := w.say("send a mail", thread)
	card := waitingCard(w, m)
	for _, args := range []string{"set model small", "set workspace temperature 2", "clear doc_scopes", "set doc_tags it", "set tools_off wiki_move"} {
		set(args)
	}
	w.act(click(m, card.Buttons[0], "U1"))
	w.replies(m.Thread, 1)
	runs := w.agent.asked()
	if len(runs) != 2 {
		t.Fatalf("%d requests", len(runs))
	}
	want := []string{"public", "channel:fake/T1/C1", "without:calculator"}
	for i, r := range runs {
		if i == 1 { // a tool that was switched off meanwhile stays off
			want = append(want, "without:wiki_move")
		}
		if r.Model != "big" || r.Temperature == nil || *r.Temperature != 0 || !slices.Equal(r.Tags, []string{"hr"}) || !slices.Equal(r.Scopes, want) {
			t.Errorf("request %d: model %q, temperature %v, tags %v, scopes %v", i, r.Model, r.Temperature, r.Tags, r.Scopes)
		}
	}
	next := w.say("send another", thread)
	waitingCard(w, next)
	if r := w.agent.asked()[2]; r.Model != "small" || *r.Temperature != 2 || !slices.Equal(r.Tags, []string{"it"}) ||
		!slices.Equal(r.Scopes, []string{"public", "channel:fake/T1/C1", "team:fake/T1", "without:wiki_move"}) {
		t.Errorf("the next run: %+v", r)
	}
}

// TestDocumentScopesNeverWiden holds that naming a scope gives nobody a right.
func TestDocumentScopesNeverWiden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "")
	for scopes, want := range map[string]map[string][]string{
		"workspace":       {"member": {"team:fake/T1"}, "guest": nil},
		"public, channel": {"member": {"public", "channel:fake/T1/C1"}, "guest": {"public"}},
		"":                {"member": {"public", "channel:fake/T1/C1", "team:fake/T1"}, "guest": {"public"}},
	} {
		w.set("doc_scopes", strings.FieldsFunc(scopes, func(r rune) bool { return r == ',' || r == ' ' }))
		for name, who := range map[string]bot.User{"member": member, "guest": guest} {
			at := len(w.agent.asked())
			m := w.platform.Message(who.ID, "what?", thread)
			m.User = who
			w.deliver(m)
			w.settled()
			if runs := w.agent.asked(); len(runs) != at+1 || !slices.Equal(runs[at].Scopes, want[name]) {
				t.Errorf("%q for a %s: %+v", scopes, name, runs[at:])
			}
		}
	}
}

// TestQuietHours holds that in quiet hours whoever speaks to the bot is answered,
// overheard talk is not, and reminders come when the hours are over.
func TestQuietHours(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if strings.Contains(req.Text, "send") {
			return asking(ctx, req, sink)
		}
		return echo(ctx, req, sink)
	})
	w.stop()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	var ahead atomic.Int64
	w.now = func() time.Time { return noon.Add(time.Duration(ahead.Load())) }
	forward := func(d time.Duration) { ahead.Add(int64(d)) }
	w.start()
	channel := w.platform.Thread("C1", "")
	w.set("engage", "always")
	w.set("quiet_hours", "22:00-08:00")
	w.set("approval_reminder", "11h0m0s")
	hear := func(reach bot.Reach, text string) bot.Message {
		m := w.platform.Message("U1", text, channel)
		m.Reach, m.At = reach, w.now()
		w.deliver(m)
		w.settled()
		return m
	}
	hear(bot.ReachAmbient, "lunch?")
	asked := hear(bot.ReachMention, "send a mail")
	waitingCard(w, asked)
	before := len(w.agent.asked())
	forward(11*time.Hour + time.Minute) // 23:01, and the reminder is due
	hear(bot.ReachAmbient, "anybody up?")
	if n := len(w.agent.asked()); n != before {
		t.Error("overheard talk was answered in quiet hours")
	}
	hear(bot.ReachMention, "are you there?")
	if n := len(w.agent.asked()); n != before+1 {
		t.Error("a mention was not answered in quiet hours")
	}
	reminder := func(p bottest.Post) bool { return strings.Contains(p.Card.Text, "still waiting") }
	if slices.ContainsFunc(w.platform.Posts(asked.Thread), reminder) {
		t.Error("the reminder came at night")
	}
	forward(9 * time.Hour) // 08:01
	if _, err := w.platform.AwaitPost(w.ctx, asked.Thread, reminder); err != nil {
		t.Error("the reminder did not come in the morning:", err)
	}
	hear(bot.ReachAmbient, "breakfast?")
	if n := len(w.agent.asked()); n != before+2 {
		t.Error("talk was not answered after quiet hours")
	}
}
