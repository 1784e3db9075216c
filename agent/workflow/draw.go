package workflow

import (
	"fmt"
	"strings"
)

// Mermaid draws a definition as a Mermaid flowchart, its nodes in the order of
// the text. It draws whatever was parsed, also what would not compile.
func Mermaid(d Definition) string {
	var s strings.Builder
	s.WriteString("flowchart TD\n")
	for _, n := range d.Nodes {
		label := n.Label
		if label == "" {
			label = n.ID
		}
		label = strings.NewReplacer(`"`, "&quot;", "\n", " ").Replace(label)
		switch n.Type {
		case TypeStart, TypeEnd:
			fmt.Fprintf(&s, "  %s([\"%s\"])\n", safeID(n.ID), label)
		default:
			fmt.Fprintf(&s, "  %s[\"%s<br/><small>%s</small>\"]\n", safeID(n.ID), label, n.Type)
		}
	}
	for _, e := range d.Edges {
		arrow := "-->"
		if e.Port != "" {
			arrow = "-- " + e.Port + " -->"
		}
		fmt.Fprintf(&s, "  %s %s %s\n", safeID(e.Source), arrow, safeID(e.Target))
	}
	return s.String()
}

// safeID keeps ids from being read as Mermaid's own words.
func safeID(id string) string {
	return "n_" + strings.NewReplacer(".", "_", "-", "_").Replace(id)
}
