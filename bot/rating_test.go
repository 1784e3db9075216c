package bot_test

import (
	"strings"
	"testing"

	"maru/bot"
)

func TestFeedbackIsCountedAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.set("feedback", true)
	m := w.say("hello", w.platform.Thread("C1", ""))
	card := w.replies(m.Thread, 1)[0].Card
	if card.Kind != bot.CardFeedback || len(card.Buttons) != 2 {
		t.Fatalf("card %+v", card)
	}
	if card.Buttons[0].Spoken != "Good answer" || card.Buttons[1].Spoken != "Bad answer" {
		t.Errorf("a screen reader says %+v", card.Buttons)
	}
	w.settled()
	vote := func(user string, n int, want string) {
		t.Helper()
		if said := w.act(click(m, card.Buttons[n], user)); !strings.Contains(said, "Thanks") {
			t.Errorf("a vote: %q", said)
		}
		awaitCard(w, m, func(c bot.Card) bool { return strings.Contains(c.Footer, want) })
	}
	vote("U1", 0, "👍 1 · 👎 0")
	vote("U2", 1, "👍 1 · 👎 1")
	vote("U1", 1, "👍 0 · 👎 2") // they changed their mind
	foreign := click(m, card.Buttons[0], "U3")
	foreign.Thread.Channel = "C9"
	if said := w.act(foreign); strings.Contains(said, "Thanks") {
		t.Error("a vote from another channel counted")
	}
}
