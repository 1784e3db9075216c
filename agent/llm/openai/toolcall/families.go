package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// mark is what a call written as text begins and ends with. An empty end is the next mark, or the end of the reply. part tells that
// the marks belong to the form that stands between them.
type mark struct {
	begin, end string
	part       bool
}

// marks are those of the chat templates of model families. They stand around calls in any form: [readCalls] does not ask which
// marks it stood in, since models that were trained on the data of others mix them.
var marks = []mark{
	{begin: "<tool_call>", end: "</tool_call>"},         // Hermes, Qwen, GLM, ERNIE
	{begin: "<tools>", end: "</tools>"},                 // of the list in Qwen's prompt, which small models repeat with a call in it or nothing
	{begin: functionMark, end: functionEnd, part: true}, // Qwen3-Coder, Llama
	{begin: "[TOOL_CALLS]"},                             // Mistral
	{begin: "<|python_tag|>"},                           // Llama
	{begin: "<tool_calls>", end: "</tool_calls>"},       // Jamba, Hunyuan, Apriel
	{begin: "<function_calls>", end: "</function_calls>"},
	{begin: "<TOOLCALL>", end: "</TOOLCALL>"},       // Nemotron
	{begin: "[TOOL_CALL]", end: "[/TOOL_CALL]"},     // MiniMax
	{begin: "<|tool_call|>", end: "<|/tool_call|>"}, // Granite, Phi
	{begin: "<|tool_call>", end: "<tool_call|>"},    // Gemma
	{begin: "<start_function_call>", end: "<end_function_call>"},
	{begin: "<|tool_call_start|>", end: "<|tool_call_end|>"}, // LFM
	{begin: "<|START_ACTION|>", end: "<|END_ACTION|>"},       // Command
	{begin: "<|action_start|>", end: "<|action_end|>"},       // InternLM
	{begin: "<seed:tool_call>", end: "</seed:tool_call>"},
	{begin: "<minimax:tool_call>", end: "</minimax:tool_call>"},
	{begin: "<|tool_calls_section_begin|>", end: "<|tool_calls_section_end|>"}, // Kimi
	{begin: "<|tool_call_begin|>", end: "<|tool_call_end|>", part: true},       // Kimi, without the section
	{begin: "<｜tool▁calls▁begin｜>", end: "<｜tool▁calls▁end｜>"},                 // DeepSeek
	{begin: "<｜tool▁call▁begin｜>", end: "<｜tool▁call▁end｜>", part: true},       // DeepSeek, without the section
	{begin: "<｜DSML｜function_calls>", end: "</｜DSML｜function_calls>"},          // DeepSeek since V3.2
	{begin: "<｜DSML｜tool_calls>", end: "</｜DSML｜tool_calls>"},                  // DeepSeek V4
	{begin: `<｜DSML｜invoke name="`, end: "</｜DSML｜invoke>", part: true},        // without the section
	{begin: `<invoke name="`, end: "</invoke>", part: true},                    // MiniMax and others, without the section
}

const argumentKey = "<arg_key>"

// readKeyed reads a name and its arguments as GLM writes them, one by one in <arg_key> and <arg_value>. A name alone is a call
// without arguments if it is one of the tools.
func readKeyed(text string, tools []llm.Tool) []Call {
	pieces := strings.Split(text, argumentKey)
	name := strings.TrimSpace(pieces[0])
	if !plainName.MatchString(name) || len(pieces) == 1 && !slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Name == name }) {
		return nil
	}
	types, args := parametersOf(name, tools), map[string]json.RawMessage{}
	for _, piece := range pieces[1:] {
		key, rest, ok := strings.Cut(piece, "</arg_key>")
		value, begun := strings.CutPrefix(strings.TrimSpace(rest), "<arg_value>")
		if !ok || !begun {
			return nil
		}
		key = strings.TrimSpace(key)
		args[key] = types[key].value(strings.TrimSuffix(value, "</arg_value>"))
	}
	return callWith(name, args)
}

// callWith is a call with arguments by name.
func callWith(name string, args map[string]json.RawMessage) []Call {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	return []Call{{Name: name, Args: string(raw)}}
}

// space is the name space that models put before their tags: <minimax:invoke>, <｜DSML｜invoke>.
const space = `(?:｜DSML｜|[a-z]+:)?`

var (
	plainName = pattern.New(`^[a-zA-Z_][\w.:-]{0,127}$`)
	invoked   = pattern.New(`(?s)<` + space + `invoke name="([^"]+)">(.*?)(?:</` + space + `invoke>|$)`)
	passed    = pattern.New(`(?s)<` + space + `parameter name="([^"]+)"(?: string="(true|false)")?>(.*?)</` + space + `parameter>`)
	// begun is a call of Kimi (name:number, then arguments) or DeepSeek (with "function" before and a fence around the arguments
	// until R1, without since V3.1).
	begun = pattern.New(`(?s)(?:<\|tool_call_begin\|>|<｜tool▁call▁begin｜>)\s*(?:function<｜tool▁sep｜>)?([\w.-]+)(?::\d+)?\s*` +
		"(?:<\\|tool_call_argument_begin\\|>|<｜tool▁sep｜>|\\n)\\s*(?:```[a-z]*\\s*)?(.*?)\\s*(?:```\\s*)?(?:<\\|tool_call_end\\|>|<｜tool▁call▁end｜>|$)")
)

// readInvoked reads calls as XML: <invoke name="…"> with <parameter name="…">, as MiniMax, DeepSeek since V3.2 and others write them.
func readInvoked(text string, tools []llm.Tool) []Call {
	var out []Call
	for _, m := range all(invoked, text) {
		types, args := parametersOf(m[1], tools), map[string]json.RawMessage{}
		given := all(passed, m[2])
		if given == nil && strings.TrimSpace(m[2]) != "" {
			return nil
		}
		for _, p := range given {
			value := strings.TrimSuffix(strings.TrimPrefix(p[3], "\n"), "\n")
			switch of := types[p[1]]; p[2] {
			case "true":
				of = parameter{Type: json.RawMessage(`"string"`)}
				args[p[1]] = of.value(value)
			case "false":
				args[p[1]] = parameter{}.value(value)
			default:
				args[p[1]] = of.value(value)
			}
		}
		out = append(out, callWith(m[1], args)...)
	}
	return out
}

// readBegun reads calls each of which has marks between name and arguments, see [begun].
func readBegun(text string) []Call {
	var out []Call
	for _, m := range all(begun, text) {
		args := m[2]
		if args == "" {
			args = "{}"
		}
		if !json.Valid([]byte(args)) {
			return nil
		}
		out = append(out, Call{Name: m[1], Args: args})
	}
	return out
}

// all are the matches of which a text consists; nil if there is more in it than them and space.
func all(p *pattern.Pattern, text string) [][]string {
	var out [][]string
	at := 0
	for _, m := range p.FindAllStringSubmatchIndex(text, Max+1) {
		if strings.TrimSpace(text[at:m[0]]) != "" || len(out) == Max {
			return nil
		}
		groups := make([]string, len(m)/2)
		for i := range groups {
			if m[2*i] >= 0 {
				groups[i] = text[m[2*i]:m[2*i+1]]
			}
		}
		out, at = append(out, groups), m[1]
	}
	if strings.TrimSpace(text[at:]) != "" {
		return nil
	}
	return out
}
