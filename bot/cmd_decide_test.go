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
		if !strings.Contains(said, "- `"+id+"` **Plan to approve** Send the mail?") {
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
	w.stop()
	away := bot.Thread{Platform: "fake", Team: "T9", Channel: "C1", ID: "t"}
	store, err := sqlitestore.Open(w.ctx, sqlitestore.Config{Path: w.path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Put(w.ctx, bot.Item{ID: "i", Thread: away.Key(), Kind: bot.ItemMessage, Order: "1", Body: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	l, _, ok, err := store.Take(w.ctx, away.Key(), "other", time.Minute)
	if err != nil || !ok {
		t.Fatalf("taken: %v, %v", ok, err)
	}
	for i := range 200 {
		if err := store.CreateApproval(w.ctx, l, bot.Approval{ID: fmt.Sprint("away", i), Created: time.Now().Add(-time.Hour), Expires: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(store.Finish(w.ctx, l, "i", bot.Outcome{}), store.Close()); err != nil {
		t.Fatal(err)
	}
	w.start()
	id := waitingCard(w, w.say("do it", w.platform.Thread("C1", "t"))).Buttons[0].ID
	said := w.order(bot.Invocation{Name: "approve", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U1"}})
	if !strings.Contains(said, "- `"+id+"`") {
		t.Errorf("the list lacks %s:\n%s", id, said)
	}
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
