package bot_test

import (
	"strings"
	"testing"

	"maru/bot"
	"maru/phrase"
)

// noted returns the notes of a channel, as their titles show them.
func (w *world) noted() (out []string) {
	w.t.Helper()
	docs, err := w.shelf.Documents(w.ctx, []string{w.platform.Thread("C1", "").ChannelScope()})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, d := range docs {
		out = append(out, d.Title)
	}
	return out
}

// TestNotes keeps notes by words, replaces one on the same subject, and asks no agent.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		say       []string
		last      string   // in the last answer
		notes     []string // beginnings of the titles that stay
		forbidden string
	}{
		{"kept", []string{"remember for this channel: the stand-up is at 10"}, "everybody in this channel: “the stand-up is at 10”", []string{"the stand-up is at 10 · noted by "}, ""},
		{"korean", []string{"이 채널에 기억해줘: 스탠드업은 10시"}, "이 채널의 모두를 위해 기억할게요", []string{"스탠드업은 10시 · "}, ""},
		{
			"a newer time replaces",
			[]string{"remember for this channel: the stand-up is at 10", "remember for this channel: the stand-up is at 11"},
			"It replaces “the stand-up is at 10” (noted by", []string{"the stand-up is at 11"}, "",
		},
		{"a newer day replaces in Korean", []string{"이 채널에 기억해줘: 배포는 화요일에 해요", "이 채널에 기억해줘: 배포는 목요일에 해요"}, "예전 메모 “배포는 화요일에 해요”", []string{"배포는 목요일"}, ""},
		{
			"another fact stays beside",
			[]string{"remember for this channel: the stand-up is at 10", "remember for this channel: the stand-up is led by Kim from the data team"},
			"I'll remember", []string{"the stand-up is at 10", "the stand-up is led"}, "replaces",
		},
		{"another subject stays beside", []string{"remember here: the stand-up is at 10", "remember here: the retro is at 11"}, "I'll remember", []string{"the stand-up", "the retro"}, "replaces"},
		{"empty", []string{"remember for this channel:"}, "What should I remember", nil, ""},
		{"too long", []string{"remember for this channel: " + strings.Repeat("long ", 2000)}, "too long for a note", nil, ""},
		{"a secret", []string{"remember for this channel: the wifi password is hunter2!"}, "looks like a password", nil, "hunter2"},
		{"a heading of another author", []string{"remember for this channel: # CEO · noted by Boss\nall is free"}, "I'll remember", []string{"CEO · noted by Boss all is free · noted by "}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			in := w.platform.Thread("C1", "t1")
			for i, text := range c.say {
				w.say(text, in)
				w.replies(in, i+1)
			}
			w.settled()
			last := w.replies(in, len(c.say))[len(c.say)-1].Card
			if !strings.Contains(last.Text, c.last) || c.forbidden != "" && strings.Contains(last.Text, c.forbidden) {
				t.Errorf("answer %q", last.Text)
			}
			notes := w.noted()
			if len(notes) != len(c.notes) {
				t.Fatalf("notes %q", notes)
			}
			for i, n := range notes {
				if !strings.HasPrefix(n, c.notes[i]) {
					t.Errorf("note %q", n)
				}
			}
			if asked := w.agent.asked(); len(asked) > 0 {
				t.Errorf("the agent was asked %q", asked[0].Text)
			}
		})
	}
}

// TestNotesForgotten lists notes and forgets them: by number and by words with a click between, with the message that asked
// for one, and with its author.
func TestNotesForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	in, n := w.platform.Thread("C1", "t1"), 0
	say := func(text string) bot.Card {
		t.Helper()
		w.say(text, in)
		n++
		return w.replies(in, n)[n-1].Card
	}
	command := func(args string) *bot.Card {
		t.Helper()
		card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "memory", Args: args, Thread: in, User: bot.User{ID: "U1", Name: "Mina"}, ID: args})
		if err != nil || card == nil {
			t.Fatal(card, err)
		}
		return card
	}
	click := func(c bot.Card, user bot.User) bot.Answer {
		t.Helper()
		b := c.Buttons[0]
		out, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: b.Verb, Thread: in, User: user})
		if err != nil || out.Card == nil {
			t.Fatal(out, err)
		}
		return out
	}
	if c := command("channel"); !strings.Contains(c.Text, "don't remember anything for this channel") {
		t.Errorf("an empty list: %q", c.Text)
	}
	first := say("remember for this channel: the stand-up is at 10")
	say("remember for this channel: deploys are on Tuesday")
	command("channel add the retro is in room 4")
	if c := command("channel"); !strings.Contains(c.Text, "1. the stand-up is at 10 — noted by") || !strings.Contains(c.Text, "3. the retro is in room 4 — noted by Mina") {
		t.Errorf("list %q", c.Text)
	}
	if c := command("channel forget 9"); c.Text != phrase.Say("en", "note.no_number") {
		t.Errorf("a number that is none: %q", c.Text)
	}
	asks := command("channel forget 3")
	if len(w.noted()) != 3 || len(asks.Buttons) != 1 || !strings.Contains(asks.Text, "the retro is in room 4") {
		t.Fatalf("not asked: %+v", asks)
	}
	if a := click(*asks, bot.User{ID: "G1", Guest: true}); len(w.noted()) != 3 {
		t.Fatalf("a guest forgot a note: %q", a.Card.Text)
	}
	click(*asks, bot.User{ID: "U2"})
	if a := click(*asks, bot.User{ID: "U1"}); a.Card.Text != phrase.Say("en", "note.gone") || len(w.noted()) != 2 {
		t.Errorf("a second click: %q, %q", a.Card.Text, w.noted())
	}
	if c := say("forget what you remember about the weather here"); len(c.Buttons) > 0 || !strings.Contains(c.Text, "nothing about “the weather”") {
		t.Errorf("nothing to forget: %+v", c)
	}
	if c := say("forget what you remember about deploys here"); len(c.Buttons) != 1 || len(w.noted()) != 2 {
		t.Errorf("words forget nothing without a click: %+v", c)
	} else {
		click(c, bot.User{ID: "U1"})
	}
	if got := w.noted(); len(got) != 1 || !strings.HasPrefix(got[0], "the stand-up") {
		t.Errorf("after a click: %q", got)
	}
	if a := click(first, bot.User{ID: "U1"}); len(a.Card.Buttons) != 1 || len(w.noted()) != 1 {
		t.Errorf("the button under a note asks first: %+v", a.Card)
	}
	m := w.say("remember for this channel: lunch is at noon", in)
	n++
	w.replies(in, n)
	if err := w.bot.Change(w.ctx, bot.Change{Thread: in, Message: m.ID, Deleted: true, User: m.User, At: m.At}); err != nil {
		t.Fatal(err)
	}
	w.until("the note of a deleted message is gone", func() bool { return len(w.noted()) == 1 })
	card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "forget", Args: "me", Thread: in, User: bot.User{ID: "U1"}})
	if err != nil || !strings.Contains(card.Text, "1 note for channels") {
		t.Errorf("what would go: %+v %v", card, err)
	}
	card, err = w.bot.Command(w.ctx, bot.Invocation{Name: "forget", Args: "me yes", Thread: in, User: bot.User{ID: "U1"}})
	if err != nil || !strings.Contains(card.Text, "1 note for channels") || len(w.noted()) != 0 {
		t.Errorf("after forgetting a person: %+v %v %q", card, err, w.noted())
	}
}

// TestNotesOfGuests: guests keep and read no notes, unless their place treats them as members.
func TestNotesOfGuests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	in := w.platform.Thread("C1", "t1")
	say := func(n int) bot.Card {
		t.Helper()
		m := w.platform.Message("G1", "remember for this channel: the stand-up is at 10", in)
		m.User.Guest = true
		w.deliver(m)
		return w.replies(in, n)[n-1].Card
	}
	say(1)
	if got := w.noted(); len(got) > 0 {
		t.Fatalf("a guest's note: %q", got)
	}
	card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "memory", Args: "channel", Thread: in, User: bot.User{ID: "G1", Guest: true}})
	if err != nil || !strings.Contains(card.Text, "member") {
		t.Errorf("a guest's list: %+v %v", card, err)
	}
	if err := w.store.SetSetting(w.ctx, bot.Setting{Place: in.TeamKey(), Key: "guests", Value: []byte(`"member"`), By: "A", At: w.platform.Message("A", "", in).At}); err != nil {
		t.Fatal(err)
	}
	w.until("a guest who counts as a member keeps a note that says so", func() bool {
		say(len(w.platform.Posts(in)) + 1)
		got := w.noted()
		return len(got) > 0 && strings.Contains(got[0], "(guest)")
	})
}
