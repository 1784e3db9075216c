package web

import (
	"errors"
	"io"
	"testing"
	"time"

	"maru/bot"
)

// TestHeldFiles: a picture waits for its message within bounds of memory and time, the oldest go first, and a thread's go
// with it.
func TestHeldFiles(t *testing.T) {
	t.Parallel()
	var a Adapter
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	put := func(id, thread string, size int, at time.Time) {
		a.held.put(heldFile{File: bot.File{ID: id, Size: int64(size)}, thread: bot.Thread{ID: thread}, at: at, data: make([]byte, size)})
	}
	has := func(id string) bool {
		body, err := a.Fetch(t.Context(), bot.File{ID: id}, 0)
		if err != nil {
			if !errors.Is(err, bot.ErrGone) {
				t.Errorf("%s: %v", id, err)
			}
			return false
		}
		data, err := io.ReadAll(body)
		return err == nil && len(data) > 0
	}
	put("old", "t1", 10, now)
	put("a", "t1", 10, now.Add(25*time.Hour))
	put("b", "t2", 10, now.Add(25*time.Hour))
	if has("old") || !has("a") || !has("b") || a.held.bytes != 20 {
		t.Errorf("after a day: %d bytes", a.held.bytes)
	}
	a.held.forget(bot.Thread{ID: "t2"})
	if !has("a") || has("b") {
		t.Error("a deleted thread keeps its files, or takes those of others")
	}
	put("large", "t3", maxHeld, now.Add(26*time.Hour))
	if has("a") || !has("large") || a.held.bytes != maxHeld {
		t.Errorf("%d bytes are held", a.held.bytes)
	}
	if _, err := a.Fetch(t.Context(), bot.File{ID: "large"}, 100); !errors.Is(err, bot.ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
}
