package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/bot/outside"
	"maru/memory/sqlitestore"
)

var tokenForm = regexp.MustCompile(`maru_[a-z0-9]{26}`)

// token makes a token of a person by the command, as they would.
func (w *slackWorld) token(user, args string) string {
	w.t.Helper()
	before := len(w.slack.Whispers(user))
	w.slack.Slash(user, "C1", "/maru", "token new "+args)
	var found string
	if err := w.slack.Wait(within(w.t, atMost), func() bool {
		for _, x := range w.slack.Whispers(user)[before:] {
			found = tokenForm.FindString(x.Shown() + string(x.Blocks))
		}
		return found != ""
	}); err != nil {
		w.t.Fatalf("no token: %+v", w.slack.Whispers(user))
	}
	return found
}

// expired puts a token of U1 whose time is over into the record of a stopped program.
func (p *program) expired(secret string) {
	p.t.Helper()
	ctx := context.Background()
	store, err := sqlitestore.Open(ctx, sqlitestore.Config{Path: filepath.Join(p.dir, "data", "maru.db")})
	must(p.t, "open the record", err)
	defer func() { must(p.t, "close the record", store.Close()) }()
	sum, now := sha256.Sum256([]byte(secret)), time.Now()
	must(p.t, "store a token", store.PutToken(ctx, outside.Token{
		ID: "over", Hash: hex.EncodeToString(sum[:]), Home: outside.Home{Platform: "slack", Team: "T1"}, Owner: bot.User{ID: "U1"}, Name: "over",
		Scopes: outside.Scopes(), Created: now.Add(-time.Hour), Expires: now.Add(-time.Minute),
	}, 10))
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// client connects the SDK's client with a token.
func (p *program) client(token string) *mcp.ClientSession {
	p.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(p.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://" + p.addr + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = s.Close() })
	return s
}

// call calls a tool and returns its output, or what it says went wrong.
func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any, out any) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error()
	}
	var text string
	for _, c := range res.Content {
		if x, ok := c.(*mcp.TextContent); ok {
			text += x.Text
		}
	}
	if res.IsError {
		return text
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err == nil && out != nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// status is what the approval desk says.
type status struct {
	ID, State, Digest, Receipt, Place, Text string
	Posted                                  bool
	Needs                                   int
	Agreed                                  []struct{ ID, Name string }
	Error                                   struct{ Code, Text string }
}

// desk sends a request to the approval desk and returns the HTTP status.
func (p *program) desk(method, path, token, body string, header ...string) (int, status, http.Header) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), atMost)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.addr+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	var out status
	if err != nil || json.Unmarshal(raw, &out) != nil {
		p.t.Fatalf("%s %s: %d %s (%v)", method, path, resp.StatusCode, raw, err)
	}
	return resp.StatusCode, out, resp.Header
}

// requestCard waits for the card of a request in a channel.
func (w *slackWorld) requestCard(channel, text string) slackfake.Message {
	w.t.Helper()
	var found slackfake.Message
	if err := w.slack.Wait(within(w.t, atMost), func() bool {
		for _, m := range w.slack.Messages(channel, "") {
			if len(m.Buttons()) > 0 && strings.Contains(m.Text+string(m.Blocks), text) {
				found = m
			}
		}
		return found.TS != ""
	}); err != nil {
		w.t.Fatalf("no card with %q: %q", text, w.bots(channel, ""))
	}
	return found
}
