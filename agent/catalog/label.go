package catalog

import (
	"slices"

	"maru/agent/workflow"
	"maru/phrase"
)

// Labelled returns a definition for readers of a language: nodes of a built-in agent that keep their label, and unnamed
// starts and ends, are called in that language. Labels that a team wrote stay as they are.
func Labelled(d workflow.Definition, language string) workflow.Definition {
	d.Nodes = slices.Clone(d.Nodes)
	for i, n := range d.Nodes {
		key := "drawing." + d.ID + "." + n.ID
		switch {
		case n.Label != "" && phrase.Has(key) && n.Label == phrase.Say(phrase.Fallback, key):
			d.Nodes[i].Label = phrase.Say(language, key)
		case n.Label == "" && n.Type == workflow.TypeStart && n.ID == "start":
			d.Nodes[i].Label = phrase.Say(language, "drawing.start")
		case n.Label == "" && n.Type == workflow.TypeEnd && n.ID == "end":
			d.Nodes[i].Label = phrase.Say(language, "drawing.end")
		}
	}
	return d
}
