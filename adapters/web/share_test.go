package web_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"maru/adapters/web"
	"maru/bot"
)

// wire carries events in process.
type wire struct {
	mu   sync.Mutex
	subs map[string][]chan []byte
}

func (w *wire) Publish(_ context.Context, topic string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, ch := range w.subs[topic] {
		select {
		case ch <- data:
		default:
		}
	}
	return nil
}

func (w *wire) Subscribe(_ context.Context, topic string) (<-chan []byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := make(chan []byte, 64)
	w.subs[topic] = append(w.subs[topic], ch)
	return ch, nil
}

// TestReplicasShowEachOthersMessages opens a thread on one replica while another
// answers in it.
func TestReplicasShowEachOthersMessages(t *testing.T) {
	t.Parallel()
	between := &wire{subs: map[string][]chan []byte{}}
	share := func(c *web.Config) { c.Events = between }
	here, there := start(t, share), start(t, share)
	s := here.person(t).events("t1", "", "")
	if first := s.next(); first.name != "sync" {
		t.Fatalf("first %+v", first)
	}
	th := bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}
	ref, err := there.adapter.Post(t.Context(), bot.Target{Thread: th}, bot.Card{Kind: bot.CardProgress, Text: "half"}, "k")
	if err != nil {
		t.Fatal(err)
	}
	if e := s.next(); e.name != "line" || !strings.Contains(e.data, "half") {
		t.Errorf("%+v", e)
	}
	if _, err := there.adapter.Edit(t.Context(), ref, bot.Card{Kind: bot.CardText, Text: "whole", Final: true}); err != nil {
		t.Fatal(err)
	}
	if e := s.next(); e.name != "line" || !strings.Contains(e.data, "whole") {
		t.Errorf("%+v", e)
	}
}
