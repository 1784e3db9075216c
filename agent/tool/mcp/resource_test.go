package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent/tool"
	"maru/agent/tool/mcp"
	"maru/rag/source"
)

// TestResourcesAreASource lists and reads the resources of a server over HTTP, page by page.
func TestResourcesAreASource(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, &sdk.ServerOptions{PageSize: 2})
	read := func(_ context.Context, q *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c := &sdk.ResourceContents{URI: q.Params.URI, MIMEType: "text/markdown", Text: "# Note\n\n" + q.Params.URI}
		if q.Params.URI == "notes://pdf" {
			c = &sdk.ResourceContents{URI: q.Params.URI, MIMEType: "application/pdf", Blob: []byte("%PDF-1.7")}
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
	}
	for i := range 3 {
		server.AddResource(&sdk.Resource{Name: fmt.Sprint("note ", i), URI: fmt.Sprint("notes://", i), Annotations: &sdk.Annotations{LastModified: "2026-01-02T03:04:05Z"}}, read)
	}
	server.AddResource(&sdk.Resource{Name: "pdf", Title: "Rules", URI: "notes://pdf"}, read)
	server.AddResource(&sdk.Resource{Name: "web", URI: "https://docs.example.com/web"}, read)
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(web.Close)
	registry, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := mcp.New(mcp.Config{Servers: []mcp.Server{{Name: "notes", URL: web.URL}}, Registry: registry, Version: "test", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Source("none"); err == nil {
		t.Error("a source of no server")
	}
	src, err := pool.Source("notes")
	if err != nil {
		t.Fatal(err)
	}
	early := make(chan error, 1)
	go func() {
		_, err := src.List(t.Context(), "")
		early <- err
	}()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = pool.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	if err := <-early; err != nil {
		t.Errorf("asked before the server was connected: %v", err)
	}
	found := map[string]source.Item{}
	for cursor, more := "", true; more; {
		page, err := src.List(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		if cursor, more = page.Cursor, page.More; page.Complete == more || len(page.Items) > 2 {
			t.Errorf("%+v", page)
		}
		for _, it := range page.Items {
			found[it.ID] = it
		}
	}
	if len(found) != 5 || found["notes:https://docs.example.com/web"].URL == "" || found["notes:notes://1"].Version == "" || found["notes:notes://1"].URL != "" {
		t.Errorf("%+v", found)
	}
	for id, want := range map[string]string{"notes:notes://1": "note 1.md: # Note\n\nnotes://1", "notes:notes://pdf": "Rules.pdf: %PDF-1.7"} {
		c, err := src.Fetch(t.Context(), found[id], "")
		if got := c.Name + ": " + string(c.Data); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if _, err := src.Fetch(t.Context(), source.Item{ID: "notes:notes://gone"}, ""); !errors.Is(err, source.ErrGone) {
		t.Errorf("a resource that is gone: %v", err)
	}
}

// TestServerThatIsSlow: the wait for the first connection takes nothing from a request's time, and a request that ends late
// does not blame the token that an earlier one was refused for.
func TestServerThatIsSlow(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	server.AddResource(&sdk.Resource{Name: "note", URI: "notes://1"}, nil)
	answer := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	const limit = 2 * time.Second
	var do atomic.Value // with requests for resources: "wait", "refuse" or "hang"
	do.Store("wait")
	ended := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch {
		case bytes.Contains(body, []byte(`"initialize"`)):
			time.Sleep(limit * 3 / 5)
		case !bytes.Contains(body, []byte("resources/list")):
		case do.Load() == "wait":
			time.Sleep(limit * 3 / 5)
		case do.Load() == "refuse":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`) // the session goes on
			return
		default:
			<-ended
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(ended); web.Close() })
	src := sourceOf(t, mcp.Server{Name: "notes", URL: web.URL, Timeout: limit})
	if page, err := src.List(t.Context(), ""); err != nil || len(page.Items) != 1 {
		t.Errorf("asked while the server connects: %+v, %v", page, err)
	}
	for _, c := range []struct{ do, key string }{{"refuse", "source.server_denied"}, {"hang", "source.server_away"}} {
		do.Store(c.do)
		_, err := src.List(t.Context(), "")
		if f, ok := errors.AsType[*source.Fault](err); !ok || f.Key != c.key {
			t.Errorf("%s: %v", c.do, err)
		}
	}
}

// sourceOf returns the resources of a server that a pool connects to.
func sourceOf(t *testing.T, s mcp.Server) source.Source {
	t.Helper()
	registry, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := mcp.New(mcp.Config{Servers: []mcp.Server{s}, Registry: registry, Version: "test", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	src, err := pool.Source(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = pool.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return src
}

// TestRefusedTokenIsNamed: a server that wants another token does not count as one that is away.
func TestRefusedTokenIsNamed(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{http.StatusUnauthorized: "source.server_denied", http.StatusBadGateway: "source.server_away"} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(web.Close)
		_, err := sourceOf(t, mcp.Server{Name: "notes", URL: web.URL}).List(t.Context(), "")
		if f, ok := errors.AsType[*source.Fault](err); !ok || f.Key != want {
			t.Errorf("status %d: %v", status, err)
		}
	}
}
