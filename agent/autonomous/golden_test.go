package autonomous_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/workflow"
)

// golden compares what is generated with the file that holds it;
// MARU_UPDATE=1 writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not current; MARU_UPDATE=1 writes it", file)
	}
}

func builtin(t *testing.T) map[string]workflow.Definition {
	t.Helper()
	out := map[string]workflow.Definition{}
	for _, get := range []func() (workflow.Definition, error){chat.Definition, autonomous.Definition} {
		d, err := get()
		if err != nil {
			t.Fatal(err)
		}
		out[d.ID] = d
	}
	return out
}

func TestBuiltInDefinitionsAreDrawn(t *testing.T) {
	t.Parallel()
	for id, d := range builtin(t) {
		svg := workflow.SVG(d)
		golden(t, filepath.Join("testdata", id+".mmd"), workflow.Mermaid(d))
		golden(t, filepath.Join("testdata", id+".svg"), svg)
		wellFormed(t, svg)
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the drawing is no XML: %v", err)
		}
	}
}

func TestBuiltInDefinitionIsWithoutFault(t *testing.T) {
	t.Parallel()
	types, schema := autonomous.Types()
	d, err := autonomous.Definition()
	if err != nil {
		t.Fatal(err)
	}
	if found := workflow.Check(d, types, schema, nil); len(found) > 0 {
		t.Error(found)
	}
}

func TestNodeDocsAreCurrent(t *testing.T) {
	t.Parallel()
	types, schema := autonomous.Types()
	text, err := workflow.Docs(types, schema)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("..", "..", "docs", "nodes.md"), text)
}

func TestSchemaIsCurrentAndHolds(t *testing.T) {
	t.Parallel()
	types, _ := autonomous.Types()
	text, err := workflow.JSONSchema(types)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("..", "..", "docs", "workflow.schema.json"), string(text))
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(workflow.SchemaURL, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(workflow.SchemaURL)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	own, err := os.ReadFile("workflow.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := fits(string(own)); err != nil {
		t.Errorf("the built-in definition does not fit: %v", err)
	}
	for name, wrong := range map[string]string{
		"unknown_type":   strings.Replace(string(own), `"direct_answer", "node_type": "direct_answer"`, `"direct_answer", "node_type": "direct"`, 1),
		"unknown_member": strings.Replace(string(own), `"version"`, `"versions"`, 1),
		"wrong_config":   strings.Replace(string(own), `"max_reviews": 3`, `"max_reviews": "3"`, 1),
	} {
		if wrong == string(own) || fits(wrong) == nil {
			t.Errorf("%s fits", name)
		}
	}
}

func FuzzLoader(f *testing.F) {
	own, err := os.ReadFile("workflow.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte(flow("t", approval, approvalEdges)))
	f.Add([]byte(line("t", `{"id":"n","node_type":"set_state","config":{"set":{"answer":"{{ input + \"}}\" }}"}}}`)))
	f.Add([]byte(line("t", `{"id":"n<script>","label":"]]>&\u0001","node_type":"sub_workflow","config":{"workflow":"t"}}`)))
	f.Add([]byte(`{"nodes":[{"id":"a","node_type":"start"}],"edges":[{"source":"a","target":"a"}]}`))
	types, schema := autonomous.Types()
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := workflow.Parse(text)
		if err != nil {
			return
		}
		for _, p := range workflow.Check(d, types, schema, func(string) (workflow.Definition, bool) { return d, true }) {
			if p.Hint == "" || p.Stage == "" {
				t.Errorf("a problem without stage or suggestion: %+v", p)
			}
		}
		_ = workflow.Mermaid(d)
		if len(d.Nodes) < 50 {
			wellFormed(t, workflow.SVG(d))
		}
	})
}
