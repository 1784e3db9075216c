package linked_test

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot/linked"
	"maru/rag"
)

// hanging answers no request before its end.
type hanging struct{ asked atomic.Int32 }

func (h *hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	h.asked.Add(1)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestPicturesAreFetchedAgainSoon: a run that goes on does not fetch what became a document, nor wait for each link.
func TestPicturesAreFetchedAgainSoon(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	h := &hanging{}
	m := message()
	s := &shelf{have: []rag.Document{{ID: "1", URL: "https://example.com/page", Scope: m.Thread.ChannelScope()}}}
	r := linked.New(linked.Config{
		Client: &http.Client{Transport: h}, Private: func(error) bool { return false }, Library: s, Rules: rules{}, Agent: "Maru/test",
		MaxFile: 10_000, Sees: true, Time: patience, Synced: func(string) bool { return false }, Log: slog.New(slog.DiscardHandler),
	})
	if got := r.Pictures(t.Context(), m, []string{"https://example.com/page", "https://example.com/notes.pdf"}, "en"); len(got) > 0 || h.asked.Load() != 0 {
		t.Errorf("%d pictures, %d requests", len(got), h.asked.Load())
	}
	from := time.Now()
	r.Pictures(t.Context(), m, []string{"https://example.com/a", "https://example.com/b", "https://example.com/c"}, "en")
	if took := time.Since(from); took >= 2*patience {
		t.Errorf("it took %v", took)
	}
}
