package bot_test

import (
	"strings"
	"testing"
	"time"

	"maru/bot"
)

// TestForgettingAsksFirst shows what would go before anything of a person is forgotten; the button does it, for them alone.
func TestForgettingAsksFirst(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]bot.Invocation{
		"forget_me": {Name: "forget", Args: "me"}, "forget": {Name: "forget"}, "memory_forget_all": {Name: "memory", Args: "forget all"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, memory := mindful(t, nil)
			w.ask("C1", "My team is data platform.")
			w.learned()
			order.Thread, order.User, order.ID, order.At = w.platform.Thread("C1", ""), me, name, time.Now()
			card, err := w.bot.Command(w.ctx, order)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"What I'd forget: 1 memory", "something you said: 1", "1 thread that only you took part in"} {
				if !strings.Contains(card.Text, want) {
					t.Errorf("the question lacks %q: %s", want, card.Text)
				}
			}
			known := func() int {
				list, err := memory.Load().Known(w.ctx, "fake/T1/U1")
				if err != nil {
					t.Fatal(err)
				}
				return len(list)
			}
			if known() != 1 || len(card.Buttons) != 1 || !strings.Contains(card.Footer, " yes`") {
				t.Fatalf("%d records after the question, buttons %+v, %q", known(), card.Buttons, card.Footer)
			}
			click := bot.Action{ID: card.Buttons[0].ID, Verb: card.Buttons[0].Verb, Thread: order.Thread, User: you, At: time.Now()}
			if _, err := w.bot.Action(w.ctx, click); err != nil || known() != 1 {
				t.Errorf("somebody else's click left %d records, %v", known(), err)
			}
			click.User = me
			ans, err := w.bot.Action(w.ctx, click)
			if err != nil || known() != 0 || ans.Card == nil || !strings.Contains(ans.Card.Text, "Forgotten: 1 memory") {
				t.Errorf("%d records after the click: %+v, %v", known(), ans.Card, err)
			}
		})
	}
}
