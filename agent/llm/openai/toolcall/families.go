package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

const argumentKey = "<arg_key>"

// readKeyed reads a name and its arguments as GLM writes them, one by one in <arg_key> and <arg_value>. Where bare is true, the name
// of a tool alone is a call without arguments.
func readKeyed(text string, tools []llm.Tool, bare bool) []Call {
	pieces := strings.Split(text, argumentKey)
	name := strings.TrimSpace(pieces[0])
	if !plainName.MatchString(name) || len(pieces) == 1 && (!bare || !slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Name == name })) {
		return nil
	}
	types, args := parametersOf(name, tools), map[string]json.RawMessage{}
	for _, piece := range pieces[1:] {
		key, rest, ok := strings.Cut(piece, "</arg_key>")
		value, begins := strings.CutPrefix(strings.TrimSpace(rest), "<arg_value>")
		value, ends := strings.CutSuffix(value, "</arg_value>")
		if !ok || !begins || !ends {
			return nil
		}
		key = strings.TrimSpace(key)
		args[key] = types[key].value(value)
	}
	return []Call{callWith(name, args)}
}

// callWith returns a call with arguments by name.
func callWith(name string, args map[string]json.RawMessage) Call {
	raw, err := json.Marshal(args)
	if err != nil {
		return Call{Name: name, Args: "{}"} // never: all are JSON
	}
	return Call{Name: name, Args: string(raw)}
}

// namespace is the prefix that models put before the names of their tags: <minimax:invoke>, <｜DSML｜invoke>.
const namespace = `(?:｜DSML｜|[a-z]+:)?`

var (
	plainName    = pattern.New(`^[a-zA-Z_][\w.:-]{0,127}$`)
	invokeTag    = pattern.New(`(?s)<` + namespace + `invoke name="([^"]+)">(.*?)(</` + namespace + `invoke>|$)`)
	parameterTag = pattern.New(`(?s)<` + namespace + `parameter name="([^"]+)"(?: string="(true|false)")?>(.*?)</` + namespace + `parameter>`)
	// tokenCall is a call of Kimi (name:number, then arguments) or DeepSeek (with "function" before and a fence around the
	// arguments until R1, without since V3.1).
	tokenCall = pattern.New(`(?s)(?:<\|tool_call_begin\|>|<｜tool▁call▁begin｜>)\s*(?:function<｜tool▁sep｜>)?([\w.-]+)(?::\d+)?\s*` +
		"(?:<\\|tool_call_argument_begin\\|>|<｜tool▁sep｜>|\\n)\\s*(?:```[a-z]*\\s*)?(.*?)\\s*(?:```\\s*)?(?:<\\|tool_call_end\\|>|<｜tool▁call▁end｜>|$)")
)

// readInvoked reads calls as XML: <invoke name="…"> with <parameter name="…">, as MiniMax, DeepSeek since V3.2 and others write them.
func readInvoked(text string, tools []llm.Tool) []Call {
	var out []Call
	for _, m := range matchesOnly(invokeTag, text) {
		types, args := parametersOf(m[1], tools), map[string]json.RawMessage{}
		given := matchesOnly(parameterTag, m[2])
		if given == nil && (strings.TrimSpace(m[2]) != "" || m[3] == "") {
			return nil // neither an end nor an argument: a call that breaks off
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
		out = append(out, callWith(m[1], args))
	}
	return out
}

// readTokens reads calls each of which has marks between name and arguments, see [tokenCall].
func readTokens(text string) []Call {
	var out []Call
	for _, m := range matchesOnly(tokenCall, text) {
		if !json.Valid([]byte(m[2])) {
			return nil
		}
		out = append(out, Call{Name: m[1], Args: m[2]})
	}
	return out
}

// matchesOnly returns the groups of the matches of which a text consists; nil if there is more in it than them and white space, or
// more than [Max] of them.
func matchesOnly(p *pattern.Pattern, text string) [][]string {
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
