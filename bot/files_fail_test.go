package bot_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/logtest"
)

func TestFileTroubleIsExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.shelf.fail = errTest
	m := w.platform.Message("U1", "add this file", w.platform.Thread("C1", ""))
	m.Files = []bot.File{w.platform.PutFile("broken.pdf", []byte("%PDF"))}
	w.deliver(m)
	if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.HasPrefix(text, "I can't add documents right now.") || !strings.Contains(text, "(broken.pdf) (ref-") || strings.Contains(text, "secret") {
		t.Errorf("reply: %q", text)
	}
	big := w.platform.Message("U1", "add this file", m.Thread)
	big.Files = []bot.File{{ID: "f1", Name: "huge.bin", Size: 1 << 40}}
	w.deliver(big)
	if text := w.replies(m.Thread, 2)[1].Card.Text; !strings.HasPrefix(text, "huge.bin is too large: it is 1 TB, and I can read at most 20 MB. Please split it.") {
		t.Errorf("reply: %q", text)
	}
	liar := w.platform.Message("U1", "이 파일 추가해 줘", m.Thread)
	liar.Files = []bot.File{w.platform.PutFile("작은.txt", bytes.Repeat([]byte("x"), 20<<20+1))}
	liar.Files[0].Size = 10
	w.deliver(liar)
	if text := w.replies(m.Thread, 3)[2].Card.Text; !strings.HasPrefix(text, "작은.txt 파일이 너무 커요. 20 MB까지 읽을 수 있으니 나누어서 올려 주세요.") {
		t.Errorf("reply: %q", text)
	}
}

// TestAFileThatFailsHoldsUpNoOther: those that can be read are added, the person is told of each that
// cannot, and a question about them is answered; also where a button adds them.
func TestAFileThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	const refused = "huge.bin is too large: it is 1 TB"
	for name, c := range map[string]struct {
		text  string
		only  bool // nothing but files that fail
		added int
		wants []string
	}{
		"added":     {"please add this", false, 2, []string{"Added to the documents: **a.md**, **b.md**", refused, "gone.md"}},
		"asked":     {"what do these say?", false, 2, []string{"echo: what do these say?", refused, "gone.md"}},
		"by_button": {"", false, 2, []string{"Added to the documents: **a.md**, **b.md**", refused, "gone.md"}},
		"none":      {"please add this", true, 0, []string{refused, "gone.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, log := loggedWorld(t)
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", ""))
			m.Files = []bot.File{{ID: "f1", Name: "huge.bin", Size: 1 << 40}, {ID: "none", Name: "gone.md", Size: 1}}
			if !c.only {
				m.Files = slices.Insert(m.Files, 1, w.platform.PutFile("a.md", []byte("# A")))
				m.Files = append(m.Files, w.platform.PutFile("b.md", []byte("# B")))
			}
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			if name == "by_button" {
				click := bot.Action{ID: card.Buttons[0].ID, Verb: card.Buttons[0].Verb, Thread: m.Thread, User: bot.User{ID: "U1"}}
				if answer, err := w.bot.Action(w.ctx, click); err != nil || answer.Card != nil {
					t.Fatalf("%+v, %v", answer, err)
				}
				w.settled()
				card = w.platform.Posts(m.Thread)[0].Card
			}
			for _, want := range c.wants {
				if strings.Count(shownOn(card), want) != 1 {
					t.Errorf("%q is not said once in %q", want, shownOn(card))
				}
			}
			if n := strings.Count(log.String(), "file not added"); n < 2 {
				t.Errorf("the log tells of %d files:\n%s", n, log.String())
			}
			if len(w.shelf.docs) != c.added {
				t.Errorf("%d files were added", len(w.shelf.docs))
			}
		})
	}
}

// TestAFileThatAButtonCannotAdd: the person is told, and the operator reads why.
func TestAFileThatAButtonCannotAdd(t *testing.T) {
	t.Parallel()
	w, log := loggedWorld(t)
	m, button := offered(t, w)
	w.shelf.fail = errTest
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: button.ID, Verb: button.Verb, Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	w.settled()
	if shown := shownOn(w.platform.Posts(m.Thread)[0].Card); !strings.Contains(shown, m.Files[0].Name) || strings.Contains(shown, errTest.Error()) {
		t.Errorf("the person is told %q", shown)
	}
	if !strings.Contains(log.String(), errTest.Error()) {
		t.Errorf("the log says:\n%s", log.String())
	}
}

// loggedWorld returns a world with a log that can be read.
func loggedWorld(t *testing.T) (*world, *logtest.Log) {
	t.Helper()
	w, log := newWorld(t, echo), new(logtest.Log)
	w.stop()
	w.change = func(c *service.Config) { c.Log = log.Logger() }
	w.start()
	return w, log
}

// TestWhoAddsAFileIsToldWhereTheAnswerMayNotBeEdited: what came of the button is said
// below the answer then, once; what may pass is tried again.
func TestWhoAddsAFileIsToldWhereTheAnswerMayNotBeEdited(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		why   error
		times int
		posts int
	}{
		"forbidden": {bot.ErrForbidden, 1, 2},
		"too_old":   {bot.ErrTooOld, 1, 2},
		"for_now":   {bot.ErrUnavailable, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			m, button := offered(t, w)
			for range c.times {
				w.platform.Fail(bottest.Fault{Op: "edit", Err: &bot.DeliveryError{Op: "edit", Code: name, After: time.Millisecond, Err: c.why}})
			}
			w.act(bot.Action{ID: button.ID, Verb: button.Verb, Thread: m.Thread, User: bot.User{ID: "U1"}})
			w.settled()
			posts := w.platform.Posts(m.Thread)
			if last := posts[len(posts)-1].Card; len(posts) != c.posts || !strings.Contains(last.Text, "Added to the documents: **plan.md**") {
				t.Errorf("%d messages, the last says %q", len(posts), last.Text)
			}
		})
	}
}

// TestWhatCouldNotBeReadOutlivesAWait: the answer of a run that waited for people names the file that could not be read, once.
func TestWhatCouldNotBeReadOutlivesAWait(t *testing.T) {
	t.Parallel()
	yes := []agent.Action{{Verb: agent.VerbAccept}}
	w := newWorld(t, interrupting(agent.Ask{Question: "First?", Actions: yes}))
	m := w.platform.Message("U1", "what do these say?", w.platform.Thread("C1", ""))
	m.Files = []bot.File{{ID: "f1", Name: "huge.bin", Size: 1 << 40}, w.platform.PutFile("a.md", []byte("# A"))}
	w.deliver(m)
	card := waitingCard(w, m)
	w.stop()
	w.start() // another process resumes it
	w.act(click(m, button(t, card, "Approve"), "U1"))
	awaitCard(w, m, func(c bot.Card) bool {
		return c.Final && strings.Count(c.Text, "huge.bin is too large: it is 1 TB") == 1
	})
}
