package outbound

import (
	"context"
	"encoding/json"
	"testing"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// places is a directory that knows the threads that were noted.
type places struct {
	directory

	threads map[string]wire.Channel
}

func (p places) Known(id string) (wire.Channel, bool) {
	c, ok := p.threads[id]
	return c, ok
}

func (p places) NoteThread(c wire.Channel) { p.threads[c.ID] = c }

// starts counts the threads that are asked for.
type starts struct{ n int }

func (s *starts) Do(_ context.Context, c rest.Call) error {
	s.n++
	return json.Unmarshal([]byte(`{"id": "7", "type": 11}`), c.Out)
}

// TestAThreadThatWasMadeMeanwhile: a start that ended after the caller found no thread is no reason for another one.
func TestAThreadThatWasMadeMeanwhile(t *testing.T) {
	t.Parallel()
	api := &starts{}
	s := NewSender(Config{API: api, Directory: places{threads: map[string]wire.Channel{}}})
	for range 2 {
		if err := s.makeThread(t.Context(), bot.Thread{Team: "1", Channel: "2", ID: "7"}, "hello", true); err != nil {
			t.Fatal(err)
		}
	}
	if api.n != 1 {
		t.Errorf("the thread is asked for %d times", api.n)
	}
}
