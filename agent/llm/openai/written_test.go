package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestCallsWrittenAsText: what a local model writes of a call is read and not streamed,
// however the server cuts it, where tools are offered, with words before it and after.
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

		"braces_around":     {"{" + one + "}}}", "", []string{args}, ""},
		"braces_on_lines":   {"{\n{" + one + "}\n}", "", []string{args}, ""},
		"braces_of_text":    {"{{name}} and {{ x }}", "{{name}} and {{ x }}", nil, ""},
		"another_object":    {`{"name": "Kim", "arguments": {"for": "peace"}}`, `{"name": "Kim", "arguments": {"for": "peace"}}`, nil, ""},
		"more_in_it":        {`{"name": "calculator", "arguments": {}, "price": 3}`, `{"name": "calculator", "arguments": {}, "price": 3}`, nil, ""},
		"json_and_words":    {one + "\n\nThe result is 7.", "", []string{args}, ""},
		"marks_and_words":   {"<tool_call>" + one + "</tool_call>\nThe result is 7.", "", []string{args}, ""},
		"within_a_line":     {"so: <tool_call>" + one + "</tool_call>", "so: ", []string{args}, ""},
		"in_a_fence":        {"```\n<tool_call>\n" + one + "\n</tool_call>\n```", "", []string{args}, ""},
		"words_and_fence":   {"Certainly! Here is the response in JSON format:\n```json\n" + one + "\n```\nLet me know.", "Certainly! Here is the response in JSON format:\n", []string{args}, ""},
		"bare_fence":        {"I will calculate.\n\n```\n" + one + "\n```", "I will calculate.\n\n", []string{args}, ""},
		"fence_of_a_tool":   {"```tool_call\n" + one + "\n```", "", []string{args}, ""},
		"words_and_json":    {"I'll use the calculator: " + one, "I'll use the calculator: ", []string{args}, ""},
		"between_words":     {"First " + one + " and then " + `{"name": "calculator", "arguments": {"expression": "4+5"}}` + ".", "First ", []string{args, `{"expression": "4+5"}`}, ""},
		"function":          {"```json\n{\"function\": \"calculator\", \"arguments\": {\"expression\": \"2+3\"}}\n```", "", []string{args}, ""},
		"tool":              {`{"tool": "calculator", "input": {"expression": "2+3"}}`, "", []string{args}, ""},
		"name_unquoted":     {`{"name": calculator, "arguments": {"expression": "2+3"}}`, "", []string{`{"expression":"2+3"}`}, ""},
		"as_python":         {`{'name': 'calculator', 'arguments': {'expression': '2+3', 'exact': True,},}`, "", []string{`{"expression":"2+3","exact":true}`}, ""},
		"backquotes":        {"{`name`: \"calculator\", `arguments`: {\"expression\": \"2+3\"}}", "", []string{`{"expression":"2+3"}`}, ""},
		"backquoted_values": {"{`name`: `calculator`, `arguments`: {`expression`: 'of [`b`] now'}}", "", []string{`{"expression":"of [` + "`b`" + `] now"}`}, ""},
		"backquotes_within": {"{\"name\": \"calculator\", \"arguments\": {\"expression\": \"list: `b`, and more\", \"digits\": 3,},}", "", []string{"{\"expression\":\"list: `b`, and more\",\"digits\":3}"}, ""},
		"list_of_arguments": {`{"name": "calculator", "arguments": ["2+3", 4]}`, "", []string{`{"digits":4,"expression":"2+3"}`}, ""},
		"arguments_as_text": {`{"name": "calculator", "arguments": "{\"expression\": \"2+3\"}"}`, "", []string{args}, ""},
		"words_of_schema":   {`{"name": "calculator", "arguments": {"expression": {"type": "string", "value": "2+3"}}}`, "", []string{`{"expression":"2+3"}`}, ""},
		"tool_calls":        {`{"tool_calls": [` + one + `]}`, "", []string{args}, ""},
		"namespace":         {`{"name": "functions.calculator", "arguments": {"expression": "2+3"}}`, "", []string{args}, ""},
		"harmony":           {`<|channel|>analysis<|message|>We need it.<|end|><|start|>assistant<|channel|>commentary to=functions.calculator <|constrain|>json<|message|>` + args + `<|call|>`, "", []string{args}, ""},
		"harmony_order":     {`<|start|>assistant to=functions.calculator<|channel|>commentary json<|message|>` + args, "", []string{args}, ""},
		"harmony_two":       {`<|channel|>commentary to=functions.calculator<|message|>` + args + `<|call|><|start|>assistant<|channel|>commentary to=calculator<|message|>{"digits": 1}<|call|>`, "", []string{args, `{"digits": 1}`}, ""},
		"harmony_cut":       {`<|channel|>commentary to=functions.calculator<|message|>{"expression": "2`, "", nil, llm.Garbage},
		"harmony_answer":    {`<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>It < 5.<|return|>`, "It < 5.", nil, ""},
		"template_end":      {"five<|im_end|>\n", "five", nil, ""},
		"turns_invented":    {"It is five.<|im_end|>\n<|im_start|>user\nAnd six?<|im_end|>\n<|im_start|>assistant\nSix.", "It is five.", nil, ""},
		"turns_of_llama":    {"It is five.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnd six?", "It is five.", nil, ""},
		"turns_of_gemma":    {"It is five.<end_of_turn>\n<start_of_turn>user\nAnd six?<end_of_turn>", "It is five.", nil, ""},
		"turns_of_zephyr":   {"It is five.</s>\n<|user|>\nAnd six?</s>", "It is five.", nil, ""},
		"turns_after_call":  {"<tool_call>" + one + "</tool_call><|im_end|>\n<|im_start|>user\nAnd six?", "", []string{args}, ""},
		"struck_out":        {"Was <s>ten</s>\nNow it is five. And more follows.", "Was <s>ten</s>\nNow it is five. And more follows.", nil, ""},
		"only_turns":        {"<|im_end|>\n<|im_start|>user\nAnd six?", "", nil, llm.Garbage},
		"template_in_code":  {"ChatML is\n```\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n```\nand ends `<|im_end|>`.", "ChatML is\n```\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n```\nand ends `<|im_end|>`.", nil, ""},
		"html_in_words":     {"Use <s>five</s> or <start> here.", "Use <s>five</s> or <start> here.", nil, ""},
		"another_in_words":  {`Use {"name": "rm", "arguments": {}} for it.`, `Use {"name": "rm", "arguments": {}} for it.`, nil, ""},
		"code_of_a_name":    {"```json\n{\"name\": \"Kim\"}\n```\nDone {x}.", "```json\n{\"name\": \"Kim\"}\n```\nDone {x}.", nil, ""},
		"other_language":    {"```python\nd = {'name': 'calculator'}\n```", "```python\nd = {'name': 'calculator'}\n```", nil, ""},
		"brackets":          {"a[0] < b {c} ``d`` [1]\n", "a[0] < b {c} ``d`` [1]\n", nil, ""},
		"half_of_json":      {`so {"name": "calculator", "arguments": {"expr`, `so {"name": "calculator", "arguments": {"expr`, nil, ""},
		"only_the_word":     {"<tool_call> begins it", "<tool_call> begins it", nil, ""},
		"a_source":          {"[1] five", "[1] five", nil, ""},
		"other_code":        {"```json\n{\"a\": 1}\n```", "```json\n{\"a\": 1}\n```", nil, ""},
		"mark_begins":       {"five\n<tool", "five\n<tool", nil, ""},
		"lines":             {"one\ntwo\n\nthree", "one\ntwo\n\nthree", nil, ""},
		"cannot_be_read":    {`<tool_call>{"name": "calculator", "arguments": {`, "", nil, llm.Garbage},
		"list_of_tools":     {"<tools>\n" + one + "\n</tools>", "", []string{args}, ""},
		"list_and_words":    {"It is <tools> that we need.", "It is <tools> that we need.", nil, ""},
		"list_with_nothing": {"<tools></tools>", "", nil, llm.Garbage},
		"list_begins":       {"<tools>\n", "", nil, llm.Garbage},
		"call_of_nothing":   {"<tool_call>\n</tool_call>", "", nil, llm.Garbage},
		"half_a_function":   {"<tool_call>\n<function=calculator", "", nil, llm.Garbage},
		"half_an_object":    {"<function=calculator>{\"expression\": </function>", "", nil, llm.Garbage},
		"words_between":     {"<function=calculator>2+3</function>", "", nil, llm.Garbage},
		"args_are_broken":   {"[TOOL_CALLS]calculator[ARGS]{", "", nil, llm.Garbage},
		"of_functions":      {"<function=calculator> calls it, as in f(x) = 2.", "<function=calculator> calls it, as in f(x) = 2.", nil, ""},
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

// TestOnlyACallAfterTools: where tools were called and none may be any more, a reply that is nothing but a call is
// unreadable and is not streamed; any other is an answer.
func TestOnlyACallAfterTools(t *testing.T) {
	t.Parallel()
	const one = `{"name": "search_documents", "arguments": {"query": "구내식당"}}`
	for name, tt := range map[string]struct {
		text string
		bad  bool
	}{
		"bare": {one, true}, "outer_brace": {"{\n" + one + "\n}", true}, "fence": {"```json\n" + one + "\n```\n", true},
		"marks": {"<tool_call>\n" + one + "\n</tool_call>", true}, "family": {"<|tool_call_start|>[search_documents(query=\"구내식당\")]<|tool_call_end|>", true},
		"two_marks": {"<tool_call>" + one + "</tool_call>\n<tool_call>" + one + "</tool_call>", true}, "half_marks": {"<tool_call>{\"na", true},
		"python": {"[search_documents(query=\"구내식당\")]", true}, "python_code": {"```tool_code\nsearch_documents(query=\"구내식당\")\n```", true}, "python_and_words": {"[search_documents(query=\"구내식당\")]\n없어요.", false},
		"marks_with_braces": {"<tool_call> is the mark of a call, {\"name\": \"x\"} follows.", false}, "tools_with_braces": {"<tools> is a list in Qwen's prompt. {}", false},
		"invoke_with_braces": {"<invoke name=\"x\"> is XML with {braces}.", false},
		"marks_and_words":    {"<tool_call>" + one + "</tool_call>\n없어요.", false}, "about_marks": {"<tool_call> begins a call.", false},
		"braces": {"{" + one + "}}}", true}, "list": {"[" + one + "]", true},
		"words_behind": {one + "\n그런 내용은 없어요.", false}, "words_before": {"없어요. " + one, false},
		"other_object": {`{"name": "Kim", "age": 3}`, false}, "code": {"```go\nfunc a() {}\n```", false}, "answer": {"없어요.", false},
		"half": {`{"name": "search_doc`, false},
	} {
		for _, size := range []int{1, 7, 1000} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var pieces []string
				for s := []rune(tt.text); len(s) > 0; s = s[min(size, len(s)):] {
					pieces = append(pieces, string(s[:min(size, len(s))]))
				}
				srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: tt.text, Pieces: pieces} })
				req := ask("구내식당 메뉴?")
				req.Messages = append(req.Messages,
					llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "c1", Name: "search_documents", Arguments: json.RawMessage(`{"query":"식당"}`)}}},
					llm.Message{Role: llm.ToolRole, ToolCallID: "c1", Content: "nothing"})
				var told strings.Builder
				resp, err := model(t, srv, nil).Generate(t.Context(), req, func(s string) { told.WriteString(s) })
				if tt.bad && (llm.ClassOf(err) != llm.Garbage || told.String() != "") || !tt.bad && (err != nil || resp.Message.Content != tt.text || told.String() != tt.text) {
					t.Errorf("%q: %q, streamed %q, %v", tt.text, resp.Message.Content, told.String(), err)
				}
			})
		}
	}
}

// TestCallsOfModelFamilies: each family of models has marks of its own for calls, which come as text where
// a server has no parser for them. The forms are those of the models' chat templates.
func TestCallsOfModelFamilies(t *testing.T) {
	t.Parallel()
	const one, args = `{"name": "calculator", "arguments": {"expression": "2+3"}}`, `{"expression":"2+3"}`
	for name, tt := range map[string]struct{ text, want string }{
		"glm":            {"<tool_call>calculator\n<arg_key>expression</arg_key>\n<arg_value>2+3</arg_value>\n<arg_key>digits</arg_key>\n<arg_value>3</arg_value>\n</tool_call>", `calculator{"digits":3,"expression":"2+3"}`},
		"glm_one_line":   {"Let me see.\n<tool_call>calculator<arg_key>expression</arg_key><arg_value>2+3</arg_value></tool_call>", "calculator" + args},
		"glm_nothing":    {"<tool_call>calculator\n</tool_call>", "calculator{}"},
		"kimi":           {"<|tool_calls_section_begin|><|tool_call_begin|>functions.calculator:0<|tool_call_argument_begin|>" + args + "<|tool_call_end|><|tool_call_begin|>functions.calculator:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>", "calculator" + args + " calculator{}"},
		"deepseek":       {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>calculator\n```json\n" + args + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "calculator" + args},
		"deepseek_31":    {"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>calculator<｜tool▁sep｜>" + args + "<｜tool▁call▁end｜><｜tool▁call▁begin｜>calculator<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>", "calculator" + args + " calculator{}"},
		"deepseek_dsml":  {"I will look.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"calculator\">\n<｜DSML｜parameter name=\"expression\" string=\"true\">2+3</｜DSML｜parameter>\n<｜DSML｜parameter name=\"exact\" string=\"false\">true</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", `calculator{"exact":true,"expression":"2+3"}`},
		"minimax":        {"<minimax:tool_call>\n<invoke name=\"calculator\">\n<parameter name=\"expression\">2+3</parameter>\n</invoke>\n<invoke name=\"calculator\">\n</invoke>\n</minimax:tool_call>", "calculator" + args + " calculator{}"},
		"invoke":         {"<function_calls>\n<invoke name=\"calculator\">\n<parameter name=\"expression\">2 < 3 && \"x\"</parameter>\n</invoke>\n</function_calls>", `calculator{"expression":"2 \u003c 3 \u0026\u0026 \"x\""}`},
		"invoke_alone":   {"<invoke name=\"calculator\"><parameter name=\"expression\">2+3</parameter></invoke>", "calculator" + args},
		"tool_call":      {"[TOOL_CALL] {\"tool\": \"calculator\", \"args\": {\"expression\": \"2+3\"}} [/TOOL_CALL]", "calculator" + args},
		"nemotron":       {"<TOOLCALL>[" + one + "]</TOOLCALL>", "calculator" + args},
		"granite":        {"<|tool_call|>[" + one + "]", "calculator" + args},
		"phi":            {"<|tool_call|>[" + one + "]<|/tool_call|>", "calculator" + args},
		"phi_functools":  {"functools[" + one + "]", "calculator" + args},
		"cohere":         {"<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"calculator\", \"parameters\": {\"expression\": \"2+3\"}}\n]<|END_ACTION|>", "calculator" + args},
		"cohere_before":  {"Action: ```json\n[\n    {\n        \"tool_name\": \"calculator\",\n        \"parameters\": {\"expression\": \"2+3\"}\n    }\n]```", "calculator" + args},
		"jamba":          {"<tool_calls>[\n  " + one + "\n]</tool_calls>", "calculator" + args},
		"internlm":       {"<|action_start|><|plugin|>\n{\"name\": \"calculator\", \"parameters\": {\"expression\": \"2+3\"}}<|action_end|>", "calculator" + args},
		"seed":           {"<seed:tool_call>\n<function=calculator>\n<parameter=expression>2+3</parameter>\n</function>\n</seed:tool_call>", "calculator" + args},
		"lfm":            {`<|tool_call_start|>[calculator(expression="2+3", digits=2), calculator(exact=True)]<|tool_call_end|>`, `calculator{"digits":2,"expression":"2+3"} calculator{"exact":true}`},
		"llama_4":        {`[calculator(expression="f(2)], x", of=[1, {'a': 'b'}])]`, `calculator{"expression":"f(2)], x","of":[1,{"a":"b"}]}`},
		"olmo":           {"<function_calls>calculator(expression='2+3')\ncalculator()</function_calls>", "calculator" + args + " calculator{}"},
		"gemma_code":     {"```tool_code\ncalculator(expression=\"2+3\")\n```", "calculator" + args},
		"gemma_print":    {"Let me see.\n```tool_code\nprint(calculator(expression=\"2+3\"))\n```", "calculator" + args},
		"gemma_function": {"<start_function_call>call:calculator{expression:<escape>a \"2\" {3}<escape>,digits:3,exact:true}<end_function_call>", `calculator{"digits":3,"exact":true,"expression":"a \"2\" {3}"}`},
		"escapes":        {`<|tool_call_start|>[calculator(expression='a = 1\nprint("a\t\x41\u00e9\q")', of=[])]<|tool_call_end|>`, `calculator{"expression":"a = 1\nprint(\"a\tAé\\q\")","of":[]}`},
		"apostrophe":     {`<|tool_call_start|>[calculator(expression='it\'s')]<|tool_call_end|>`, `calculator{"expression":"it's"}`},
		"triple_quotes":  {"<|tool_call_start|>[calculator(expression='''x\n\"y\" 'z' ```\n''', digits=-1_000)]<|tool_call_end|>", "calculator{\"digits\":-1000,\"expression\":\"x\\n\\\"y\\\" 'z' ```\\n\"}"},
		"triple_bare":    {"[calculator(expression=\"\"\"x\ny\"\"\")]\n", `calculator{"expression":"x\ny"}`},
		"triple_in_code": {"```tool_code\ncalculator(expression=\"\"\"``` in it\"\"\")\n```\n", "calculator{\"expression\":\"``` in it\"}"},
		"tuple":          {`[calculator(of=(1, "a", None, {'k': (True,)}))]`, `calculator{"of":[1,"a",null,{"k":[true]}]}`},
		"mark_in_value":  {"<tool_call>calculator\n<arg_key>expression</arg_key>\n<arg_value>print('</tool_call>')</arg_value>\n</tool_call>", `calculator{"expression":"print('\u003c/tool_call\u003e')"}`},
		"namespaces":     {`<function_calls><invoke name="functions.calculator"><parameter name="expression">2024</parameter></invoke></function_calls>`, `calculator{"expression":"2024"}`},
		"octal":          {`[calculator(expression='\101\012\0', of=[1,],)]`, `calculator{"expression":"A\n\u0000","of":[1]}`},
		"module":         {`[functions.calculator(expression=u"2+3",),]`, "calculator" + args},
		"behind_ticks":   {"```한 줄 코드``` 를 보고, 5` 표시. <|tool_calls_section_begin|><|tool_call_begin|>functions.calculator:0<|tool_call_argument_begin|>" + args + "<|tool_call_end|><|tool_calls_section_end|>", "calculator" + args},
		"behind_code":    {"```go\nx()\n```\nSo:\n<minimax:tool_call>\n<invoke name=\"calculator\">\n<parameter name=\"expression\">2+3</parameter>\n</invoke>\n</minimax:tool_call>", "calculator" + args},
		"gemma_dash":     {`<|tool_call>call:calculator{max-results:3}<tool_call|>`, `calculator{"max-results":3}`},
		"gemma_4":        {`<|tool_call>call:calculator{expression:<|"|>2+3<|"|>}<tool_call|>`, "calculator" + args},
	} {
		for _, size := range []int{1, 5, 1000} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var pieces []string
				for s := []rune(tt.text); len(s) > 0; s = s[min(size, len(s)):] {
					pieces = append(pieces, string(s[:min(size, len(s))]))
				}
				srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: tt.text, Pieces: pieces} })
				req := ask("2+3")
				req.Tools = []llm.Tool{{Name: "calculator", Parameters: json.RawMessage(`{"type": "object", "properties": {
					"expression": {"type": "string"}, "digits": {"type": ["integer", "null"]}, "exact": {"type": "boolean"}, "of": {"type": "array"}}}`)}}
				resp, err := model(t, srv, nil).Generate(t.Context(), req, func(string) {})
				if err != nil || strings.Contains(resp.Message.Content, "calculator") {
					t.Fatalf("%q: %q, %v", tt.text, resp.Message.Content, err)
				}
				var got []string
				for _, c := range resp.Message.ToolCalls {
					var v any
					_ = json.Unmarshal(c.Arguments, &v)
					b, _ := json.Marshal(v)
					got = append(got, c.Name+string(b))
				}
				if strings.Join(got, " ") != tt.want {
					t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
				}
			})
		}
	}
}

// TestWordsThatLookLikeCalls: what only looks like a family's call is an answer, word for word.
func TestWordsThatLookLikeCalls(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[see calculator(x) in the manual]", "[calculator] is what I would use.", "Call `calculator(expression=\"2+3\")` in your code.",
		"```python\ncalculator(expression=\"2+3\")\n```", "Use <invoke> of the API.", "The mark <|tool_call_start|> begins a call.",
		"[rm(path=\"/\")]", "[1, 2, calculator(3)]", "[calculator(expression=\"2+3\") is a call, [2] says.",
		"```python\nresults = [calculator(expression=\"a\"), calculator(expression=\"b\")]\nprint(results)\n```", "```python\nqueue = [calculator()]\n```",
		"일정: [calculator()] 자리에 값이 들어갑니다.", "[Docs: [calculator()]]", "Python: `[calculator(digits=n)]` returns.", "- [calculator(expression=\"a\")](https://x)",
		"[calculator(expression=\"a\")](https://x)", "[calculator(digits=n)]", "[calculator()] is a call.",
		"```xml\n<invoke name=\"getQuote\" partnerLink=\"q\"/>\n<assign>${x}</assign>\n```", "```xml\n<tool_calls><call>{id}</call></tool_calls>\n```",
		"Kimi K2 marks a call by `<|tool_call_begin|>` and its arguments, e.g. {\"city\": 1}, follow.", "Use `<|tool_call_start|>` and `<|tool_call_end|>` ends it. 예: {\"a\":1}",
		"So:\n```xml\n<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Seoul</parameter>\n</invoke>\n</function_calls>\n```\nThat is all.",
		"<profile><tools>calculator</tools></profile>", "The tags <tool_calls> and <function_calls> hold calls. {}", "답은 <invoke name=\"calculator\">", "Half: <invoke name=\"calculator\">\n",
		"1. 예:\n   ```xml\n   <invoke name=\"calculator\"><parameter name=\"expression\">1</parameter></invoke>\n   ```\n", "> ```xml\n> <invoke name=\"calculator\"><parameter name=\"expression\">1</parameter></invoke>\n> ```\n",
		"````md\n```xml\n<invoke name=\"calculator\"><parameter name=\"expression\">1</parameter></invoke>\n```\n````\n", "So:\n\n    <function_calls><invoke name=\"calculator\"></invoke></function_calls>\n",
		"~~~xml\n<invoke name=\"calculator\"><parameter name=\"expression\">1</parameter></invoke>\n~~~\n", "Use `<tool_call>` marks like {\"name\": ...} in the prompt.",
		"Qwen 의 프롬프트는 <tools> 안에 {\"type\": \"function\"} 를 둡니다.", "설정 파일의 `[TOOL_CALLS]` 절에 {\"a\": 1} 을 넣으세요.", "`<function=foo>{\"a\":1}</function>` 라고 씁니다.",
		"<tool_calls>[]</tool_calls> 는 빈 목록입니다.", "[calculator()]\n\n위 자리에 값이 들어갑니다.", strings.Repeat("[", 300) + "x" + strings.Repeat("]", 300),
		"<function_calls> is what Jamba has. {\"a\": 1}", "<invoke name=\"x\"> is XML with {braces}.", "Say [TOOL_CALL] {id} [/TOOL_CALL] to the machine.",
	} {
		for _, size := range []int{1, 5, 1000} {
			t.Run(text, func(t *testing.T) {
				t.Parallel()
				var pieces []string
				for s := []rune(text); len(s) > 0; s = s[min(size, len(s)):] {
					pieces = append(pieces, string(s[:min(size, len(s))]))
				}
				srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: text, Pieces: pieces} })
				req := ask("2+3")
				req.Tools = []llm.Tool{{Name: "calculator", Parameters: json.RawMessage(`{"type": "object", "properties": {"expression": {"type": "string"}}}`)}}
				var told strings.Builder
				resp, err := model(t, srv, nil).Generate(t.Context(), req, func(s string) { told.WriteString(s) })
				if err != nil || resp.Message.Content != text || told.String() != text || len(resp.Message.ToolCalls) > 0 {
					t.Errorf("%q, streamed %q, %v, %v", resp.Message.Content, told.String(), resp.Message.ToolCalls, err)
				}
			})
		}
	}
}

// TestHalfACallIsNone: what breaks off within a call, or is no literal, is unreadable, whatever the server says of its end.
func TestHalfACallIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"<tool_call>calculator\n<arg_key>expression</arg_key>\n<arg_value>half", "<tool_call>calculator\n<arg_key>expression</arg_key>\n<arg_value>x = 1\n<|im_end|>\n<arg_value>print(x)</arg_value></tool_call>",
		"<tool_call>calculator\n<arg_key>expression</arg_key>\n<arg_value>a</arg_value> junk\n</tool_call>", "<|tool_call_begin|>functions.calculator:0<|tool_call_argument_begin|>{\"expression\": \"2",
		"<function=calculator>\n<parameter=expression>\nhalf", "<tool_call>\n<function=calculator>\n<parameter=expression>\nhalf\n</tool_call>",
		"<invoke name=\"calculator\">", "<invoke name=\"calculator\"><parameter name=\"expression\">2+", "<|tool_call_start|>[calculator(\"a\")]<|tool_call_end|>", "<|tool_call_start|>[calculator(digits=n)]<|tool_call_end|>",
		"<|tool_call_start|>[calculator(expression='a", "<start_function_call>call:calculator{expression:<escape>2", "<minimax:tool_call>\n<invoke name=\"calculator\">\n</minimax:tool_call>",
	} {
		for _, size := range []int{1, 5, 1000} {
			t.Run(text, func(t *testing.T) {
				t.Parallel()
				var pieces []string
				for s := []rune(text); len(s) > 0; s = s[min(size, len(s)):] {
					pieces = append(pieces, string(s[:min(size, len(s))]))
				}
				srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: text, Pieces: pieces} })
				req := ask("2+3")
				req.Tools = []llm.Tool{{Name: "calculator", Parameters: json.RawMessage(`{"type": "object", "properties": {"expression": {"type": "string"}, "digits": {"type": "integer"}}}`)}}
				var told strings.Builder
				resp, err := model(t, srv, nil).Generate(t.Context(), req, func(s string) { told.WriteString(s) })
				if llm.ClassOf(err) != llm.Garbage || told.String() != "" {
					t.Errorf("%+v, streamed %q, %v", resp.Message, told.String(), err)
				}
			})
		}
	}
}

// TestACallBehindWordsThatCannotBeRead is no answer either: people would read its marks.
func TestACallBehindWordsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"찾을게요.\n<|tool_call_start|>[calculator(\"a\")]<|tool_call_end|>", "찾을게요.\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>calculator<｜tool▁sep｜>{\"expression\":\"2",
		"Let me see.\n<tool_call>\n{\"name\": \"calculator\", \"argu",
	} {
		srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Text(text) })
		req := ask("2+3")
		req.Tools = []llm.Tool{{Name: "calculator"}}
		if resp, err := model(t, srv, nil).Generate(t.Context(), req, nil); llm.ClassOf(err) != llm.Garbage {
			t.Errorf("%+v, %v", resp.Message, err)
		}
	}
}
