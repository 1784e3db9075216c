package extractive_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

// FuzzGenerate holds the model to what it promises on any input: no panic, valid
// UTF-8, the pieces are the whole, arguments are JSON, and citations point at
// passages that were given.
func FuzzGenerate(f *testing.F) {
	for _, s := range []string{"연차는 며칠이야?", "123*456은?", "(((", "내 이름은 철수야", "search wikipedia for ", "날씨", "\x00\xff", "```", "1/0", "sqrt(", "a.md 읽어줘", "기억해줘", "remember that ", "remember: " + strings.Repeat("Ⱥ", 20), "|a|b|\n|-|-|\n|1|2|", "사용자: 안녕\n봇: 네", "What is 15% of 240?"} {
		f.Add(s, s, s, uint8(0))
		f.Add(s, "연차", "| 근속 | 연차 |\n|---|---|\n| 1년 | 15일 |", uint8(1))
	}
	purposes := []llm.Purpose{llm.ForAnswer, llm.ForSummary, llm.ForTitle, llm.ForRewrite, llm.ForRoute}
	f.Fuzz(func(t *testing.T, question, before, passage string, n uint8) {
		req := llm.Request{
			Purpose: purposes[int(n)%len(purposes)],
			Messages: []llm.Message{
				{Role: llm.System, Content: before}, {Role: llm.User, Content: before},
				{Role: llm.Assistant, Content: passage}, {Role: llm.User, Content: question},
			},
			Tools: tools(),
		}
		if n&8 != 0 {
			req.Passages = []llm.Passage{{N: 7, Title: before, Text: passage}}
		}
		if n&16 != 0 {
			req.Messages = append(req.Messages,
				llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: before, Arguments: json.RawMessage(question)}}},
				llm.Message{Role: llm.ToolRole, ToolCallID: "c", Content: passage})
		}
		if req.Purpose == llm.ForRoute {
			req.Schema = &llm.Schema{Name: "route", JSON: json.RawMessage(routeSchema)}
		}
		var got strings.Builder
		resp, err := extractive.New().Generate(context.Background(), req, func(s string) { got.WriteString(s) })
		if err != nil {
			t.Fatal(err)
		}
		text := resp.Message.Content
		if text != got.String() || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Errorf("text %q, streamed %q", text, got.String())
		}
		for _, c := range resp.Message.ToolCalls {
			if !json.Valid(c.Arguments) {
				t.Errorf("arguments %s", c.Arguments)
			}
		}
		if (text == "") != (len(resp.Message.ToolCalls) > 0) && req.Purpose != llm.ForRewrite {
			t.Errorf("neither text nor calls, or both: %q %v", text, resp.Message.ToolCalls)
		}
	})
}

func TestOtherSchemas(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ schema, want string }{
		"empty_lists":  {`{"type":"object","required":["facts","next"],"properties":{"facts":{"type":"array"},"next":{"type":["string","null"]}}}`, `{"facts":[],"next":null}`},
		"needs_a_plan": {`{"type":"object","required":["steps"],"properties":{"steps":{"type":"array","minItems":1}}}`, ""},
		"needs_words":  {`{"type":"object","required":["title"],"properties":{"title":{"type":"string"}}}`, ""},
		"broken":       {`{"type"`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := llm.Request{Messages: said("plan it"), Schema: &llm.Schema{Name: "x", JSON: json.RawMessage(tt.schema)}}
			resp, err := extractive.New().Generate(t.Context(), req, nil)
			if tt.want == "" && llm.ClassOf(err) != llm.BadRequest || tt.want != "" && (err != nil || resp.Message.Content != tt.want) {
				t.Errorf("%q, %v", resp.Message.Content, err)
			}
		})
	}
}

func TestHonoursContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := extractive.New().Generate(ctx, llm.Request{Messages: said("안녕")}, func(string) { t.Error("says something") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestToolChoice(t *testing.T) {
	t.Parallel()
	req := llm.Request{Messages: said("1+1은?"), Tools: tools(), ToolChoice: "none"}
	if resp := generate(t, req); len(resp.Message.ToolCalls) != 0 {
		t.Error("called a tool though none was allowed")
	}
	req.ToolChoice = "weather"
	if _, err := extractive.New().Generate(t.Context(), req, nil); llm.ClassOf(err) != llm.BadRequest {
		t.Errorf("error %v", err)
	}
	req.ToolChoice = "calculator"
	if resp := generate(t, req); len(resp.Message.ToolCalls) != 1 {
		t.Error("did not call the tool that was demanded")
	}
}

// TestToolsByName: only Maru's own calculator, clock and searches are called; what another tool
// does, its name does not tell.
func TestToolsByName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ q, tool, schema, want string }{
		{"지금 몇 시야?", "update_ticket", `{"type":"object"}`, ""},
		{"지금 몇 시야?", "list_runtimes", `{"type":"object"}`, ""},
		{"지금 몇 시야?", "set_time", `{"type":"object"}`, ""},
		{"지금 몇 시야?", "mcp.getTime", `{"type":"object"}`, ""},
		{"a.md 읽어줘", "fs__delete_file", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, ""},
		{"a.md 읽어줘", "read_profile", `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`, ""},
		{"a.md 읽어줘", "fs__read_file", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, ""},
	} {
		got := ""
		for _, c := range generate(t, llm.Request{Messages: said(tt.q), Tools: []llm.Tool{{Name: tt.tool, Parameters: json.RawMessage(tt.schema)}}}).Message.ToolCalls {
			got = c.Name
		}
		if got != tt.want {
			t.Errorf("%s with %s calls %q", tt.q, tt.tool, got)
		}
	}
}

// TestRememberedAsSaid: what is to be kept is the person's own text, whatever small letters weigh.
func TestRememberedAsSaid(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"I like Tea", strings.Repeat("Ⱥ", 20), "K is İstanbul"} {
		for _, lead := range []string{"Remember: ", "Remember that ", "Remember   that "} {
			if got := generate(t, llm.Request{Messages: said(lead + body)}).Message.Content; !strings.Contains(got, body) {
				t.Errorf("%q is noted as %q", lead+body, got)
			}
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	req := llm.Request{Purpose: llm.ForAnswer, Messages: said("연차는 며칠이야?"), Passages: handbook}
	for b.Loop() {
		if _, err := extractive.New().Generate(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}
