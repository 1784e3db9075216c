package workflow

import (
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent/graph"
)

// Docs writes the reference of node types as Markdown: ports, what each reads
// and writes, and the schema of its config.
func Docs(r *Registry, schema *graph.Schema) (string, error) {
	var s strings.Builder
	s.WriteString("# Node types\n\n<!-- Written by `MARU_UPDATE=1 go test ./agent/autonomous`; a test keeps it current. -->\n\n")
	s.WriteString("Every workflow also has nodes of the types `start` and `end`, which do nothing. How to write a definition, its templates and its expressions: [adding-a-node.md](adding-a-node.md).\n\n")
	s.WriteString("## State\n\n| channel | a write | lives for | type |\n|---|---|---|---|\n")
	for _, c := range schema.Channels() {
		how := map[string]string{
			"last": "replaces", "fold": "is combined with what is there", "list": "appends", "keyed": "appends, or replaces the item with the same key",
		}[c.Kind]
		fmt.Fprintf(&s, "| `%s` | %s | a %s | %s |\n", c.Name, how, c.Life, c.Type)
	}
	s.WriteString("\n## Types\n\n| type | what it does |\n|---|---|\n")
	for _, name := range r.Names() {
		t, _ := r.Type(name)
		fmt.Fprintf(&s, "| [`%s`](#%s) | %s |\n", name, name, t.Summary)
	}
	for _, name := range r.Names() {
		t, _ := r.Type(name)
		if err := typeDocs(&s, t); err != nil {
			return "", err
		}
	}
	return s.String(), nil
}

func typeDocs(s *strings.Builder, t Type) error {
	fmt.Fprintf(s, "\n### %s\n\n%s\n\n", t.Name, t.Summary)
	if t.Doc != "" {
		fmt.Fprintf(s, "%s\n\n", t.Doc)
	}
	ports := "one, without a name"
	switch {
	case t.PortsOf != nil:
		ports = "named by the config"
	case len(t.Ports) > 0:
		ports = words(t.Ports)
	}
	if t.Expiry != "" {
		ports += "; `" + t.Expiry + "` may stay unconnected"
	}
	fmt.Fprintf(s, "- ports: %s\n- reads: %s\n- writes: %s\n", ports, words(t.Reads), words(t.Writes))
	if t.Mappable {
		s.WriteString("- can be the body of a `map`\n")
	}
	if t.Bounded {
		s.WriteString("- bounds the loop it stands in\n")
	}
	if len(t.Config) == 0 {
		s.WriteString("- config: none\n")
		return nil
	}
	var parsed any
	if err := json.Unmarshal(t.Config, &parsed); err != nil {
		return fmt.Errorf("config schema of type %s: %w", t.Name, err)
	}
	text, err := json.MarshalIndent(parsed, "", "  ")
	if err != nil {
		return fmt.Errorf("config schema of type %s: %w", t.Name, err)
	}
	fmt.Fprintf(s, "- config:\n\n```json\n%s\n```\n", text)
	return nil
}

func words(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
