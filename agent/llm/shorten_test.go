package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// narrow returns a model that reads so many characters and answers with what it read.
func narrow(room int) *llmtest.Scripted {
	return llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
		read := ""
		for _, m := range req.Messages {
			read += string(m.Role) + ":" + m.Content + "|"
			for range m.ToolCalls {
				read += "call|"
			}
		}
		if utf8.RuneCountInString(read) > room {
			return llmtest.Fail(err(llm.ContextLength, 0))
		}
		return llmtest.Text(read)
	})
}

func TestShortened(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("가나다 ", 500)
	system, hi := llm.Message{Role: llm.System, Content: "be kind"}, llm.Message{Role: llm.User, Content: "hi"}
	said := func(r llm.Role, text string) llm.Message { return llm.Message{Role: r, Content: text} }
	call := llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "look", Arguments: []byte("{}")}}}
	result := llm.Message{Role: llm.ToolRole, ToolCallID: "1", Content: long}
	tests := map[string]struct {
		purpose  llm.Purpose
		messages []llm.Message
		want     string // "" for a failure
		calls    int
	}{
		"fits":                  {llm.ForAnswer, []llm.Message{system, hi}, "system:be kind|user:hi|", 1},
		"long_message_before":   {llm.ForAnswer, []llm.Message{system, said(llm.User, long), said(llm.Assistant, "well"), hi}, "system:be kind|user:hi|", 2},
		"newer_ones_stay":       {llm.ForAnswer, []llm.Message{said(llm.User, long), said(llm.Assistant, "well"), said(llm.User, "more"), said(llm.Assistant, "yes"), hi}, "user:more|assistant:yes|user:hi|", 2},
		"call_goes_with_result": {llm.ForAnswer, []llm.Message{system, said(llm.User, "look"), call, result, said(llm.Assistant, "seen"), hi}, "system:be kind|user:hi|", 2},
		"long_result_now":       {llm.ForAnswer, []llm.Message{system, hi, call, result}, "[…]", 4},
		"question_stays_whole":  {llm.ForAnswer, []llm.Message{system, said(llm.User, long)}, "", 1},
		"history_then_question": {llm.ForAnswer, []llm.Message{hi, said(llm.Assistant, "well"), said(llm.User, long)}, "", 2},
		"material_is_cut":       {llm.ForSummary, []llm.Message{system, said(llm.User, long)}, "[…]", 4},
		"system_too_long":       {llm.ForAnswer, []llm.Message{said(llm.System, long), hi}, "", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := narrow(400)
			before := len(tt.messages)
			resp, got := llm.Shortened(m).Generate(t.Context(), llm.Request{Purpose: tt.purpose, Messages: tt.messages}, nil)
			if tt.want == "" && llm.ClassOf(got) != llm.ContextLength || tt.want != "" && (got != nil || !strings.Contains(resp.Message.Content, tt.want)) {
				t.Errorf("%.200q, %v", resp.Message.Content, got)
			}
			if m.Count() != tt.calls || len(tt.messages) != before || tt.messages[before-1].Content == "" && tt.messages[before-1].ToolCalls == nil {
				t.Errorf("%d calls; the request is %d messages", m.Count(), len(tt.messages))
			}
			for _, req := range m.Requests() {
				if last := req.Messages[len(req.Messages)-1]; tt.purpose == llm.ForAnswer && last.Role == llm.User && last.Content != tt.messages[before-1].Content {
					t.Errorf("the question became %.80q", last.Content)
				}
			}
		})
	}
}

// TestShortenedTextIsNotAskedTwice has a model that gives text and then finds the
// prompt too long.
func TestShortenedTextIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.Reply{Text: "half", Err: err(llm.ContextLength, 0)})
	old := llm.Message{Role: llm.User, Content: strings.Repeat("long ", 100)}
	_, got := llm.Shortened(m).Generate(t.Context(), llm.Request{Messages: []llm.Message{old, {Role: llm.User, Content: "hi"}}}, func(string) {})
	if llm.ClassOf(got) != llm.ContextLength || m.Count() != 1 {
		t.Errorf("%v after %d calls", got, m.Count())
	}
}

// TestToolsGoFromAPromptThatIsTooLong: where what was said is short and the tools are many, those
// that fit least go, and the question stays.
func TestToolsGoFromAPromptThatIsTooLong(t *testing.T) {
	t.Parallel()
	var sizes []int
	m := llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
		sizes = append(sizes, llm.Letters(req))
		if llm.Letters(req) > 4000 {
			return llmtest.Fail(&llm.Error{Class: llm.ContextLength})
		}
		if len(req.Tools) == 0 || req.Tools[0].Rank != 0 || len(req.Messages) != 2 {
			t.Errorf("asked with %d tools, %d messages", len(req.Tools), len(req.Messages))
		}
		return llmtest.Text("yes")
	})
	req := llm.Request{Messages: []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "Which tickets are open?"}}}
	for i := range 60 {
		req.Tools = append(req.Tools, llm.Tool{Name: fmt.Sprintf("tool_%02d", i), Description: strings.Repeat("does ", 40), Rank: i, Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)})
	}
	if resp, err := llm.Shortened(m).Generate(t.Context(), req, nil); err != nil || resp.Message.Content != "yes" {
		t.Errorf("%v after requests of %v letters", err, sizes)
	}
	if len(req.Tools) != 60 {
		t.Error("the caller's tools were changed")
	}
}
