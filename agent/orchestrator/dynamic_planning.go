package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
)

// drafted is a plan as the model writes it.
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

func (k kit) dynamicPlanning() workflow.Type {
	return k.define("dynamic_planning", "Plans the steps, after plans that went well before; after a failure, what is left of them.",
		k.makePlan, []string{toAsk, toRun, toStop}, k.plan.Name(), k.current.Name(), k.problem.Name(), k.known.Name())
}

func (k kit) makePlan(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	x.Doing("orchestrator.planning")
	old := k.plan.Get(s)
	if old.Redo {
		known, err := k.personal(ctx, x, k.input.Get(s)) // it may have changed since
		return append(k.settle(s, x, k.takeUp(x, old)), known), err
	}
	if seed := k.seed.Get(s); seed.Tool != "" && len(old.Steps) == 0 {
		return k.settle(s, x, k.onlyCall(s, x, seed)), nil
	}
	task := k.input.Get(s)
	tools, err := k.recommend(ctx, x, task, maxOffered)
	if err != nil {
		return nil, err
	}
	past, err := k.similarPlans(ctx, x, task)
	if err != nil {
		return nil, err
	}
	d, used, calls, err := k.draft(ctx, s, x, tools, past)
	if err != nil {
		return nil, err
	}
	cost := k.cost(used, calls)
	if n := len(d.Steps); n > k.cfg.Limits.Steps {
		return append(cost, k.next.Set(toStop), k.problem.Set(x.Phrase("orchestrator.too_many_steps", n, k.cfg.Limits.Steps))), nil
	}
	return append(cost, k.settle(s, x, k.assemblePlan(s, x, d, past))...), nil
}

// onlyCall is the plan of a model that asked for one call. Values that the tool
// would refuse are not shown: the step finds its own.
func (k kit) onlyCall(s graph.State, x *workflow.Exec, c call) plan {
	if !k.fits(x, c.Tool, c.Arguments) {
		c.Arguments = nil
	}
	text := x.Phrase("orchestrator.step_of_tool", k.titleOf(x, c.Tool))
	return plan{Title: k.title.Get(s), Steps: []step{{Text: text, Tool: c.Tool, Arguments: c.Arguments}}}
}

// draft asks the model for a plan. One that is too long or names unknown tools
// is sent back once. If the model cannot plan, the task is its only step.
func (k kit) draft(ctx context.Context, s graph.State, x *workflow.Exec, tools []tool.Spec, past []planned) (d drafted, used llm.Usage, calls int, err error) {
	var left string
	if p := k.plan.Get(s); len(p.Steps) > 0 {
		left = k.progress(s, x)
	}
	text, err := k.prompt("plan", s, x, map[string]any{
		"Max": k.cfg.Limits.Steps, "Tools": tools, "Past": past, "Progress": left, "Undone": k.clarity.Get(s).Undone,
		"Earlier": host.LongAgo(ctx, x, k.cfg.Log, k.shown(s)),
	})
	if err != nil {
		return d, used, 0, err
	}
	messages := system(text, k.talk(s)...)
	for try := range 2 {
		got, err := workflow.Fill[drafted](ctx, x, fmt.Sprintf("plan/%d", try), llm.Request{Purpose: llm.ForPlan, Messages: messages}, planShape)
		used.Add(got.Usage)
		if err != nil {
			if !k.goesOn(ctx, s, err) {
				return d, used, try + 1, err
			}
			got.Failed = string(llm.ClassOf(err))
		}
		if got.Failed != "" && try > 0 {
			return d, used, try + 1, nil // the first one has to do
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
		wrong := k.faults(x, d)
		if wrong == "" {
			return d, used, try + 1, nil
		}
		messages = append(slices.Clone(messages), user(wrong))
	}
	return d, used, 2, nil
}

// undone are the steps that have not been worked on yet.
func (k kit) undone(s graph.State) []draftStep {
	var left []draftStep
	for _, st := range k.plan.Get(s).Steps {
		if k.outcomeOf(s, st.ID).State == "" {
			left = append(left, draftStep{st.Text, st.Detail, st.Tool})
		}
	}
	return left
}

// faults tells the model what is wrong with its plan, "" if nothing is.
func (k kit) faults(x *workflow.Exec, d drafted) string {
	var wrong []string
	if len(d.Steps) > k.cfg.Limits.Steps {
		wrong = append(wrong, fmt.Sprintf("The plan has %d steps; at most %d are possible. Plan coarser.", len(d.Steps), k.cfg.Limits.Steps))
	}
	for i, st := range d.Steps[:min(len(d.Steps), k.cfg.Limits.Steps)] {
		if _, ok := k.spec(x, st.Tool); st.Tool != "" && !ok {
			wrong = append(wrong, fmt.Sprintf("Step %d names the tool %q, which does not exist. Use one of the listed tools, or none.", i+1, fit.Clip(st.Tool, 64)))
		}
	}
	return strings.Join(wrong, "\n")
}

// assemblePlan makes the plan that people see: known tools with their effects,
// and what was used of memory. What is done already stays in front.
func (k kit) assemblePlan(s graph.State, x *workflow.Exec, d drafted, past []planned) plan {
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
		if _, ok := k.spec(x, st.Tool); !ok {
			if st.Tool != "" {
				p.Notes = append(p.Notes, x.Phrase("orchestrator.unknown_tool", fit.Clip(st.Tool, 64)))
			}
			one.Tool = ""
		}
		p.Steps = append(p.Steps, one)
	}
	if len(old.Steps) == 0 {
		for _, m := range past[:min(len(past), 1)] {
			p.From = append(p.From, m.Record)
			note := x.Phrase("orchestrator.after_past_plan", fit.Clip(m.Task, 80), 100*m.Confidence, m.Samples)
			p.Notes = append(p.Notes, note)
			tellUsed(x, agent.Known{ID: m.Record, Kind: "plan", Text: m.Task, Why: x.Phrase("orchestrator.why.plan", m.Confidence, m.Samples)})
		}
	}
	return p
}

// settle numbers the steps, gives them their effects, and decides whether the
// plan is asked for.
func (k kit) settle(s graph.State, x *workflow.Exec, p plan) []graph.Write {
	p = k.numberSteps(x, p)
	if len(p.Original) == 0 {
		p.Original = p.Steps
	}
	i := slices.IndexFunc(p.Steps, func(st step) bool { return k.outcomeOf(s, st.ID).State == "" })
	if i < 0 {
		i = len(p.Steps)
	}
	k.show(x, p, k.outcomes.Get(s), "")
	port := toRun
	switch {
	case i == len(p.Steps): // after a failure nothing is left to do
		port = toStop
	case x.Request.Approvals.Plan:
		port = toAsk
	}
	return []graph.Write{k.plan.Set(p), k.current.Set(i), k.next.Set(port)}
}

// numberSteps gives new steps an id, and every step the effect of its tool. A
// step without a tool reads only: it is offered nothing else.
func (k kit) numberSteps(x *workflow.Exec, p plan) plan {
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		st := &p.Steps[i]
		if st.ID == "" {
			p.NextID++
			st.ID = fmt.Sprintf("s%d", p.NextID)
		}
		st.Effect = agent.EffectReads
		if spec, ok := k.spec(x, st.Tool); ok {
			st.Effect = spec.Policy.Effect()
		}
	}
	return p
}

// progress tells the model what the steps so far came to.
func (k kit) progress(s graph.State, x *workflow.Exec) string {
	var b strings.Builder
	for i, st := range k.plan.Get(s).Steps {
		o := k.outcomeOf(s, st.ID)
		state := string(o.State)
		if state == "" {
			state = "not done yet"
		}
		fmt.Fprintf(&b, "%d. %s (%s)", i+1, st.Text, state)
		if o.Reason != "" {
			b.WriteString(": " + o.Reason)
		}
		if o.Text != "" {
			b.WriteString("\n" + tool.Bound(o.Text, maxShown))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// maxStepText bounds a step's text in letters: a whole plan fits into the field of
// a form, which holds 3,000.
const maxStepText = 240

// maxShown bounds a step's result in the prompt of another step, in bytes.
const maxShown = 4 << 10
