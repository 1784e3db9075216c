package orchestrator

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
)

// argumentsFit reports whether there are arguments and the tool accepts them.
func argumentsFit(x *workflow.Exec, name string, arguments json.RawMessage) bool {
	return len(arguments) > 0 && consent.Call{Tool: name, Arguments: arguments}.Faults(x) == nil
}

// settleArguments drops the values that the tool would refuse, so that the call that is
// shown can run, and records the required fields without a value.
func settleArguments(x *workflow.Exec, pre *prepared) {
	spec, ok := toolNamed(x, pre.Tool)
	if !ok { // reported when the step runs
		pre.Shown = cmp.Or(pre.Shown, workflow.AbsentTool)
		return
	}
	pre.Unfit, pre.Shown = "", spec.Digest()
	pre.Arguments = pre.call().Filled(x).Arguments
	if dropped := dropUnfit(x, pre); len(dropped) > 0 {
		pre.Notes = append(pre.Notes, x.Phrase("orchestrator.values_dropped", list(dropped)))
	}
	var given map[string]any
	if json.Unmarshal(pre.Arguments, &given) != nil {
		given = nil
	}
	pre.Missing, pre.Total = nil, 0
	for _, f := range consent.Fields(spec.Parameters) {
		if !f.Required {
			continue
		}
		pre.Total++
		if v, ok := given[f.Name]; !ok || v == nil || v == "" {
			pre.Missing = append(pre.Missing, f.Name)
		}
	}
	if wrong := pre.call().Faults(x); wrong != nil {
		pre.Unfit = tool.Sentence(wrong, x.Request.Language)
	}
}

// dropUnfit removes the values that do not fit the schema and returns their names.
// Arguments that are no JSON object become an empty one.
func dropUnfit(x *workflow.Exec, pre *prepared) []string {
	wrong := pre.call().Faults(x)
	if wrong == nil {
		return nil
	}
	given := map[string]json.RawMessage{}
	if json.Unmarshal(pre.Arguments, &given) != nil || given == nil {
		pre.Arguments = json.RawMessage("{}")
		return nil
	}
	before := slices.Sorted(maps.Keys(given))
	for _, f := range wrong.Faults {
		switch {
		case f.Field == "" && !f.Missing: // a conflict among values: which one is wrong is unknown
			clear(given)
		case !f.Missing:
			delete(given, f.Field)
		}
	}
	raw, err := json.Marshal(given)
	if err != nil { // cannot happen: the values were JSON
		raw = json.RawMessage("{}")
	}
	pre.Arguments = raw
	return slices.DeleteFunc(before, func(name string) bool { _, kept := given[name]; return kept })
}

// onlyMissing reports whether the only faults are missing values. People are asked for
// these: the model would invent them.
func onlyMissing(e *tool.Error) bool {
	return len(e.Faults) > 0 && !slices.ContainsFunc(e.Faults, func(f tool.Fault) bool { return !f.Missing })
}
