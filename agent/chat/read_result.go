package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"maru/agent/flow"
	"maru/agent/llm"
	"maru/memory"
)

// readResult is the agent's own tool to read a long tool result part by part. The window keeps results whole; a
// prompt has only the first part.
const readResult = "read_result"

var readResultSpec = llm.Tool{
	Name:        readResult,
	Description: "Reads on in a long result of a tool of which only a part is shown.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"result":{"type":"string","description":"as the part that is shown names it"},` +
		`"part":{"type":"integer","minimum":1}},"required":["result","part"],"additionalProperties":false}`),
}

// maxPart limits one result in a prompt, in bytes.
const maxPart = 6 << 10

// resultParts splits a result, at line ends where possible.
func resultParts(text string) []string {
	var out []string
	for len(text) > maxPart {
		n := maxPart
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		if line := strings.LastIndexByte(text[:n], '\n'); line > maxPart/2 {
			n = line + 1
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return append(out, text)
}

// part formats one part of a result for the model.
func part(m memory.Message, n int) string {
	all := resultParts(m.Text)
	if len(all) == 1 {
		return m.Text
	}
	shown := fmt.Sprintf("%s\n[part %d of %d of this result", all[n-1], n, len(all))
	if n < len(all) {
		shown += fmt.Sprintf("; %s with {\"result\":%q,\"part\":%d} reads on", readResult, m.ID, n+1)
	}
	return shown + "]"
}

// shown returns a result as it enters a prompt: its first part, or the part requested.
func shown(m memory.Message) string {
	if m.Name == readResult {
		return m.Text
	}
	return part(m, 1)
}

// longResults reports whether a window contains a result of several parts.
func longResults(messages []memory.Message) bool {
	return slices.ContainsFunc(messages, func(m memory.Message) bool { return m.CallID != "" && len(m.Text) > maxPart })
}

// readOn returns the next part of a result, with that result's label.
func readOn(messages []memory.Message, c memory.Call) called {
	var args struct {
		Result string `json:"result"`
		Part   int    `json:"part"`
	}
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		return called{text: failedCall + "bad_argument): " + readResult + " wants a result and the number of a part."}
	}
	i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.CallID != "" && m.ID == args.Result })
	if i < 0 {
		return called{text: failedCall + "not_found): there is no such result in this conversation any more; call its tool again."}
	}
	m := messages[i]
	if n := len(resultParts(m.Text)); args.Part < 1 || args.Part > n {
		return called{text: fmt.Sprintf("%sbad_argument): this result has the parts 1 to %d.", failedCall, n)}
	}
	return called{text: part(m, args.Part), label: flow.Label{Outsiders: m.Outsiders}}
}
