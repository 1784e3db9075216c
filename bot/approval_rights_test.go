package bot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

func TestStrangersClicksDecideNothing(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	n := fewer(t, 10000)
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
	t.Logf("unauthorised executions 0 of %d", n)
}

func TestButtonsOfOtherPlacesAreRefused(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	one := w.say("send a mail", w.platform.Thread("C1", ""))
	two := w.say("send a mail", w.platform.Thread("C1", ""))
	b := waitingCard(w, one).Buttons[0]
	waitingCard(w, two)
	w.until("the record knows where the card stands", func() bool { // it is seen before
		row, err := w.store.ApprovalByID(w.ctx, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		return !row.Ref.IsZero()
	})
	foreign := func(change func(*bot.Action)) bot.Action {
		a := click(one, b, "U1")
		a.Message = w.platform.Posts(one.Thread)[0].ID
		change(&a)
		return a
	}
	crossed := []bot.Action{
		foreign(func(a *bot.Action) { a.Message = w.platform.Posts(two.Thread)[0].ID }),
		foreign(func(a *bot.Action) { a.Message, a.Thread = "", two.Thread }),
		foreign(func(a *bot.Action) { a.Thread = two.Thread }), // beside the card's true message
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
	t.Logf("cross-uses accepted 0 of %d kinds", len(crossed))
	if said := w.act(foreign(func(*bot.Action) {})); said != "" {
		t.Errorf("the true click: %q", said)
	}
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
	calls  int
}

// asked returns how often the platform was asked who belongs to what.
func (r *roster) asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

func (r *roster) Member(_ context.Context, _ bot.Thread, user, group string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if group == "" {
		return !slices.Contains(r.gone, user), r.fail
	}
	return slices.Contains(r.groups[group], user), r.fail
}

func TestRightsAreThoseOfTheMomentOfTheClick(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	w.stop()
	r := &roster{platform: w.platform, groups: map[string][]string{"S1": {"U2"}}}
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{r} }
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
