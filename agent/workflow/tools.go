package workflow

import "encoding/json"

// Toolless says of those types that do not tell which tools they call that they
// call none.
func Toolless(types []Type) []Type {
	for i := range types {
		if types[i].Tools == nil {
			types[i].Tools = func(json.RawMessage) ([]string, bool) { return nil, false }
		}
	}
	return types
}

// Tools returns the names of the tools that definitions may call, or that they
// may call any that a run has.
func Tools(list []Definition, r *Registry) (names []string, all bool) {
	for _, d := range list {
		for _, n := range d.Nodes {
			if n.Type == TypeStart || n.Type == TypeEnd {
				continue
			}
			t, known := r.Type(n.Type)
			if !known || t.Tools == nil {
				return nil, true
			}
			more, every := t.Tools(n.Config)
			if every {
				return nil, true
			}
			names = append(names, more...)
		}
	}
	return dedupe(names), false
}
