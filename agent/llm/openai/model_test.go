package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

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
		"in_order":        func(*llmtest.Reply) {},
		"with_text":       func(r *llmtest.Reply) { r.Text = "let me see" },
		"interleaved":     func(r *llmtest.Reply) { r.Fault.Interleave = true },
		"same_index":      func(r *llmtest.Reply) { r.Fault.Repeat = true },
		"without_ids":     func(r *llmtest.Reply) { r.Fault.NoIDs = true },
		"finish_is_stop":  func(r *llmtest.Reply) { r.Finish = "stop" },
		"ids_of_its_own":  func(r *llmtest.Reply) { r.Calls[0].ID, r.Calls[1].ID = "x", "y" },
		"one_id_for_both": func(r *llmtest.Reply) { r.Calls[0].ID, r.Calls[1].ID = "x", "x" },
		"one_id_interleaved": func(r *llmtest.Reply) {
			r.Calls[0].ID, r.Calls[1].ID, r.Fault.Interleave = "x", "x", true
		},
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

// TestOddCallsDoNotSpoilTheConversation: what a model called wrongly stays in the
// conversation, so it goes back in a form that every endpoint takes.
func TestOddCallsDoNotSpoilTheConversation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ tool, args, wantName, wantArgs string }{
		"letters that names may not have": {"calc.add <x>", `{"a":1}`, "calc_add__x_", `{"a":1}`},
		"a name in Korean":                {"계산", `{}`, "__", `{}`},
		"a name without end":              {strings.Repeat("n", 200), `{}`, strings.Repeat("n", 64), `{}`},
		"a list":                          {"x", `[1,2]`, "x", `{"unreadable":"[1,2]"}`},
		"a number":                        {"x", `7`, "x", `{"unreadable":"7"}`},
		"a string":                        {"x", `"7 and"`, "x", `{"unreadable":"7 and"}`},
		"nothing":                         {"x", `null`, "x", `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, nil)
			req := ask("?")
			req.Messages = append(req.Messages,
				llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: tt.tool, Arguments: json.RawMessage(tt.args)}}},
				llm.Message{Role: llm.ToolRole, ToolCallID: "a", Content: "error"})
			if _, err := model(t, srv, nil).Generate(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			sent := srv.Chats()[0].Messages[1].ToolCalls[0].Function
			if sent.Name != tt.wantName || sent.Arguments != tt.wantArgs {
				t.Errorf("sent back as %q with %s, want %q with %s", sent.Name, sent.Arguments, tt.wantName, tt.wantArgs)
			}
		})
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
		"streaming":         {[]string{"stream"}, 1},
		"everything_at_all": {[]string{"stream_options", "json_schema", "json_object", "temperature", "max_tokens", "stream"}, 7},
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
