package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

func (k kit) planFeedback() workflow.Type {
	return k.define("process_plan_feedback", "Takes the decision in: an edit is validated, shown again, and asked for again only if it could do more than what was shown.",
		k.takePlan, []string{toAgain, toClarify, toRun, toStop},
		k.plan.Name(), k.current.Name(), k.history.Name(), k.problem.Name(), k.clarity.Name(), k.notes.Name(), k.applied.Name())
}

func (k kit) takePlan(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	d, p := k.decided.Get(s).meant(agent.VerbAccept, agent.VerbReject), k.plan.Get(s)
	p.Rounds++
	p.Notes = nil
	shown := p.Steps[min(k.current.Get(s), len(p.Steps)):]
	entry := d.entry(kindPlan, "", "")
	entry.Millis = k.waited.Get(s)
	noted := k.history.Add(entry)
	switch {
	case d.Expired:
		return []graph.Write{noted, k.next.Set(toStop), k.problem.Set(
			x.Say("계획을 확인해 주지 않아서 실행하지 않았어요. 필요하면 다시 말씀해 주세요.", "Nobody decided about the plan in time, so nothing was run. Ask again when you need it."))}, nil
	case d.Action == agent.VerbReject:
		return []graph.Write{noted, k.next.Set(toStop), k.problem.Set(k.rejected(s, x, d))}, nil
	case d.Action == verbUndo:
		return k.takeBack(s, x, noted), nil
	case d.Action == agent.VerbAccept:
		return append(k.grant(s, x, p, d), noted), nil
	}
	return k.editPlan(ctx, s, x, planEdit{p: p, shown: shown, d: d, noted: noted})
}

func (k kit) rejected(s graph.State, x *workflow.Exec, d decided) string {
	text := x.Say("계획을 거절해서 아무것도 실행하지 않았어요.", "The plan was rejected, so nothing was run.")
	if k.current.Get(s) > 0 {
		text = x.Say("남은 계획을 거절해서 여기서 멈췄어요.", "The rest of the plan was rejected, so I stopped here.")
	}
	if d.Text != "" {
		text += x.Say(" 이유: ", " Reason: ") + clip(d.Text, 300)
	}
	return text
}

// takeBack withdraws an answer that was taken from memory: the task is unclear
// again and its questions are asked.
func (k kit) takeBack(s graph.State, x *workflow.Exec, noted graph.Write) []graph.Write {
	c := k.clarity.Get(s)
	c.Auto, c.Undone, c.Answers = false, true, nil
	c.Note = x.Say("지난번 답은 쓰지 않을게요.", "I will not use your earlier answer.")
	return []graph.Write{
		noted, k.clarity.Set(c), k.notes.Set(nil), k.applied.Set(applied{}), k.plan.Set(plan{}), k.current.Set(0), k.next.Set(toClarify),
	}
}

// grant lets the plan run, exactly as it is now.
func (k kit) grant(s graph.State, x *workflow.Exec, p plan, d decided) []graph.Write {
	p.Granted, p.By = digestOf(p.Steps), d.By
	k.show(x, p, k.outcomes.Get(s), "")
	return []graph.Write{k.plan.Set(p), k.next.Set(toRun)}
}

// planEdit is a person's edit of the steps that were shown.
type planEdit struct {
	p     plan
	shown []step
	d     decided
	noted graph.Write
}

// editPlan carries an edit out.
func (k kit) editPlan(ctx context.Context, s graph.State, x *workflow.Exec, e planEdit) ([]graph.Write, error) {
	lines, cost, err := k.readEdit(ctx, s, x, e)
	if err != nil {
		return nil, err
	}
	cost = append(cost, e.noted)
	if why := k.unfit(x, lines); why != "" {
		return append(cost, k.askPlanAgain(x, e.p, why)...), nil
	}
	steps, more, err := k.rebuild(ctx, s, x, lines, e.shown)
	if err != nil {
		return nil, err
	}
	cost = append(cost, more...)
	e.p.Steps = append(slices.Clone(e.p.Steps[:len(e.p.Steps)-len(e.shown)]), steps...)
	e.p = k.numberSteps(x, e.p)
	e.p.Edited = true
	now := e.p.Steps[len(e.p.Steps)-len(steps):]
	if graver(now, e.shown) {
		why := fmt.Sprintf(x.Say("고친 계획은 처음 보여 드린 것보다 더 많은 일을 해요 (%s). 다시 한번 확인해 주세요.",
			"The changed plan does more than what was shown before (%s). Please decide again."), k.risks(x, now, e.shown))
		return append(cost, k.askPlanAgain(x, e.p, why)...), nil
	}
	x.Status("고친 계획으로 진행할게요…", "Going ahead with the changed plan…")
	return append(cost, k.grant(s, x, e.p, e.d)...), nil
}

// unfit says why lines make no plan, "" if they do.
func (k kit) unfit(x *workflow.Exec, lines []line) string {
	switch {
	case lines == nil:
		return x.Say("어떻게 고칠지 이해하지 못했어요. “2번 빼줘”처럼 말하거나 번호를 붙여 다시 써 주세요.",
			"I did not understand the change. Say it like “remove step 2”, or write the plan again with numbers.")
	case len(lines) == 0:
		return x.Say("그러면 단계가 하나도 남지 않아요. 그만두려면 거절을 눌러 주세요.", "That would leave no step at all. To stop, reject the plan.")
	case len(lines) > k.cfg.Limits.Steps:
		return fmt.Sprintf(x.Say("한 번에 %d단계까지 할 수 있어요. 단계를 줄여 주세요.", "A plan may have %d steps at most. Please use fewer."), k.cfg.Limits.Steps)
	}
	return ""
}

// askPlanAgain shows the plan again with a note, a bounded number of times.
func (k kit) askPlanAgain(x *workflow.Exec, p plan, note string) []graph.Write {
	p.Notes, p.Granted, p.By = []string{note}, "", ""
	if p.Rounds > k.cfg.Limits.Asked {
		return []graph.Write{k.plan.Set(p), k.next.Set(toStop), k.problem.Set(
			x.Say("계획을 여러 번 고쳤지만 정하지 못해서 멈췄어요. 원하는 단계를 적어 다시 부탁해 주세요.",
				"The plan was changed many times without a decision, so I stopped. Ask again with the steps that you want."))}
	}
	return []graph.Write{k.plan.Set(p), k.next.Set(toAgain)}
}

// risks names what the steps could do that was not shown.
func (k kit) risks(x *workflow.Exec, now, shown []step) string {
	var out []string
	for _, s := range now {
		if rank(s.Effect) > rank(agent.EffectReads) && graver([]step{s}, shown) {
			out = append(out, k.titleOf(x, s.Tool)+": "+effectWord(x, s.Effect))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
