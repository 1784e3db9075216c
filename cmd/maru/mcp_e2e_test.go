package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/agent/llm/llmtest"
)

// wiki returns an MCP server with one tool, behind a token.
func wiki(t *testing.T) *httptest.Server {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "lookup", Description: "Looks a page up.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a page"}}}, nil
		})
	mcpHandler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mcpHandler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web
}

// serversFile writes settings with these servers.
func serversFile(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	path := filepath.Join(dir, "maru.yaml")
	for name, body := range map[string]string{token: "Bearer t0ken\n", path: strings.ReplaceAll(text, "TOKEN", token)} {
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestDoctorTriesMCPServers(t *testing.T) {
	t.Parallel()
	unraced(t)
	path := serversFile(t, `
mcp:
  - {name: wiki, url: "`+wiki(t).URL+`", headers: {Authorization_FILE: TOKEN}, policy: {"*": {effect: reads}}}
  - {name: gone, command: /no/such/program}
  - {name: shy, url: "`+wiki(t).URL+`"}
`)
	code, stdout, _ := runHere(t, "", []string{"DATA_DIR=" + t.TempDir(), "MARU_CONFIG=" + path}, "doctor")
	for _, want := range []string{"wiki answers; tools: 1", "✗ mcp          gone: ", "✗ mcp          shy: ", "under mcp: in maru.yaml"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("doctor does not say %q:\n%s", want, stdout)
		}
	}
	if code == 0 || strings.Contains(stdout, "t0ken") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}

// lookingUp is an agent that calls the tool of wiki.
const lookingUp = `{"id": "w", "name": "W", "version": "1", "nodes": [{"id": "start", "node_type": "start"},
	{"id": "look", "node_type": "tool_call", "config": {"tool": "wiki_lookup", "output": "final_answer"}}, {"id": "end", "node_type": "end"}],
	"edges": [{"source": "start", "target": "look"}, {"source": "look", "target": "end"}]}`

// TestWorkflowRunHasTheToolsOfMCPServers tries a definition in the terminal whose tool
// is a server's, and asks the agent that it defines.
func TestWorkflowRunHasTheToolsOfMCPServers(t *testing.T) {
	t.Parallel()
	unraced(t)
	path := serversFile(t, `
mcp:
  - {name: wiki, url: "`+wiki(t).URL+`", headers: {Authorization_FILE: TOKEN}, policy: {"*": {effect: reads}}}
`)
	file := definitionFile(t, lookingUp)
	code, stdout, progress := runHere(t, "", []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "MARU_CONFIG=" + path}, "workflow", "run", file, "x")
	if code != exitOK || !strings.Contains(stdout, "a page") {
		t.Errorf("exit %d, %q\n%s", code, stdout, progress)
	}
	agent := []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "MARU_CONFIG=" + path, "MARU_WORKFLOWS=" + filepath.Dir(file), "MARU_AGENT=w"}
	if code, stdout, progress = runHere(t, "", agent, "ask", "x"); code != exitOK || !strings.Contains(stdout, "a page") {
		t.Errorf("ask: exit %d, %q\n%s", code, stdout, progress)
	}
}

// TestAskOffersTheToolsOfMCPServers: the chat agent's first request to the model has the tools of a server that takes a moment.
func TestAskOffersTheToolsOfMCPServers(t *testing.T) {
	t.Parallel()
	unraced(t)
	asked := make(chan struct{})
	tell := sync.OnceFunc(func() { close(asked) })
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		tell()
		switch last := r.Messages[len(r.Messages)-1]; {
		case r.ResponseFormat != nil:
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		case last.Role == "tool":
			return llmtest.Text("It says: " + last.Text())
		case slices.ContainsFunc(r.Tools, func(t llmtest.Tool) bool { return t.Function.Name == "wiki_lookup" }):
			return llmtest.CallTool("wiki_lookup", `{}`)
		}
		return llmtest.Text("I have no tool for that.")
	})
	behind := wiki(t).Config.Handler
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select { // a question that does not wait for this server reaches the model first
		case <-asked:
		case <-time.After(time.Second):
			tell()
		}
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	path := serversFile(t, `
mcp:
  - {name: wiki, url: "`+slow.URL+`", headers: {Authorization_FILE: TOKEN}, policy: {"*": {effect: reads}}}
`)
	env := []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "MARU_CONFIG=" + path, "OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=test-key", "OPENAI_MODEL=m"}
	code, stdout, stderr := runHere(t, "", env, "ask", "Look the page of the wiki up")
	if code != exitOK || !strings.Contains(stdout, "It says: ") || !strings.Contains(stdout, "a page") {
		t.Errorf("exit %d, %q\n%s", code, stdout, stderr)
	}
}

func TestServingWaitsForNoMCPServer(t *testing.T) {
	t.Parallel()
	path := serversFile(t, `
mcp:
  - {name: wiki, url: "`+wiki(t).URL+`", headers: {Authorization_FILE: TOKEN}, policy: {"*": {effect: reads}}}
  - {name: deaf, command: sleep, args: ["600"]}
`)
	model := brain(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "w.json"), []byte(lookingUp), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "MARU_CONFIG="+path, "OPENAI_BASE_URL="+model.URL, "OPENAI_API_KEY=test-key", "OPENAI_MODEL=m", "MARU_WORKFLOWS="+dir, "MARU_AGENT=w")
	p.start() // ready, although one server says nothing
	public := p.addr
	p.addr = p.admin
	ctx := within(t, atMost)
	for metrics := ""; !strings.Contains(metrics, `maru_mcp_tools{server="wiki"} 1`); {
		if ctx.Err() != nil {
			t.Fatalf("the wiki's tool never came:\n%s", tail(metrics, 3000))
		}
		_, metrics = p.get("/metrics")
	}
	if _, metrics := p.get("/metrics"); !strings.Contains(metrics, `maru_mcp_server_up{server="deaf"} 0`) {
		t.Error("a server that says nothing counts as up")
	}
	p.addr = public
	p.tell("t1", "look it up")
	p.hears("t1", 2, "a page")
	if metrics := p.operator("/metrics"); !strings.Contains(metrics, `maru_tool_calls_total{result="ok",tool="wiki_lookup"} 1`) {
		t.Errorf("the call of a tool that came after the start is not counted by its name:\n%s", tail(metrics, 3000))
	}
	if err := p.stop(); err != nil {
		t.Errorf("stop beside a deaf server: %v", err)
	}
}
