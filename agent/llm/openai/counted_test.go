package openai_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestCallsHoweverCounted: the pieces of streamed calls find their calls where servers give no index, one index to two calls, or
// another index to the arguments than to the name.
func TestCallsHoweverCounted(t *testing.T) {
	t.Parallel()
	const both = `calculator{"expression":"2+3"} calculator{"expression":"4+5"}`
	for name, pieces := range map[string][]string{
		"as documented": {
			`{"index":0,"id":"a","type":"function","function":{"name":"calculator","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"expression\":\"2+3\"}"}}`,
			`{"index":1,"id":"b","type":"function","function":{"name":"calculator","arguments":""}}`, `{"index":1,"function":{"arguments":"{\"expression\":\"4+5\"}"}}`,
		},
		"second head counted as the first": {
			`{"index":0,"id":"a","function":{"name":"calculator","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"expression\":\"2+3\"}"}}`,
			`{"index":0,"id":"b","function":{"name":"calculator","arguments":""}}`, `{"index":1,"function":{"arguments":"{\"expression\":"}}`, `{"index":1,"function":{"arguments":"\"4+5\"}"}}`,
		},
		"arguments counted otherwise": {
			`{"index":0,"id":"a","function":{"name":"calculator"}}`, `{"index":1,"function":{"arguments":"{\"expression\":\"2+3\"}"}}`,
			`{"index":2,"id":"b","function":{"name":"calculator"}}`, `{"index":3,"function":{"arguments":"{\"expression\":"}}`, `{"index":3,"function":{"arguments":"\"4+5\"}"}}`,
		},
		"not counted": {
			`{"id":"a","function":{"name":"calculator","arguments":""}}`, `{"function":{"arguments":"{\"expression\":\"2+3\"}"}}`,
			`{"id":"b","function":{"name":"calculator","arguments":""}}`, `{"function":{"arguments":"{\"expression\":\"4+5\"}"}}`,
		},
		"not counted, each piece with its id, the name last": {
			`{"id":"a","function":{"arguments":"{\"expression\":"}}`, `{"id":"a","function":{"arguments":"\"2+3\"}"}}`, `{"id":"a","function":{"name":"calculator"}}`,
			`{"id":"b","function":{"arguments":"{\"expression\":\"4+5\"}"}}`, `{"id":"b","function":{"name":"calculator","arguments":""}}`,
		},
		"interleaved": {
			`{"index":0,"id":"a","function":{"name":"calculator"}}`, `{"index":1,"id":"b","function":{"name":"calculator"}}`,
			`{"index":1,"function":{"arguments":"{\"expression\":\"4+5\"}"}}`, `{"index":0,"function":{"arguments":"{\"expression\":\"2+3\"}"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var data []string
			for _, p := range pieces {
				data = append(data, `{"choices":[{"index":0,"delta":{"tool_calls":[`+p+`]}}]}`)
			}
			m, _ := replies(t, stream, events(append(data, `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")...))
			req := ask("2+3 and 4+5?")
			req.Tools = []llm.Tool{{Name: "calculator"}}
			resp, err := m.Generate(t.Context(), req, nil)
			var got []string
			for _, c := range resp.Message.ToolCalls {
				got = append(got, c.Name+string(c.Arguments))
			}
			if err != nil || strings.Join(got, " ") != both {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
