package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// TestRepliesUnlikeTheDocuments: servers add members, leave them out or write them otherwise. Each body is one that servers
// send; it is a stream where it begins with data or an event. A call is shown as name(arguments).
func TestRepliesUnlikeTheDocuments(t *testing.T) {
	t.Parallel()
	chunk := func(delta string) string { return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n" }
	const done = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	calls := func(list string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":` + list + `},"finish_reason":"tool_calls"}]}`
	}
	for name, c := range map[string]struct{ body, want string }{
		"답이 배열의 조각으로 온다":                   {`{"choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"연차는 15일이에요."}]},"finish_reason":"stop"}]}`, "연차는 15일이에요."},
		"모르는 멤버가 섞여 있다":                    {`{"id":"1","vendor":{"a":[1]},"choices":[{"index":0,"logprobs":null,"message":{"role":"assistant","content":"네","annotations":[],"refusal":null},"finish_reason":"stop","stop_reason":null}]}`, "네"},
		"시간이 소수로 온다":                       {`{"created":1.7e9,"choices":[{"index":0,"message":{"role":"assistant","content":"네"},"finish_reason":"stop"}]}`, "네"},
		"시간이 글로 온다":                        {`{"created":"2026-03-03","choices":[{"index":0,"message":{"role":"assistant","content":"네"},"finish_reason":"stop"}]}`, "네"},
		"아이디가 숫자다":                         {`{"id":17,"choices":[{"index":0,"message":{"role":"assistant","content":"네"},"finish_reason":"stop"}]}`, "네"},
		"끝난 까닭이 처음 보는 말이다":                 {`{"choices":[{"index":0,"message":{"role":"assistant","content":"네"},"finish_reason":"eos_token"}]}`, "네"},
		"토큰 수가 소수다":                        {`{"choices":[{"index":0,"message":{"role":"assistant","content":"네"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3.0,"completion_tokens":1.0,"total_tokens":4.0}}`, "네"},
		"주석 줄과 CRLF로 온다":                   {": OPENROUTER PROCESSING\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"네\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n", "네"},
		"콜론 뒤에 빈칸이 없다":                     {"data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"네\"},\"finish_reason\":\"stop\"}]}\n\ndata:[DONE]\n\n", "네"},
		"빈 선택과 없는 델타가 섞인다":                 {"data: {\"choices\":[]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":null}]}\n\n" + chunk(`{"content":"네"}`) + done, "네"},
		"no [DONE] at the end":             {chunk(`{"content":"yes"}`) + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n", "yes"},
		"thoughts beside the answer":       {chunk(`{"reasoning_content":"hm"}`) + chunk(`{"content":"yes"}`) + done, "yes"},
		"thoughts within the answer":       {`{"choices":[{"index":0,"message":{"role":"assistant","content":"<think>hm</think>\n\nyes"},"finish_reason":"stop"}]}`, "yes"},
		"behind a byte order mark":         {"\ufeff" + `{"choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}`, "yes"},
		"within data":                      {`{"code":0,"msg":"ok","data":{"choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}}`, "yes"},
		"arguments as an object":           {calls(`[{"id":"a","type":"function","function":{"name":"f","arguments":{"x":1}}}]`), `f({"x":1})`},
		"arguments as text within text":    {calls(`[{"id":"a","type":"function","function":{"name":"f","arguments":"\"{\\\"x\\\":1}\""}}]`), `f({"x":1})`},
		"no arguments":                     {calls(`[{"id":"a","type":"function","function":{"name":"f","arguments":""}}]`), `f({})`},
		"an empty object before the right": {calls(`[{"id":"a","type":"function","function":{"name":"f","arguments":"{}{\"x\":1}"}}]`), `f({"x":1})`},
		"a name with a prefix":             {calls(`[{"id":"a","type":"function","function":{"name":"functions.f","arguments":"{\"x\":1}"}}]`), `f({"x":1})`},
		"a call without index or id":       {`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}` + "\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n", `f({"x":1})`},
		"thoughts among the parts":         {chunk(`{"content":[{"type":"reasoning","text":"hm"}]}`) + chunk(`{"content":[{"type":"text","text":"yes"}]}`) + done, "yes"},
		"thoughts begun by the prompt":     {chunk(`{"content":"hm so"}`) + chunk(`{"content":"</think>\n\nyes"}`) + done, "yes"},
		"calls beside the message":         {`{"choices":[{"index":0,"message":{"role":"assistant","content":""},"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}],"finish_reason":"tool_calls"}]}`, `f({"x":1})`},
		"calls beside the piece":           {`data: {"choices":[{"index":0,"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}],"delta":{"role":"assistant"}}]}` + "\n\n" + done, `f({"x":1})`},
		"a letter cut in two":              {chunk(`{"content":"yes \ud83d"}`) + chunk(`{"content":""}`) + chunk(`{"content":"\uDE00 \\ud83d"}`) + done, "yes 😀 \\ud83d"},
		"a letter cut for ever":            {chunk(`{"content":"yes\ud83d"}`) + chunk(`{"content":"!"}`) + done, "yes!"},
		"their end on a line":              {chunk(`{"content":"hm so\n</think>\nyes"}`) + done, "yes"},
		"no thoughts, ended by the mark":   {chunk(`{"content":"</think>\n\nyes"}`) + done, "yes"},
		"a call behind thoughts":           {chunk(`{"content":"hm so</think>\n\n<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":1}}</tool_call>"}`) + done, `f({"x":1})`},
		"a call of Command A":              {chunk(`{"content":"<|START_THINKING|>hm<|END_THINKING|><|START_ACTION|>[{\"tool_name\":\"f\",\"parameters\":{\"x\":1}}]<|END_ACTION|>"}`) + done, `f({"x":1})`},
		"an answer about the mark":         {chunk("{\"content\":\"It ends at `</think>` then.\"}") + done, "It ends at `</think>` then."},
		"numbers that JSON has not":        {`data: {"choices":[{"index":0,"logprobs":{"a":[NaN, -Infinity]},"delta":{"content":"x: NaN, yes"},"finish_reason":"stop"}]}` + "\n\n" + done, "x: NaN, yes"},
		"an end in small letters":          {chunk(`{"content":"yes"}`) + strings.ToLower(done), "yes"},
		"an event that keeps alive":        {"event: ping\ndata: 2026-12-01 10:00:00\n\n" + chunk(`{"content":"yes"}`) + done, "yes"},
		"a piece behind what keeps alive":  {"event: ping\ndata: 17\n" + chunk(`{"content":"yes"}`) + "event: ping\n" + done, "yes"},
		"arguments called parameters":      {calls(`[{"id":"a","type":"function","function":{"name":"f","parameters":{"x":1}}}]`), `f({"x":1})`},
		"null as text for arguments":       {calls(`[{"id":"a","type":"function","function":{"name":"f","arguments":"null"}}]`), `f({})`},
		"finished by stop with a call":     {`{"choices":[{"index":0,"message":{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"stop"}]}`, `f({"x":1})`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				kind := "application/json"
				if !strings.HasPrefix(c.body, "{") {
					kind = "text/event-stream"
				}
				w.Header().Set("Content-Type", kind)
				_, _ = io.WriteString(w, c.body)
			}))
			defer srv.Close()
			m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake"})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			req := ask("2+3")
			req.Tools = []llm.Tool{{Name: "f", Parameters: []byte(`{"type":"object","properties":{"x":{"type":"integer"}}}`)}}
			resp, err := m.Generate(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := resp.Message.Content
			for _, call := range resp.Message.ToolCalls {
				got += call.Name + "(" + strings.ReplaceAll(string(call.Arguments), " ", "") + ")"
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
