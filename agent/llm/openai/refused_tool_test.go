package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// geminis are the members of a schema that Gemini's OpenAI door takes.
var geminis = []string{"type", "description", "enum", "properties", "required", "items"}

// unlikeGemini says what a service as strict as Gemini refuses in a schema, "" if nothing.
func unlikeGemini(raw json.RawMessage, at string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return at + ": is no object"
	}
	var typ string
	if json.Unmarshal(all["type"], &typ) != nil {
		return "Proto field is not repeating, cannot start list at '" + at + "'"
	}
	for name := range all {
		if !slices.Contains(geminis, name) {
			return fmt.Sprintf("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", name, at)
		}
	}
	var props map[string]json.RawMessage
	_ = json.Unmarshal(all["properties"], &props)
	if typ != "object" && props != nil {
		return at + ".properties: only allowed for OBJECT type"
	}
	if typ == "array" && all["items"] == nil {
		return at + ".items: missing field."
	}
	for _, p := range props {
		if says := unlikeGemini(p, at+".properties[0].value"); says != "" {
			return says
		}
	}
	if all["items"] != nil {
		return unlikeGemini(all["items"], at+".items")
	}
	return ""
}

// oddTools are tools as MCP servers have them.
func oddTools() []llm.Tool {
	return []llm.Tool{
		{Name: "calculator", Parameters: json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`)},
		{Name: "notes", Parameters: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,"required":["parent","gone"],
			"properties":{"parent":{"$ref":"#/$defs/parent"},"size":{"type":["integer","null"],"minimum":1,"default":3},"kind":{"const":"page"},"tags":{"type":"array"},
			"on":{"type":"boolean","enum":[true]},"any":{},"either":{"anyOf":[{"type":"null"},{"type":"object","properties":{"id":{"type":"string","format":"uuid"}}}]},
			"sort":{"anyOf":[{"const":"asc"},{"const":"desc"},{"type":"null"}]},"level":{"enum":[1,2]}},
			"$defs":{"parent":{"type":"object","description":"Where to.","properties":{"up":{"$ref":"#/$defs/parent"},"id":{"type":"string"}},"required":["id"]}}}`)},
	}
}

// TestSchemasThatAServiceRefuses: one tool whose schema a service does not take spoils every request. It is said in plain words
// then, at once and for a day, and no tool is lost.
func TestSchemasThatAServiceRefuses(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		for i, tool := range r.Tools {
			if says := unlikeGemini(tool.Function.Parameters, fmt.Sprintf("tools[0].function_declarations[%d].parameters", i)); says != "" {
				return fault(llmtest.Fault{Status: http.StatusBadRequest, Message: says})
			}
		}
		return llmtest.Text("five")
	})
	m := model(t, srv, nil)
	for range 2 {
		req := ask("2+3?")
		req.Tools = oddTools()
		if resp, err := m.Generate(t.Context(), req, nil); err != nil || resp.Message.Content != "five" {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	chats := srv.Chats()
	if len(chats) != 3 || len(chats[2].Tools) != 2 {
		t.Fatalf("%d requests", len(chats))
	}
	want := `{"type":"object","properties":{"parent":{"type":"object","description":"Where to.","properties":{"up":{"type":"object"},"id":{"type":"string"}},"required":["id"]},` +
		`"size":{"type":"integer"},"kind":{"type":"string","enum":["page"]},"tags":{"type":"array","items":{"type":"string"}},"on":{"type":"boolean"},"any":{"type":"string"},` +
		`"either":{"type":"object","properties":{"id":{"type":"string"}}},"sort":{"type":"string","enum":["asc","desc"]},"level":{"type":"integer"}},"required":["parent"]}`
	if got := string(chats[2].Tools[1].Function.Parameters); got != want {
		t.Errorf("sent %s", got)
	}
}

// TestAToolThatAServiceRefuses: a tool that is refused however it is said is left out, in the words of several services.
func TestAToolThatAServiceRefuses(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]func(i int, tool string) string{
		"Gemini": func(i int, _ string) string {
			return fmt.Sprintf("* GenerateContentRequest.tools[0].function_declarations[%d].parameters.properties[data]: should be non-empty for OBJECT type\n", i)
		},
		"OpenAI": func(_ int, tool string) string {
			return "Invalid schema for function '" + tool + "': In context=(), it is odd."
		},
		"Anthropic": func(i int, _ string) string {
			return fmt.Sprintf("tools.%d.custom.input_schema: JSON schema is invalid.", i)
		},
		"vLLM": func(i int, _ string) string {
			return fmt.Sprintf("1 validation error: tools.%d.function.parameters is odd", i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				for i, tool := range r.Tools {
					if tool.Function.Name == "notes" {
						return fault(llmtest.Fault{Status: http.StatusBadRequest, Message: says(i, "notes")})
					}
				}
				return llmtest.Text("five")
			})
			m := model(t, srv, nil)
			for range 2 {
				req := ask("2+3?")
				req.Tools = oddTools()
				if resp, err := m.Generate(t.Context(), req, nil); err != nil || resp.Message.Content != "five" {
					t.Fatalf("%+v, %v", resp, err)
				}
			}
			if chats := srv.Chats(); len(chats) != 4 || len(chats[3].Tools) != 1 {
				t.Errorf("%d requests", len(chats))
			}
		})
	}
}

// TestListsSayWhatIsInThem: OpenAI refuses a whole request for one list that does not.
func TestListsSayWhatIsInThem(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Text("five") })
	req := ask("2+3?")
	req.Tools = []llm.Tool{{Name: "a", Parameters: json.RawMessage(`{"type":"object","properties":{"of":{"type":["array","null"]},"b":{"type":"object","properties":{"c":{"anyOf":[{"type":"array"}]}}},"d":{"type":"array","items":{"type":"array"}}}}`)}}
	if _, err := model(t, srv, nil).Generate(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"of":{"type":["array","null"],"items":{}},"b":{"type":"object","properties":{"c":{"anyOf":[{"type":"array","items":{}}]}}},"d":{"type":"array","items":{"type":"array","items":{}}}}}`
	if got := string(srv.Chats()[0].Tools[0].Function.Parameters); got != want {
		t.Errorf("sent %s", got)
	}
}

// TestRefusalsThatAreNotOfOneTool: neither a refusal of all tools, of their number or of something else, nor one that repeats what
// somebody said about schemas, costs a tool or its schema. What did not help is forgotten.
func TestRefusalsThatAreNotOfOneTool(t *testing.T) {
	t.Parallel()
	for _, says := range []string{
		"* GenerateContentRequest.tools[0].function_declarations: must not have more than 128 declarations.",
		"Function calling config is set without function_declarations.",
		"allowed_function_names: [search] should be a subset of [GenerateContentRequest.tools.function_declarations.name].",
		"* GenerateContentRequest.tools[0].function_declarations[1].name: Invalid function name.",
		`[{"type":"string_type","loc":["body","prompt"],"input":{"messages":[{"content":"what is tools[1].parameters?"}]}}]`,
		"1 validation error [type=missing, input_value={'messages': 'explain tools[1].parameters and schema for function'}]",
		"This model's maximum context length is 8192 tokens, however you requested 9000 (8000 in the messages, 1000 in the functions).",
		"Invalid schema for response_format 'plan': schema must have a 'type' key.",
		"tools[1].parameters is odd, and will be", // however it is said
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			refuse := true
			srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				if refuse {
					return fault(llmtest.Fault{Status: http.StatusBadRequest, Message: says})
				}
				return llmtest.Text("five")
			})
			m := model(t, srv, nil)
			req := ask("2+3?")
			req.Tools = oddTools()
			if resp, err := m.Generate(t.Context(), req, nil); err == nil {
				t.Fatalf("%+v", resp)
			}
			refuse = false
			if _, err := m.Generate(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			chats := srv.Chats()
			if sent := chats[len(chats)-1].Tools; len(sent) != 2 || !strings.Contains(string(sent[1].Function.Parameters), "$defs") {
				t.Errorf("%d tools, %s", len(sent), sent[len(sent)-1].Function.Parameters)
			}
		})
	}
}
