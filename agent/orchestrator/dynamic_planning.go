package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/phrase/fit"
)

// drafted is a plan in the form in which the model returns it.
type drafted struct {
	Title string      `json:"title"`
	Why   string      `json:"why"`
	Steps []draftStep `json:"steps"`
}

type draftStep struct {
	Text   string `json:"text"`
	Detail string `json:"detail"`
	Tool   string `json:"tool"`
}

var planShape = llm.MustShape("plan", `{
  "type": "object",
  "properties": {
    "title": {"type": "string", "description": "of the task, a few words, in the person's language"},
    "why": {"type": "string", "description": "one sentence on why these steps, in the person's language"},
    "steps": {"type": "array", "minItems": 1, "items": {
      "type": "object",
      "properties": {
        "text": {"type": "string", "minLength": 1, "description": "what is done, one line, in the person's language"},
        "detail": {"type": "string", "description": "what the result must hold, may be empty"},
        "tool": {"type": "string", "description": "name of the one tool that the step needs, or empty"}
      },
      "required": ["text", "detail", "tool"],
      "additionalProperties": false
    }}
  },
  "required": ["title", "why", "steps"],
  "additionalProperties": false
}`)

// planner writes the plan of a task.
type planner struct {
	stage

	tools  recommending
	memory planMemory
	limits Limits
}

// planMemory returns successful plans of similar tasks, their template, and the person's preferences.
type planMemory interface {
	preferences

	similarPlans(ctx context.Context, x *workflow.Exec, task string) ([]planned, error)
	template(ctx context.Context, x *workflow.Exec, task string) (*planned, error)
}

func (p planner) dynamicPlanning() workflow.Type {
	return p.define("dynamic_planning", "Plans the steps, after plans that went well before; after a failure, what is left of them.",
		p.makePlan, []string{toAsk, toRun, toStop}, p.plan.Name(), p.current.Name(), p.problem.Name(), p.known.Name())
}

func (p planner) makePlan(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	x.Doing("orchestrator.planning")
	old := p.plan.Get(s)
	if old.Redo {
		known, err := p.memory.personal(ctx, x, p.input.Get(s)) // it may have changed since routing
		if err != nil {
			return nil, err
		}
		return p.settle(ctx, s, x, reshownPlan(x, old), p.known.Set(known))
	}
	if seed := p.seed.Get(s); seed.Tool != "" && len(old.Steps) == 0 {
		return p.settle(ctx, s, x, p.onlyCall(s, x, seed))
	}
	task := p.input.Get(s)
	tools, err := p.tools.recommend(ctx, x, task, maxOffered)
	if err != nil {
		return nil, err
	}
	past, err := p.pastPlans(ctx, x, task)
	if err != nil {
		return nil, err
	}
	d, known := p.fromTemplate(s, x, past)
	var used llm.Usage
	var calls int
	if !known {
		if d, used, calls, err = p.draft(ctx, s, x, withToolsOf(x, tools, past), past); err != nil {
			return nil, err
		}
	}
	cost := p.cost(used, calls)
	if n := len(d.Steps); n > p.limits.Steps {
		return append(cost, p.next.Set(toStop), p.problem.Set(x.Phrase("orchestrator.too_many_steps", n, p.limits.Steps))), nil
	}
	return p.settle(ctx, s, x, p.assemblePlan(s, x, d, past), cost...)
}

// onlyCall returns the plan for a model that requested a single call. Invalid arguments are dropped; the step
// fills them in.
func (p planner) onlyCall(s graph.State, x *workflow.Exec, c call) plan {
	if !argumentsFit(x, c.Tool, c.Arguments) {
		c.Arguments = nil
	}
	text := x.Phrase("orchestrator.step_of_tool", toolTitle(x, c.Tool))
	return plan{Title: p.title.Get(s), Steps: []step{{Text: text, Tool: c.Tool, Arguments: c.Arguments}}}
}

// draft asks the model for a plan. A plan that is too long or names unknown tools is returned to the model once.
// If the model cannot plan, the task becomes the only step.
func (k planner) draft(ctx context.Context, s graph.State, x *workflow.Exec, tools []tool.Spec, past []planned) (d drafted, used llm.Usage, calls int, err error) {
	var left string
	if p := k.plan.Get(s); len(p.Steps) > 0 {
		left = k.progress(ctx, s)
	}
	text, err := k.prompt("plan", s, x, map[string]any{
		"Max": k.limits.Steps, "Tools": described(tools), "Past": past, "Progress": left, "Undone": k.clarity.Get(s).Undone,
		"Earlier": host.LongAgo(ctx, x, k.log, k.shown(s)),
	})
	if err != nil {
		return d, used, 0, err
	}
	told := system(text, k.talk(s)...)
	messages := told
	shape := planShape.Allowing("tool", allowedTools(x, tools))
	for try := range 2 {
		got, err := workflow.Fill[drafted](ctx, x, fmt.Sprintf("plan/%d", try), llm.Request{Purpose: llm.ForPlan, Messages: messages}, shape)
		used.Add(got.Usage)
		if err != nil {
			if !k.continuesWithoutModel(ctx, s, err) {
				return d, used, try + 1, err
			}
			got.Failed = string(llm.ClassOf(err))
		}
		if got.Failed != "" && try > 0 {
			return withoutUntold(x, d, told), used, try + 1, nil // use the first draft
		}
		if got.Failed != "" {
			if left := k.undone(s); len(k.plan.Get(s).Steps) > 0 {
				return drafted{Title: k.plan.Get(s).Title, Steps: left}, used, 1, nil
			}
			return drafted{
				Why:   x.Phrase("orchestrator.one_step"),
				Steps: []draftStep{{Text: fit.Clip(k.input.Get(s), 300)}},
			}, used, 1, nil
		}
		d = got.Value
		wrong := k.faults(x, d, told)
		if wrong == "" {
			return d, used, try + 1, nil
		}
		messages = append(slices.Clone(messages), user(wrong))
	}
	return withoutUntold(x, d, told), used, 2, nil
}

// withoutUntold leaves out of a plan the numbers of records that nobody told. Another code may be the model's own word: ISO-14001.
func withoutUntold(x *workflow.Exec, d drafted, told []llm.Message) drafted {
	for i, st := range d.Steps {
		codes, instead := flow.UntoldRecords(st.Text+"\n"+st.Detail, told), x.Phrase("orchestrator.number_unknown")
		d.Steps[i].Text, d.Steps[i].Detail = flow.LeaveOut(st.Text, codes, instead), flow.LeaveOut(st.Detail, codes, instead)
	}
	return d
}

// faults describes the errors of a plan for the model, "" if there are none. told is the prompt: a code that it lacks is made up.
func (p planner) faults(x *workflow.Exec, d drafted, told []llm.Message) string {
	var wrong, said []string
	if len(d.Steps) > p.limits.Steps {
		wrong = append(wrong, fmt.Sprintf("The plan has %d steps; at most %d are possible. Plan coarser.", len(d.Steps), p.limits.Steps))
	}
	for i, st := range d.Steps[:min(len(d.Steps), p.limits.Steps)] {
		said = append(said, st.Text)
		if _, ok := toolNamed(x, st.Tool); st.Tool != "" && !ok {
			wrong = append(wrong, fmt.Sprintf("Step %d names the tool %q, which does not exist. Use one of the listed tools, or none.", i+1, fit.Clip(st.Tool, 64)))
		}
		if codes := flow.Untold(st.Text+" "+st.Detail, told); len(codes) > 0 {
			wrong = append(wrong, fmt.Sprintf("Step %d names %q, which nobody told and no result has. Name only what the task names, or what an earlier step finds.", i+1, codes[0]))
		}
	}
	return strings.Join(append(wrong, node.OtherLanguage(x.Request.Language, strings.Join(said, " "))...), "\n")
}

// assemblePlan converts a draft to the plan that people see, with known tools, their effects and the memories
// used. Completed steps come first.
func (k planner) assemblePlan(s graph.State, x *workflow.Exec, d drafted, past []planned) plan {
	old := k.plan.Get(s)
	p := plan{Title: strings.TrimSpace(d.Title), Why: fit.Clip(strings.TrimSpace(d.Why), 500), Original: old.Original, Replans: old.Replans, NextID: old.NextID}
	if p.Title == "" {
		p.Title = k.title.Get(s)
	}
	for _, st := range old.Steps {
		if o := k.outcomeOf(s, st.ID); o.State != "" {
			p.Steps = append(p.Steps, st)
		}
	}
	for _, st := range d.Steps {
		one := step{Text: fit.Clip(fit.OneLine(st.Text), maxStepText), Detail: fit.Clip(strings.TrimSpace(st.Detail), 300), Tool: st.Tool}
		if _, ok := toolNamed(x, st.Tool); !ok {
			if st.Tool != "" {
				p.Notes = append(p.Notes, x.Phrase("orchestrator.unknown_tool", fit.Clip(st.Tool, 64)))
			}
			one.Tool = ""
		}
		one.Text, one.Detail = inWords(x, one)
		p.Steps = append(p.Steps, one)
	}
	if len(old.Steps) == 0 {
		for _, m := range past[:min(len(past), 1)] {
			p.From = append(p.From, m.Record)
			p.Notes = append(p.Notes, followed(x, m))
		}
	}
	return p
}

// inWords returns a step's text and detail for people. A tool name in place of the text, as small models write it,
// is replaced with the detail or the tool's title.
func inWords(x *workflow.Exec, st step) (text, detail string) {
	rest, named := strings.CutPrefix(st.Text, st.Tool)
	rest = strings.TrimSpace(rest)
	said := strings.TrimSpace(strings.TrimLeft(rest, "-–—:"))
	switch {
	case st.Tool == "" || !named || said == rest && rest != "": // a sentence that contains the name
		return st.Text, st.Detail
	case said != "":
		return said, st.Detail
	case st.Detail != "":
		return fit.Clip(fit.OneLine(st.Detail), maxStepText), ""
	}
	return toolTitle(x, st.Tool), ""
}

// settle numbers the steps, sets their effects and decides whether the plan needs
// approval.
func (k planner) settle(ctx context.Context, s graph.State, x *workflow.Exec, p plan, more ...graph.Write) ([]graph.Write, error) {
	p = numberSteps(x, p)
	if len(p.Original) == 0 {
		p.Original = p.Steps
	}
	i := slices.IndexFunc(p.Steps, func(st step) bool { return k.outcomeOf(s, st.ID).State == "" })
	if i < 0 {
		i = len(p.Steps)
	}
	p, cost, err := k.pinValues(ctx, s, x, p, i)
	if err != nil {
		return nil, err
	}
	showPlan(x, p, k.outcomes.Get(s), "")
	p.Heard = cmp.Or(x.Heard(), p.Heard)
	port := toRun
	switch {
	case i == len(p.Steps): // no step remains after a failure
		port = toStop
	case x.Request.Approvals.Plan:
		port = toAsk
	}
	return append(append(more, cost...), k.plan.Set(p), k.current.Set(i), k.next.Set(port)), nil
}

// maxStepText limits a step's text, in characters, so that a whole plan fits a form field of 3,000.
const maxStepText = 240
