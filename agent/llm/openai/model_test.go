package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func model(t *testing.T, srv *llmtest.Server, change func(*openai.Config)) *openai.Model {
	t.Helper()
	cfg := openai.Config{BaseURL: srv.URL, Model: "fake"}
	if change != nil {
		change(&cfg)
	}
	m, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}}
}

func TestStreamsText(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "안녕, " + r.Last(llm.User) + "!", Usage: &llm.Usage{Input: 7, Output: 3, Cached: 2}}
	})
	var got []string
	resp, err := model(t, srv, nil).Generate(t.Context(), ask("마루"), func(s string) { got = append(got, s) })
	if err != nil {
		t.Fatal(err)
	}
	if resp.Message.Content != "안녕, 마루!" || strings.Join(got, "") != resp.Message.Content || len(got) < 2 {
		t.Errorf("text %q in %d pieces", resp.Message.Content, len(got))
	}
	if resp.Finish != "stop" || resp.Usage != (llm.Usage{Input: 7, Output: 3, Cached: 2}) || resp.Model != "fake" {
		t.Errorf("finish %q usage %+v model %q", resp.Finish, resp.Usage, resp.Model)
	}
}

func TestSendsTheConversation(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	zero := 0.0
	req := llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Content: "be brief"},
			{Role: llm.User, Content: "1+1 and 2+2\x00"},
			{Role: llm.Assistant, ToolCalls: []llm.ToolCall{
				{ID: "a", Name: "calculator", Arguments: json.RawMessage(`{"expression":"1+1"}`)},
				{ID: "b", Name: "calculator", Arguments: json.RawMessage(`"not json"`)},
			}},
			{Role: llm.ToolRole, ToolCallID: "a", Name: "calculator", Content: "2"},
			{Role: llm.ToolRole, ToolCallID: "b", Name: "calculator", Content: ""},
		},
		Tools:       []llm.Tool{{Name: "calculator", Description: "d"}},
		Temperature: &zero, MaxTokens: 50,
	}
	if _, err := model(t, srv, nil).Generate(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	got := srv.Chats()[0]
	if got.Temperature == nil || *got.Temperature != 0 {
		t.Errorf("temperature 0 was not sent: %v", got.Temperature)
	}
	if got.MaxTokens == nil || *got.MaxTokens != 50 || got.MaxCompletionTokens != nil {
		t.Errorf("max tokens: %v %v", got.MaxTokens, got.MaxCompletionTokens)
	}
	if c := got.Messages[2].ToolCalls[1].Function.Arguments; c != `{"unreadable":"not json"}` {
		t.Errorf("arguments came back as %q", c)
	}
	if s := got.Messages[1].Text(); s != "1+1 and 2+2" {
		t.Errorf("user text %q", s)
	}
	if !got.Offers("calculator") || len(got.ToolChoice) > 0 || got.StreamOptions == nil {
		t.Errorf("tools %v choice %s stream options %v", got.Tools, got.ToolChoice, got.StreamOptions)
	}
}

func TestReasoningModels(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	half := 0.5
	for _, name := range []string{"o3-mini", "gpt-5.1", "gpt-6-sol"} {
		req := ask("hi")
		req.Model, req.MaxTokens, req.Temperature = name, 10, &half
		req.Tools = []llm.Tool{{Name: "x"}}
		if _, err := model(t, srv, nil).Generate(t.Context(), req, nil); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := srv.Chats()[len(srv.Chats())-1]
		if got.Temperature != nil || got.MaxTokens != nil || got.MaxCompletionTokens == nil || got.Model != name {
			t.Errorf("%s: sent %+v", name, got)
		}
	}
}

func TestAssemblesToolCalls(t *testing.T) {
	t.Parallel()
	two := llmtest.CallTool("weather", `{"city":"서울"}`).And("calculator", `{"expression":"1+1"}`)
	tests := map[string]func(*llmtest.Reply){
		"in_order":       func(*llmtest.Reply) {},
		"with_text":      func(r *llmtest.Reply) { r.Text = "let me see" },
		"interleaved":    func(r *llmtest.Reply) { r.Fault.Interleave = true },
		"same_index":     func(r *llmtest.Reply) { r.Fault.Repeat = true },
		"without_ids":    func(r *llmtest.Reply) { r.Fault.NoIDs = true },
		"finish_is_stop": func(r *llmtest.Reply) { r.Finish = "stop" },
		"same_ids":       func(r *llmtest.Reply) { r.Calls[0].ID, r.Calls[1].ID = "x", "y" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep := two
			rep.Calls = append([]llm.ToolCall{}, two.Calls...)
			change(&rep)
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return rep })
			m := model(t, srv, nil)
			var ids [2][]string
			for i := range 2 {
				req := ask("?")
				req.Tools = []llm.Tool{{Name: "weather"}, {Name: "calculator"}}
				resp, err := m.Generate(t.Context(), req, nil)
				if err != nil {
					t.Fatal(err)
				}
				calls := resp.Message.ToolCalls
				if len(calls) != 2 || calls[0].Name != "weather" || string(calls[0].Arguments) != `{"city":"서울"}` ||
					calls[1].Name != "calculator" || string(calls[1].Arguments) != `{"expression":"1+1"}` || resp.Finish != "tool_calls" {
					t.Fatalf("calls %s, finish %s", show(calls), resp.Finish)
				}
				if calls[0].ID == "" || calls[0].ID == calls[1].ID {
					t.Errorf("ids %q %q", calls[0].ID, calls[1].ID)
				}
				ids[i] = []string{calls[0].ID, calls[1].ID}
			}
		})
	}
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestBrokenArgumentsAreKeptAsText(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.CallTool("x", `{"a":`) })
	req := ask("?")
	req.Tools = []llm.Tool{{Name: "x"}}
	resp, err := model(t, srv, nil).Generate(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(resp.Message.ToolCalls[0].Arguments); got != `"{\"a\":"` {
		t.Errorf("arguments %s", got)
	}
	// Sent back they are JSON: many endpoints parse what the conversation holds.
	req.Messages = append(req.Messages, resp.Message, llm.Message{Role: llm.ToolRole, ToolCallID: resp.Message.ToolCalls[0].ID, Content: "not JSON"})
	if _, err := model(t, srv, nil).Generate(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	sent := srv.Journal()[1].Chat.Messages[1].ToolCalls[0].Function.Arguments
	if sent != `{"unreadable":"{\"a\":"}` {
		t.Errorf("sent back as %s", sent)
	}
}

// TestFaults holds every way in which an endpoint fails to its class.
func TestFaults(t *testing.T) {
	t.Parallel()
	many := llmtest.Reply{}
	for i := range 1000 {
		many = many.And(fmt.Sprintf("tool%d", i), `{}`)
	}
	tests := map[string]struct {
		reply  llmtest.Reply
		class  llm.Class
		status int
		after  time.Duration
	}{
		"429":              {fault(llmtest.Fault{Status: 429}), llm.RateLimited, 429, 0},
		"429_seconds":      {fault(llmtest.Fault{Status: 429, RetryAfter: "7"}), llm.RateLimited, 429, 7 * time.Second},
		"429_date":         {fault(llmtest.Fault{Status: 429, RetryAfter: "Sat, 21 Nov 2026 12:00:30 GMT"}), llm.RateLimited, 429, 30 * time.Second},
		"429_nonsense":     {fault(llmtest.Fault{Status: 429, RetryAfter: "soon"}), llm.RateLimited, 429, 0},
		"429_html":         {fault(llmtest.Fault{Status: 429, Body: "<html>", RetryAfter: "1"}), llm.RateLimited, 429, time.Second},
		"quota":            {fault(llmtest.Fault{Status: 429, Code: "insufficient_quota"}), llm.Quota, 429, 0},
		"401":              {fault(llmtest.Fault{Status: 401}), llm.Auth, 401, 0},
		"403":              {fault(llmtest.Fault{Status: 403}), llm.Auth, 403, 0},
		"404":              {fault(llmtest.Fault{Status: 404, Code: "model_not_found"}), llm.NotFound, 404, 0},
		"400":              {fault(llmtest.Fault{Status: 400, Message: "nope"}), llm.BadRequest, 400, 0},
		"302":              {fault(llmtest.Fault{Status: 302}), llm.BadRequest, 302, 0},
		"500":              {fault(llmtest.Fault{Status: 500}), llm.Overloaded, 500, 0},
		"502_html":         {fault(llmtest.Fault{Status: 502, Body: "<h1>Bad gateway</h1>"}), llm.Overloaded, 502, 0},
		"503":              {fault(llmtest.Fault{Status: 503, RetryAfter: "2"}), llm.Overloaded, 503, 2 * time.Second},
		"529":              {fault(llmtest.Fault{Status: 529}), llm.Overloaded, 529, 0},
		"error_is_text":    {fault(llmtest.Fault{Status: 400, Body: `{"error":"model is loading"}`, ContentType: "application/json"}), llm.BadRequest, 400, 0},
		"error_in_list":    {fault(llmtest.Fault{Status: 429, Body: `[{"error":{"code":429,"message":"slow"}}]`, ContentType: "application/json"}), llm.RateLimited, 429, 0},
		"detail":           {fault(llmtest.Fault{Status: 422, Body: `{"detail":"bad"}`, ContentType: "application/json"}), llm.BadRequest, 422, 0},
		"context_code":     {fault(llmtest.Fault{Status: 400, Code: "context_length_exceeded"}), llm.ContextLength, 400, 0},
		"context_words":    {fault(llmtest.Fault{Status: 400, Message: "This model's maximum context length is 4096 tokens"}), llm.ContextLength, 400, 0},
		"content_filter":   {fault(llmtest.Fault{Status: 400, Code: "content_filter"}), llm.ContentFilter, 400, 0},
		"html_200":         {fault(llmtest.Fault{Body: "<html>"}), llm.WebPage, 200, 0},
		"nul_bytes":        {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Garbage: true}}, llm.Garbage, 0, 0},
		"no_choices":       {fault(llmtest.Fault{Empty: true}), llm.Garbage, 0, 0},
		"empty_text":       {llmtest.Reply{}, llm.Garbage, 0, 0},
		"thousand_calls":   {many, llm.Garbage, 0, 0},
		"nameless_call":    {llmtest.CallTool("", `{}`), llm.Garbage, 0, 0},
		"huge":             {fault(llmtest.Fault{Huge: 2 << 20}), llm.Garbage, 0, 0},
		"clean_cut":        {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{NoFinish: true}}, llm.Cut, 0, 0},
		"error_in_stream":  {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{MidError: "died"}}, llm.Overloaded, 0, 0},
		"refusal":          {llmtest.Reply{Refusal: "I cannot"}, llm.Refused, 0, 0},
		"filter_in_stream": {llmtest.Reply{Text: "half", Finish: "content_filter"}, llm.ContentFilter, 0, 0},
		"length_at_once":   {llmtest.Reply{Calls: llmtest.CallTool("x", `{}`).Calls, Finish: "length"}, llm.Length, 0, 0},
		"silent":           {fault(llmtest.Fault{Silent: true}), llm.Timeout, 0, 0},
		"stalls":           {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Stall: 2}}, llm.Timeout, 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return tt.reply })
			m := model(t, srv, func(c *openai.Config) {
				c.APIKey, c.MaxBody = "sk-very-secret", 1<<20
				c.First, c.Idle = 300*time.Millisecond, 200*time.Millisecond
				if tt.class != llm.Timeout {
					c.First, c.Idle = time.Minute, time.Minute
				}
				c.Now = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
			})
			_, err := m.Generate(t.Context(), ask("?"), nil)
			var e *llm.Error
			if !errors.As(err, &e) || e.Class != tt.class || e.Status != tt.status || e.After != tt.after {
				t.Errorf("error %v (%+v), want class %s status %d after %s", err, e, tt.class, tt.status, tt.after)
			}
			if e != nil && e.Model != "fake" {
				t.Errorf("error does not name the model: %v", err)
			}
			if len(srv.Journal()) != 1 {
				t.Errorf("%d requests", len(srv.Journal()))
			}
		})
	}
}

func fault(f llmtest.Fault) llmtest.Reply { return llmtest.Reply{Text: "x", Fault: f} }

// TestEveryCut cuts one reply, with text of several bytes a letter and a tool
// call, behind each of its bytes: never a success, never a call.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	full := llmtest.CallTool("calculator", `{"expression":"1+1"}`)
	full.Text = "서울은 맑음"
	for _, clean := range []bool{false, true} {
		t.Run(fmt.Sprintf("clean_%v", clean), func(t *testing.T) {
			t.Parallel()
			cut := 0
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
				r := full
				r.Fault = llmtest.Fault{Cut: cut, Clean: clean}
				return r
			})
			m := model(t, srv, nil)
			req := ask("?")
			req.Tools = []llm.Tool{{Name: "calculator"}}
			for cut = 1; cut < 3000; cut += 3 {
				resp, err := m.Generate(t.Context(), req, nil)
				if err == nil {
					// success only from the finish reason on
					if got := resp.Message; got.Content != full.Text || len(got.ToolCalls) != 1 || string(got.ToolCalls[0].Arguments) != `{"expression":"1+1"}` {
						t.Fatalf("cut at %d: a success with %s", cut, show(got))
					}
					if cut < 900 {
						t.Fatalf("cut at %d is a success", cut)
					}
					return
				}
				if c := llm.ClassOf(err); c != llm.Cut && c != llm.Garbage {
					t.Fatalf("cut at %d: %v", cut, err)
				}
			}
			t.Error("never a success")
		})
	}
}

// TestKeepAliveComments: go-openai's own reader gives up after 300 such lines.
func TestKeepAliveComments(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Comments: 1000}}
	})
	resp, err := model(t, srv, nil).Generate(t.Context(), ask("?"), nil)
	if err != nil || resp.Message.Content != "a b c" {
		t.Errorf("%s, %v", show(resp), err)
	}
}

func TestCountsWhereTheEndpointDoesNot(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServerWith(t, llmtest.Config{Without: []string{"stream_options"}, Handler: func(llmtest.Request) llmtest.Reply {
		return llmtest.Text("twelve characters of text")
	}})
	resp, err := model(t, srv, nil).Generate(t.Context(), ask("안녕하세요"), nil)
	if u := resp.Usage; err != nil || !u.Estimated || u.Input < 5 || u.Output < 4 {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestFinishWithoutDone(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{NoDone: true}}
	})
	resp, err := model(t, srv, nil).Generate(t.Context(), ask("?"), nil)
	if err != nil || resp.Message.Content != "a b c" || resp.Usage.Estimated {
		t.Errorf("%s, %v", show(resp), err)
	}
}

func TestLengthKeepsTextAndDropsCalls(t *testing.T) {
	t.Parallel()
	rep := llmtest.CallTool("x", `{"a":1}`)
	rep.Text, rep.Finish = "half of it", "length"
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return rep })
	req := ask("?")
	req.Tools = []llm.Tool{{Name: "x"}}
	resp, err := model(t, srv, nil).Generate(t.Context(), req, nil)
	if err != nil || resp.Finish != "length" || len(resp.Message.ToolCalls) != 0 {
		t.Errorf("%s, %v", show(resp), err)
	}
}

// TestLearnsWhatAnEndpointLacks checks the second try and that it is remembered.
func TestLearnsWhatAnEndpointLacks(t *testing.T) {
	t.Parallel()
	schema := llm.MustShape("route", `{"type":"object","additionalProperties":false,"required":["route"],"properties":{"route":{"enum":["rag"]}}}`)
	half := 0.5
	tests := map[string]struct {
		without []string
		first   int // requests of the first call
	}{
		"all_there":         {nil, 1},
		"stream_options":    {[]string{"stream_options"}, 2},
		"json_schema":       {[]string{"json_schema"}, 3}, // strict, not strict, object
		"json_object_too":   {[]string{"json_schema", "json_object"}, 4},
		"temperature":       {[]string{"temperature"}, 2},
		"max_tokens":        {[]string{"max_tokens"}, 2},
		"streaming":         {[]string{"stream"}, 2},
		"everything_at_all": {[]string{"stream_options", "json_schema", "json_object", "temperature", "max_tokens", "stream"}, 8},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServerWith(t, llmtest.Config{Without: tt.without, Handler: func(llmtest.Request) llmtest.Reply {
				return llmtest.Text(`{"route":"rag"}`)
			}})
			m := model(t, srv, nil)
			for i := range 3 {
				req := ask("?")
				req.Schema, req.Temperature, req.MaxTokens = schema.Schema(), &half, 20
				resp, err := m.Generate(t.Context(), req, nil)
				if err != nil || resp.Message.Content != `{"route":"rag"}` {
					t.Fatalf("call %d: %s, %v", i, show(resp), err)
				}
				if got := len(srv.Journal()); got != tt.first+i {
					t.Errorf("after call %d: %d requests, want %d", i, got, tt.first+i)
				}
			}
		})
	}
}

func TestCancelIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Stall: 2}}
	})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := model(t, srv, nil).Generate(ctx, ask("?"), func(string) { cancel() })
	if !errors.Is(err, context.Canceled) || llm.ClassOf(err) != "" {
		t.Errorf("error %v", err)
	}
}

func TestTotalDeadline(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	m := model(t, srv, func(c *openai.Config) { c.Model, c.Total = "fake-itl20-len1000", 200*time.Millisecond })
	_, err := m.Generate(t.Context(), ask("?"), nil)
	if llm.ClassOf(err) != llm.Timeout {
		t.Errorf("error %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	srv := llmtest.Start(llmtest.Config{})
	srv.Close()
	_, err := model(t, srv, nil).Generate(t.Context(), ask("?"), nil)
	if llm.ClassOf(err) != llm.Network || strings.Contains(err.Error(), "://") {
		t.Errorf("error %v", err)
	}
}

func TestKeyIsNeverShown(t *testing.T) {
	t.Parallel()
	const key = "sk-very-secret-0123456789"
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return fault(llmtest.Fault{Status: 401, Message: "Incorrect API key provided: " + key})
	})
	_, err := model(t, srv, func(c *openai.Config) { c.APIKey = key }).Generate(t.Context(), ask("?"), nil)
	if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), key) {
		t.Errorf("error %v", err)
	}
	_, err = openai.New(openai.Config{APIKey: key + "\n" + key, Model: "m"})
	if err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("error %v", err)
	}
}

func TestKeyIsSent(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServerWith(t, llmtest.Config{Key: "right", Azure: true})
	for name, tt := range map[string]struct {
		cfg   openai.Config
		class llm.Class
	}{
		"bearer": {openai.Config{BaseURL: srv.URL, APIKey: "right"}, ""},
		"wrong":  {openai.Config{BaseURL: srv.URL, APIKey: "wrong"}, llm.Auth},
		"none":   {openai.Config{BaseURL: srv.URL}, llm.Auth},
		"azure":  {openai.Config{BaseURL: srv.Root, APIKey: "right", Azure: true, APIVersion: "2024-10-21"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.cfg.Model = "gpt-4.1"
			m, err := openai.New(tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if _, err := m.Generate(t.Context(), ask("?"), nil); llm.ClassOf(err) != tt.class {
				t.Errorf("error %v", err)
			}
		})
	}
	last := srv.Journal()
	for _, e := range last {
		if strings.Contains(e.Path, "/openai/") && e.Path != "/openai/deployments/gpt-4.1/chat/completions" {
			t.Errorf("azure path %s", e.Path)
		}
	}
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg  openai.Config
		want string
	}{
		"no_model":     {openai.Config{APIKey: "k"}, "OPENAI_MODEL"},
		"no_key":       {openai.Config{Model: "m"}, "OPENAI_API_KEY"},
		"bad_url":      {openai.Config{Model: "m", BaseURL: "localhost:11434"}, "OPENAI_BASE_URL"},
		"user_in_url":  {openai.Config{Model: "m", BaseURL: "http://a:b@localhost/v1"}, "OPENAI_BASE_URL"},
		"azure_no_key": {openai.Config{Model: "m", BaseURL: "https://x.openai.azure.com", Azure: true}, "OPENAI_API_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := openai.New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one about %s", err, tt.want)
			}
		})
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	names, err := model(t, srv, nil).Ping(t.Context())
	if err != nil || len(names) != 1 || names[0] != "fake" {
		t.Errorf("%v, %v", names, err)
	}
}
