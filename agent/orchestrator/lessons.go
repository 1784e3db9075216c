package orchestrator

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/memory"
	"maru/memory/longterm"
)

// teacher collects the lessons of a finished turn.
type teacher struct {
	channels

	memory rememberer
	log    *slog.Logger
}

// rememberer reports whether a run may use long-term memory.
type rememberer interface{ remembers(x *workflow.Exec) bool }

// lessons returns the lessons of a finished turn: the person's words and decisions, and how tools performed.
// Results of steps and tools are excluded.
func (t teacher) lessons(s graph.State, x *workflow.Exec) []agent.Lesson {
	if !t.memory.remembers(x) || t.route.Get(s) != toTask {
		return nil
	}
	var out []agent.Lesson
	add := func(kind longterm.Kind, data any) {
		raw, err := json.Marshal(data)
		if err != nil {
			t.log.Warn("encode lesson", "run", x.Request.Run, "kind", kind, "err", err)
			return
		}
		out = append(out, agent.Lesson{Kind: string(kind), Data: raw})
	}
	task, n := t.input.Get(s), count(t.plan.Get(s).Steps, t.outcomes.Get(s))
	success := n.Total > 0 && n.Successful+n.Skipped == n.Total && n.Successful > 0
	t.clarityLessons(s, x, success, add)
	t.planLessons(s, x, success, add)
	for _, o := range t.outcomes.Get(s) {
		for _, c := range o.Calls {
			l := longterm.ToolLesson{Task: task, Tool: c.Tool, Success: !c.Failed, Millis: o.Millis / int64(max(1, len(o.Calls)))}
			_ = json.Unmarshal(c.Arguments, &l.Params) // arguments that are not an object are dropped
			add(longterm.KindTool, l)
		}
	}
	for _, a := range t.history.Get(s) {
		if d, ok := decisions[a.Action]; ok && !a.Auto && a.By == x.Request.User.ID {
			l := longterm.BehaviorLesson{Task: task, Approval: a.Kind, Decision: d, Millis: int64(a.Millis)}
			if a.Kind == kindStep {
				l.Task = stepTask(a.Note, task)
			}
			add(longterm.KindBehavior, l)
		}
	}
	return out
}

// decisions maps verbs to stored decisions.
var decisions = map[string]longterm.Decision{
	agent.VerbAccept: longterm.Accepted, agent.VerbReuse: longterm.Accepted, agent.VerbEdit: longterm.Edited,
	agent.VerbReject: longterm.Rejected, agent.VerbSkip: longterm.Skipped, agent.VerbProceed: longterm.Skipped,
}

// clarityLessons records a new answer with its effect on clarity, once, and whether reusing an answer was right. A
// withdrawn answer was not.
func (t teacher) clarityLessons(s graph.State, x *workflow.Exec, success bool, add func(longterm.Kind, any)) {
	c := t.clarity.Get(s)
	if c.Reused != "" {
		add(longterm.KindClarification, longterm.ClarificationLesson{Session: c.Reused, Reused: true, Success: success && !c.Undone})
	}
	var questions, answers []string
	for _, a := range c.Answers {
		if !a.Own {
			continue
		}
		questions = append(questions, a.Question)
		answers = append(answers, a.Answer)
	}
	if len(answers) == 0 {
		return
	}
	after := c.Score
	if c.After != nil {
		after = *c.After
	}
	add(longterm.KindClarification, longterm.ClarificationLesson{
		Session: x.Request.Run, Query: t.input.Get(s), Questions: questions[:min(len(questions), 10)], Answer: strings.Join(answers, "\n"),
		Before: c.Score, After: after, Success: success,
	})
}

// planLessons records the plan as proposed and as run. It skips plans revised after a failure, which contain tool
// results, plans edited by somebody else, and unapproved plans that followed outsiders' words.
func (t teacher) planLessons(s graph.State, x *workflow.Exec, success bool, add func(longterm.Kind, any)) {
	p, task := t.plan.Get(s), t.input.Get(s)
	if len(p.Steps) == 0 || p.Replans > 0 || (p.Edited && p.By != x.Request.User.ID) || (p.Granted == "" && (len(t.outcomes.Get(s)) == 0 || t.followsOutsiders(s, x))) {
		return
	}
	final := remembered(p.Steps)
	add(longterm.KindPlan, longterm.PlanLesson{Query: task, Original: remembered(p.Original), Final: final, Success: success})
	var tools []string
	for _, o := range t.outcomes.Get(s) {
		for _, c := range o.Calls {
			tools = append(tools, c.Tool)
		}
	}
	add(longterm.KindWorkflow, longterm.WorkflowLesson{
		Query: task, Category: categoryOf(p.Steps), Plan: final, Tools: tools, Answered: len(t.clarity.Get(s).Answers) > 0, Success: success,
	})
}

// followsOutsiders reports whether a turn read outsiders' words before planning.
func (t teacher) followsOutsiders(s graph.State, x *workflow.Exec) bool {
	before := slices.Clone(t.messages.Get(s))
	return outsiders(slices.DeleteFunc(before, func(m memory.Message) bool { return m.ID == x.Request.Run }))
}

func remembered(steps []step) []longterm.Step {
	out := make([]longterm.Step, len(steps))
	for i, s := range steps {
		out[i] = longterm.Step{Text: s.Text, Tool: s.Tool}
	}
	return out
}
