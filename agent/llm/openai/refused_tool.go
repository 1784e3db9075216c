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
	// ofTool are the words in which services refuse a tool's parameters: Gemini, OpenAI, Anthropic, and gateways before them.
	ofTool   = pattern.New(`function_?declarations?\b|schema for (?:function|tool)|invalid_function_parameters|input_?schema|tools?[.\[]\d+\]?\.[a-z_.]*parameters|tool parameters`)
	numbered = pattern.New(`(?i)(?:function_?declarations?|tools)[.\[](\d+)`)
	quoted   = pattern.New("['\"`]([a-zA-Z0-9_.:-]{1,128})['\"`]")
)

// refusedTool reads a refusal of a tool's parameters, of which one is enough to spoil every request that offers it: first all
// parameters are said plainly, then the tools that are still refused are left out. says is text in small letters.
func refusedTool(says, text string, a attempt) (reduction, bool) {
	if len(a.req.Tools) == 0 || a.quirks.NoTools || !ofTool.MatchString(says) {
		return reduction{}, false
	}
	if !a.quirks.PlainTools {
		return reduction{what: "schemas of tools beyond plain types", leave: func(q *quirks, _ attempt) { q.PlainTools = true }}, true
	}
	name := refusedName(text, a.quirks.offering(a.req).Tools)
	if name == "" || name == a.req.ToolChoice || len(a.quirks.Without) >= maxWithout {
		return reduction{}, false
	}
	return reduction{what: "the tool " + name, leave: func(q *quirks, _ attempt) {
		q.Without = append(slices.Clone(q.Without), name)
	}}, true
}

// refusedName is the tool that a refusal names, or numbers; "" if it does neither.
func refusedName(text string, tools []llm.Tool) string {
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		for _, t := range tools {
			if t.Name == m[1] || calledName(t.Name) == m[1] {
				return t.Name
			}
		}
	}
	name := ""
	for _, m := range numbered.FindAllStringSubmatch(strings.SplitN(text, "\n", 2)[0], -1) {
		if i, err := strconv.Atoi(m[1]); err == nil && i < len(tools) { // the last number: Gemini has all functions in tools[0]
			name = tools[i].Name
		}
	}
	return name
}

// offering is a request without the tools that the endpoint refuses.
func (q quirks) offering(req llm.Request) llm.Request {
	if len(q.Without) > 0 {
		req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), func(t llm.Tool) bool { return t.Name != req.ToolChoice && slices.Contains(q.Without, t.Name) })
	}
	return req
}
