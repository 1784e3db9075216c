package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// longAsk asks about a call whose value has some lines.
func longAsk(lines int) agent.Ask {
	var call strings.Builder
	for n := range lines {
		fmt.Fprintf(&call, "%04d <b>the</b> *line* \\with `marks` of an [agreement](https://example.com)\n", n)
	}
	return agent.Ask{Question: "Write this file?", Detail: "````\n" + call.String() + "````", Effect: agent.EffectWrites, Actions: []agent.Action{{Verb: agent.VerbAccept}, {Verb: agent.VerbReject}}}
}

// TestLongQuestionsAreReadWhole: what is too long for a card is in a file of the thread before anybody can approve it,
// once over a restart, and the card keeps its buttons.
func TestLongQuestionsAreReadWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asks []agent.Ask
		says string // "" for a click
	}{
		"click":             {asks: []agent.Ask{longAsk(1000)}},
		"words":             {asks: []agent.Ask{longAsk(1000)}, says: "승인"},
		"long_only_by_both": {asks: []agent.Ask{longAsk(120), longAsk(130)}, says: "approve 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			think, told := counted(interrupting(c.asks...))
			w := newWorld(t, think)
			m := w.say("write it", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			parcels, err := w.platform.Parcels(w.ctx, 1)
			if err != nil {
				t.Fatal(err)
			}
			file := parcels[0].Files[0]
			for _, a := range c.asks {
				for line := range strings.Lines(a.Detail) {
					if !strings.HasPrefix(line, "````") && !strings.Contains(string(file.Data), line) {
						t.Fatalf("%s lacks %q", file.Name, line)
					}
				}
			}
			if len([]rune(card.Text)) > 4_000 || !strings.Contains(card.Text, "`"+file.Name+"`") || strings.Count(card.Text, "````")%2 != 0 {
				t.Errorf("the card says %d letters: …%s", len([]rune(card.Text)), card.Text[max(0, len(card.Text)-300):])
			}
			i := slices.IndexFunc(card.Buttons, func(b bot.Button) bool { return b.Verb == agent.VerbAccept })
			if i < 0 {
				t.Fatalf("buttons %+v", card.Buttons)
			}
			w.stop()
			w.start()
			if c.says != "" {
				w.follow("U1", c.says, m.Thread)
			} else if said := w.act(click(m, card.Buttons[i], "U1")); said != "" {
				t.Errorf("told %q", said)
			}
			w.until("it is decided", func() bool { return w.state(card.Buttons[i].ID) == bot.ApprovalDecided })
			w.settled()
			if parcels, _ = w.platform.Parcels(w.ctx, 1); len(parcels) != 1 {
				t.Errorf("%d files", len(parcels))
			}
			if len(c.asks) == 1 && told.Load() != 1 {
				t.Errorf("%d executions", told.Load())
			}
		})
	}
}

// TestLongQuestionsWithoutAFile: where the file cannot be uploaded nobody approves in the thread, and a program and the
// console, which have the whole, can.
func TestLongQuestionsWithoutAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(longAsk(120), longAsk(130)))
	w.platform.Fail(bottest.Fault{Op: "upload", Err: &bot.DeliveryError{Op: "upload", Code: "missing_scope", Err: bot.ErrForbidden}})
	m := w.say("write it", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	for _, b := range card.Buttons {
		if b.Verb != agent.VerbReject {
			t.Errorf("offers %+v", b)
		}
	}
	w.follow("U1", "approve 1", m.Thread)
	w.until("it is told", func() bool {
		posts := w.platform.Posts(m.Thread)
		return strings.Contains(posts[len(posts)-1].Card.Text, "open questions")
	})
	if s := w.state(card.Buttons[0].ID); s != bot.ApprovalPending {
		t.Fatalf("state %s", s)
	}
	out, err := w.bot.Rule(w.ctx, bot.Ruling{Run: m.Run(), Approval: card.Buttons[0].ID, Action: "approve", Thread: m.Thread, User: bot.User{ID: "U1"}})
	if err != nil || out.State != bot.ApprovalDecided {
		t.Errorf("a program's decision: %+v, %v", out, err)
	}
}

// wall is a platform that takes no files: its cards may have any length.
type wall struct{ bot.Adapter }

func TestLongQuestionsOnAPlatformWithoutLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, interrupting(longAsk(1000)))
	w.stop()
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{wall{w.platform}} }
	w.start()
	card := waitingCard(w, w.say("write it", w.platform.Thread("C1", "")))
	if !strings.Contains(card.Text, "0999 <b>the</b>") || button(t, card, "Approve").Verb != agent.VerbAccept {
		t.Errorf("the card says %d letters, …%s", len(card.Text), card.Text[len(card.Text)-300:])
	}
}
