package bottest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/bot"
)

// Harness is an adapter together with the other side of its platform, as the
// suite needs it. Its funcs may call t.Fatal.
type Harness struct {
	Adapter bot.Adapter
	// Say makes a person write to the bot: in a new place when in is nil, else
	// in that thread. It returns the text's unique mark as given.
	Say func(t *testing.T, text string, in *bot.Thread)
	// Shown returns the texts of the bot's messages that people see in a
	// thread, oldest first, as the platform stores them.
	Shown func(t *testing.T, thread bot.Thread) []string
	// Limit is the most characters that one message of the platform may have; 0
	// if there is none.
	Limit int
	// Redeliver makes the platform send the last message again as it does after
	// a lost acknowledgement; nil where that cannot happen.
	Redeliver func(t *testing.T)
}

// intake records what an adapter delivers.
type intake struct {
	messages chan bot.Message
	mu       sync.Mutex
	notes    map[string]string
}

func newIntake() *intake {
	return &intake{messages: make(chan bot.Message, 64), notes: map[string]string{}}
}

func (i *intake) Message(_ context.Context, m bot.Message) error {
	i.messages <- m
	return nil
}
func (i *intake) Change(context.Context, bot.Change) error { return nil }
func (i *intake) Action(context.Context, bot.Action) (bot.Answer, error) {
	return bot.Answer{}, nil
}
func (i *intake) Command(context.Context, bot.Invocation) (*bot.Card, error) { return nil, nil }
func (i *intake) Commands() []bot.Command                                    { return nil }
func (i *intake) Notes() bot.Notes                                           { return i }

func (i *intake) Note(_ context.Context, key string) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.notes[key], nil
}

func (i *intake) SetNote(_ context.Context, key, value string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.notes[key] = value
	return nil
}

func (i *intake) SwapNote(_ context.Context, key, before, value string) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.notes[key] != before && i.notes[key] != value {
		return false, nil
	}
	i.notes[key] = value
	return true, nil
}

// wait bounds every wait of the suite; nothing is measured with it.
const wait = 2 * time.Minute

func (i *intake) next(t *testing.T) bot.Message {
	t.Helper()
	select {
	case m := <-i.messages:
		return m
	case <-time.After(wait):
		t.Fatal("no message was delivered")
		return bot.Message{}
	}
}

// RunAdapter checks the contract of bot.Adapter and of those optional abilities
// that the adapter has. start returns a fresh harness whose adapter is not yet
// running.
func RunAdapter(t *testing.T, start func(t *testing.T) Harness) {
	t.Helper()
	cases := map[string]func(*testing.T, Harness, *intake){
		"message_arrives_with_its_thread":      messageArrives,
		"follow_up_belongs_to_the_same_thread": followUp,
		"redelivery_has_the_same_key":          redelivery,
		"post_is_shown_in_its_thread":          postIsShown,
		"edit_replaces":                        editReplaces,
		"long_card_is_split_and_whole":         longCard,
		"edit_to_shorter_removes_the_rest":     editShorter,
		"lost_reply_is_found_by_its_key":       found,
	}
	for name, check := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			in := newIntake()
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- h.Adapter.Run(ctx, in) }()
			check(t, h, in)
			cancel()
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("Run ended with %v, want nil after its context ended", err)
				}
			case <-time.After(wait):
				t.Error("Run does not return after its context ended")
			}
		})
	}
}

func messageArrives(t *testing.T, h Harness, in *intake) {
	h.Say(t, "안녕 마루, mark-one", nil)
	m := in.next(t)
	switch {
	case !strings.Contains(m.Text, "mark-one"):
		t.Errorf("text is %q", m.Text)
	case m.Thread.Platform != h.Adapter.Platform():
		t.Errorf("platform is %q", m.Thread.Platform)
	case m.ID == "" || m.User.ID == "" || m.Thread.Channel == "" || m.At.IsZero():
		t.Errorf("incomplete message: %+v", m)
	case m.Reach != bot.ReachMention && m.Reach != bot.ReachDirect:
		t.Errorf("reach is %q", m.Reach)
	}
}

func followUp(t *testing.T, h Harness, in *intake) {
	h.Say(t, "first", nil)
	first := in.next(t)
	if _, err := h.Adapter.Post(t.Context(), bot.Target{Thread: first.Thread, Title: "first"}, card("hello"), "k1"); err != nil {
		t.Fatalf("post: %v", err)
	}
	h.Say(t, "second", &first.Thread)
	second := in.next(t)
	if second.Thread.Key() != first.Thread.Key() {
		t.Errorf("thread is %s, want %s", second.Thread.Key(), first.Thread.Key())
	}
	if second.Key() == first.Key() {
		t.Error("two messages have one key")
	}
}

func redelivery(t *testing.T, h Harness, in *intake) {
	if h.Redeliver == nil {
		t.Skip("this platform delivers once")
	}
	h.Say(t, "again", nil)
	first := in.next(t)
	h.Redeliver(t)
	if second := in.next(t); second.Key() != first.Key() {
		t.Errorf("keys differ: %s, %s", first.Key(), second.Key())
	}
}

func card(text string) bot.Card {
	return bot.Card{Kind: bot.CardText, Text: text, Language: "en", Final: true}
}

// posted makes a place to reply in and posts a card there.
func posted(t *testing.T, h Harness, in *intake, c bot.Card) (bot.Target, bot.Ref) {
	t.Helper()
	h.Say(t, "question", nil)
	to := bot.Target{Thread: in.next(t).Thread, Title: "question"}
	ref, err := h.Adapter.Post(t.Context(), to, c, "key-1")
	if err != nil {
		t.Fatalf("post: %v", err)
	}
	if ref.IsZero() {
		t.Fatal("the reference is empty")
	}
	return to, ref
}

func postIsShown(t *testing.T, h Harness, in *intake) {
	to, _ := posted(t, h, in, card("the **answer** is 42"))
	if all := strings.Join(h.Shown(t, to.Thread), "\n"); !strings.Contains(all, "42") {
		t.Errorf("shown: %q", all)
	}
}

func editor(t *testing.T, h Harness) bot.Editor {
	t.Helper()
	e, ok := h.Adapter.(bot.Editor)
	if !ok {
		t.Skip("this platform cannot edit")
	}
	return e
}

func editReplaces(t *testing.T, h Harness, in *intake) {
	e := editor(t, h)
	to, ref := posted(t, h, in, card("draft-text"))
	for range 2 { // the same card twice is the same as once
		var err error
		if ref, err = e.Edit(t.Context(), ref, card("final-text")); err != nil {
			t.Fatalf("edit: %v", err)
		}
	}
	all := strings.Join(h.Shown(t, to.Thread), "\n")
	if strings.Contains(all, "draft-text") || strings.Count(all, "final-text") != 1 {
		t.Errorf("shown: %q", all)
	}
}

// longText has numbered lines, so that a lost or doubled one is seen.
func longText(lines int) string {
	var s strings.Builder
	for n := range lines {
		s.WriteString("line-")
		s.WriteString(strings.Repeat("가나다라 ", 8))
		s.WriteString(number(n))
		s.WriteString("\n\n")
	}
	return s.String()
}

func number(n int) string {
	return "#" + string(rune('A'+n/26/26%26)) + string(rune('A'+n/26%26)) + string(rune('A'+n%26)) + "#"
}

func longCard(t *testing.T, h Harness, in *intake) {
	const lines = 400
	to, ref := posted(t, h, in, card(longText(lines)))
	shown := h.Shown(t, to.Thread)
	if h.Limit > 0 && len(ref.Messages) < 2 {
		t.Errorf("a card beyond the limit is one message")
	}
	for _, s := range shown {
		if h.Limit > 0 && len([]rune(s)) > h.Limit {
			t.Errorf("a message has %d characters, the limit is %d", len([]rune(s)), h.Limit)
		}
	}
	all := strings.Join(shown, "\n")
	for n := range lines {
		if c := strings.Count(all, number(n)); c != 1 {
			t.Fatalf("line %d stands %d times", n, c)
		}
	}
}

func editShorter(t *testing.T, h Harness, in *intake) {
	e := editor(t, h)
	to, ref := posted(t, h, in, card(longText(300)))
	ref, err := e.Edit(t.Context(), ref, card("short-text"))
	if err != nil {
		t.Fatalf("edit: %v", err)
	}
	all := strings.Join(h.Shown(t, to.Thread), "\n")
	if strings.Contains(all, "line-") || !strings.Contains(all, "short-text") {
		t.Errorf("shown: %q", all)
	}
	if _, err := e.Edit(t.Context(), ref, card(longText(300))); err != nil {
		t.Fatalf("grow again: %v", err)
	}
	if all := strings.Join(h.Shown(t, to.Thread), "\n"); !strings.Contains(all, number(299)) {
		t.Error("the end of the grown card is missing")
	}
}

func found(t *testing.T, h Harness, in *intake) {
	f, ok := h.Adapter.(bot.Finder)
	if !ok {
		t.Skip("this platform cannot find replies")
	}
	to, ref := posted(t, h, in, card("lost and found"))
	got, ok, err := f.Find(t.Context(), to, "key-1")
	if err != nil || !ok {
		t.Fatalf("find: %v, %v", ok, err)
	}
	if len(got.Messages) != len(ref.Messages) || got.Messages[0] != ref.Messages[0] {
		t.Errorf("found %v, want %v", got.Messages, ref.Messages)
	}
	if _, ok, err := f.Find(t.Context(), to, "key-of-nobody"); err != nil || ok {
		t.Errorf("an unknown key: %v, %v", ok, err)
	}
}
