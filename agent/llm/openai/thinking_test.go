package openai_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestThoughtsAreNoAnswer: a local model's thinking block is neither streamed nor
// returned, however the server cuts it; the marks elsewhere are words.
func TestThoughtsAreNoAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, want string
		fails      llm.Class
	}{
		"block":         {"<think>secret\n</think>\n\n답은 5예요.", "답은 5예요.", ""},
		"after_space":   {"\n <think>secret</think>five", "five", ""},
		"empty_block":   {"<think>\n\n</think>\n\nfive", "five", ""},
		"almost":        {"<thin ice", "<thin ice", ""},
		"its_beginning": {"<th", "<th", ""},
		"in_the_middle": {"write <think>x</think> so", "write <think>x</think> so", ""},
		"brackets":      {"[THINK]secret[/THINK]five", "five", ""},
		"other_marks":   {"<seed:think>secret</seed:think>five", "five", ""},
		"of_gemma":      {"<|channel>thought\nsecret\n<channel|>five", "five", ""},
		"in_solution":   {"<|begin_of_thought|>secret<|end_of_thought|>\n<|begin_of_solution|>five", "five", ""},
		"tag_closed":    {"<thinking>\nsecret\n</thinking>\n\nfive", "five", ""},
		"tag_as_a_word": {"<thinking> tags make models reason first.", "<thinking> tags make models reason first.", ""},
		"tag_explained": {" <thought> and </thought> hold it.\n", " <thought> and </thought> hold it.\n", ""},
		"of_command":    {"<|START_THINKING|>secret<|END_THINKING|><|START_RESPONSE|>five<|END_RESPONSE|>", "five", ""},
		"command_lines": {"<|START_THINKING|>secret<|END_THINKING|>\n<|START_RESPONSE|>\nfive", "five", ""},
		"command_only":  {"<|START_THINKING|>secret<|END_THINKING|><|START_RESPONSE|>", "", llm.Garbage},
		"end_in_code":   {"Use this:\n```python\nanswer = text.split(\"</think>\")[1]\n```", "Use this:\n```python\nanswer = text.split(\"</think>\")[1]\n```", ""},
		"end_in_lines":  {"So:\n```\nhm\n</think>\n\nyes\n```", "So:\n```\nhm\n</think>\n\nyes\n```", ""},
		"end_as_a_word": {"The tag </think> closes the block, and the answer follows.", "The tag </think> closes the block, and the answer follows.", ""},
		"end_at_last":   {"The block ends with </think>", "The block ends with </think>", ""},
		"end_of_a_line": {"It ends by\n\n</think>. Then\nit answers.", "It ends by\n\n</think>. Then\nit answers.", ""},
		"two_ends":      {"a</think>\n\nb</think>\n\nc", "a</think>\n\nb</think>\n\nc", ""},
		"thoughtful":    {"<thoughtful> is a tag", "<thoughtful> is a tag", ""},
		"a_list":        {"[TH] and [1]", "[TH] and [1]", ""},
		"channels":      {"<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>five", "five", ""},
		"one_channel":   {"<|channel|>final<|message|>five", "five", ""},
		"other_channel": {"<|channel|>commentary", "", llm.Garbage},
		"its_end":       {"<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>five<|return|>", "five", ""},
		"bare_channels": {"analysisWe need to answer.assistantfinalIt is four.", "It is four.", ""},
		"the_word":      {"analysis of the lease: fine", "analysis of the lease: fine", ""},
		"only_the_word": {"analysis", "analysis", ""},
		"end_mark":      {"five <|eot_id|>", "five ", ""},
		"mark_in_words": {"write <|eot_id|> so <|", "write <|eot_id|> so <|", ""},
		"unfinished":    {"<|channel|>analysis<|message|>secret<|end|>", "", llm.Garbage},
		"twice":         {"<think>a</think>b <think>c</think>", "b <think>c</think>", ""},
		"leading_space": {"  five", "  five", ""},
		"nothing_else":  {"<think>secret</think>\n", "", llm.Garbage},
		"never_closed":  {"<think>secret, for ever", "", llm.Garbage},
	} {
		for _, size := range []int{1, 3, 1000} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var pieces []string
				for s := tt.text; s != ""; s = s[min(size, len(s)):] {
					pieces = append(pieces, s[:min(size, len(s))])
				}
				if size < 1000 && strings.ContainsFunc(tt.text, func(r rune) bool { return r > 127 }) {
					pieces = strings.Split(tt.text, "")
				}
				srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: tt.text, Pieces: pieces} })
				var got strings.Builder
				resp, err := model(t, srv, nil).Generate(t.Context(), ask("2+3"), func(s string) { got.WriteString(s) })
				if llm.ClassOf(err) != tt.fails || resp.Message.Content != tt.want || got.String() != tt.want {
					t.Errorf("%q: %q, streamed %q, %v", tt.text, resp.Message.Content, got.String(), err)
				}
			})
		}
	}
}

// TestModelsWithoutTools answers without them, once it has learned from the refusal,
// also in a conversation in which another model called some.
func TestModelsWithoutTools(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"ollama":    "registry.ollama.ai/library/gemma3:4b does not support tools",
		"vllm":      `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`,
		"llama_cpp": "tools param requires --jinja flag",
		"openai":    "tools is not supported in this model. For a list of supported models, refer to the documentation.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				if len(r.Tools) > 0 {
					return fault(llmtest.Fault{Status: http.StatusBadRequest, Message: refusal})
				}
				return llmtest.Text("five")
			})
			m := model(t, srv, nil)
			req := ask("2+3?")
			req.Tools, req.ToolChoice = []llm.Tool{{Name: "calculator"}}, "none"
			for range 2 {
				if resp, err := m.Generate(t.Context(), req, nil); err != nil || resp.Message.Content != "five" {
					t.Fatalf("%+v, %v", resp, err)
				}
			}
			if n := len(srv.Chats()); n != 3 {
				t.Errorf("%d requests for two answers: a refusal is learned once", n)
			}
			req.Messages = append(req.Messages,
				llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "calculator", Arguments: json.RawMessage(`{}`)}}},
				llm.Message{Role: llm.ToolRole, ToolCallID: "a", Name: "calculator", Content: "5"})
			if _, err := m.Generate(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			last := srv.Chats()[3]
			for _, msg := range last.Messages {
				if msg.Role == "tool" || len(msg.ToolCalls) > 0 {
					t.Errorf("it reads of a tool: %+v", msg)
				}
			}
			if said := last.Messages[len(last.Messages)-1].Text(); len(last.Tools) > 0 || last.ToolChoice != nil || !strings.Contains(said, "calculator:\n5") {
				t.Errorf("%+v", last)
			}
		})
	}
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return fault(llmtest.Fault{Status: http.StatusBadRequest, Message: "tools[0].function.name is invalid"})
	})
	req := ask("?")
	req.Tools = []llm.Tool{{Name: "calculator"}}
	if _, err := model(t, srv, nil).Generate(t.Context(), req, nil); llm.ClassOf(err) != llm.BadRequest || len(srv.Chats()) != 1 {
		t.Errorf("another fault of tools: %v after %d requests", err, len(srv.Chats()))
	}
}

// TestThoughtsAlone: where a server takes the whole answer for thoughts, the error says where to look.
func TestThoughtsAlone(t *testing.T) {
	t.Parallel()
	for name, delta := range map[string]string{
		"a member":   `{"role":"assistant","content":null,"reasoning_content":"It is five."}`,
		"other name": `{"role":"assistant","reasoning":"It is five."}`,
		"in marks":   `{"role":"assistant","content":"<think>It is five."}`,
		"ended":      `{"role":"assistant","content":"<think>It is five.</think>\n"}`,
		"Mistral's":  `{"role":"assistant","content":"[THINK]It is five.[/THINK]"}`,
		"end alone":  `{"role":"assistant","content":"It is five.</think>"}`,
		"end's line": `{"role":"assistant","content":"It is five.\n</think>\n\n"}`,
		"channels":   `{"role":"assistant","content":"<|channel|>analysis<|message|>It is five.<|end|>"}`,
	} {
		m, _ := replies(t, stream, events(`{"choices":[{"index":0,"delta":`+delta+`}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]"))
		if _, err := m.Generate(t.Context(), ask("2+3?"), nil); llm.ClassOf(err) != llm.Garbage || !strings.Contains(err.Error(), "reasoning parser") || strings.Contains(err.Error(), "five") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestThoughtsThatThePromptBegins: after one reply that has the end of its thoughts alone, those of the next are not told.
func TestThoughtsThatThePromptBegins(t *testing.T) {
	t.Parallel()
	replies := []llmtest.Reply{
		{Text: "hm</think>\n\nfive", Pieces: []string{"hm", "</think>", "\n\nfive"}},
		{Text: "let me see</think>\n\nsix eggs", Pieces: []string{"let me", " see</thi", "nk>\n", "\nsix", " eggs"}},
		{Text: "<think>well</think>seven", Pieces: []string{"<thi", "nk>well", "</think>", "seven"}},
		{Text: "so</think>\n\neight", Pieces: []string{"so</think>\n\neight"}},
		{Text: "no thoughts", Pieces: []string{"no", " thoughts"}},
		{Text: "none again", Pieces: []string{"none", " again"}},
	}
	var n atomic.Int32
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return replies[n.Add(1)-1] })
	m := model(t, srv, nil)
	for i, want := range [][]string{{"hm", "</think>", "\n\nfive"}, {"six", " eggs"}, {"seven"}, {"so</think>\n\neight"}, {"no thoughts"}, {"none", " again"}} {
		var got []string
		if _, err := m.Generate(t.Context(), ask("2+3"), func(s string) { got = append(got, s) }); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d: %v %q, want %q", i, err, got, want)
		}
	}
}
