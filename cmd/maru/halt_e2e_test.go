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
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// slowEnv makes the test binary an MCP server with a slow tool, over its standard
// streams, that writes into this file what it does.
const slowEnv = "MARU_TEST_BE_SLOW"

// slowWork is how long the slow tool works before its effect takes place.
const slowWork = 2 * atMost

// slowServer has one tool, which sends a report after a while, unless it is told
// to leave off.
func slowServer(journal string) *mcp.Server {
	note := func(word string) {
		f, err := os.OpenFile(journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if _, err := f.WriteString(word + "\n"); err != nil {
			panic(err)
		}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "office", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "send_report", Description: "Sends the weekly report to everybody.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			note("began")
			select {
			case <-ctx.Done():
				note("left off")
				return nil, ctx.Err()
			case <-time.After(slowWork):
			}
			note("sent")
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sent"}}}, nil
		})
	return s
}

// beSlow is the slow server as a program.
func beSlow(journal string) {
	if err := slowServer(journal).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// office is the slow tool as the program has it: the line of its settings, and what
// it did.
type office struct {
	t       *testing.T
	journal string
	line    string
}

func newOffice(t *testing.T, transport string) *office {
	t.Helper()
	o := &office{t: t, journal: filepath.Join(t.TempDir(), "journal")}
	o.line = `command: "` + os.Args[0] + `", env: {` + slowEnv + `: "` + o.journal + `"}`
	if transport == "http" {
		s := slowServer(o.journal)
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
		t.Cleanup(web.CloseClientConnections)
		o.line = `url: "` + web.URL + `"`
	}
	return o
}

// settings returns the file that names the server.
func (o *office) settings() string {
	return serversFile(o.t, "mcp:\n  - {name: office, "+o.line+`, timeout: 10m, policy: {"*": {effect: sends}}}`+"\n")
}

// did waits until the tool has done this.
func (o *office) did(word string) {
	o.t.Helper()
	ctx := within(o.t, atMost)
	for !slices.Contains(o.done(), word) {
		select {
		case <-ctx.Done():
			o.t.Fatalf("the tool did %q, not %q", o.done(), word)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (o *office) done() []string {
	raw, err := os.ReadFile(o.journal)
	if err != nil {
		return nil
	}
	return strings.Fields(strings.ReplaceAll(string(raw), "left off", "left"))
}

// reporter returns a model that plans one report and has it sent.
func reporter(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		switch f := r.ResponseFormat; {
		case f != nil && f.JSONSchema != nil && f.JSONSchema.Name == "plan":
			return llmtest.JSON(map[string]any{"title": "📮", "why": "", "steps": []any{
				map[string]string{"text": "주간 보고 보내기", "detail": "", "tool": "office_send_report"},
				map[string]string{"text": "시계 보기", "detail": "", "tool": ""},
			}})
		case f != nil && f.JSONSchema != nil:
			return planning(f.JSONSchema.Name, "")
		case slices.ContainsFunc(r.Tools, func(tool llmtest.Tool) bool { return tool.Function.Name == "office_send_report" }) && r.Messages[len(r.Messages)-1].Role != "tool":
			return llmtest.CallTool("office_send_report", `{}`)
		}
		return llmtest.Text("보냈어요.")
	})
}

// halting is one way to stop a call that is at work.
type halting struct {
	transport string
	killed    bool   // the program dies as it stops
	say       string // "" presses the button
	accept    string
	task      string
	ends      string // what the reply says then
	unsure    string // of the step
	button    string
}

func haltings() map[string]halting {
	ko := halting{accept: "승인", task: "주간 보고를 보내 줘", ends: "요청하신 대로 멈췄어요", unsure: "일부는 이미 실행되었을 수 있어요", button: "멈추기"}
	en := halting{accept: "Approve", task: "send the weekly report please", ends: "Stopped, as you asked", unsure: "may have partly run", button: "Stop"}
	with := func(h halting, transport, say string, killed bool) halting {
		h.transport, h.say, h.killed = transport, say, killed
		return h
	}
	return map[string]halting{
		"words_over_stdio":        with(ko, "stdio", "멈춰", false),
		"words_over_http":         with(en, "http", "stop", false),
		"button_over_stdio":       with(en, "stdio", "", false),
		"button_over_http":        with(ko, "http", "", false),
		"words_after_a_kill":      with(ko, "http", "멈춰", true),
		"button_after_a_kill":     with(en, "stdio", "", true),
		"words_after_a_kill_pipe": with(en, "stdio", "stop", true),
	}
}

// TestStopDuringACallOnSlack stops a run while its tool is at work at an MCP
// server: the server is told to leave off, nothing happens later, and the reply
// ends as stopped, also when the program was killed in between.
func TestStopDuringACallOnSlack(t *testing.T) {
	t.Parallel()
	for name, c := range haltings() {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, c.transport)
			w := newSlackWorld(t, reporter(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_STEP_APPROVAL=false",
				"MARU_CONFIG="+o.settings())
			w.start()
			root := w.slack.Say("U1", "C1", "<@UBOT> "+c.task, "")
			w.press("U1", w.withButton(root, c.accept, "📮"), c.accept)
			o.did("began")
			card := w.withButton(root, c.button, "📮")
			if c.say != "" {
				w.slack.Say("U1", "C1", c.say, root)
			} else {
				w.press("U1", card, c.button)
			}
			o.did("left")
			if c.killed {
				w.kill()
				w.start()
			}
			if err := w.slack.Wait(within(t, atMost), func() bool {
				now, _ := w.slack.Message("C1", card.TS)
				shown := string(now.Blocks) + now.Text
				return strings.Contains(shown, c.ends) && strings.Contains(shown, c.unsure) && strings.Contains(shown, "주간 보고 보내기") && len(now.Buttons()) == 0
			}); err != nil {
				now, _ := w.slack.Message("C1", card.TS)
				t.Fatalf("it ends as %s %s, all: %q", now.Text, now.Blocks, w.bots("C1", root))
			}
			o.once()
			if replies := slices.DeleteFunc(w.slack.Replies("C1", root), func(m slackfake.Message) bool { return m.User != w.slack.BotUser() && m.BotID == "" }); len(replies) != 1 {
				t.Errorf("the bot said %q", w.bots("C1", root))
			}
		})
	}
}

// once checks that the tool was called once and left off.
func (o *office) once() {
	o.t.Helper()
	if done := strings.Join(o.done(), " "); done != "began left" {
		o.t.Errorf("the tool did %q", done)
	}
}

// TestStopDuringACallOnDiscord does the same on Discord.
func TestStopDuringACallOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, c := range haltings() {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, c.transport)
			w := newDiscordWorld(t, reporter(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_STEP_APPROVAL=false",
				"MARU_CONFIG="+o.settings())
			if c.accept == "Approve" {
				w.discord.SetLocale(w.user, "en-US")
			}
			w.begin()
			q := w.discord.Say(w.user, w.general, w.discord.Mention()+" "+c.task)
			m := w.showing(q.ID, c.accept, "📮")
			w.discord.Click(w.user, q.ID, m.ID, buttonID(m.Components, c.accept))
			o.did("began")
			card := w.showing(q.ID, c.button, "📮")
			if c.say != "" {
				w.discord.Say(w.user, q.ID, c.say)
			} else {
				w.discord.Click(w.user, q.ID, card.ID, buttonID(card.Components, c.button))
			}
			o.did("left")
			if c.killed {
				w.kill()
				w.begin()
			}
			if err := w.discord.Await(within(t, atMost), func() bool {
				all := w.discord.BotMessages(q.ID)
				shown := all[0].Text()
				return strings.Contains(shown, c.ends) && strings.Contains(shown, c.unsure) && strings.Contains(shown, "주간 보고 보내기") && buttonID(all[0].Components, c.button) == "" && len(all) == 1
			}); err != nil {
				t.Fatalf("it ends as %s", mustJSON(t, w.discord.BotMessages(q.ID)))
			}
			o.once()
		})
	}
}
