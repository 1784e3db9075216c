package sync_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/bot"
	"maru/rag/source"
)

// Bulletin reads the notices of a board: GET / lists them, GET /ID has the text of one.
type Bulletin struct {
	URL      string
	Client   *http.Client
	MaxBytes int64
}

// List implements source.Source: the board tells everything at once.
func (b Bulletin) List(ctx context.Context, _ string) (source.Page, error) {
	text, err := b.get(ctx, "/")
	if err != nil {
		return source.Page{}, err
	}
	var notices []struct{ ID, Title, Version string }
	if err := json.Unmarshal(text, &notices); err != nil {
		return source.Page{}, fmt.Errorf("the list of notices: %w", err)
	}
	page := source.Page{Complete: true} // what is not in it is gone
	for _, n := range notices {
		page.Items = append(page.Items, source.Item{ID: n.ID, Title: n.Title, Version: n.Version, URL: b.URL + "/" + n.ID, Trusted: true})
	}
	return page, nil
}

// Fetch implements source.Source.
func (b Bulletin) Fetch(ctx context.Context, it source.Item, _ string) (source.Content, error) {
	text, err := b.get(ctx, "/"+it.ID)
	return source.Content{Name: it.Title + ".md", Data: text}, err
}

func (b Bulletin) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.URL+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := b.Client.Do(req)
	if err != nil {
		return nil, err // the engine tries again, with pauses
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return io.ReadAll(io.LimitReader(resp.Body, b.MaxBytes))
	case http.StatusNotFound:
		return nil, source.ErrGone
	}
	return nil, fmt.Errorf("the board answers %d", resp.StatusCode)
}

// TestLeast: the source of docs/adding-a-source.md keeps documents in step with its board.
func TestLeast(t *testing.T) {
	t.Parallel()
	list, texts := `[{"ID":"1","Title":"Parking","Version":"a"},{"ID":"2","Title":"Canteen","Version":"a"}]`, map[string]string{
		"/1": "# Parking\n\nThe garage opens at seven.\n", "/2": "# Canteen\n\nLunch is from noon.\n",
	}
	board := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch text := texts[r.URL.Path]; {
		case r.URL.Path == "/":
			_, _ = io.WriteString(w, list)
		case text != "":
			_, _ = io.WriteString(w, text)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(board.Close)
	w := newWorld(t, row("board", board.URL))
	w.open = func(source.Row) (source.Source, error) {
		return Bulletin{URL: board.URL, Client: http.DefaultClient, MaxBytes: 1 << 20}, nil
	}
	all := func() string {
		hits, err := w.lib.Documents(t.Context(), []string{bot.ScopePublic})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, d := range hits {
			chunks, _, err := w.lib.Passages(t.Context(), []string{d.Scope}, d.ID, 0, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range chunks {
				out = append(out, c.Text)
			}
		}
		return strings.Join(out, "\n")
	}
	w.look()
	if got := all(); !strings.Contains(got, "opens at seven") || !strings.Contains(got, "from noon") {
		t.Errorf("the documents are %q", got)
	}
	list, texts["/1"] = `[{"ID":"1","Title":"Parking","Version":"b"}]`, "# Parking\n\nThe garage opens at eight.\n"
	w.look()
	if got := all(); !strings.Contains(got, "opens at eight") || strings.Contains(got, "at seven") || strings.Contains(got, "from noon") {
		t.Errorf("after a change the documents are %q", got)
	}
}
