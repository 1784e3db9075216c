package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/bot"
	"maru/bot/bottest"
	"maru/phrase"
)

// TestALinkIsOpened: the address of a file or message of the platform stands for it.
func TestALinkIsOpened(t *testing.T) {
	t.Parallel()
	const file, message, both, gone = "https://chat.test/f1", "https://chat.test/m1", "https://chat.test/m2", "https://chat.test/none"
	for name, c := range map[string]struct {
		text    string
		own     bool // a file of one's own comes with it
		added   string
		asked   string // text of the run, "" for none
		quoted  string
		files   int
		says    string // in the reply
		buttons int
	}{
		"file, to be added":       {text: "이 파일 추가해줘 " + file, added: "plan.md", says: "plan.md"},
		"file, asked about":       {text: "what does " + file + " say?", added: "plan.md", asked: "what does plan.md say?", files: 1},
		"file, other words":       {text: file + " 번역해 줘", added: "plan.md", asked: "plan.md 번역해 줘", files: 1},
		"file alone":              {text: file, says: "question", buttons: 1},
		"beside one of one's own": {text: "compare with " + file + " please, add both", own: true, added: "mine.md plan.md", says: "mine.md"},
		"message":                 {text: "what does " + message + " say?", asked: "what does this message say?", quoted: "kim: ship on Friday"},
		"message, Korean":         {text: message + " 요약해 줘", asked: "이 메시지 요약해 줘", quoted: "kim: ship on Friday"},
		"message with a file":     {text: "summarise " + both, asked: "summarise this message", added: "deck.md", quoted: "lee: see the deck", files: 1},
		"not to be opened":        {text: "what does " + gone + " say?", says: phrase.Say("en", "error.no_link")},
		"not, Korean":             {text: "이 파일 추가해줘 " + gone, says: phrase.Say("ko", "error.no_link")},
		"one of two":              {text: "이거랑 " + message + " 이거 비교해줘 " + gone, says: phrase.Say("ko", "error.no_link")},
		"of another site":         {text: "what does https://example.com/f1 say?", asked: "what does https://example.com/f1 say?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.platform.SetLinked(file, bot.Quote{Author: "kim", Files: []bot.File{w.platform.PutFile("plan.md", []byte("# Plan"))}})
			w.platform.SetLinked(message, bot.Quote{Author: "kim", Text: "ship on Friday"})
			w.platform.SetLinked(both, bot.Quote{Author: "lee", Text: "see the deck", Files: []bot.File{w.platform.PutFile("deck.md", []byte("# Deck"))}})
			m := w.platform.Message("U1", c.text, w.platform.Thread("C1", ""))
			if c.own {
				m.Files = []bot.File{w.platform.PutFile("mine.md", []byte("# Mine"))}
			}
			w.deliver(m)
			card := w.replies(m.Thread, 1)[0].Card
			var added []string
			for _, d := range w.shelf.docs {
				added = append(added, d.Source)
			}
			if got := strings.Join(added, " "); got != c.added {
				t.Errorf("added %q, want %q", got, c.added)
			}
			asked, quoted, files := "", "", 0
			for _, r := range w.agent.asked() {
				asked, files = r.Text, len(r.Files)
				for _, q := range r.Quoted {
					quoted += q.Author + ": " + q.Text
				}
			}
			if asked != c.asked || quoted != c.quoted || files != c.files {
				t.Errorf("asked %q about %q with %d files, want %q, %q, %d", asked, quoted, files, c.asked, c.quoted, c.files)
			}
			if !strings.Contains(card.Text, c.says) || len(card.Buttons) != c.buttons {
				t.Errorf("said %q with %d buttons, want %q with %d", card.Text, len(card.Buttons), c.says, c.buttons)
			}
		})
	}
}

// TestALinkThatCannotBeCheckedIsNotOpened: nobody reads by a platform's silence what they may not.
func TestALinkThatCannotBeCheckedIsNotOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.platform.SetLinked("https://chat.test/m1", bot.Quote{Text: "secret"})
	w.platform.Fail(bottest.Fault{Op: "linked", Err: &bot.DeliveryError{Op: "open link", Err: context.DeadlineExceeded}})
	m := w.platform.Message("U1", "요약해 줘 https://chat.test/m1", w.platform.Thread("C1", ""))
	w.deliver(m)
	if card := w.replies(m.Thread, 1)[0].Card; !strings.Contains(card.Text, phrase.Say("ko", "error.link_away")) || len(w.agent.asked()) != 0 {
		t.Errorf("%q after %d runs", card.Text, len(w.agent.asked()))
	}
}

// TestALinkToAThreadLeadsToAllOfIt: who gives the address of a thread's beginning means what was said in it.
func TestALinkToAThreadLeadsToAllOfIt(t *testing.T) {
	t.Parallel()
	const link = "https://chat.test/t1"
	say := func(id, who, text string) bot.Message {
		return bot.Message{ID: id, User: bot.User{Name: who}, Text: text}
	}
	long := []bot.Message{say("1", "kim", "when do we ship?")}
	for i := range 150 {
		long = append(long, say(fmt.Sprint("m", i), "lee", fmt.Sprintf("thought %d %s", i, strings.Repeat("가", 200))))
	}
	for name, c := range map[string]struct {
		past  []bot.Message
		fault error
		want  []string // in the quote, in this order
		no    string
		says  string // in the reply
	}{
		"all": {past: []bot.Message{say("1", "kim", "when do we ship?"), say("2", "lee", "on Friday"), say("3", "", "ok\nthen")},
			want: []string{"when do we ship?\nlee: on Friday\nok\nthen"}, says: "echo"},
		"the newest of many": {past: long, want: []string{"when do we ship?\n…\nlee: thought ", "lee: thought 149 "}, no: "thought 0 ", says: "echo"},
		"a part": {past: []bot.Message{say("1", "kim", "when do we ship?"), say("2", "lee", "on Friday")}, fault: fmt.Errorf("%w: later", bot.ErrLimited),
			want: []string{"when do we ship?\nlee: on Friday\n(" + phrase.Say("ko", "bot.linked.partial", 2) + ")"}, says: "echo"},
		"not to be read":      {fault: &bot.DeliveryError{Op: "history", Code: "missing_scope", Err: bot.ErrForbidden}, says: phrase.Say("ko", "error.no_link")},
		"not to be read, now": {fault: &bot.DeliveryError{Op: "history", Err: bot.ErrUnavailable}, says: phrase.Say("ko", "error.link_away")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			w.platform.SetLinked(link, bot.Quote{Author: "kim", Text: "when do we ship?", Thread: &bot.Thread{Platform: "fake", Channel: "C2", ID: "1"}})
			w.platform.SetHistory(c.past...)
			if c.fault != nil {
				w.platform.Fail(bottest.Fault{Op: "history", Err: c.fault})
			}
			m := w.platform.Message("U1", link+" 요약해 줘", w.platform.Thread("C1", ""))
			w.deliver(m)
			if card := w.replies(m.Thread, 1)[0].Card; !strings.Contains(card.Text, c.says) {
				t.Errorf("said %q, want %q", card.Text, c.says)
			}
			quoted := ""
			for _, r := range w.agent.asked() {
				if r.Text != "이 스레드 요약해 줘" || len(r.Quoted) != 1 || r.Quoted[0].Author != "kim" {
					t.Errorf("asked %q about %+v", r.Text, r.Quoted)
					continue
				}
				quoted = r.Quoted[0].Text
			}
			at := 0
			for _, want := range c.want {
				i := strings.Index(quoted[at:], want)
				if i < 0 {
					t.Fatalf("%q is not behind letter %d of %q", want, at, quoted)
				}
				at += i
			}
			if n := utf8.RuneCountInString(quoted); n > 12_100 || c.no != "" && strings.Contains(quoted, c.no) {
				t.Errorf("%d letters: %.200q", n, quoted)
			}
		})
	}
}
