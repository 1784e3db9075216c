package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

// TestOtherDialects reads what some servers send instead of text: a list of parts,
// arguments as an object, and a single call in the field that was there before there could be
// several; as a stream and in one piece.
func TestOtherDialects(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind, body, text, args string
	}{
		"parts": {"text/event-stream", `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"text","text":"fi"},{"type":"text","text":"ve"}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`, "five", ""},
		"a stream said to be JSON": {"application/json", "\n" + `data: {"choices":[{"index":0,"delta":{"content":"fi"}}]}

data: {"choices":[{"index":0,"delta":{"content":"ve"},"finish_reason":"stop"}]}

data: [DONE]

`, "five", ""},
		"thoughts among the parts": {"text/event-stream", `data: {"choices":[{"index":0,"delta":{"content": [{"type":"thinking","thinking":[{"type":"text","text":"secret"}]}]}}]}

data: {"choices":[{"index":0,"delta":{"content":"five, as in \"content\":[5]"},"finish_reason":"stop"}]}

data: [DONE]

`, `five, as in "content":[5]`, ""},
		"arguments": {"text/event-stream", `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"calculator","arguments":{"expression":"2+3","places":12345678901234567890}}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`, "", `{"expression":"2+3","places":12345678901234567890}`},
		"the one call of before": {"text/event-stream", `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null,"function_call":{"name":"calculator","arguments":""}}}]}

data: {"choices":[{"index":0,"delta":{"function_call":{"arguments":"{\"expression\":"}}}]}

data: {"choices":[{"index":0,"delta":{"function_call":{"arguments":"\"2+3\"}"}}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"function_call"}]}

data: [DONE]

`, "", `{"expression":"2+3"}`},
		"the one call in one piece": {"application/json", `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"function_call":{"name":"calculator","arguments":"{\"expression\":\"2+3\"}"}},"finish_reason":"function_call"}]}`, "", `{"expression":"2+3"}`},
		"in one piece":              {"application/json", `{"choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"five"}],"tool_calls":[{"id":"a","type":"function","function":{"name":"calculator","arguments":{"expression":"2+3"}}}]},"finish_reason":"tool_calls"}]}`, "five", `{"expression":"2+3"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				_, _ = io.WriteString(w, tt.body)
			}))
			t.Cleanup(srv.Close)
			m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Close)
			req := ask("2+3?")
			req.Tools = []llm.Tool{{Name: "calculator"}}
			resp, err := m.Generate(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			var args string
			for _, c := range resp.Message.ToolCalls {
				args += string(c.Arguments)
			}
			if resp.Message.Content != tt.text || args != tt.args {
				t.Errorf("text %q, arguments %s", resp.Message.Content, args)
			}
		})
	}
}

// TestModelsThatTakeTurns: where the template of a model knows no system message, or
// wants turns, what the system says comes with a person's words, in every later call
// at once, also where the shape of the reply has to be told in words.
func TestModelsThatTakeTurns(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]llmtest.Fault{
		"vllm":      {Status: http.StatusBadRequest, Message: "System role not supported"},
		"mistral":   {Status: http.StatusBadRequest, Message: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."},
		"llama_cpp": {Status: http.StatusInternalServerError, Message: "Jinja Exception: System role not supported"},
		"openai":    {Status: http.StatusBadRequest, Message: "Unsupported value: 'messages[0].role' does not support 'system' with this model."},
		"gemini":    {Status: http.StatusBadRequest, Message: "Developer instruction is not enabled for models/gemma-3-27b-it"},
		"template":  {Status: http.StatusBadRequest, Message: "Only user and assistant roles are supported!"},
		"gateway":   {Status: http.StatusBadRequest, Message: "This model does not support the system role."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schemas := name == "vllm"
			srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				was := ""
				for _, m := range r.Messages {
					if m.Role == "system" || m.Role == was {
						return fault(refusal)
					}
					was = m.Role
				}
				if r.ResponseFormat != nil && !schemas {
					return fault(llmtest.Fault{Status: http.StatusBadRequest, Message: "response_format is not supported"})
				}
				return llmtest.Text(`{"route":"rag"}`)
			})
			m := model(t, srv, nil)
			req := llm.Request{Messages: []llm.Message{
				{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "one"}, {Role: llm.User, Content: "two"},
				{Role: llm.Assistant, Content: "three"}, {Role: llm.User, Content: "four"},
			}}
			req.Schema = llm.MustShape("route", `{"type":"object","additionalProperties":false,"required":["route"],"properties":{"route":{"enum":["rag"]}}}`).Schema()
			for range 2 {
				if resp, err := m.Generate(t.Context(), req, nil); err != nil || resp.Message.Content != `{"route":"rag"}` {
					t.Fatalf("%+v, %v", resp, err)
				}
			}
			chats := srv.Chats()
			last := chats[len(chats)-1]
			if len(last.Messages) != 3 || !strings.HasPrefix(last.Messages[0].Text(), "Be brief.\n\none\n\ntwo") {
				said, _ := json.Marshal(last.Messages)
				t.Errorf("the model read %s", said)
			}
			if req.Messages[1].Content != "one" {
				t.Error("the caller's conversation was changed")
			}
		})
	}
}

// cutOff gives the last bytes of a body and the error of its connection in one read.
type cutOff struct{ body *strings.Reader }

func (c cutOff) Read(p []byte) (int, error) {
	n, _ := c.body.Read(p)
	if c.body.Len() == 0 {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

func (c cutOff) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(c), Request: r}, nil
}

// TestAStreamSaidToBeJSONIsCut: the text before a broken connection is shown, also where one read returns both the text and the error.
func TestAStreamSaidToBeJSONIsCut(t *testing.T) {
	t.Parallel()
	body := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"four and \"}}]}\n\n"
	m, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m", HTTP: &http.Client{Transport: cutOff{strings.NewReader(body)}}})
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	if _, err := m.Generate(t.Context(), ask("?"), func(s string) { shown += s }); llm.ClassOf(err) == "" || shown != "four and " {
		t.Errorf("shown %q, %v", shown, err)
	}
}
