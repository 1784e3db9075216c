package bot_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/memory/longterm"
)

// A person who is forgotten leaves the threads that are only theirs without a
// trace, and others without their words; what others said stays.
func TestForgettingAPersonLeavesOthersTheirs(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	alone, _ := w.ask("C1", "My team is data platform.")
	w.learned()
	shared := w.platform.Thread("C1", "shared")
	for i, who := range []bot.User{me, you, me, you} {
		m := w.platform.Message(who.ID, "words of "+who.ID, shared)
		m.User = who
		w.deliver(m)
		w.replies(shared, i+1)
	}
	w.command(me, "C1", "share")
	w.command(me, "C1", "off")
	w.learned()
	got := w.order(bot.Invocation{Name: "forget", Args: "me yes", Thread: w.platform.Thread("C1", ""), User: me})
	for _, want := range []string{"Forgotten: 1 memory", "1 thread that only you took part in", "3 messages of yours", "3 answers", "1 setting"} {
		if !strings.Contains(got, want) {
			t.Errorf("the receipt lacks %q: %s", want, got)
		}
	}
	known, err := w.store.Known(w.ctx, alone.Thread.Key())
	if err != nil || known {
		t.Errorf("the thread that was only theirs is known: %v, %v", known, err)
	}
	list, err := w.store.Transcript(w.ctx, shared.Key(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range list {
		if e.User == me.ID || e.Author == me.Name {
			t.Errorf("named in %+v", e)
		}
		if e.Text != "" && !e.Own {
			left = append(left, e.Text)
		}
	}
	if !slices.Equal(left, []string{"words of U2", "words of U2"}) {
		t.Errorf("left of the shared thread: %q", left)
	}
	if n := len(w.agent.amended); n != 2 {
		t.Errorf("agents forgot %d messages of the shared thread, want 2", n)
	}
	if _, answer := w.ask("C1", "hello"); answer.Card.Text != "memory is off" {
		t.Errorf("that nothing shall be remembered was forgotten: %q", answer.Card.Text)
	}
	w.command(me, "C1", "on")
	w.settled()
	got = w.order(bot.Invocation{Name: "forget", Args: "me yes", Thread: w.platform.Thread("C1", ""), User: me})
	if strings.Contains(got, "Forgotten: 1") || !strings.Contains(got, "1 message of yours") {
		t.Errorf("what came after: %s", got)
	}
	got = w.order(bot.Invocation{Name: "forget", Args: "me yes", Thread: w.platform.Thread("C1", ""), User: me})
	for _, n := range "123456789" {
		if strings.Contains(got, string(n)+" ") {
			t.Errorf("a second time something was found: %s", got)
			break
		}
	}
	if known, err := memory.Load().Known(w.ctx, "fake/T1/U1"); err != nil || len(known) > 0 {
		t.Errorf("known %+v, %v", known, err)
	}
}

// A run that works for the person is stopped and writes nothing any more; one of
// somebody else's in the same thread goes on.
func TestForgettingStopsWhatWorksForThePerson(t *testing.T) {
	t.Parallel()
	began := make(chan string, 4)
	w, _ := mindful(t, nil)
	w.agent.think = func(ctx context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		began <- req.Text
		if strings.Contains(req.Text, "slow") && req.User.ID == "fake/T1/U1" {
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		}
		return agent.Result{Text: "answer"}, nil
	}
	shared := w.platform.Thread("C1", "shared")
	for _, m := range []struct {
		who  bot.User
		text string
	}{{me, "slow canary"}, {you, "mine"}} {
		msg := w.platform.Message(m.who.ID, m.text, shared)
		msg.User = m.who
		w.deliver(msg)
	}
	if got := <-began; got != "slow canary" {
		t.Fatalf("began with %q", got)
	}
	w.order(bot.Invocation{Name: "forget", Args: "me yes", Thread: w.platform.Thread("C1", ""), User: me})
	w.settled()
	if got := <-began; got != "mine" {
		t.Errorf("then came %q", got)
	}
	list, err := w.store.Transcript(w.ctx, shared.Key(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range list {
		texts = append(texts, e.Text)
	}
	if !slices.Equal(texts, []string{"", "mine", "answer"}) {
		t.Errorf("transcript %q", texts)
	}
}

// One thing that is forgotten is gone from what the agents are shown of its
// thread; what else is known stays.
func TestForgettingOneThingReachesTheAgents(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	m, _ := w.ask("C1", "My team is data platform.")
	w.ask("C1", "I prefer tables.")
	w.learned()
	used, answer := w.ask("C1", "What is my team?")
	if !strings.Contains(answer.Card.Text, "data platform") {
		t.Fatalf("not used: %q", answer.Card.Text)
	}
	w.learned()
	known, err := memory.Load().Known(w.ctx, "fake/T1/U1")
	if err != nil || len(known) != 2 {
		t.Fatalf("known %+v, %v", known, err)
	}
	i := slices.IndexFunc(known, func(r longterm.Record) bool { return r.Text == "team: data platform" })
	if got := w.command(me, "C1", "forget "+known[i].ID[:9]); !strings.Contains(got, "Forgotten: 1 memory") {
		t.Errorf("receipt %s", got)
	}
	if got := slices.Sorted(slices.Values(w.agent.amended)); !slices.Equal(got, slices.Sorted(slices.Values([]string{m.Key(), used.Key()}))) {
		t.Errorf("agents forgot %q, want %q and %q", got, m.Key(), used.Key())
	}
	if known, err = memory.Load().Known(w.ctx, "fake/T1/U1"); err != nil || len(known) != 1 {
		t.Errorf("known %+v, %v", known, err)
	}
}

// worldwide is a platform on which people have one account in all teams.
type worldwide struct{ *platform }

func (worldwide) Facts() bot.Facts { return bot.Facts{GlobalAccounts: true} }

// Where an account is one in all servers, a person who says so in a direct
// message, or says everywhere, is forgotten in all of them, and nobody else is.
func TestForgettingAnAccountEverywhere(t *testing.T) {
	t.Parallel()
	w, memory := mindful(t, nil)
	w.stop()
	inner := w.change
	w.change = func(cfg *service.Config) {
		inner(cfg)
		cfg.Adapters = []bot.Adapter{worldwide{w.platform}}
	}
	w.start()
	places := []bot.Thread{
		{Platform: "fake", Team: "G1", Channel: "C1"}, {Platform: "fake", Team: "G2", Channel: "C2"}, {Platform: "fake", Team: "dm", Channel: "D1", Direct: true},
	}
	tell := func(n string) {
		t.Helper()
		for _, place := range places {
			for _, who := range []bot.User{me, you} {
				place.ID = n + who.ID
				m := w.platform.Message(who.ID, "My team is canary.", place)
				m.User, m.At = who, time.Now()
				w.deliver(m)
				w.replies(place, 1)
			}
		}
		w.learned()
	}
	known := func(u bot.User) (n int) {
		t.Helper()
		for _, p := range places {
			list, err := memory.Load().Known(w.ctx, "fake/"+p.Team+"/"+u.ID)
			if err != nil {
				t.Fatal(err)
			}
			n += len(list)
		}
		return n
	}
	for _, c := range []struct {
		name   string
		in     bot.Thread
		order  bot.Invocation
		left   int // records of theirs
		says   string
		silent string
	}{
		{"in one server it is this one's", places[0], bot.Invocation{Name: "forget", Args: "me yes"}, 2, "forget everywhere", "across"},
		{"everywhere", places[0], bot.Invocation{Name: "forget", Args: "everywhere yes"}, 0, "across 3 servers", "still keep"},
		{"in Korean", places[1], bot.Invocation{Name: "forget", Args: "모든 곳 네"}, 0, "3곳에서", "still keep"},
		{"in a direct message", places[2], bot.Invocation{Name: "forget", Args: "me yes"}, 0, "across 3 servers", "still keep"},
		{"by the other command", places[2], bot.Invocation{Name: "memory", Args: "forget all yes"}, 0, "across 3 servers", "still keep"},
		{"a second time", places[2], bot.Invocation{Name: "forget", Args: "everywhere yes"}, 0, "I had nothing of yours to forget", "servers"},
	} {
		if c.name != "a second time" {
			tell(c.name)
			if n := known(me); n != 3 {
				t.Fatalf("%s: %d records before", c.name, n)
			}
		}
		c.order.Thread, c.order.User, c.order.ID = c.in, me, c.name
		got := w.order(c.order)
		if n := known(me); n != c.left || !strings.Contains(got, c.says) || strings.Contains(got, c.silent) {
			t.Errorf("%s: %d records are left, want %d: %s", c.name, n, c.left, got)
		}
		if n := known(you); n != 3 {
			t.Errorf("%s: %d records of somebody else are left", c.name, n)
		}
		teams, err := w.store.TeamsWith(w.ctx, "fake", me.ID)
		if err != nil || len(teams) != c.left {
			t.Errorf("%s: something is left in %q, %v", c.name, teams, err)
		}
	}
}
