package openai

import (
	"slices"
	"strconv"
	"strings"

	"maru/agent/llm"
	"maru/phrase/pattern"
)

// maxWithout is the most tools that one request is made again without, one after the other.
const maxWithout = 8

var (
	// toolRefused finds that a refusal is about the parameters of a tool: by the place in the request that Gemini, Anthropic, vLLM
	// and others name, or by the words of OpenAI, Ollama and llama.cpp.
	toolRefused = pattern.New(`function_declarations\[\d+\]\.parameters|tools?[.\[]\d+\]?(?:\.[a-z_]+)*\.(?:parameters|input_schema)\b|tools\.function\.parameters|` +
		`schema for (?:function|tool)\b|invalid_function_parameters|json schema conversion failed`)
	// toolNumber is the place of a tool; Gemini has all functions in its tools[0].
	toolNumber = pattern.New(`function_declarations\[(\d+)\]|tools?[.\[](\d+)\]?\.(?:custom|function|parameters|input_schema)\b`)
	toolQuoted = pattern.New("(?i)(?:function|tool) ['\"`]([a-zA-Z0-9_.:-]{1,128})['\"`]")
	// requestEchoed is where a server begins to repeat the request: what people said there is no refusal.
	requestEchoed = pattern.New(`(?i)["']?input(?:_value)?["']?\s*[:=]`)
)

// refusedTool reads a refusal of a tool's parameters. One such tool makes the endpoint refuse every request that offers it. So all
// tools are sent with plain schemas at first; a tool that is still refused is then left out.
func refusedTool(f fault, a attempt) (reduction, bool) {
	says := f.code + " " + f.param + " " + f.message
	if at := requestEchoed.FindStringIndex(says); at != nil {
		says = says[:at[0]]
	}
	small := strings.ToLower(says)
	if len(a.req.Tools) == 0 || a.quirks.NoTools || !toolRefused.MatchString(small) {
		return reduction{}, false
	}
	if !a.quirks.PlainTools {
		return reduction{what: "schemas of tools beyond plain types", leave: func(q *quirks, _ attempt) { q.PlainTools = true }}, true
	}
	name := refusedName(says, a.quirks.offering(a.req).Tools)
	if name == "" || name == a.req.ToolChoice || len(a.quirks.Without) >= maxWithout {
		return reduction{}, false
	}
	return reduction{what: "the tool " + name, leave: func(q *quirks, _ attempt) {
		q.Without = append(slices.Clone(q.Without), name)
	}}, true
}

// refusedName returns the tool that a refusal names, or numbers; "" if it does neither.
func refusedName(says string, tools []llm.Tool) string {
	for _, m := range toolQuoted.FindAllStringSubmatch(says, -1) {
		for _, t := range tools {
			if t.Name == m[1] || calledName(t.Name) == m[1] {
				return t.Name
			}
		}
	}
	if m := toolNumber.FindStringSubmatch(strings.ToLower(says)); m != nil {
		if i, err := strconv.Atoi(fallback(m[1], m[2])); err == nil && i < len(tools) {
			return tools[i].Name
		}
	}
	return ""
}

// offering returns a request without the tools that the endpoint refuses.
func (q quirks) offering(req llm.Request) llm.Request {
	if len(q.Without) > 0 {
		req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t llm.Tool) bool { return t.Name != req.ToolChoice && slices.Contains(q.Without, t.Name) })
	}
	return req
}
