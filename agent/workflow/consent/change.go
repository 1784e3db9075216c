package consent

import (
	"reflect"
	"slices"
	"strings"

	"maru/agent/workflow"
	"maru/phrase/fit"
)

// Change compares a call with what a person made of it and with what runs then, see [Call.Changed].
type Change struct {
	Values   bool     // it has values that the person changed
	Defaults []string // fields with a default of the tool for what the person left empty
	Kept     []string // those of them that had the same value before
}

// Changed compares the call that was shown with the values that a person gave, and with the call that is shown next.
func (c Call) Changed(given, next Call) (d Change) {
	before, values, whole := exact(c.Arguments), exact(given.Arguments), exact(next.Arguments)
	for name, v := range whole {
		same := reflect.DeepEqual(before[name], v)
		switch {
		case !reflect.DeepEqual(values[name], v):
			d.Defaults = append(d.Defaults, name)
			if same {
				d.Kept = append(d.Kept, name)
			}
		case !same:
			d.Values = true
		}
	}
	for name := range before {
		_, still := whole[name]
		d.Values = d.Values || !still
	}
	slices.Sort(d.Defaults)
	slices.Sort(d.Kept)
	return d
}

// Notes tell people why the call is shown again: changed, if values changed, and the fields that got a default.
func (d Change) Notes(x *workflow.Exec, changed string) (notes []string) {
	if d.Values || len(d.Defaults) == 0 {
		notes = append(notes, changed)
	}
	if len(d.Defaults) > 0 {
		notes = append(notes, x.Phrase("agent.call_defaults", fit.Clip(fit.OneLine(strings.Join(d.Defaults, ", ")), 300)))
	}
	return notes
}
