package node_test

import (
	"testing"
	"time"

	"maru/agent"
	"maru/agent/workflow/node"
)

// TestHeard: what a turn adds to its conversation says who said it and when, with the files
// and the words that the message is about behind its own.
func TestHeard(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	got := node.Heard(agent.Request{
		Run: "r1", Message: "m1", Text: "번역해 줘", Now: at, User: agent.User{Name: "철수", TimeZone: "Asia/Seoul"},
		Context: []agent.Turn{{Author: "kim", Text: "hi", At: at.AddDate(0, 0, -1)}, {Own: true, Text: "hello"}},
		Files:   []agent.File{{Name: "a.md"}, {Name: "b.md"}},
		Quoted:  []agent.Turn{{Author: "Alice", Text: "ship it\nnow", At: at}, {Text: "who?"}},
	})
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	if m := got[0]; m.Role != "user" || m.Author != "kim" || m.Text != "hi" || m.Day() != "2026-11-20" {
		t.Errorf("before: %+v", m)
	}
	if m := got[1]; m.Role != "assistant" || m.Text != "hello" {
		t.Errorf("before: %+v", m)
	}
	const want = "번역해 줘\n(shared files: a.md, b.md)\n(quoted from Alice, 2026-11-21:\nship it\nnow)\n(quoted from somebody:\nwho?)"
	if m := got[2]; m.ID != "m1" || m.Author != "철수" || m.Text != want || m.Day() != "2026-11-21" {
		t.Errorf("the message: %q of %s by %s, %s", m.Text, m.Day(), m.Author, m.ID)
	}
}
