package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestCallsWrittenAsText: what a local model writes of a call is read and not streamed,
// however the server cuts it, where tools are offered and nothing stands behind it.
func TestCallsWrittenAsText(t *testing.T) {
	t.Parallel()
	const one = `{"name": "calculator", "arguments": {"expression": "2+3"}}`
	const args = `{"expression": "2+3"}`
	for name, tt := range map[string]struct {
		text, want string
		calls      []string // their arguments
		fails      llm.Class
	}{
		"marks":             {"<tool_call>\n" + one + "\n</tool_call>", "", []string{args}, ""},
		"two":               {"<tool_call>\n" + one + "\n</tool_call>\n<tool_call>\n" + one + "\n</tool_call>", "", []string{args, args}, ""},
		"behind_words":      {"Let me see.\n\n<tool_call>" + one + "</tool_call>\n", "Let me see.\n\n", []string{args}, ""},
		"behind_thoughts":   {"<think>2+3?</think>\n<tool_call>" + one + "</tool_call>", "", []string{args}, ""},
		"end_is_missing":    {"<tool_call>" + one, "", []string{args}, ""},
		"mistral":           {"[TOOL_CALLS] [" + one + "]", "", []string{args}, ""},
		"llama":             {`<|python_tag|>{"name": "calculator", "parameters": {"expression": "2+3"}}`, "", []string{args}, ""},
		"mistral_args":      {`[TOOL_CALLS]calculator[ARGS]` + args + `[TOOL_CALLS]calculator[CALL_ID]a1b2c3d4e[ARGS]{}`, "", []string{args, `{}`}, ""},
		"mistral_name":      {`[TOOL_CALLS]calculator` + args, "", []string{args}, ""},
		"qwen_coder":        {"<tool_call>\n<function=calculator>\n<parameter=expression>\n2+3\n</parameter>\n</function>\n</tool_call>", "", []string{`{"expression":"2+3"}`}, ""},
		"qwen_types":        {"<function=calculator>\n<parameter=digits>\n3\n</parameter>\n<parameter=expression>3</parameter>\n<parameter=exact>True</parameter>\n<parameter=of>[1, 2]</parameter></function>", "", []string{`{"digits":3,"exact":true,"expression":"3","of":[1,2]}`}, ""},
		"qwen_lines":        {"<function=calculator><parameter=expression>\n2 +\n  <b>3</parameter></function>", "", []string{`{"expression":"2 +\n  \u003cb\u003e3"}`}, ""},
		"qwen_two":          {"Two:\n<tool_call>\n<function=calculator>\n</function>\n</tool_call>\n<tool_call>\n<function=calculator>\n</function>\n</tool_call>", "Two:\n", []string{`{}`, `{}`}, ""},
		"llama_function":    {"<function=calculator>" + args + "</function>", "", []string{args}, ""},
		"json":              {one, "", []string{args}, ""},
		"json_list":         {"[" + one + ", " + one + "]", "", []string{args, args}, ""},
		"fence":             {"```json\n" + one + "\n```", "", []string{args}, ""},
		"as_the_api_has_it": {`{"id": "c", "type": "function", "function": {"name": "calculator", "arguments": "{\"expression\": \"2+3\"}"}}`, "", []string{args}, ""},
		"unknown_in_marks":  {`<tool_call>{"name": "rm", "arguments": {}}</tool_call>`, "", []string{`{}`}, ""}, // refused as any call is that is not offered

		"another_object":  {`{"name": "Kim", "arguments": {"for": "peace"}}`, `{"name": "Kim", "arguments": {"for": "peace"}}`, nil, ""},
		"more_in_it":      {`{"name": "calculator", "arguments": {}, "price": 3}`, `{"name": "calculator", "arguments": {}, "price": 3}`, nil, ""},
		"json_and_words":  {one + " is a call.", one + " is a call.", nil, ""},
		"told_of":         {"<tool_call>" + one + "</tool_call> is how it is written.", "<tool_call>" + one + "</tool_call> is how it is written.", nil, ""},
		"within_a_line":   {"so: <tool_call>" + one + "</tool_call>", "so: <tool_call>" + one + "</tool_call>", nil, ""},
		"in_a_fence":      {"```\n<tool_call>\n" + one + "\n</tool_call>\n```", "```\n<tool_call>\n" + one + "\n</tool_call>\n```", nil, ""},
		"only_the_word":   {"<tool_call> begins it", "<tool_call> begins it", nil, ""},
		"a_source":        {"[1] five", "[1] five", nil, ""},
		"other_code":      {"```json\n{\"a\": 1}\n```", "```json\n{\"a\": 1}\n```", nil, ""},
		"mark_begins":     {"five\n<tool", "five\n<tool", nil, ""},
		"lines":           {"one\ntwo\n\nthree", "one\ntwo\n\nthree", nil, ""},
		"cannot_be_read":  {`<tool_call>{"name": "calculator", "arguments": {`, "", nil, llm.Garbage},
		"half_a_function": {"<tool_call>\n<function=calculator", "", nil, llm.Garbage},
		"half_an_object":  {"<function=calculator>{\"expression\": </function>", "", nil, llm.Garbage},
		"words_between":   {"<function=calculator>2+3</function>", "", nil, llm.Garbage},
		"args_are_broken": {"[TOOL_CALLS]calculator[ARGS]{", "", nil, llm.Garbage},
		"of_functions":    {"<function=calculator> calls it, as in f(x) = 2.", "<function=calculator> calls it, as in f(x) = 2.", nil, ""},
	} {
		for _, size := range []int{1, 3, 1000} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var pieces []string
				for s := tt.text; s != ""; s = s[min(size, len(s)):] {
					pieces = append(pieces, s[:min(size, len(s))])
				}
				srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: tt.text, Pieces: pieces} })
				req := ask("2+3")
				req.Tools = []llm.Tool{{Name: "calculator", Parameters: json.RawMessage(`{"type": "object", "properties": {
					"expression": {"type": "string"}, "digits": {"type": ["integer", "null"]}, "exact": {"type": "boolean"}}}`)}}
				var told strings.Builder
				resp, err := model(t, srv, nil).Generate(t.Context(), req, func(s string) { told.WriteString(s) })
				if llm.ClassOf(err) != tt.fails || resp.Message.Content != tt.want || told.String() != tt.want {
					t.Fatalf("%q: %q, streamed %q, %v", tt.text, resp.Message.Content, told.String(), err)
				}
				var calls []string
				for _, c := range resp.Message.ToolCalls {
					calls = append(calls, string(c.Arguments))
				}
				if strings.Join(calls, "|") != strings.Join(tt.calls, "|") || (resp.Finish == "tool_calls") != (len(calls) > 0) {
					t.Errorf("%q: calls %q, finish %q, want %q", tt.text, calls, resp.Finish, tt.calls)
				}
			})
		}
	}
}

// TestTextIsNoCallWhereNoneIsOffered: then JSON is an answer, and is streamed as any.
func TestTextIsNoCallWhereNoneIsOffered(t *testing.T) {
	t.Parallel()
	const text = `{"name": "calculator", "arguments": {}}`
	for name, choice := range map[string]string{"no tools": "", "no choice": "none"} {
		srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Text(text) })
		req := ask("2+3")
		if choice != "" {
			req.Tools, req.ToolChoice = []llm.Tool{{Name: "calculator"}}, choice
		}
		resp, err := model(t, srv, nil).Generate(t.Context(), req, nil)
		if err != nil || resp.Message.Content != text || len(resp.Message.ToolCalls) > 0 {
			t.Errorf("%s: %+v, %v", name, resp, err)
		}
	}
}
