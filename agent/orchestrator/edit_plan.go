package orchestrator

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/planedit"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// planEditor converts a person's edit to steps.
type planEditor struct {
	stage

	tools recommending
}

var editShape = llm.MustShape("edited_plan", `{
  "type": "object",
  "properties": {
    "understood": {"type": "boolean", "description": "false if the words are no change of the plan"},
    "steps": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "from": {"type": "integer", "minimum": 0, "description": "number of the step that this was, 0 for a new one"},
        "text": {"type": "string", "minLength": 1}
      },
      "required": ["from", "text"],
      "additionalProperties": false
    }}
  },
  "required": ["understood", "steps"],
  "additionalProperties": false
}`)

// readEdit returns the steps that a person wants, read from the form, a list in a reply, or requests by number,
// otherwise by the model. It returns nil if the edit was not understood.
func (k planEditor) readEdit(ctx context.Context, s graph.State, x *workflow.Exec, e planEdit) ([]planedit.Line, []graph.Write, error) {
	have := stepTexts(e.shown)
	if v, ok := e.d.Values[fieldPlan]; ok {
		return append([]planedit.Line{}, planedit.FromForm(v, have)...), nil, nil
	}
	if lines, ok := planedit.FromList(e.d.Text, have); ok {
		return lines, nil, nil
	}
	if lines, ok := planedit.FromWords(e.d.Text, have); ok {
		return append([]planedit.Line{}, lines...), nil, nil
	}
	if strings.TrimSpace(e.d.Text) == "" {
		return nil, nil, nil
	}
	return k.editByModel(ctx, s, x, e)
}

func (k planEditor) editByModel(ctx context.Context, s graph.State, x *workflow.Exec, e planEdit) ([]planedit.Line, []graph.Write, error) {
	type edited struct {
		Understood bool            `json:"understood"`
		Steps      []planedit.Line `json:"steps"`
	}
	text, err := k.prompt("edit", s, x, map[string]any{"Plan": numbered(stepTexts(e.shown))})
	if err != nil {
		return nil, nil, err
	}
	req := llm.Request{Purpose: llm.ForRewrite, Messages: system(text, user(fit.Clip(e.d.Text, 4000)))}
	got, err := workflow.Fill[edited](ctx, x, "edit", req, editShape.Allowing("from", numbersTo(len(e.shown))))
	if err != nil {
		return nil, nil, err
	}
	cost := k.cost(got.Usage, 1)
	if got.Failed != "" || !got.Value.Understood {
		return nil, cost, nil
	}
	lines := append([]planedit.Line{}, got.Value.Steps...)
	seen := map[int]bool{}
	for i, l := range lines {
		if l.From > len(e.shown) || seen[l.From] {
			lines[i].From = 0
		}
		seen[l.From] = true
	}
	return lines, cost, nil
}

// numbersTo returns the numbers 0 to n; 0 stands for a new step.
func numbersTo(n int) []string {
	out := make([]string, n+1)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// rebuilt holds the steps after an edit.
type rebuilt struct {
	steps []step
	kept  []int // indices of steps with a new text that kept their tool
	cost  []graph.Write
}

// rebuild converts edited lines to steps. Unchanged steps stay; new and changed ones get a tool that suits their
// text.
func (e planEditor) rebuild(ctx context.Context, s graph.State, x *workflow.Exec, lines []planedit.Line, shown []step) (rebuilt, error) {
	steps := make([]step, len(lines))
	var changed []int
	for i, l := range lines {
		text := fit.Clip(fit.OneLine(l.Text), maxStepText)
		if l.From > 0 && planedit.Same(text, shown[l.From-1].Text) {
			steps[i] = shown[l.From-1]
			continue
		}
		steps[i] = step{Text: text}
		if l.From > 0 {
			steps[i].ID, steps[i].Tool = shown[l.From-1].ID, shown[l.From-1].Tool
		}
		if n := toolInText(x, text); n != "" {
			steps[i].Tool = n
			continue
		}
		changed = append(changed, i)
	}
	if len(changed) == 0 || x.Tools == nil {
		return rebuilt{steps: steps}, nil
	}
	chosen, cost, err := e.retool(ctx, s, x, steps, changed)
	if chosen {
		changed = nil
	}
	return rebuilt{steps, changed, cost}, err
}

// toolInText returns the tool that a step's text names, as in "(web_search)".
func toolInText(x *workflow.Exec, text string) string {
	if x.Tools == nil {
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for _, n := range x.Tools.Names() {
		if strings.Contains(n, "_") && slices.Contains(words, n) {
			return n
		}
	}
	return ""
}

var toolsShape = llm.MustShape("tools_of_steps", `{
  "type": "object",
  "properties": {"tools": {"type": "array", "items": {"type": "string", "description": "name of the one tool that the step needs, or empty"}}},
  "required": ["tools"],
  "additionalProperties": false
}`)

// retool asks the model which tools the changed steps need. If it does not decide, chosen is false and each step
// keeps its tool.
func (e planEditor) retool(ctx context.Context, s graph.State, x *workflow.Exec, steps []step, changed []int) (chosen bool, cost []graph.Write, err error) {
	var texts []string
	for _, i := range changed {
		texts = append(texts, steps[i].Text)
	}
	tools, err := e.tools.recommend(ctx, x, strings.Join(texts, "\n"), maxOffered)
	if err != nil {
		return false, nil, err
	}
	for _, st := range steps { // including the plan's own tools
		if spec, ok := toolNamed(x, st.Tool); ok && !slices.ContainsFunc(tools, func(t tool.Spec) bool { return t.Name == spec.Name }) {
			tools = append(tools, spec)
		}
	}
	text, err := e.prompt("retool", s, x, map[string]any{"Tools": described(tools), "Plan": numbered(texts), "Count": len(texts)})
	if err != nil {
		return false, nil, err
	}
	type toolsOf struct {
		Tools []string `json:"tools"`
	}
	got, err := workflow.Fill[toolsOf](ctx, x, "retool", llm.Request{Purpose: llm.ForExtract, Messages: system(text, user(e.input.Get(s)))}, toolsShape.Allowing("tools", allowedTools(x, tools)))
	if err != nil {
		return false, nil, err
	}
	chosen = got.Failed == "" && len(got.Value.Tools) == len(changed)
	if chosen {
		for n, i := range changed {
			if _, ok := toolNamed(x, got.Value.Tools[n]); ok || got.Value.Tools[n] == "" {
				steps[i].Tool = got.Value.Tools[n]
			}
		}
	}
	return chosen, e.cost(got.Usage, 1), nil
}
