// Package trigger tells schedules of the triggers of a team's workflows: it connects maru/agent/workflow, which reads them
// from files, to maru/bot/calendar, which knows no workflows. It must not decide when anything runs.
package trigger

import (
	"maru/agent/workflow"
	"maru/bot/calendar"
)

// Folder has the workflows that serve now.
type Folder interface {
	IDs() []string
	Definition(id string) (workflow.Definition, bool)
}

// List returns the triggers of every workflow that serves, by workflow; one without triggers has none.
func List(f Folder) map[string][]calendar.Trigger {
	out := map[string][]calendar.Trigger{}
	for _, id := range f.IDs() {
		d, ok := f.Definition(id)
		if !ok { // gone since
			continue
		}
		out[id] = nil
		for _, t := range d.TriggerList() {
			rule, err := t.Rule()
			if err != nil { // a definition that serves was checked
				continue
			}
			out[id] = append(out[id], calendar.Trigger{
				Workflow: id, Name: d.Name, ID: t.ID, Owner: d.Owner, Rule: rule, Zone: t.Zone, Input: t.Input, InThread: t.Result == workflow.ResultThread,
			})
		}
	}
	return out
}
