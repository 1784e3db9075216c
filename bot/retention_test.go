package bot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/audit"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// sweptRecord counts how often what is old was looked for.
type sweptRecord struct {
	*sqlitestore.Store
	begun *atomic.Int64
}

func (r *sweptRecord) SettingsNamed(ctx context.Context, key string) ([]bot.Setting, error) {
	r.begun.Add(1)
	return r.Store.SettingsNamed(ctx, key)
}

// agingWorld returns a mindful world whose clock tests move: on returns when all that
// was to go until then is gone.
func agingWorld(t *testing.T) (w *world, on func(days int)) {
	t.Helper()
	w, _ = mindful(t, nil)
	inner, begun := w.change, new(atomic.Int64)
	w.change = func(cfg *service.Config) {
		inner(cfg)
		cfg.Record = &sweptRecord{w.store, begun}
	}
	forward := clockOf(w)
	// From noon: what is done once a day must not be done on two within a call.
	forward(w.now().Truncate(24 * time.Hour).Add(36 * time.Hour).Sub(w.now()))
	return w, func(days int) {
		t.Helper()
		forward(time.Duration(days) * 24 * time.Hour)
		for range 2 { // when the second begins the first has ended
			before := begun.Load()
			forward(61 * time.Minute)
			w.until("somebody looks for what is old", func() bool { return begun.Load() != before })
		}
		w.settled()
	}
}

// tell has somebody say something now and waits for the answer.
func (w *world) tell(user, text string, in bot.Thread) bot.Message {
	w.t.Helper()
	m := w.platform.Message(user, text, in)
	m.At = w.now()
	n := len(w.platform.Posts(m.Thread))
	w.deliver(m)
	w.replies(m.Thread, n+1)
	w.settled()
	return m
}

// left returns the messages and answers that the record has of a thread.
func (w *world) left(in bot.Thread) int {
	w.t.Helper()
	list, err := w.store.Transcript(w.ctx, in.Key(), 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(list)
}

func TestRetentionIsThatOfTheNarrowestPlace(t *testing.T) {
	t.Parallel()
	w, on := agingWorld(t)
	root := bot.User{ID: "UROOT", Admin: true, Locale: "en"}
	short := w.platform.Thread("C1", "short")
	for _, c := range []struct {
		args, want string
		in         bot.Thread
		who        bot.User
	}{
		{"set workspace retention 30d", "**30 days** (workspace)", short, root},
		{"set channel retention 7d", "**7 days** (channel)", w.platform.Thread("C2", ""), root},
		{"set channel retention 0", "**none** (channel)", w.platform.Thread("C3", ""), root},
		{"set thread retention 1", "**1 day** (thread)", short, root},
		{"set me retention 3d", "**3 days** (me)", w.platform.Thread("C1", ""), bot.User{ID: "U9", Locale: "en"}},
		{"set me retention 90d", "**30 days** (workspace)", w.platform.Thread("C1", ""), bot.User{ID: "U8", Locale: "en"}},
		{"set channel retention 5h", "from a day to 3650 days", w.platform.Thread("C1", ""), root},
		{"set channel retention 3d", "Ask an admin", w.platform.Thread("C1", ""), bot.User{ID: "U9", Locale: "en"}},
	} {
		if got := given("settings", c.args)(w, c.who, c.in); !strings.Contains(got, c.want) {
			t.Errorf("%s is told %q, want %q", c.args, got, c.want)
		}
	}
	w.tell("U1", "My team is data.", short)
	group := w.tell("U1", "hello", w.platform.Thread("C1", "group")).Thread
	w.tell("U9", "My office is Seoul.", group)
	w.tell("U8", "hello too", group)
	week := w.tell("U1", "My floor is three.", w.platform.Thread("C2", "")).Thread
	ever := w.tell("U1", "My desk is seven.", w.platform.Thread("C3", "")).Thread
	w.learned()

	check := func(when string, want map[string]int) {
		t.Helper()
		for name, in := range map[string]bot.Thread{"short": short, "group": group, "week": week, "ever": ever} {
			if got := w.left(in); got != want[name] {
				t.Errorf("%s: %d entries of %s, want %d", when, got, name, want[name])
			}
		}
	}
	check("at first", map[string]int{"short": 2, "group": 6, "week": 2, "ever": 2})
	on(2)
	check("after two days", map[string]int{"group": 6, "week": 2, "ever": 2})
	on(2)
	check("after four days", map[string]int{"group": 4, "week": 2, "ever": 2})
	on(4)
	check("after eight days", map[string]int{"group": 4, "ever": 2})
	on(23)
	check("after a month", map[string]int{"ever": 2})

	w.agent.mu.Lock()
	defer w.agent.mu.Unlock()
	for _, in := range []bot.Thread{short, group, week} {
		if !slices.Contains(w.agent.forgot, in.Key()) {
			t.Errorf("agents still know %s", in.Key())
		}
	}
	if slices.Contains(w.agent.forgot, ever.Key()) || len(slices.Compact(slices.Sorted(slices.Values(w.agent.amended)))) != 1 { // a try that broke off may have told it before
		t.Errorf("agents forgot %q and the messages %q", w.agent.forgot, w.agent.amended)
	}
	applied := map[string]int{}
	list, err := w.store.AuditLog(w.ctx, "fake/T1", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.What == "retention.apply" {
			applied[string(e.Detail)]++
		}
	}
	for place, kept := range map[string]string{"fake/T1": "30d", "fake/T1/C2": "7d", short.Key(): "1d", "user:fake/T1/U9": "3d"} {
		if want := fmt.Sprintf(`{"kept":%q,"place":%q,"threads":1}`, kept, place); applied[want] == 0 {
			t.Errorf("the audit log has %v, not %s", applied, want)
		}
	}
}

func TestRetentionOfWhatWasLearned(t *testing.T) {
	t.Parallel()
	w, on := agingWorld(t)
	root := bot.User{ID: "UROOT", Admin: true, Locale: "en"}
	given("settings", "set workspace retention 30d")(w, root, w.platform.Thread("C1", ""))
	given("settings", "set channel retention 3d")(w, root, w.platform.Thread("C2", ""))
	given("settings", "set channel retention 0")(w, root, w.platform.Thread("C3", ""))
	given("settings", "set me retention 10d")(w, bot.User{ID: "U9", Locale: "en"}, w.platform.Thread("C1", ""))
	for _, c := range []string{"C1", "C2", "C3"} {
		w.tell("U1", "My desk is number "+c+".", w.platform.Thread(c, ""))
	}
	w.tell("U9", "My desk is number nine.", w.platform.Thread("C3", ""))
	w.learned()
	known := func(who bot.User) string {
		var have []string
		said := w.command(who, "C1", "list all")
		for _, what := range []string{"C1", "C2", "C3", "nine"} {
			if strings.Contains(said, "number "+what) {
				have = append(have, what)
			}
		}
		return strings.Join(have, " ")
	}
	nine := bot.User{ID: "U9", Name: "U9", Locale: "en"}
	for _, step := range []struct {
		days      int
		mine, his string
	}{{0, "C1 C2 C3", "nine"}, {4, "C1 C3", "nine"}, {8, "C1 C3", ""}, {20, "C3", ""}} {
		on(step.days)
		if mine, his := known(me), known(nine); mine != step.mine || his != step.his {
			t.Errorf("%d days later %q and %q are known, want %q and %q", step.days, mine, his, step.mine, step.his)
		}
	}
}

// TestRetentionEndsWhatWaits has a question wait for longer than things are kept:
// it is given up, and then it goes with everything else.
func TestRetentionEndsWhatWaits(t *testing.T) {
	t.Parallel()
	w, on := agingWorld(t)
	w.agent.think = func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) > 0 {
			return agent.Result{Text: "nobody answered"}, nil
		}
		return asking(ctx, req, sink)
	}
	w.set("approval_expires", "8760h0m0s")
	w.set("retention", "48h0m0s")
	m := w.platform.Message("U1", "send a mail", w.platform.Thread("C1", ""))
	m.At = w.now()
	w.deliver(m)
	id := waitingCard(w, m).Buttons[0].ID
	w.settled()
	on(3)
	if s := w.state(id); s != bot.ApprovalExpired {
		t.Errorf("the question is %s after it was to be kept", s)
	}
	on(3)
	if n := w.left(m.Thread); n != 0 {
		t.Errorf("%d entries are left", n)
	}
	if _, err := w.store.ApprovalByID(w.ctx, id); err == nil {
		t.Error("the question is left")
	}
}

// TestAuditRetention holds that entries of the audit log go by their age alone
// when the program is told so, and that what is left can be proved.
func TestAuditRetention(t *testing.T) {
	t.Parallel()
	w, on := agingWorld(t)
	inner := w.change
	w.stop()
	w.change = func(cfg *service.Config) { inner(cfg); cfg.AuditAge = 30 * 24 * time.Hour }
	w.start()
	root := bot.User{ID: "UROOT", Admin: true, Locale: "en"}
	set := func(value string) {
		given("settings", "set channel language "+value)(w, root, w.platform.Thread("C1", ""))
	}
	proved := func(kept, pruned int) {
		t.Helper()
		log, err := w.store.AuditLog(w.ctx, "fake/T1", 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		var c audit.Check
		_, fits := c.Add(log)
		_, whole := c.Done()
		if !fits || !whole || c.Entries != kept || c.Pruned.Total != pruned {
			t.Errorf("fits %v, whole %v, %d entries, %+v; want %d and %d pruned", fits, whole, c.Entries, c.Pruned, kept, pruned)
		}
	}
	set("ko")
	set("en")
	on(20)
	proved(2, 0)
	set("ko")
	on(15)
	proved(2, 2)
	on(2)
	proved(2, 2)
}
