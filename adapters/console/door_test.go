package console_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"maru/adapters/console"
	"maru/bot"
)

// TestDoorGivesAnswersToWhoAsked: several callers each get the answer to their own question. A card for a conversation without a
// caller is accepted, and Away is true there.
func TestDoorGivesAnswersToWhoAsked(t *testing.T) {
	t.Parallel()
	d, e := console.NewDoor(t.TempDir()), newEcho()
	e.adapter = d
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	asks := func(name, question string) {
		all.Go(func() {
			var out strings.Builder
			if code := d.Ask(ctx, console.Config{Out: &out, Thread: name}, false, question); code != console.ExitAnswered || out.String() != "You wrote "+question+"\n\n" {
				t.Errorf("%s in %s: code %d, %q", question, name, code, out.String())
			}
		})
	}
	for _, q := range []string{"one", "two", "three"} {
		asks("same", q)
		asks(q, q)
	}
	var running sync.WaitGroup
	running.Go(func() { _ = d.Run(ctx, e) }) // who asks before waits for it
	all.Wait()
	e.work.Wait()
	left := bot.Thread{Platform: "console", Team: "local", Channel: "home", ID: "left", Direct: true}
	if ref, err := d.Post(t.Context(), bot.Target{Thread: left}, bot.Card{Kind: bot.CardText, Text: "late", Final: true}, "k"); err != nil || ref.IsZero() {
		t.Errorf("an answer that nobody waits for: %+v, %v", ref, err)
	}
	if !d.Away(left) {
		t.Error("somebody is there")
	}
	cancel()
	running.Wait()
	if code := d.Ask(ctx, console.Config{Out: &strings.Builder{}}, false, "q"); code != console.ExitFailed {
		t.Errorf("code %d", code)
	}
}

// runs is a bot that says when a question has come, and answers when the test does.
type runs struct {
	*echo

	asked chan bot.Message
}

func (r runs) Message(_ context.Context, m bot.Message) error {
	r.asked <- m
	return nil
}

// TestDoorGivesNobodyAnothersAnswer: after a caller left, the late answer, its files and those of other runs are not printed for who
// asks next in the conversation; the answer of a run that the next message decided is.
func TestDoorGivesNobodyAnothersAnswer(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	d := console.NewDoor(files)
	r := runs{newEcho(), make(chan bot.Message)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = d.Run(ctx, r) }()
	ask := func(ctx context.Context, question string) (bot.Message, func() (int, string)) {
		t.Helper()
		var out strings.Builder
		code := make(chan int)
		go func() {
			code <- d.Ask(ctx, console.Config{Out: &out, Err: &out, Thread: "t"}, false, question)
		}()
		return <-r.asked, func() (int, string) { return <-code, out.String() }
	}
	post := func(m bot.Message, c bot.Card) bot.Ref {
		t.Helper()
		ref, err := d.Post(t.Context(), bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}, c, m.Run())
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	edit := func(ref bot.Ref, c bot.Card) {
		t.Helper()
		if _, err := d.Edit(t.Context(), ref, c); err != nil {
			t.Fatal(err)
		}
	}
	final := func(m bot.Message, text string) bot.Card {
		return bot.Card{Kind: bot.CardText, Text: text, Final: true, Run: m.Run()}
	}
	leaving, leave := context.WithCancel(t.Context())
	one, ended := ask(leaving, "one")
	early := post(one, bot.Card{Kind: bot.CardProgress, Status: "thinking"})
	leave()
	if code, out := ended(); code != console.ExitFailed {
		t.Fatalf("code %d, %q", code, out)
	}
	two, ended := ask(t.Context(), "two")
	edit(early, bot.Card{Kind: bot.CardNotice, Text: "It failed.", Final: true})
	edit(early, final(one, "answer one"))
	post(one, final(one, "answer one, below"))
	post(bot.Message{ID: "schedule-1", Thread: two.Thread}, final(bot.Message{ID: "schedule-1", Thread: two.Thread}, "a schedule's"))
	if err := d.Upload(t.Context(), bot.Parcel{To: bot.Target{Thread: one.Thread}, Files: []bot.Artifact{{Run: one.Run(), Name: "one.csv"}}}); err != nil {
		t.Fatal(err)
	}
	post(two, bot.Card{Kind: bot.CardChoices, Text: "Sure?", Run: two.Run(), Buttons: []bot.Button{{ID: "a", Verb: "yes", Label: "Yes"}}})
	if code, out := ended(); code != console.ExitFailed || !strings.HasPrefix(out, "Sure?") || !strings.Contains(out, "maru chat --thread t") || strings.Contains(out, "answer one") || strings.Contains(out, "failed") || strings.Contains(out, "one.csv") || strings.Contains(out, "schedule") {
		t.Errorf("code %d, %q", code, out)
	}
	_, ended = ask(t.Context(), "yes")
	decided := final(two, "answer two")
	decided.Fields = []bot.Field{{Label: "Decision", Value: "Yes"}}
	post(two, decided)
	if code, out := ended(); code != console.ExitAnswered || !strings.Contains(out, "answer two") {
		t.Errorf("code %d, %q", code, out)
	}
	_, ended = ask(t.Context(), "stop")
	post(two, bot.Card{Kind: bot.CardNotice, Text: "Stopped.", Final: true, Run: two.Run()})
	if code, out := ended(); code != console.ExitFailed || out != "Stopped.\n\n" {
		t.Errorf("code %d, %q", code, out)
	}
	last := bot.Message{ID: "last", Thread: one.Thread}
	if err := d.Upload(t.Context(), bot.Parcel{To: bot.Target{Thread: one.Thread}, Files: []bot.Artifact{{Run: last.Run(), Name: "last.csv"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(files, last.Run(), "last.csv")); err != nil {
		t.Error(err)
	}
}

// strict is a paper that must not be written to once its question has ended.
type strict struct {
	t     *testing.T
	ended atomic.Bool
}

func (s *strict) Write(p []byte) (int, error) {
	if s.ended.Load() {
		s.t.Errorf("written after the end: %q", p)
	}
	return len(p), nil
}

// TestDoorWritesNothingAfterTheEnd: cards that are on their way when a caller leaves do not reach the caller's output.
func TestDoorWritesNothingAfterTheEnd(t *testing.T) {
	t.Parallel()
	d := console.NewDoor(t.TempDir())
	r := runs{newEcho(), make(chan bot.Message)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = d.Run(ctx, r) }()
	for range 200 {
		leaving, leave := context.WithCancel(t.Context())
		out, ended := &strict{t: t}, make(chan struct{})
		go func() {
			d.Ask(leaving, console.Config{Out: out, Err: io.Discard, Thread: "t"}, false, "-")
			out.ended.Store(true)
			close(ended)
		}()
		m := <-r.asked
		if m.Text != "-" {
			t.Fatalf("asked %q", m.Text)
		}
		var posting sync.WaitGroup
		for n := range 4 {
			posting.Go(func() {
				c := bot.Card{Kind: bot.CardText, Text: strings.Repeat("late ", n+1), Final: true, Run: m.Run()}
				_, _ = d.Post(t.Context(), bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}, c, m.Run()+strconv.Itoa(n))
			})
		}
		leave()
		posting.Wait()
		<-ended
	}
}

// TestDoorHoldsConversations: another process that opens a conversation gets the answers to its messages and later messages of the
// conversation until it ends.
func TestDoorHoldsConversations(t *testing.T) {
	t.Parallel()
	d, e := console.NewDoor(t.TempDir()), newEcho()
	e.adapter = d
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = d.Run(ctx, e) }()
	in, typed := io.Pipe()
	out := newPaper()
	ended := make(chan error, 1)
	go func() { ended <- d.Chat(t.Context(), console.Config{In: in, Out: out, Thread: "desk"}) }()
	say := func(text string) {
		t.Helper()
		if _, err := io.WriteString(typed, text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	desk := bot.Thread{Platform: "console", Team: "local", Channel: "home", ID: "desk", Direct: true}
	other := desk
	other.ID = "other"
	say("hello")
	out.awaitText(t, "You wrote hello")
	if d.Away(desk) || !d.Away(other) {
		t.Error("the open conversation is watched, and no other")
	}
	if _, err := d.Post(t.Context(), bot.Target{Thread: desk}, bot.Card{Kind: bot.CardNotice, Text: "a reminder", Final: true}, "k"); err != nil {
		t.Error(err)
	}
	out.awaitText(t, "a reminder")
	say("/new other")
	say("again")
	out.awaitText(t, "You wrote again")
	if !d.Away(desk) || d.Away(other) {
		t.Error("the conversation that was left is watched")
	}
	say("/quit")
	if err := <-ended; err != nil || !d.Away(other) {
		t.Errorf("ended with %v", err)
	}
}

// TestDoorAnswersAllWhoHaveAConversationOpen: a second chat or a question of `maru ask` in an open conversation takes the answer from
// nobody who waits for it.
func TestDoorAnswersAllWhoHaveAConversationOpen(t *testing.T) {
	t.Parallel()
	d, e := console.NewDoor(t.TempDir()), newEcho()
	e.adapter, e.hold = d, make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = d.Run(ctx, e) }()
	chat := func() (say func(string), out *paper, ended chan error) {
		in, typed := io.Pipe()
		out, ended = newPaper(), make(chan error, 1)
		go func() { ended <- d.Chat(t.Context(), console.Config{In: in, Out: out}) }() // the last conversation
		return func(text string) {
			t.Helper()
			if _, err := io.WriteString(typed, text+"\n"); err != nil {
				t.Fatal(err)
			}
		}, out, ended
	}
	say, first, ended := chat()
	say("/status") // it has the conversation open
	first.awaitText(t, "Agent")
	say2, second, ended2 := chat()
	say2("/status")
	second.awaitText(t, "Agent")
	say("hello") // and waits for the answer
	for len(e.said()) == 0 {
		runtime.Gosched()
	}
	var asked strings.Builder
	answered := make(chan int)
	go func() {
		answered <- d.Ask(t.Context(), console.Config{Out: &asked, Thread: "main"}, false, "aside")
	}()
	for len(e.said()) < 2 {
		runtime.Gosched()
	}
	e.release()
	if code := <-answered; code != console.ExitAnswered || !strings.Contains(asked.String(), "You wrote aside") {
		t.Errorf("code %d, %q", code, asked.String())
	}
	for _, out := range []*paper{first, second} {
		out.awaitText(t, "You wrote hello")
		out.awaitText(t, "You wrote aside")
	}
	say("again")
	first.awaitText(t, "You wrote again")
	say("/quit")
	say2("/quit")
	for _, end := range []chan error{ended, ended2} {
		if err := <-end; err != nil {
			t.Error(err)
		}
	}
}
