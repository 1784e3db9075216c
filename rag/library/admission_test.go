package library

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"maru/bot"
	"maru/rag"
	"maru/rag/local"
)

// patient is a loader that has read a file when its channel is closed, or at once where there
// is none.
type patient struct {
	began chan string
	hold  map[string]chan struct{}
}

func (p *patient) Load(ctx context.Context, name string, _ []byte) (rag.Document, []rag.Chunk, error) {
	p.began <- name
	if hold := p.hold[name]; hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return rag.Document{}, nil, ctx.Err()
		}
	}
	return rag.Document{ID: name, Title: name, Source: name}, []rag.Chunk{{ID: name, Document: name, Text: name}}, nil
}

// TestADocumentThatTakesLongHoldsUpNoOtherPlaces: what else is added there waits, and another
// that is as large; whoever gives up waits no more.
func TestADocumentThatTakesLongHoldsUpNoOtherPlaces(t *testing.T) {
	t.Parallel()
	index, err := local.Open(t.Context(), local.Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	hold := make(chan struct{})
	loader := &patient{began: make(chan string, 100), hold: map[string]chan struct{}{"large": hold, "small": hold}}
	lib := New(Config{Index: index, Loader: loader, Now: time.Now, MaxFile: 1 << 30})
	add := func(ctx context.Context, scope, name string, size int) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := lib.Add(ctx, bot.NewDocument{Scope: scope, Name: name, Body: bytes.NewReader(make([]byte, size))})
			done <- err
		}()
		return done
	}
	began := func(want string) {
		t.Helper()
		if got := <-loader.began; got != want {
			t.Fatalf("%s is read, want %s", got, want)
		}
	}
	first := add(t.Context(), "a", "large", 2*largeFile)
	began("large")
	impatient, giveUp := context.WithCancel(t.Context())
	second := add(impatient, "a", "second", 10)          // of the same place
	third := add(t.Context(), "b", "third", 2*largeFile) // as large
	for range 10 {
		if err := <-add(t.Context(), "c", "quick", 10); err != nil {
			t.Fatal(err)
		}
		began("quick")
		if _, err := lib.Remove(t.Context(), []string{"c"}, "quick"); err != nil {
			t.Fatal(err)
		}
	}
	giveUp()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("whoever gives up is told %v", err)
	}
	beside := add(t.Context(), "d", "small", 10)
	began("small")
	fourth := add(t.Context(), "e", "fourth", 10) // there are enough
	close(hold)
	for _, done := range []<-chan error{first, third, beside, fourth} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
