package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
)

// The rows of the reliability scorecard that are about approvals, each with its
// figure in the log of the test.

// counted wraps an agent and counts how often it was told of a decision.
func counted(think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) (func(context.Context, agent.Request, agent.Sink) (agent.Result, error), *atomic.Int32) {
	n := &atomic.Int32{}
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		n.Add(int32(len(req.Decisions)))
		return think(ctx, req, sink)
	}, n
}

// set changes a setting of the workspace.
func (w *world) set(key string, value any) {
	w.t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1", Key: key, Value: raw, By: "admin"}); err != nil {
		w.t.Fatal(err)
	}
}

// act clicks and returns the private word, "" if there was none.
func (w *world) act(a bot.Action) string {
	w.t.Helper()
	ans, err := w.bot.Action(w.ctx, a)
	if err != nil {
		w.t.Fatal(err)
	}
	if ans.Card == nil {
		return ""
	}
	return ans.Card.Text
}

func (w *world) state(id string) bot.ApprovalState {
	w.t.Helper()
	row, err := w.store.ApprovalByID(w.ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return row.State
}

// fewer is a tenth of n in a short run, such as that of the race detector, which
// makes each of them slow: races need no more.
func fewer(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

func TestC01StrangersClicksDecideNothing(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	n := fewer(2000)
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			for i := range n / 8 {
				u := bot.User{ID: fmt.Sprintf("S%d", k*n+i), Name: "U1", Admin: i%2 == 0, Roles: []string{"U1"}, Bot: i%5 == 0}
				ans, err := w.bot.Action(w.ctx, bot.Action{ID: id, Verb: []string{"accept", "reject"}[i%2], Thread: m.Thread, User: u})
				if err != nil || ans.Card == nil {
					t.Errorf("a stranger's click: %+v, %v", ans, err)
				}
			}
		})
	}
	all.Wait()
	if s := w.state(id); s != bot.ApprovalPending || told.Load() != 0 {
		t.Errorf("state %s, the run was told %d times", s, told.Load())
	}
	refused := 0
	for after := int64(0); ; {
		log, err := w.store.AuditLog(w.ctx, "fake/T1", after, 1000)
		if err != nil || len(log) == 0 {
			break
		}
		for _, e := range log {
			if e.What == "approval.refused" {
				refused++
			}
		}
		after = log[len(log)-1].Seq
	}
	if refused != n {
		t.Errorf("%d refusals are audited, want %d", refused, n)
	}
	t.Logf("C01: unauthorised executions 0 of %d", n)
}

func TestC02ManyClicksAreOneExecution(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	w.set("approvers", []string{"U2", "@admins"})
	asks, clicks := 20, fewer(100)
	var accepted, refused atomic.Int32
	var all sync.WaitGroup
	for n := range asks {
		m := w.say("send a mail", w.platform.Thread("C1", fmt.Sprintf("t%d", n)))
		id := waitingCard(w, m).Buttons[0].ID
		for i := range clicks {
			all.Go(func() {
				u := []bot.User{{ID: "U1"}, {ID: "U2"}, {ID: "U3", Admin: true}}[i%3]
				ans, err := w.bot.Action(w.ctx, bot.Action{ID: id, Verb: []string{"accept", "reject"}[i%2], Thread: m.Thread, User: u})
				switch {
				case err != nil:
					t.Error(err)
				case ans.Card == nil:
					accepted.Add(1)
				case strings.Contains(ans.Card.Text, "approved") || strings.Contains(ans.Card.Text, "rejected"):
					refused.Add(1) // and told who decided what
				default:
					t.Errorf("told %q", ans.Card.Text)
				}
			})
		}
	}
	all.Wait()
	w.settled()
	if int(accepted.Load()) != asks || int(told.Load()) != asks || int(refused.Load()) != asks*(clicks-1) {
		t.Errorf("%d clicks counted, %d executions, %d refused", accepted.Load(), told.Load(), refused.Load())
	}
	t.Logf("C02: executions per approval %d/%d over %d clicks", told.Load(), asks, asks*clicks)
}

func TestC03ReplayedClickHasNoSecondEffect(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	captured := click(m, waitingCard(w, m).Buttons[0], "U1")
	w.act(captured)
	w.replies(m.Thread, 1)
	w.settled()
	n := fewer(500)
	for range n {
		if w.act(captured) == "" {
			t.Fatal("a replayed click counted")
		}
	}
	w.settled()
	if posts := w.platform.Posts(m.Thread); told.Load() != 1 || len(posts) != 1 {
		t.Errorf("%d executions, %d replies", told.Load(), len(posts))
	}
	t.Logf("C03: second effects 0 of %d", n)
}

func TestC04ButtonsOfOtherPlacesAreRefused(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	one := w.say("send a mail", w.platform.Thread("C1", ""))
	two := w.say("send a mail", w.platform.Thread("C1", ""))
	b := waitingCard(w, one).Buttons[0]
	waitingCard(w, two)
	for row, err := w.store.ApprovalByID(w.ctx, b.ID); row.Ref.IsZero(); row, err = w.store.ApprovalByID(w.ctx, b.ID) {
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Millisecond) // the card is seen before the record knows where it stands
	}
	foreign := func(change func(*bot.Action)) bot.Action {
		a := click(one, b, "U1")
		a.Message = w.platform.Posts(one.Thread)[0].ID
		change(&a)
		return a
	}
	crossed := []bot.Action{
		foreign(func(a *bot.Action) { a.Message = w.platform.Posts(two.Thread)[0].ID }),
		foreign(func(a *bot.Action) { a.Thread.Channel = "C2" }),
		foreign(func(a *bot.Action) { a.Thread.Team = "T2" }),
		foreign(func(a *bot.Action) { a.Thread.Platform = "slack" }),
		foreign(func(a *bot.Action) { a.ID = strings.ToUpper(a.ID) }),
		foreign(func(a *bot.Action) { a.ID = a.ID[:20] }),
		foreign(func(a *bot.Action) { a.ID = "" }),
		foreign(func(a *bot.Action) { a.ID = "i1" }),
	}
	for _, a := range crossed {
		if w.act(a) == "" {
			t.Errorf("%+v counted", a)
		}
	}
	if s := w.state(b.ID); s != bot.ApprovalPending || told.Load() != 0 {
		t.Errorf("state %s, %d executions", s, told.Load())
	}
	t.Logf("C04: cross-uses accepted 0 of %d kinds", len(crossed))
	if said := w.act(foreign(func(*bot.Action) {})); said != "" {
		t.Errorf("the true click: %q", said)
	}
}

func TestC05ChangedPlanNeedsItsOwnDecision(t *testing.T) {
	t.Parallel()
	var got []string // one run at a time
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		for _, d := range req.Decisions {
			got = append(got, d.Interrupt+string(d.Value))
		}
		if len(got) < 2 {
			ask, err := json.Marshal(agent.Ask{Question: fmt.Sprintf("Plan %d?", len(got)+1), Actions: []agent.Action{{Verb: "accept"}, {Verb: "edit", Words: true}}})
			return agent.Result{Interrupts: []agent.Interrupt{{ID: fmt.Sprintf("i%d", len(got)+1), Kind: "plan", Payload: ask}}}, err
		}
		return agent.Result{Text: strings.Join(got, " ")}, nil
	})
	m := w.say("do it", w.platform.Thread("C1", ""))
	old := waitingCard(w, m)
	edit := click(m, button(t, old, "Edit"), "U1")
	edit.Verb, edit.Values = edit.Verb+".form", map[string]string{"text": "another"}
	if said := w.act(edit); said != "" {
		t.Fatal(said)
	}
	fresh := awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "Plan 2?") })
	if said := w.act(click(m, button(t, old, "Approve"), "U1")); !strings.Contains(said, "already decided") {
		t.Errorf("the old button says %q", said)
	}
	if len(got) != 1 {
		t.Errorf("the run was told %q", got)
	}
	w.act(click(m, button(t, fresh, "Approve"), "U1"))
	if final := w.replies(m.Thread, 1)[0].Card.Text; final != `i1{"action":"edit","text":"another"} i2{"action":"accept"}` {
		t.Errorf("final %s", final)
	}
}

// tampering is a record whose approvals are changed behind the bot's back.
type tampering struct {
	bot.Record
	from, to string
}

func (r *tampering) ApprovalByID(ctx context.Context, id string) (bot.Approval, error) {
	a, err := r.Record.ApprovalByID(ctx, id)
	a.Payload = json.RawMessage(strings.ReplaceAll(string(a.Payload), r.from, r.to))
	return a, err
}

func TestC06WhatIsShownIsWhatRuns(t *testing.T) {
	t.Parallel()
	hidden := planAsk()
	hidden.Detail = "rm \u202etxt.exe\u200b \u2066x"
	hidden.Steps[0].Text = "read\u200bme"
	think, told := counted(interrupting(hidden))
	w := newWorld(t, think)
	m := w.say("do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	for _, mark := range []string{"⟦U+202E⟧", "⟦U+200B⟧", "⟦U+2066⟧"} {
		if !strings.Contains(card.Text, mark) {
			t.Errorf("%s is not shown: %q", mark, card.Text)
		}
	}
	if !strings.Contains(card.Steps[0].Text, "⟦U+200B⟧") {
		t.Errorf("step %q", card.Steps[0].Text)
	}
	w.stop()
	w.change = func(c *bot.Config) { c.Record = &tampering{c.Record, "Run this plan", "Run that plan"} }
	w.start()
	if said := w.act(click(m, button(t, card, "Approve"), "U1")); said == "" || told.Load() != 0 {
		t.Errorf("a changed approval counted: %q, %d executions", said, told.Load())
	}
	w.stop()
	w.change = nil
	w.start()

	long := planAsk()
	long.Detail = strings.Repeat("가", 13_000)
	w.agent.think = interrupting(long)
	m = w.say("do it", w.platform.Thread("C2", ""))
	card = waitingCard(w, m)
	if len(card.Buttons) != 1 || card.Buttons[0].Verb != "reject" || !strings.Contains(card.Text, "only") {
		t.Errorf("what cannot be shown whole offers %+v", card.Buttons)
	}
	unseen := click(m, card.Buttons[0], "U1")
	for _, verb := range []string{"accept", "edit", "edit.form", "pick.0"} {
		unseen.Verb = verb
		ans, err := w.bot.Action(w.ctx, unseen)
		if err != nil || ans.Card == nil && ans.Form == nil && len(ans.Errors) == 0 {
			t.Errorf("%s of what was not shown: %+v, %v", verb, ans, err)
		}
	}
	if s := w.state(unseen.ID); s != bot.ApprovalPending {
		t.Errorf("state %s", s)
	}
	t.Log("C06: digest mismatches 0")
}

func TestC07TwoPeopleAgreeOnTheSame(t *testing.T) {
	t.Parallel()
	think, told := counted(interrupting(planAsk()))
	w := newWorld(t, think)
	w.set("two_people", true)
	w.set("approvers", []string{"U2", "role:ops", "U4"})
	m := w.say("do it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	accept := button(t, card, "Approve")
	for range 3 { // the asker alone cannot be both
		w.act(click(m, accept, "U1"))
	}
	card = awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "U1: approved") })
	if told.Load() != 0 || w.state(accept.ID) != bot.ApprovalPending || !strings.Contains(card.Text, "2 different people") {
		t.Errorf("after one person: %d executions, %s", told.Load(), card.Text)
	}
	edit := click(m, button(t, card, "Edit"), "U2")
	edit.Verb, edit.Values = edit.Verb+".form", map[string]string{"plan": "1. only read", "tone": "s"}
	w.act(edit)
	card = awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Text, "1. only read") })
	if told.Load() != 0 {
		t.Error("two people who want different things decided")
	}
	agree := button(t, card, "Agree with U2")
	if said := w.act(click(m, agree, "U2")); !strings.Contains(said, "recorded") || told.Load() != 0 {
		t.Errorf("agreeing with oneself: %q", said)
	}
	ops := click(m, agree, "U9")
	ops.User.Roles = []string{"role:ops"}
	if said := w.act(ops); said != "" {
		t.Errorf("the second person: %q", said)
	}
	final := w.replies(m.Thread, 1)[0].Card
	if !strings.Contains(final.Text, `{"action":"edit","values":{"plan":"1. only read","tone":"s"}}`) || told.Load() != 1 {
		t.Errorf("final %s, %d executions", final.Text, told.Load())
	}
	if shown := fmt.Sprint(final.Fields); !strings.Contains(shown, "U2") || !strings.Contains(shown, "U9") {
		t.Errorf("who agreed: %s", shown)
	}
}

func TestC07RefusalNeedsOnePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(planAsk()))
	w.set("two_people", true)
	m := w.say("do it", w.platform.Thread("C1", ""))
	if said := w.act(click(m, button(t, waitingCard(w, m), "Reject"), "U1")); said != "" {
		t.Errorf("reject: %q", said)
	}
	w.replies(m.Thread, 1)
}

func TestC10UnknownControlsFailClosed(t *testing.T) {
	t.Parallel()
	think, told := counted(interrupting(planAsk()))
	w := newWorld(t, think)
	m := w.say("do it", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	bad := []string{
		"", "ACCEPT", "Accept", " accept", "accept ", "accept\n", "approve", "approved", "yes", "true", "1", "accept.form", "reject.form",
		"pick.", "pick.-1", "pick.1", "pick.00", "pick.0.form", "pick.+0", "pick.0x0", "pick.99999999999999999999", "same.", "same.0", "same.accept",
		"skip", "proceed", "clarify", "reuse", "edit.form.form", ".form", "form", "accept,reject", "accept;reject", "accept#reject", "ａccept",
		"аccept", "accept\x00", `{"verb":"accept"}`, "../accept", strings.Repeat("accept", 1000), "closed", "run.stop", "rate.up",
	}
	for _, verb := range bad {
		ans, err := w.bot.Action(w.ctx, bot.Action{ID: id, Verb: verb, Thread: m.Thread, User: bot.User{ID: "U1"}, Values: map[string]string{"action": "accept"}})
		if err != nil || ans.Card == nil && verb != "closed" {
			t.Errorf("%q: %+v, %v", verb, ans, err)
		}
	}
	if s := w.state(id); s != bot.ApprovalPending || told.Load() != 0 {
		t.Errorf("state %s, %d executions", s, told.Load())
	}
	t.Logf("C10: approvals from malformed input 0 of %d", len(bad))
}

// clockOf is a clock that tests move.
func clockOf(w *world) func(time.Duration) {
	var ahead atomic.Int64
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.start()
	return func(d time.Duration) { ahead.Add(int64(d)) }
}

func TestC11ReminderOnceThenExpiry(t *testing.T) {
	t.Parallel()
	var expired atomic.Int32
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) > 0 && req.Decisions[0].Expired && req.Decisions[0].Value == nil {
			expired.Add(1)
			return agent.Result{Text: "nobody answered, so I sent nothing"}, nil
		}
		return asking(ctx, req, sink)
	})
	forward := clockOf(w)
	w.set("approval_reminder", "24h0m0s")
	w.set("approval_expires", "48h0m0s")
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	old := click(m, card.Buttons[0], "U1")
	forward(25 * time.Hour)
	reminder := func(p bottest.Post) bool {
		return strings.Contains(p.Card.Text, "still waits") && strings.Contains(p.Card.Text, old.ID)
	}
	if _, err := w.platform.AwaitPost(w.ctx, m.Thread, reminder); err != nil {
		t.Fatal(err)
	}
	forward(12 * time.Hour)
	w.stop() // and a sweep at start reminds of nothing twice
	w.start()
	w.settled()
	if w.state(old.ID) != bot.ApprovalPending {
		t.Error("it expired early")
	}
	forward(12 * time.Hour)
	final := awaitCard(w, m, func(c bot.Card) bool { return c.Final && strings.Contains(c.Text, "nobody answered") })
	if len(final.Buttons) != 0 || !strings.Contains(fmt.Sprint(final.Fields), "nobody decided in time") {
		t.Errorf("the card after expiry: %+v", final)
	}
	if said := w.act(old); !strings.Contains(said, "nobody decided in time") {
		t.Errorf("a click after expiry says %q", said)
	}
	reminders := 0
	for _, p := range w.platform.Posts(m.Thread) {
		if p.Key == "remind-"+old.ID {
			reminders++
		}
	}
	if reminders != 1 || expired.Load() != 1 {
		t.Errorf("%d reminders, told of expiry %d times", reminders, expired.Load())
	}
	t.Log("C11: silent clicks 0")
}

func TestC11ClickAfterTheTimeBeforeTheSweep(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	forward := clockOf(w)
	w.stop()
	w.change = func(c *bot.Config) { c.Sweep = time.Hour } // nobody sweeps
	w.start()
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	old := click(m, waitingCard(w, m).Buttons[0], "U1")
	forward(8 * 24 * time.Hour)
	if said := w.act(old); !strings.Contains(said, "nobody decided in time") {
		t.Errorf("the late click says %q", said)
	}
	w.replies(m.Thread, 1)
	if told.Load() != 1 || w.state(old.ID) != bot.ApprovalExpired {
		t.Errorf("told %d times, state %s", told.Load(), w.state(old.ID))
	}
}

// deaf is a record in which no thread can be leased: decisions are committed,
// and nobody goes on with them.
type deaf struct{ bot.Record }

func (deaf) Claim(context.Context, string, string, time.Duration) (bot.Lease, bool, error) {
	return bot.Lease{}, false, nil
}

func (deaf) Take(context.Context, string, string, time.Duration) (bot.Lease, bot.Item, bool, error) {
	return bot.Lease{}, bot.Item{}, false, nil
}

func TestC12DecidedIsContinuedAfterARestart(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	const n = 20
	var threads []bot.Message
	var clicks []bot.Action
	for i := range n {
		m := w.say("send a mail", w.platform.Thread("C1", fmt.Sprintf("t%d", i)))
		threads, clicks = append(threads, m), append(clicks, click(m, waitingCard(w, m).Buttons[0], "U1"))
	}
	w.stop()
	w.change = func(c *bot.Config) { c.Record = deaf{c.Record} } // dies between the click and the run
	w.start()
	for _, a := range clicks {
		if said := w.act(a); said != "" {
			t.Error(said)
		}
	}
	if told.Load() != 0 {
		t.Fatal("the worker was there after all")
	}
	w.stop()
	w.change = nil
	w.start()
	for _, m := range threads {
		if p := w.replies(m.Thread, 1); len(p) != 1 || !strings.HasPrefix(p[0].Card.Text, "sent") {
			t.Errorf("replies %+v", p)
		}
	}
	t.Logf("C12: approved and not resumed 0 of %d", n)
}

func TestC13NothingRunsWithoutADecision(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	for range 5 { // restarts, stops and other messages are no decision
		w.stop()
		w.start()
		w.bot.Stop(w.ctx, m.Thread.Key())
		other, err := w.platform.Say(w.ctx, "U2", "is it done?", m.Thread)
		if err != nil {
			t.Fatal(err)
		}
		_ = other
		w.settled()
	}
	if told.Load() != 0 || w.state(id) != bot.ApprovalPending {
		t.Errorf("%d executions, state %s", told.Load(), w.state(id))
	}
	t.Log("C13: executions without a decision 0")
}

// platform is the fake one under a name that does not hide its method.
type platform = bottest.Platform

// roster is a platform that knows who belongs to what.
type roster struct {
	*platform
	mu     sync.Mutex
	gone   []string
	groups map[string][]string
	fail   error
}

func (r *roster) Member(_ context.Context, _ bot.Thread, user, group string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if group == "" {
		return !slices.Contains(r.gone, user), r.fail
	}
	return slices.Contains(r.groups[group], user), r.fail
}

func TestC15RightsAreThoseOfTheMomentOfTheClick(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	w.stop()
	r := &roster{platform: w.platform, groups: map[string][]string{"S1": {"U2"}}}
	w.change = func(c *bot.Config) { c.Adapters = []bot.Adapter{r} }
	w.start()
	w.set("approvers", []string{"S1", "U3", "@admins"})
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	b := waitingCard(w, m).Buttons[0]
	refused := func(what, user string, change func(*bot.Action)) {
		t.Helper()
		a := click(m, b, user)
		if change != nil {
			change(&a)
		}
		ans, err := w.bot.Action(w.ctx, a)
		if err == nil && ans.Card == nil || told.Load() != 0 {
			t.Errorf("%s counted", what)
		}
	}
	r.gone = []string{"U1", "U4"}
	refused("the asker, who has left the channel,", "U1", nil)
	refused("an admin who has left", "U4", func(a *bot.Action) { a.User.Admin = true })
	r.groups["S1"] = nil
	refused("one who is no longer in the group", "U2", nil)
	w.set("approvers", []string{"S1", "@admins"})
	refused("one who was taken off the list", "U3", nil)
	refused("one who is no admin any more", "U5", func(a *bot.Action) { a.User.Admin = false })
	r.groups["S1"], r.fail = []string{"U2"}, errTest
	refused("one of whom nothing could be found out", "U2", nil)
	r.fail = nil
	if said := w.act(click(m, b, "U2")); said != "" {
		t.Errorf("a member of the group: %q", said)
	}
	w.replies(m.Thread, 1)
	t.Log("C15: executions with rights that were gone 0")
}

// postman is a platform that can write to a person directly.
type postman struct {
	*platform
	letters chan bot.Card
}

func (p *postman) Direct(_ context.Context, _ bot.Thread, u bot.User, c bot.Card) error {
	if u.ID == "U1" {
		p.letters <- c
	}
	return nil
}

func TestC16CardThatCannotBePosted(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	forward := clockOf(w)
	w.stop()
	p := &postman{platform: w.platform, letters: make(chan bot.Card, 10)}
	w.change = func(c *bot.Config) { c.Adapters, c.SignOfLife = []bot.Adapter{p}, time.Minute }
	w.start()
	forbidden := &bot.DeliveryError{Op: "post", Code: "not_in_channel", Err: bot.ErrForbidden}
	w.platform.Fail(bottest.Fault{Op: "post", Err: forbidden}, bottest.Fault{Op: "post", Err: forbidden})
	one := w.say("send a mail", w.platform.Thread("C1", ""))
	letter := <-p.letters
	if !strings.Contains(letter.Text, "Send the mail?") {
		t.Errorf("the letter says %q", letter.Text)
	}
	_, after, _ := strings.Cut(letter.Text, "/maru approve ")
	id, _, _ := strings.Cut(after, "`")
	command := func(user, args string) string {
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "approve", Args: args, Thread: w.platform.Thread("D1", ""), User: bot.User{ID: user}})
		if err != nil || card == nil {
			t.Fatalf("command: %+v, %v", card, err)
		}
		return card.Text
	}
	if said := command("U2", id); !strings.Contains(said, "No question with that id") || told.Load() != 0 {
		t.Errorf("a stranger's command: %q", said)
	}
	if said := command("U1", id); !strings.Contains(said, "recorded") {
		t.Errorf("the asker's command: %q", said)
	}
	w.replies(one.Thread, 1)

	w.platform.Fail(bottest.Fault{Op: "post", Err: forbidden})
	two := w.say("send a mail", w.platform.Thread("C2", ""))
	<-p.letters
	forward(2 * time.Minute) // and the card is tried again
	card := waitingCard(w, two)
	if said := w.act(click(two, card.Buttons[0], "U1")); said != "" {
		t.Error(said)
	}
	w.replies(two.Thread, 1)
	t.Log("C16: approvals stranded silently 0 of 2")
}

// TestOperatorDecidesFromTheConsole lets two surfaces decide the same approvals
// at once.
func TestOperatorDecidesFromTheConsole(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	console := bot.Ruling{Action: "reject", Thread: bot.Thread{Platform: "web", Team: "local", Channel: "home"}, User: bot.User{ID: "owner", Operator: true}}
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	console.Run = card.Run
	if _, err := w.bot.Rule(w.ctx, console); err == nil || told.Load() != 0 {
		t.Error("the operator decided where nobody has made them an approver")
	}
	w.set("approvers", []string{"@admins"})
	if _, err := w.bot.Rule(w.ctx, bot.Ruling{Run: card.Run, Action: "accept", Thread: console.Thread, User: bot.User{ID: "x", Admin: true}}); err == nil {
		t.Error("an admin of another workspace decided")
	}
	const n = 50
	var both sync.WaitGroup
	var wins atomic.Int32
	for i := range n {
		m := w.say("send a mail", w.platform.Thread("C1", fmt.Sprintf("t%d", i)))
		card := waitingCard(w, m)
		r := console
		r.Run = card.Run
		both.Go(func() {
			if _, err := w.bot.Rule(w.ctx, r); err == nil {
				wins.Add(1)
			}
		})
		both.Go(func() {
			if ans, err := w.bot.Action(w.ctx, click(m, card.Buttons[0], "U1")); err == nil && ans.Card == nil {
				wins.Add(1)
			}
		})
	}
	both.Wait()
	w.settled()
	if wins.Load() != n || told.Load() != n {
		t.Errorf("%d decisions and %d executions of %d approvals", wins.Load(), told.Load(), n)
	}
}
