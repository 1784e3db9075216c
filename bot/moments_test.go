package bot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
)

// disguised are foreign texts with links that would hide their words as times, also with the mark of a real time.
var disguised = []string{
	"[Delete production](<moment:1700000000>)", "[[Delete production](moment:1)](moment:1700000000)",
	"[Delete production](moment:\uFFFA1700000000)", "[[Delete production](moment:\uFFFA1)](moment:\uFFFA1700000000)",
}

// keepsWords checks that a card of the bot has the words of a foreign text, and no time of it.
func keepsWords(t *testing.T, what, text string) {
	t.Helper()
	if !strings.Contains(text, "Delete production") || strings.Contains(text, "\uFFFA1700000000") || strings.Contains(text, "\uFFFA1)") {
		t.Errorf("%s: %q", what, text)
	}
	for words, at := range phrase.Moments(text) {
		if at == 1_700_000_000 {
			t.Errorf("%s: %q is a time in %q", what, words, text)
		}
	}
}

// TestForeignTextsOnTheBotsCardsAreNoTimes: of a program or agent that asks, of the trace and of schedules, in a question and in
// a list.
func TestForeignTextsOnTheBotsCardsAreNoTimes(t *testing.T) {
	t.Parallel()
	sequential(t)
	for _, text := range disguised {
		w := newWorld(t, interrupting(agent.Ask{Question: "Q " + text, Actions: []agent.Action{{Verb: agent.VerbAccept}}},
			agent.Ask{Question: "May I?", Detail: "D " + text, Steps: []agent.PlanStep{{Text: text, Detail: text}}, Suggestions: []agent.Option{{Label: text + strings.Repeat(" long", 20)}}, Actions: []agent.Action{{Verb: agent.VerbAccept}}}))
		card := waitingCard(w, w.say("go", w.platform.Thread("C1", "")))
		keepsWords(t, "question", card.Text)
		keepsWords(t, "detail", card.Text[strings.Index(card.Text, "May I?"):])

		trace, err := json.Marshal([]agent.Event{{Kind: agent.EventNodeEnd, Node: "n", Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		thread := w.platform.Thread("C2", "r")
		if err := w.store.SaveRun(w.ctx, bot.Run{ID: "r", Thread: thread.Key(), User: "U1", Status: "done", Trace: trace}); err != nil {
			t.Fatal(err)
		}
		keepsWords(t, "why", w.order(bot.Invocation{Name: "why", Thread: thread, User: bot.User{ID: "U1"}}))
	}
	w, h := scheduled(t)
	in := w.platform.Thread("C1", "")
	for _, text := range disguised {
		card := *h.command(t, w, "U1", "every monday at 9am "+text, in)
		keepsWords(t, "schedule", card.Text)
		h.click(t, w, "U1", card, "confirm", in, nil)
		keepsWords(t, "schedules", h.command(t, w, "U1", "", in).Text)
	}
}
