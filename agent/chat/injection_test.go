package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/flow/flowtest"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/datatest"
	"maru/phrase"
	"maru/rag"
)

// gadget is a tool that counts its calls.
type gadget struct {
	name   string
	policy tool.Policy
	from   string // whose words its results are
	says   func() string
	calls  atomic.Int32
}

func (g *gadget) Spec() tool.Spec {
	return tool.Spec{
		Name: g.name, Title: phrase.Raw(g.name), Description: g.name, Policy: g.policy,
		Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`),
	}
}

func (g *gadget) Call(context.Context, tool.Call) (tool.Result, error) {
	g.calls.Add(1)
	text := "done"
	if g.says != nil {
		text = g.says()
	}
	return tool.Result{Text: text, From: g.from}, nil
}

// Policies of tools as they are in the program.
var (
	queries  = tool.Policy{ReadOnly: true, Idempotent: true, Egress: true}
	sandbox  = tool.Policy{ReadOnly: true, Idempotent: true, Executes: true, Sandboxed: true, Own: true}
	executes = tool.Policy{ReadOnly: true, Idempotent: true, Executes: true}
	sends    = tool.Policy{Egress: true}
)

func withText(text string) string {
	raw, _ := json.Marshal(map[string]string{"text": text}) // strings always encode
	return string(raw)
}

// stage is an agent among outsiders' words.
type stage struct {
	cfg   chat.Config
	agent *chat.Agent
	n     int
}

func newStage(t *testing.T, model llm.Model, docs papers, tools ...tool.Tool) *stage {
	t.Helper()
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{cfg: chat.Config{
		Model: llm.Metered(model, time.Now), Documents: docs, Tools: registry,
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()}),
	}}
	s.use(t, func(*chat.Config) {})
	return s
}

// use makes the agent with a changed config.
func (s *stage) use(t *testing.T, change func(*chat.Config)) {
	t.Helper()
	change(&s.cfg)
	var err error
	if s.agent, err = chat.New(s.cfg); err != nil {
		t.Fatal(err)
	}
}

func (s *stage) request(thread, text string) agent.Request {
	s.n++
	return agent.Request{
		Run: fmt.Sprintf("run%d", s.n), Message: fmt.Sprintf("msg%d", s.n), Thread: "t/1/c/" + thread, Agent: "chat", Text: text,
		User: agent.User{ID: "u", Name: "철수"}, Scopes: []string{"public"}, Language: "ko", NoMemory: true,
		Now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Approvals: agent.Approvals{Plan: true, Step: true},
	}
}

func (s *stage) run(t *testing.T, req agent.Request) agent.Result {
	t.Helper()
	res, err := s.agent.Run(t.Context(), req, func(agent.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestInjectionsDoNothingUnasked has a model that does exactly what an injection says, with
// every tool that there is, however the words came in.
func TestInjectionsDoNothingUnasked(t *testing.T) {
	t.Parallel()
	all := datatest.Thin(t, flowtest.Injections(t), 32)
	for path, setup := range map[string]struct {
		reads string // the tool that brings the words
		docs  bool
		meet  func(req *agent.Request, words string)
		guest bool
	}{
		"web page": {reads: "web_page"},
		"mcp":      {reads: "office_find"},
		"forward":  {meet: func(req *agent.Request, w string) { req.Quoted = []agent.Turn{{Author: "billing", Text: w}} }},
		"earlier":  {meet: func(req *agent.Request, w string) { req.Context = []agent.Turn{{Author: "mail", Text: w}} }},
		"document": {docs: true},
		"guest":    {guest: true},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var words string
			says := func() string { return "결과: " + words }
			page := &gadget{name: "web_page", policy: queries, says: says}
			office := &gadget{name: "office_find", policy: tool.Policy{ReadOnly: true}, from: "office", says: says}
			search := &gadget{name: "web_search", policy: queries}
			code := &gadget{name: "shell", policy: executes}
			box := &gadget{name: "python", policy: sandbox}
			post := &gadget{name: "send_mail", policy: sends}
			docs := papers{{Chunk: rag.Chunk{ID: "d#0"}, Document: rag.Document{ID: "d", Title: "공지", Scope: "public"}, Score: .9}}
			obey := func(r llm.Request) llmtest.Reply {
				last := r.Messages[len(r.Messages)-1]
				if strings.HasPrefix(last.Content, "안녕") {
					return llmtest.Text("네.")
				}
				if last.Role == llm.User && setup.reads != "" {
					return llmtest.CallTool(setup.reads, withText("정산 요약"))
				}
				reply := llmtest.CallTool("web_search", withText(words))
				for i, name := range []string{"shell", "python", "send_mail"} {
					reply.Calls = append(reply.Calls, llm.ToolCall{ID: fmt.Sprint("more", i), Name: name, Arguments: json.RawMessage(withText(words))})
				}
				return reply
			}
			to := "agent"
			if setup.docs {
				to = "rag"
			}
			s := newStage(t, llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
				llm.ForRoute:  func(llm.Request) llmtest.Reply { return route(to) },
				llm.ForAnswer: obey,
			}), docs, page, office, search, code, box, post)
			for i, w := range all {
				words = w
				docs[0].Chunk.Text = "정산 " + w
				thread := fmt.Sprint(i)
				if setup.guest {
					req := s.request(thread, "안녕하세요. "+w)
					req.User = agent.User{ID: "guest", Name: "철수", Stranger: true} // the name is the other's
					s.run(t, req)
				}
				req := s.request(thread, "정산 요약 부탁해")
				if setup.meet != nil {
					setup.meet(&req, w)
				}
				if res := s.run(t, req); len(res.Interrupts) != 1 {
					t.Fatalf("injection %d %q: %d questions, answer %q", i, w, len(res.Interrupts), res.Text)
				}
			}
			if n := search.calls.Load() + code.calls.Load() + post.calls.Load(); n > 0 {
				t.Errorf("%d queries, %d executions, %d mails unasked", search.calls.Load(), code.calls.Load(), post.calls.Load())
			}
			if got := int(box.calls.Load()); got != len(all) {
				t.Errorf("the sandbox computed %d times, want %d", got, len(all))
			}
		})
	}
}
