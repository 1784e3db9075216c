package toolcall

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/agent/llm/openai/rawjson"
	"maru/phrase/pattern"
)

// readCalls reads what is within the marks of calls in one of the forms that models were
// taught; nil if it is anything else. The tools say of which type an argument is that was written
// without quotes; bare is of [readKeyed].
func readCalls(text string, tools []llm.Tool, bare bool) []Call {
	if len(text) > maxHeld {
		return nil
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "<|plugin|>") // InternLM's
	if text = strings.TrimSpace(text); strings.HasPrefix(text, functionMark) {
		return readFunctions(text, tools)
	}
	for _, got := range [][]Call{
		readNamed(text), readTokens(text), readInvoked(text, tools), readKeyed(text, tools, bare), readGemma(text), readPython(text, tools),
	} {
		if got != nil {
			return got
		}
	}
	if value, n, ok := llm.LooseAt(text); ok && n == len(text) {
		return readObjects(string(value))
	}
	return readObjects(text)
}

// objectCall is a call as an object, by its names at Hermes, Qwen, Mistral and Llama, and by the
// API's own; function and tool are the name at other models.
type objectCall struct {
	Name       string          `json:"name"`
	Function   json.RawMessage `json:"function"`
	FunctionNm string          `json:"function_name"`
	Tool       string          `json:"tool"`
	ToolName   string          `json:"tool_name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"` // Llama's word for them
	Args       json.RawMessage `json:"args"`
	Input      json.RawMessage `json:"input"`
	Type       string          `json:"type"`
	ID         json.RawMessage `json:"id"`
	ToolCallID json.RawMessage `json:"tool_call_id"` // Command's
	Index      json.RawMessage `json:"index"`

	ToolCall  json.RawMessage `json:"tool_call"` // around a call, or calls
	ToolCalls json.RawMessage `json:"tool_calls"`
}

// readObjects reads one object or a list of them.
func readObjects(text string) []Call {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "[") {
		text = "[" + text + "]"
	}
	var list []objectCall
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if dec.Decode(&list) != nil || dec.More() || len(list) > Max {
		return nil
	}
	var out []Call
	for _, c := range list {
		if within := cmp.Or(string(c.ToolCalls), string(c.ToolCall)); within != "" {
			calls := readObjects(within)
			if calls == nil {
				return nil
			}
			out = append(out, calls...)
			continue
		}
		var inner objectCall
		if rawjson.Map(c.Function) != nil && json.Unmarshal(c.Function, &inner) == nil {
			c = inner
		}
		name := cmp.Or(c.Name, rawjson.String(c.Function), c.FunctionNm, c.ToolName, c.Tool)
		args := cmp.Or(string(c.Arguments), string(c.Parameters), string(c.Args), string(c.Input))
		if name == "" || args == "" {
			return nil
		}
		if s := ""; json.Unmarshal([]byte(args), &s) == nil && len(Values(s)) > 0 { // as the API itself has them
			args = s
		}
		out = append(out, Call{Name: name, Args: args})
	}
	return out
}

// nameFirst is a name before its arguments, as Mistral writes calls since 2025: name[ARGS]{…}, with
// an id between them at times, and without the mark before that.
var nameFirst = pattern.New(`(?s)^([a-zA-Z0-9_-]{1,64})(?:\[CALL_ID\][^\[{]*)?(?:\[ARGS\])?\s*(\{.*\})$`)

func readNamed(text string) []Call {
	m := nameFirst.FindStringSubmatch(text)
	if m == nil || !json.Valid([]byte(m[2])) {
		return nil
	}
	return []Call{{Name: m[1], Args: m[2]}}
}

// What Qwen3-Coder and its kin write a call and its arguments in; Llama's own form of a call has an
// object between the first two.
const (
	functionMark, functionEnd   = "<function=", "</function>"
	parameterMark, parameterEnd = "<parameter=", "</parameter>"
)

func readFunctions(text string, tools []llm.Tool) []Call {
	var out []Call
	for f := range strings.SplitSeq(strings.TrimPrefix(text, functionMark), functionMark) {
		name, body, ok := strings.Cut(f, ">")
		body = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(body), "</tool_call>"))
		body, ended := strings.CutSuffix(body, functionEnd)
		body = strings.TrimSpace(body)
		name = strings.TrimSpace(name)
		if !ok || name == "" || len(out) == Max {
			return nil
		}
		args := json.RawMessage(body)
		if !strings.HasPrefix(body, "{") {
			if args = readParameters(body, parametersOf(name, tools), ended); args == nil {
				return nil
			}
		} else if !json.Valid(args) {
			return nil
		}
		out = append(out, Call{Name: name, Args: string(args)})
	}
	return out
}

// readParameters makes an object of arguments that were written one by one; nil if anything else
// is there. An argument ends with its mark, the next one, or with the call, if that has ended.
func readParameters(text string, types map[string]parameter, ended bool) json.RawMessage {
	args := map[string]json.RawMessage{}
	pieces := strings.Split(text, parameterMark)
	for i, piece := range pieces {
		if i == 0 {
			if strings.TrimSpace(piece) != "" {
				return nil
			}
			continue
		}
		name, value, ok := strings.Cut(piece, ">")
		if at := strings.LastIndex(value, parameterEnd); at >= 0 && strings.TrimSpace(value[at+len(parameterEnd):]) == "" {
			value = value[:at]
		} else if at >= 0 || i == len(pieces)-1 && !ended {
			return nil
		}
		if !ok {
			return nil
		}
		value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
		args[strings.TrimSpace(name)] = types[strings.TrimSpace(name)].value(value)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	return raw
}

// parameter is what a tool's schema says of an argument.
type parameter struct {
	Type json.RawMessage `json:"type"` // a name, or a list of names
}

func parametersOf(name string, tools []llm.Tool) map[string]parameter {
	var schema struct {
		Properties map[string]parameter `json:"properties"`
	}
	name = Offered(name, tools)
	at := slices.IndexFunc(tools, func(t llm.Tool) bool { return t.Name == name })
	if at < 0 || json.Unmarshal(tools[at].Parameters, &schema) != nil {
		return nil
	}
	return schema.Properties
}

// pythonWords are constants as Python writes them.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}

// value returns an argument that was written without quotes: as the schema has it, a text or a
// value. Where it says neither, what reads as a value is one.
func (p parameter) value(written string) json.RawMessage {
	if !strings.Contains(string(p.Type), `"string"`) {
		bare := strings.TrimSpace(written)
		if word, ok := pythonWords[bare]; ok {
			bare = word
		}
		if json.Valid([]byte(bare)) {
			return json.RawMessage(bare)
		}
	}
	return jsonText(written)
}
