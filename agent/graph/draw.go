package graph

import (
	"fmt"
	"strings"
)

// Mermaid draws the plan as a Mermaid flowchart. The drawing depends on
// nothing but the plan.
func (p *Plan) Mermaid() string {
	var s strings.Builder
	s.WriteString("flowchart TD\n")
	for i, n := range p.nodes {
		switch {
		case i == 0:
			s.WriteString("    n0([start])\n")
		case n.child != nil:
			fmt.Fprintf(&s, "    n%d[[%s: %s]]\n", i, n.name, n.child.name)
		default:
			fmt.Fprintf(&s, "    n%d[%s]\n", i, n.name)
		}
	}
	s.WriteString("    stop([end])\n")
	for i, n := range p.nodes {
		for _, t := range n.static {
			fmt.Fprintf(&s, "    n%d --> %s\n", i, mermaidID(t))
		}
		for _, br := range n.branches {
			for _, t := range br.order {
				fmt.Fprintf(&s, "    n%d -.-> %s\n", i, mermaidID(br.targets[t]))
			}
		}
		if n.expiry != noExpiry {
			fmt.Fprintf(&s, "    n%d -. expired .-> %s\n", i, mermaidID(n.expiry))
		}
	}
	for _, j := range p.joins {
		for _, src := range j.sources {
			fmt.Fprintf(&s, "    n%d ==> %s\n", src, mermaidID(j.target))
		}
	}
	return s.String()
}

func mermaidID(node int) string {
	if node == endNode {
		return "stop"
	}
	return fmt.Sprintf("n%d", node)
}
