package bot_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/bottest"
)

// TestFilesThatDoNotCome has a platform that does not hand a file over: what passes is
// tried again, and each of the others asks something else of people.
func TestFilesThatDoNotCome(t *testing.T) {
	t.Parallel()
	refused := func(err error) bottest.Fault {
		return bottest.Fault{Op: "fetch", Err: &bot.DeliveryError{Op: "fetch", Code: "x", After: time.Millisecond, Err: err}}
	}
	broken := func(err error) bottest.Fault { return bottest.Fault{Op: "fetch", Err: err, After: true} }
	busy, cut := refused(bot.ErrUnavailable), broken(&bot.DeliveryError{Op: "fetch", After: time.Millisecond, Err: bot.ErrUnavailable})
	for name, c := range map[string]struct {
		faults []bottest.Fault
		en, ko string
		added  bool
	}{
		"busy_once":        {[]bottest.Fault{busy}, "Added to the documents", "문서에 추가했어요", true},
		"cut_off_twice":    {[]bottest.Fault{cut, cut}, "Added to the documents", "문서에 추가했어요", true},
		"connection_reset": {[]bottest.Fault{broken(errors.New("connection reset"))}, "Added to the documents", "문서에 추가했어요", true},
		"busy_for_long":    {[]bottest.Fault{busy, cut, busy, busy}, "couldn't download the file just now", "잠시 뒤에 다시", false},
		"gone":             {[]bottest.Fault{refused(bot.ErrGone)}, "has been deleted, or I don't have access to it", "저에게 보이지 않아요", false},
		"kept_elsewhere":   {[]bottest.Fault{refused(bot.ErrElsewhere)}, "stored somewhere I can't read", "다른 곳에 있어요", false},
		"not_allowed":      {[]bottest.Fault{refused(bot.ErrForbidden)}, "check that the bot has permission to read files", "파일 읽기 권한", false},
		"not_allowed_late": {[]bottest.Fault{broken(&bot.DeliveryError{Op: "fetch", Err: bot.ErrForbidden})}, "check that the bot has permission to read files", "파일 읽기 권한", false},
	} {
		for lang, ask := range map[string]string{"en": "add this file", "ko": "이 파일 추가해 줘"} {
			t.Run(name+"_"+lang, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, echo)
				w.platform.Fail(c.faults...)
				m := w.platform.Message("U1", ask, w.platform.Thread("C1", ""))
				m.Files = []bot.File{w.platform.PutFile("plan.md", []byte("the plan of the year"))}
				w.deliver(m)
				want := c.en
				if lang == "ko" {
					want = c.ko
				}
				if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(text, want) || !strings.Contains(text, "plan.md") {
					t.Errorf("reply: %q, want %q", text, want)
				}
				if got := len(w.shelf.docs) == 1; got != c.added {
					t.Errorf("documents: %v", w.shelf.docs)
				}
			})
		}
	}
}

// TestOneFileOfSeveralDoesNotCome: the others are added, and the sentence names it.
func TestOneFileOfSeveralDoesNotCome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.platform.Fail(bottest.Fault{Op: "fetch", Err: fmt.Errorf("fetch: %w", bot.ErrGone)})
	m := w.platform.Message("U1", "add these files", w.platform.Thread("C1", ""))
	m.Files = []bot.File{w.platform.PutFile("gone.md", []byte("a")), w.platform.PutFile("plan.md", []byte("b"))}
	w.deliver(m)
	text := w.replies(m.Thread, 1)[0].Card.Text
	if added, rest, _ := strings.Cut(text, "\n\n"); !strings.Contains(added, "plan.md") || strings.Contains(added, "gone.md") || !strings.Contains(rest, "gone.md") {
		t.Errorf("reply: %q", text)
	}
	if len(w.shelf.docs) != 1 {
		t.Errorf("documents: %v", w.shelf.docs)
	}
}
