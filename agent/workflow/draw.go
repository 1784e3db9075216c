package workflow

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// Mermaid draws a definition as a Mermaid flowchart, its nodes in the order of
// the text. It draws whatever was parsed, also what would not compile.
func Mermaid(d Definition) string {
	var s strings.Builder
	s.WriteString("flowchart TD\n")
	for _, n := range d.Nodes {
		label := cmp.Or(n.Label, n.ID)
		label = mermaidText(label)
		switch n.Type {
		case TypeStart, TypeEnd:
			fmt.Fprintf(&s, "  %s([\"%s\"])\n", safeID(n.ID), label)
		default:
			fmt.Fprintf(&s, "  %s[\"%s<br/><small>%s</small>\"]\n", safeID(n.ID), label, mermaidText(n.Type))
		}
	}
	for _, e := range d.Edges {
		arrow := "-->"
		if e.Port != "" {
			arrow = `-- "` + mermaidText(e.Port) + `" -->`
		}
		fmt.Fprintf(&s, "  %s %s %s\n", safeID(e.Source), arrow, safeID(e.Target))
	}
	return s.String()
}

// mermaidText keeps a text from being read as Mermaid or as HTML.
func mermaidText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) { // it would reverse the text beside it
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "\n", " ", "\r", " ", "`", "'").Replace(s)
}

// safeID keeps ids from being read as Mermaid's own words.
func safeID(id string) string {
	var b strings.Builder
	b.WriteString("n_")
	for _, r := range id {
		switch {
		case r == '.' || r == '-':
			fmt.Fprintf(&b, "_%x_", r) // "a.b" and "a_b" stay two nodes
		case r == '_' || (r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r))):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	return b.String()
}
