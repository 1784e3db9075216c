package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/bot"
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
