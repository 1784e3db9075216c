package bot_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// TestApproveListsWhatWaits: who does not know an id is told those of the questions
// that are theirs to decide, and nobody else's.
func TestApproveListsWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asking)
	var ids []string
	for i := range 12 {
		card := waitingCard(w, w.say("do it", w.platform.Thread("C1", fmt.Sprint("t", i))))
		ids = append(ids, card.Buttons[0].ID)
	}
	list := func(name string, u bot.User) string {
		return w.order(bot.Invocation{Name: name, Thread: w.platform.Thread("C1", ""), User: u})
	}
	said := list("approve", bot.User{ID: "U1"})
	for _, id := range ids {
		if !strings.Contains(said, "- `"+id+"` **Plan approval** Send the mail?") {
			t.Errorf("the list lacks %s:\n%s", id, said)
		}
	}
	if !strings.Contains(said, "`/maru approve ID`") {
		t.Errorf("the list says\n%s", said)
	}
	if said := list("거절", bot.User{ID: "U1", Locale: "ko"}); !strings.Contains(said, ids[0]) || !strings.Contains(said, "`/maru reject 아이디`") {
		t.Errorf("in Korean: %s", said)
	}
	if said := list("approve", bot.User{ID: "U7"}); strings.Contains(said, ids[0]) || !strings.Contains(said, "Nothing is waiting") {
		t.Errorf("somebody else is told %s", said)
	}
	cards, err := w.bot.Home(w.ctx, w.platform.Thread("C1", ""), bot.User{ID: "U1"})
	if err != nil {
		t.Fatal(err)
	}
	shown, more := 0, false
	for _, c := range cards {
		if strings.Contains(c.Text, "Send the mail?") {
			shown++
		}
		more = more || strings.Contains(c.Text, "2 more. `/maru approve` lists them")
	}
	if !slices.ContainsFunc(cards, func(c bot.Card) bool { // its recent runs lead to where they ran
		return slices.ContainsFunc(c.Leads, func(l bot.Lead) bool { return l.Thread.ID != "" && strings.Contains(c.Text, l.Title) })
	}) {
		t.Errorf("no part leads to a conversation: %+v", cards)
	}
	if shown != 10 || !more {
		t.Errorf("a Home shows %d of 12 questions, and says that there are more: %v", shown, more)
	}
}

// TestOtherWorkspacesHideNoQuestion: however much waits elsewhere, a workspace's list
// is its own.
func TestOtherWorkspacesHideNoQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asking)
	away := bot.Thread{Platform: "fake", Team: "T9", Channel: "C1", ID: "t"}
	w.crowd(away, 200)
	id := waitingCard(w, w.say("do it", w.platform.Thread("C1", "t"))).Buttons[0].ID
	said := w.order(bot.Invocation{Name: "approve", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U1"}})
	if !strings.Contains(said, "- `"+id+"`") {
		t.Errorf("the list lacks %s:\n%s", id, said)
	}
}

// TestQuestionsToOthersHideNone: however much waits for others in a workspace, longer
// than what waits for a person, their Home and their list have it; and the platform is
// not asked about each of the others'.
func TestQuestionsToOthersHideNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asking)
	r := &roster{platform: w.platform}
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{r} }
	w.crowd(w.platform.Thread("C2", "others"), 250)
	id := waitingCard(w, w.say("do it", w.platform.Thread("C1", "t"))).Buttons[0].ID
	list := bot.Invocation{Name: "approve", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U1"}}
	if said := w.order(list); !strings.Contains(said, "- `"+id+"`") {
		t.Errorf("the list lacks %s:\n%s", id, said)
	}
	before := r.asked()
	cards, err := w.bot.Home(w.ctx, list.Thread, list.User)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(cards, func(c bot.Card) bool { return len(c.Buttons) > 0 && c.Buttons[0].ID == id }) {
		t.Errorf("the Home lacks %s: %+v", id, cards)
	}
	if n := r.asked() - before; n > 2 {
		t.Errorf("the platform was asked %d times for a Home", n)
	}
	w.set("approvers", []string{"S1"})
	r.groups, before = map[string][]string{"S1": {"U7"}}, r.asked()
	list.User = bot.User{ID: "U7"}
	if said := w.order(list); !strings.Contains(said, "- `crowd0`") || !strings.Contains(said, "70 more") {
		t.Errorf("an approver is told\n%s", said)
	}
	if n := r.asked() - before; n > 3 {
		t.Errorf("the platform was asked %d times for an approver's list", n)
	}
}

// crowd makes n questions of somebody else's wait in a thread, for an hour already.
func (w *world) crowd(in bot.Thread, n int) {
	w.t.Helper()
	w.stop()
	store, err := sqlitestore.Open(w.ctx, sqlitestore.Config{Path: w.path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := store.Put(w.ctx, bot.Item{ID: "crowd", Thread: in.Key(), Kind: bot.ItemMessage, Order: "1", Body: []byte(`{}`)}); err != nil {
		w.t.Fatal(err)
	}
	l, _, ok, err := store.Take(w.ctx, in.Key(), "other", time.Minute)
	if err != nil || !ok {
		w.t.Fatalf("taken: %v, %v", ok, err)
	}
	for i := range n {
		row := bot.Approval{ID: fmt.Sprint("crowd", i), Kind: "plan", Allowed: []string{"U9"}, Created: time.Now().Add(-time.Hour), Expires: time.Now().Add(time.Hour)}
		if err := store.CreateApproval(w.ctx, l, row); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := errors.Join(store.Finish(w.ctx, l, "crowd", bot.Outcome{}), store.Release(w.ctx, l), store.Close()); err != nil {
		w.t.Fatal(err)
	}
	w.start()
}

// TestWhyTellsOfTheWaiting: a step that asked a person ends twice in a trace, and
// is told as what it was.
func TestWhyTellsOfTheWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asking)
	m := w.platform.Thread("C1", "r")
	if err := w.store.SaveRun(w.ctx, bot.Run{
		ID: "r", Thread: m.Key(), User: "U1", Status: "done",
		Trace: []byte(`[{"kind":"node_end","node":"approve","took":5,"waits":true},{"kind":"node_end","node":"approve","took":7000000}]`),
	}); err != nil {
		t.Fatal(err)
	}
	said := w.order(bot.Invocation{Name: "why", Thread: m, User: bot.User{ID: "U1"}})
	if !strings.Contains(said, "- step `approve` waited for a decision\n- step `approve` (7ms)\n") {
		t.Errorf("why says\n%s", said)
	}
}
