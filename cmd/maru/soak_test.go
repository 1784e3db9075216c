package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
	"maru/datatest"
)

// TestSoak kills the program at random moments while many runs of the
// orchestrator plan, wait for their approvals and write into a ledger that knows
// no idempotency key. Every run must end in one answer, and every entry is written
// exactly once: a write that a kill interrupted is asked about, and people look
// into the ledger before they say that it was done or shall run again. 6 kills, 2
// with -short; 100 with MARU_TEST_LONG set, which `make soak` does.
func TestSoak(t *testing.T) {
	t.Parallel()
	kills, open := 6, 6
	if datatest.Short(t) {
		kills = 2
	}
	if os.Getenv("MARU_TEST_LONG") != "" {
		kills, open = 100, 8
	}
	seed := uint64(20261121)
	s := newSoak(t, rand.New(rand.NewPCG(seed, 1)))
	s.start()
	began := time.Now()
	for n := range kills {
		s.feed(open)
		s.live(500*time.Millisecond + time.Duration(s.random.IntN(3000))*time.Millisecond)
		if n%2 == 0 {
			s.feed(open)
			s.dieInAWrite()
		}
		s.kill()
		s.start()
	}
	s.finish()
	s.report(kills, time.Since(began))
}

// soak is a workspace whose people approve everything, at once and more than
// once, and an endpoint and a ledger outside of the program that remember.
type soak struct {
	*slackWorld

	random *rand.Rand
	ledger *ledger
	runs   []*soakRun
}

// soakRun is one task.
type soakRun struct {
	entry, channel, root string
	clicks               int
	clicked              time.Time
	unsure               map[string]string // by the card that asked after an interrupted write: what was pressed
	done                 bool
}

// ledger counts what was written.
type ledger struct {
	mu      sync.Mutex
	entries map[string]int
	begun   chan struct{} // a write begins, if somebody waits for that
}

func (l *ledger) write(entry string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[entry]++
}

func (l *ledger) count(entry string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries[entry]
}

// wasDone is the button for a write that took effect although it was interrupted.
const wasDone = "이미 됐어요"

// serve returns an MCP server whose tool writes an entry and takes its time: before it
// and after it the program may die.
func (l *ledger) serve(t *testing.T) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "ledger", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{
		Name: "write_entry", Description: "장부에 항목 하나를 쓴다. Writes one entry into the ledger.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"entry":{"type":"string"}},"required":["entry"],"additionalProperties":false}`),
	}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct {
			Entry string `json:"entry"`
		}
		if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
			return nil, err
		}
		select {
		case l.begun <- struct{}{}:
		default:
		}
		pause(ctx, 40*time.Millisecond)
		l.write(in.Entry)
		pause(context.WithoutCancel(ctx), 40*time.Millisecond)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "written: " + in.Entry}}}, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(web.Close)
	return web.URL
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

var entryName = regexp.MustCompile(`E-\d+`)

// bookkeeper returns a model that writes the entry of the task with one step and then
// repeats what came of it.
func bookkeeper(t *testing.T) *llmtest.Server {
	t.Helper()
	return llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		text := r.Messages[0].Text() + "\n" + lastSaid(r)
		entry := entryName.FindString(lastSaid(r))
		if entry == "" {
			entry = entryName.FindString(text)
		}
		if r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil {
			switch r.ResponseFormat.JSONSchema.Name {
			case "message_kind":
				return llmtest.JSON(map[string]string{"kind": "TOOL_REQUIRED", "title": entry, "reason": "test"})
			case "clarity":
				return llmtest.JSON(map[string]any{"score": 0.95, "questions": []any{}})
			case "plan":
				name := ""
				for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') }) {
					if strings.HasSuffix(word, "write_entry") {
						name = word
					}
				}
				return llmtest.JSON(map[string]any{"title": entry, "why": "test", "steps": []any{
					map[string]string{"text": entry + " 쓰기", "detail": "", "tool": name},
				}})
			}
			return llmtest.JSON(map[string]string{"decision": "go_on", "reason": "test"})
		}
		if len(r.Tools) == 1 && r.Messages[len(r.Messages)-1].Role != "tool" {
			return llmtest.CallTool(r.Tools[0].Function.Name, `{"entry":"`+entry+`"}`)
		}
		return llmtest.Text("장부 일을 마쳤어요.")
	})
}

func newSoak(t *testing.T, random *rand.Rand) *soak {
	t.Helper()
	l := &ledger{entries: map[string]int{}, begun: make(chan struct{}, 1)}
	path := serversFile(t, `
mcp:
  - {name: ledger, url: "`+l.serve(t)+`", policy: {"*": {effect: writes}}}
`)
	fake := slackfake.Start(t, slackfake.Options{})
	w := &slackWorld{slack: fake, program: newProgram(t,
		"SLACK_BOT_TOKEN="+fake.BotToken(), "SLACK_APP_TOKEN="+fake.AppToken(), "SLACK_API_URL="+fake.URL(),
		"OPENAI_BASE_URL="+bookkeeper(t).URL, "OPENAI_MODEL=test",
		"MARU_AGENT=orchestrator", "ENABLE_HITL=true", "MARU_CONFIG="+path, "LOG_LEVEL=info")}
	t.Cleanup(func() {
		for _, r := range fake.Refused() {
			if !doneBefore(r) {
				t.Errorf("Slack refused %s", r)
			}
		}
		if problems := fake.Problems(); len(problems) > 0 {
			t.Errorf("Slack saw problems: %v", problems)
		}
	})
	return &soak{slackWorld: w, random: random, ledger: l}
}

// feed keeps that many tasks open.
func (s *soak) feed(open int) {
	for _, r := range s.runs {
		if !r.done {
			open--
		}
	}
	for range open {
		r := &soakRun{entry: fmt.Sprintf("E-%d", len(s.runs)+1), channel: "C1", unsure: map[string]string{}}
		r.root = s.slack.Say("U1", r.channel, "<@UBOT> 장부에 "+r.entry+" 써 줘", "")
		s.runs = append(s.runs, r)
	}
}

// live lets people do their part for a while.
func (s *soak) live(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		s.people()
		pause(s.t.Context(), 20*time.Millisecond)
	}
}

// dieInAWrite lets people do their part until the ledger is written into, and kills the program during that write.
func (s *soak) dieInAWrite() {
	select {
	case <-s.ledger.begun: // of an earlier write
	default:
	}
	after := time.Duration(s.random.IntN(90)) * time.Millisecond
	died := make(chan struct{})
	go func() {
		defer close(died)
		select {
		case <-s.ledger.begun:
			pause(s.t.Context(), after)
		case <-time.After(8 * time.Second): // whoever waits for a lease writes later
		}
		_ = s.cmd.Process.Kill()
	}()
	for {
		select {
		case <-died:
			return
		case <-time.After(20 * time.Millisecond):
			s.people()
		}
	}
}

// people press every button that approves, whoever may have pressed it before, and after an interrupted write the one
// that is true.
func (s *soak) people() {
	for _, r := range s.runs {
		if r.done {
			continue
		}
		for _, m := range s.slack.Replies(r.channel, r.root) {
			if slices.Contains(m.Buttons(), wasDone) && time.Since(r.clicked) > 200*time.Millisecond {
				if !strings.Contains(s.shown(m), "이미 반영됐을 수 있어요") {
					s.t.Errorf("%s is asked about again without saying that it may have happened: %s", r.entry, s.shown(m))
				}
				truth := "다시 실행"
				if s.ledger.count(r.entry) > 0 {
					truth = wasDone
				}
				if _, err := s.slack.Click("U1", r.channel, m.TS, truth); err == nil {
					r.clicked, r.unsure[m.TS] = time.Now(), truth
				}
			}
			if slices.Contains(m.Buttons(), "승인") && time.Since(r.clicked) > 200*time.Millisecond {
				r.clicked = time.Now()
				if _, err := s.slack.Click("U1", r.channel, m.TS, "승인"); err == nil {
					r.clicks++
				}
			}
		}
		r.done = s.finals(r) > 0
	}
}

// finals returns how many answers the task has, the word that it was given up after
// too many kills among them.
func (s *soak) finals(r *soakRun) (n int) {
	for _, m := range s.slack.Replies(r.channel, r.root) {
		if strings.Contains(s.shown(m), "장부 일을 마쳤어요.") || s.gaveUp(m) {
			n++
		}
	}
	return n
}

func (s *soak) gaveUp(m slackfake.Message) bool {
	return strings.Contains(s.shown(m), "처리 중에 문제가 생겼어요")
}

func (s *soak) shown(m slackfake.Message) string { return m.Text + string(m.Blocks) }

// finish waits until nothing is open any more. A draft may have shown the words of an answer that then moved below it: it
// is closed beside the answer, by a job if the program died meanwhile.
func (s *soak) finish() {
	s.t.Helper()
	for end := time.Now().Add(atMost); time.Now().Before(end); {
		s.people()
		if !slices.ContainsFunc(s.runs, func(r *soakRun) bool { return !r.done }) {
			break
		}
		pause(s.t.Context(), 50*time.Millisecond)
	}
	s.settles()
	for end := time.Now().Add(atMost); time.Now().Before(end) && slices.ContainsFunc(s.runs, func(r *soakRun) bool { return s.finals(r) > 1 }); {
		pause(s.t.Context(), 50*time.Millisecond)
	}
}

// report counts what was lost and what happened twice.
func (s *soak) report(kills int, took time.Duration) {
	s.t.Helper()
	var lost, twice, unsure, gaveUp, clicks int
	for _, r := range s.runs {
		clicks += r.clicks
		unsure += len(r.unsure)
		switch s.finals(r) {
		case 0:
			lost++
			s.t.Errorf("%s has no answer; the bot said %q", r.entry, s.bots(r.channel, r.root))
		case 1:
		default:
			twice++
			s.t.Errorf("%s was answered more than once: %q", r.entry, s.bots(r.channel, r.root))
		}
		given := slices.ContainsFunc(s.slack.Replies(r.channel, r.root), s.gaveUp)
		if given {
			gaveUp++
		}
		if n := s.ledger.count(r.entry); n > 1 || n == 0 && !given {
			s.t.Errorf("%s was written %d times, want once: %s", r.entry, n, tail(fmt.Sprint(s.bots(r.channel, r.root), r.unsure), 1500))
		}
	}
	s.mu.Lock()
	if parked := strings.Count(s.log.String(), `"msg":"item parked`); parked > 0 {
		s.t.Errorf("%d items were parked: none of them kills its process", parked)
	}
	s.mu.Unlock()
	s.t.Logf("%d kills during %d runs with %d clicks in %s: %d lost, %d answered twice, %d asked after an interrupted write and decided as the ledger said, %d given up after 5 kills and said so",
		kills, len(s.runs), clicks, took.Round(time.Second), lost, twice, unsure, gaveUp)
}
