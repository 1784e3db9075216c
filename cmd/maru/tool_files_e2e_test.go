package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// artist returns an MCP server whose tool makes files.
func artist(t *testing.T) *httptest.Server {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	blob := func(uri, kind string, n int) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: kind, Blob: make([]byte, n)}}
	}
	made := []mcp.Content{
		&mcp.TextContent{Text: "Here they are."},
		&mcp.ImageContent{MIMEType: "image/png", Data: pictureOf(t, 20, 10)},
		&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte("RIFF sound")},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///out/sales.csv", MIMEType: "text/csv", Text: "month,total\nMay,48\n"}},
		blob("file:///a/report.pdf", "application/pdf", 100), blob("file:///b/report.pdf", "application/pdf", 200),
		blob("file:///c/%2Fetc%2F%E2%80%AEfdp.exe", "application/pdf", 50),
		blob("file:///d/huge.csv", "text/csv", 12<<20), blob("file:///e/empty.pdf", "application/pdf", 0),
		&mcp.ResourceLink{Name: "page", URI: "https://example.org/page"},
	}
	s.AddTool(&mcp.Tool{Name: "lookup", Description: "Draws.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: made}, nil
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(web.Close)
	return web
}

// TestFilesOfToolsComeIntoTheThread: what a tool makes comes as files, bounded and safely named on
// Slack, Discord and the web; a file beyond the limit is named in the answer.
func TestFilesOfToolsComeIntoTheThread(t *testing.T) {
	t.Parallel()
	unraced(t)
	want := []string{"fdp.exe", "lookup.png", "lookup.wav", "report-2.pdf", "report.pdf", "sales.csv"}
	const notice = "at most 10 files and 4 MB: huge.csv"
	env := func(t *testing.T) []string {
		t.Helper()
		dir := t.TempDir()
		must(t, "write the workflow", os.WriteFile(filepath.Join(dir, "w.json"), []byte(lookingUp), 0o600))
		path := serversFile(t, "\nmcp:\n  - {name: wiki, url: \""+artist(t).URL+"\", policy: {\"*\": {effect: reads}}}\n")
		return []string{"MARU_CONFIG=" + path, "MARU_WORKFLOWS=" + dir, "MARU_AGENT=w"}
	}
	check := func(t *testing.T, names []string) {
		t.Helper()
		if slices.Sort(names); !slices.Equal(names, want) {
			t.Errorf("the files are %q", names)
		}
	}
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		w := newSlackWorld(t, brain(t), env(t)...)
		w.start()
		root := w.slack.Say("U1", "C1", "<@UBOT> draw it", "")
		must(t, "files", w.slack.Wait(within(t, atMost), func() bool { return w.withFiles(root) > 0 }))
		w.await("C1", root, 1, notice)
		var names []string
		for _, m := range w.slack.Replies("C1", root) {
			if m.User != "UBOT" {
				continue
			}
			for _, id := range m.Files {
				names = append(names, w.slack.FileName(id))
			}
		}
		check(t, names)
	})
	t.Run("discord", func(t *testing.T) {
		t.Parallel()
		w := newDiscordWorld(t, brain(t), env(t)...)
		w.begin()
		q := w.discord.Say(w.user, w.general, w.discord.Mention()+" draw it")
		w.await(q.ID, 1, notice)
		var names []string
		must(t, "files", w.discord.Await(within(t, atMost), func() bool {
			names = nil
			for _, m := range w.discord.BotMessages(q.ID) {
				for _, f := range m.Files {
					names = append(names, f.Name)
				}
			}
			return len(names) > 0
		}))
		check(t, names)
	})
	t.Run("console", func(t *testing.T) {
		t.Parallel()
		p := newProgram(t, append(env(t), "OPENAI_BASE_URL="+brain(t).URL, "OPENAI_API_KEY=test-key", "OPENAI_MODEL=m")...)
		p.start()
		p.tell("t1", "draw it")
		var names []string
		var line struct {
			Card struct{ Files []struct{ Name string } }
		}
		must(t, "read the answer", json.Unmarshal([]byte(p.hears("t1", 2, notice)), &line))
		for _, f := range line.Card.Files {
			names = append(names, f.Name)
		}
		check(t, names)
	})
}
