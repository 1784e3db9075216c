package llmtest_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	t.Run("scripted", func(t *testing.T) {
		llmtest.Suite(t, func(*testing.T) llm.Model {
			return llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("hello to you") })
		})
	})
	t.Run("extractive", func(t *testing.T) {
		llmtest.Suite(t, func(*testing.T) llm.Model { return extractive.New() })
	})
	t.Run("openai", func(t *testing.T) {
		srv := llmtest.NewServer(t, nil)
		llmtest.Suite(t, func(t *testing.T) llm.Model {
			m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Close)
			return m
		})
		for _, e := range srv.Journal() {
			if e.Refused != "" {
				t.Errorf("refused: %s", e.Refused)
			}
		}
	})
}

// TestServerIsStrict sends what the real endpoint refuses.
func TestServerIsStrict(t *testing.T) {
	t.Parallel()
	const user = `{"role":"user","content":"hi"}`
	const call = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	const result = `{"role":"tool","tool_call_id":"a","content":"1"}`
	const tool = `{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}`
	tests := map[string]struct {
		body string
		want string // "" for accepted
	}{
		"minimal":                  {`{"model":"m","messages":[` + user + `]}`, ""},
		"tool_round":               {`{"model":"m","messages":[` + user + `,` + call + `,` + result + `]}`, ""},
		"no_model":                 {`{"messages":[` + user + `]}`, "model"},
		"no_messages":              {`{"model":"m","messages":[]}`, "too short"},
		"unknown_field":            {`{"model":"m","messages":[` + user + `],"purpose":"x"}`, "purpose"},
		"twice":                    {`{"model":"m","model":"n","messages":[` + user + `]}`, "duplicate"},
		"not_json":                 {`{`, "parse"},
		"unknown_role":             {`{"model":"m","messages":[{"role":"bot","content":"x"}]}`, "bot"},
		"no_content":               {`{"model":"m","messages":[{"role":"user"}]}`, "content"},
		"null_content":             {`{"model":"m","messages":[{"role":"user","content":null}]}`, "content"},
		"unanswered_call":          {`{"model":"m","messages":[` + user + `,` + call + `,` + user + `]}`, "must be followed"},
		"call_at_the_end":          {`{"model":"m","messages":[` + user + `,` + call + `]}`, "must be followed"},
		"result_without_call":      {`{"model":"m","messages":[` + user + `,` + result + `]}`, "preceeding"},
		"result_twice":             {`{"model":"m","messages":[` + user + `,` + call + `,` + result + `,` + result + `]}`, "preceeding"},
		"choice_without_tools":     {`{"model":"m","messages":[` + user + `],"tool_choice":"auto"}`, "tool_choice"},
		"choice_of_unknown":        {`{"model":"m","messages":[` + user + `],"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"g"}}}`, "no function"},
		"same_tool_twice":          {`{"model":"m","messages":[` + user + `],"tools":[` + tool + `,` + tool + `]}`, "Invalid tool"},
		"options_without_stream":   {`{"model":"m","messages":[` + user + `],"stream_options":{"include_usage":true}}`, "stream_options"},
		"json_without_the_word":    {`{"model":"m","messages":[` + user + `],"response_format":{"type":"json_object"}}`, "json"},
		"strict_but_open":          {`{"model":"m","messages":[` + user + `],"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":{"type":"object","properties":{}}}}}`, "additionalProperties"},
		"strict_but_optional":      {`{"model":"m","messages":[` + user + `],"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false,"required":[]}}}}`, "required"},
		"both_token_limits":        {`{"model":"m","messages":[` + user + `],"max_tokens":1,"max_completion_tokens":1}`, "at the same time"},
		"temperature_out_of_range": {`{"model":"m","messages":[` + user + `],"temperature":3}`, "temperature"},
	}
	srv := llmtest.NewServer(t, nil)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := http.Post(srv.URL+"/chat/completions", "application/json", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			b, _ := io.ReadAll(resp.Body)
			if tt.want == "" && resp.StatusCode != 200 || tt.want != "" && (resp.StatusCode != 400 || !bytes.Contains(b, []byte(tt.want))) {
				t.Errorf("%d %s", resp.StatusCode, b)
			}
		})
	}
}

func TestServerListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	if a := srv.Addr().String(); !strings.HasPrefix(a, "127.0.0.1:") && !strings.HasPrefix(a, "[::1]:") {
		t.Errorf("listens on %s", a)
	}
}

func TestByName(t *testing.T) {
	t.Parallel()
	r, p, ok := llmtest.ByName("fake-ttft300-itl15-len150-cut37")
	if !ok || p.First.Milliseconds() != 300 || p.Each.Milliseconds() != 15 || len(strings.Fields(r.Text)) != 150 || r.Fault.Cut != 37 {
		t.Errorf("%+v %+v %v", r, p, ok)
	}
	if r, _, ok := llmtest.ByName("fake-429-ra2"); !ok || r.Fault.Status != 429 || r.Fault.RetryAfter != "2" {
		t.Errorf("%+v %v", r, ok)
	}
	if _, _, ok := llmtest.ByName("gpt-5"); ok {
		t.Error("a real name has behaviour")
	}
}

func TestScriptedIsOver(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.Text("one"))
	for want := range 2 {
		if _, err := m.Generate(t.Context(), llm.Request{Purpose: llm.ForAnswer}, nil); (err != nil) != (want == 1) {
			t.Errorf("call %d: %v", want, err)
		}
	}
	m.AssertDone(t)
	if m.Count() != 2 || m.Count(llm.ForRoute) != 0 {
		t.Errorf("%d calls", m.Count())
	}
}

func BenchmarkInstantModel(b *testing.B) {
	srv := llmtest.NewServer(b, nil)
	m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "hi"}}}
	for b.Loop() {
		if _, err := m.Generate(b.Context(), req, func(string) {}); err != nil {
			b.Fatal(err)
		}
	}
}
