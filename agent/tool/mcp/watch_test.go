package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent/tool"
	"maru/agent/tool/mcp"
)

func TestAToolThatChangedIsKeptOutUntilAccepted(t *testing.T) {
	t.Parallel()
	kept := &notes{}
	b := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good")}, Watch: true, Notes: kept})
	b.ready()
	if _, err := b.call("odd_grow", `{}`); err != nil {
		t.Fatal(err)
	}
	s := b.until("the change is seen", func(s mcp.Status) bool { return len(s.Changes) == 1 })
	if !slices.Contains(s.Tools, "odd_extra") || slices.Contains(s.Tools, "odd_echo") || slices.Contains(s.Tools, "odd_fails") {
		t.Errorf("tools %v", s.Tools)
	}
	change := s.Changes[0]
	if change.Tool != "odd_echo" || change.Before != "Says it again." || change.After != "Says something else." {
		t.Errorf("change %+v", change)
	}
	if _, err := b.call("odd_echo", `{"text":"x"}`); code(err) != "not_found" {
		t.Errorf("a changed tool was called: %v", err)
	}
	for _, wrong := range [][2]string{{"odd_echo", "of something else"}, {"odd_sum", change.Hash}} {
		if err := b.pool.Accept(t.Context(), wrong[0], wrong[1]); !errors.Is(err, mcp.ErrUnknown) {
			t.Errorf("accept %v: %v", wrong, err)
		}
	}
	kept.mu.Lock()
	kept.rival = func(was string) string {
		return strings.Replace(was, "{", `{"elsewhere":{"hash":"by-another-replica"},`, 1)
	}
	kept.mu.Unlock()
	if err := b.pool.Accept(t.Context(), change.Tool, change.Hash); err != nil {
		t.Fatal(err)
	}
	if pins, err := kept.Note(t.Context(), "mcp/pins/odd"); err != nil || !strings.Contains(pins, change.Hash) || !strings.Contains(pins, "by-another-replica") {
		t.Errorf("of two replicas' changes the pins have %s, %v", pins, err)
	}
	if got, err := b.call("odd_echo", `{}`); err != nil || !strings.HasSuffix(got.Text, "other") {
		t.Errorf("after it was accepted: %+v, %v", got, err)
	}
	b.stop()

	// The next process sees the first description: that is a change as well.
	again := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good")}, Notes: kept})
	s = again.ready()
	if len(s.Changes) != 1 || s.Changes[0].After != "Says it again." {
		t.Errorf("after a restart: %+v", s.Changes)
	}
}

func TestWhatWasAcceptedHoldsAfterARestart(t *testing.T) {
	t.Parallel()
	kept := &notes{}
	first := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good")}, Notes: kept})
	first.ready()
	first.stop()
	second := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "changed")}, Notes: kept})
	s := second.ready()
	if len(s.Changes) != 1 || !strings.Contains(s.Changes[0].After, "password") || slices.Contains(s.Tools, "odd_echo") {
		t.Errorf("status %+v", s)
	}
	kept.fail = true
	third := start(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good")}, Notes: kept})
	third.until("down", func(s mcp.Status) bool { return s.State == mcp.Down })
	if names := third.registry.Names(); len(names) != 0 {
		t.Errorf("without a record, %v", names)
	}
}

func TestStreamableHTTP(t *testing.T) {
	t.Parallel()
	var refused atomic.Int32
	server := stranger("good")
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	b := start(t, mcp.Config{Watch: true, Interval: 20 * time.Millisecond, Servers: []mcp.Server{{
		Name: "web", URL: web.URL, Headers: http.Header{"Authorization": {"Bearer secret"}}, Timeout: time.Minute,
	}}})
	b.ready()
	if got, err := b.call("web_echo", `{"text":"over http"}`); err != nil || !strings.HasSuffix(got.Text, "over http") {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := b.call("web_grow", `{}`); err != nil {
		t.Fatal(err)
	}
	b.until("the change is seen", func(s mcp.Status) bool { return len(s.Changes) == 1 && slices.Contains(s.Tools, "web_extra") })
	if n := refused.Load(); n != 0 {
		t.Errorf("%d requests without the header", n)
	}
}

// TestAnAnswerThatDoesNotComeIsNoRefusal breaks calls off after the server has them.
func TestAnAnswerThatDoesNotComeIsNoRefusal(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(http.ResponseWriter){
		"the connection is cut": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"500":                   func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"503":                   func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := stranger("good")
			handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), "tools/call") {
					end(w)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(web.Close)
			b := start(t, mcp.Config{Servers: []mcp.Server{{Name: "web", URL: web.URL, Timeout: time.Minute}}})
			b.ready()
			_, err := b.call("web_echo", `{"text":"x"}`)
			if e := (*tool.Error)(nil); !errors.As(err, &e) || e.Code != "unavailable" || !e.Unsure {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestAServersErrorHoldsNoSecret has a server say in an error what it was given.
func TestAServersErrorHoldsNoSecret(t *testing.T) {
	t.Parallel()
	server := stranger("good")
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "tools/call") {
			var asked struct{ ID json.RawMessage }
			_ = json.Unmarshal(body, &asked)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"not with %s"}}`, asked.ID, r.Header.Get("Authorization"))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	b := start(t, mcp.Config{Servers: []mcp.Server{{Name: "web", URL: web.URL, Headers: http.Header{"Authorization": {"Bearer canary-4712"}}, Timeout: time.Minute}}})
	b.ready()
	if _, err := b.call("web_echo", `{"text":"x"}`); code(err) != "refused" || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
}

func TestHeadersGoToNoOtherHost(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(web.Close)
	b := start(t, mcp.Config{Servers: []mcp.Server{{Name: "web", URL: web.URL, Headers: http.Header{"Authorization": {"Bearer secret"}}}}})
	s := b.until("down", func(s mcp.Status) bool { return s.State == mcp.Down })
	if asked.Load() != 0 || !strings.Contains(s.Err, "redirects") || strings.Contains(s.Err, "secret") {
		t.Errorf("%d requests elsewhere; %q", asked.Load(), s.Err)
	}
}

func TestCheckCountsToolsAndChangesNothing(t *testing.T) {
	t.Parallel()
	kept := &notes{}
	registry, pool := idle(t, mcp.Config{Servers: []mcp.Server{stdio("odd", "good"), stdio("bad", "broken")}, Notes: kept})
	got := pool.Check(t.Context())
	if got[0].State != mcp.Ready || len(got[0].Tools) < 10 || got[1].State != mcp.Down || !strings.Contains(got[1].Err, "no licence") {
		t.Errorf("%+v", got)
	}
	if len(registry.Names()) != 0 || len(kept.text) != 0 {
		t.Errorf("registry %v, notes %v", registry.Names(), kept.text)
	}
}

// TestWhatAServerSaysOfItsSecretIsMasked: a server may repeat the token that it does not
// take, and what it says is shown to operators, by the running program and by the doctor.
func TestWhatAServerSaysOfItsSecretIsMasked(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&asked) // what is no request has no id
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"unknown token in %s"}}`, asked.ID, r.Header.Get("Authorization"))
	}))
	t.Cleanup(web.Close)
	cfg := mcp.Config{Servers: []mcp.Server{{Name: "web", URL: web.URL, Headers: http.Header{"Authorization": {"Bearer its-secret-4712"}}}}}
	b := start(t, cfg)
	_, pool := idle(t, cfg)
	for who, s := range map[string]mcp.Status{
		"running": b.until("down", func(s mcp.Status) bool { return s.State == mcp.Down }), "examined": pool.Check(t.Context())[0],
	} {
		if !strings.Contains(s.Err, "unknown token") || strings.Contains(s.Err, "4712") {
			t.Errorf("%s: %q", who, s.Err)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := mcp.New(mcp.Config{Servers: []mcp.Server{
		{Name: "Git Hub", Command: "x"}, {Name: "a"}, {Name: "b", Command: "x", URL: "http://y"}, {Name: "c", Command: "x"}, {Name: "c", Command: "x"},
	}})
	if err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("faults: %v", err)
	}
}

// idle returns a pool that does not run.
func idle(t *testing.T, cfg mcp.Config) (*tool.Registry, *mcp.Pool) {
	t.Helper()
	registry, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Registry, cfg.Log = registry, slog.New(slog.DiscardHandler)
	pool, err := mcp.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return registry, pool
}
