package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/memory/longterm"
)

// maxFound limits the earlier plans and answers considered.
const maxFound = 5

// memories queries long-term memory. Best effort: errors are logged, and the task continues without.
type memories struct {
	memory *longterm.Memory // nil: no memory of people
	budget int              // tokens of memory in a prompt; negative: none
	log    *slog.Logger
}

// remembers reports whether long-term memory may be used in this run.
func (m memories) remembers(x *workflow.Exec) bool { return m.memory != nil && !x.Request.NoMemory }

// owner returns the person and scopes for memory.
func owner(x *workflow.Exec) longterm.Owner {
	r := x.Request
	return longterm.Owner{Person: r.User.ID, Scopes: r.Scopes, Home: r.Home, Message: r.Message, Off: r.NoMemory}
}

// recall queries memory once per name and visit of the node. A failure is logged and yields nothing.
func recall[T any](ctx context.Context, m memories, x *workflow.Exec, name string, ask func(context.Context, longterm.Owner) (T, error)) (T, error) {
	var nothing T
	if !m.remembers(x) {
		return nothing, nil
	}
	return graph.Repeatable(ctx, "memory/"+name, func(ctx context.Context, _ string) (T, error) {
		v, err := ask(ctx, owner(x))
		if err != nil && ctx.Err() == nil {
			m.log.WarnContext(ctx, "recall memory", "run", x.Request.Run, "about", name, "err", err)
			return nothing, nil
		}
		return v, err
	})
}

// tellUsed reports the memories used by the run, for the card and the trace.
func tellUsed(x *workflow.Exec, used ...agent.Known) {
	x.Knew("", used)
}

// clarified holds the answers of an earlier run.
type clarified struct {
	Record     string  `json:"record"`
	Session    string  `json:"session"` // the run that asked
	Task       string  `json:"task"`
	Questions  string  `json:"questions"`
	Answer     string  `json:"answer"`
	Reused     int     `json:"reused"`     // number of reuses
	Success    float64 `json:"success"`    // share of successful uses, 0..1
	Confidence float64 `json:"confidence"` // 0..1

	At time.Time `json:"at,omitzero"` // when it was given last
}

// answers reports whether these answers may be applied to a task without asking: their success is proven, and they
// were given for the same task and the same questions. Those of a task that says "last month" are offered, since
// they were given for another one.
func (c clarified) answers(task string, questions []question) bool {
	now := make([]string, len(questions))
	for i, q := range questions {
		now[i] = q.Text
	}
	return c.Reused >= applyReused && c.Confidence >= applyConfidence &&
		longterm.SameTask(c.Task, task) && !longterm.NamesADay(task) && longterm.SameQuestions(strings.Split(c.Questions, " / "), now)
}

func (c clarified) known(x *workflow.Exec) agent.Known {
	return agent.Known{ID: c.Record, Kind: string(longterm.KindClarification), Text: c.Answer, Why: x.Phrase("orchestrator.why.answered")}
}

// clarifications returns this person's answers to similar unclear tasks, best first.
func (m memories) clarifications(ctx context.Context, x *workflow.Exec, task string) ([]clarified, error) {
	return recall(ctx, m, x, "clarifications", func(ctx context.Context, o longterm.Owner) ([]clarified, error) {
		hits, err := m.memory.Clarifications.Search(ctx, o, task, maxFound)
		if err != nil {
			return nil, err
		}
		var out []clarified
		for _, h := range hits {
			out = append(out, clarified{
				Record: h.Record.ID, Session: h.Data.Session, Task: h.Data.Query, Questions: strings.Join(h.Data.Questions, " / "), Answer: h.Data.Answer,
				Reused: h.Data.ReuseCount, Success: h.Data.SuccessRate, Confidence: h.Confidence, At: h.Record.Last,
			})
		}
		return out, nil
	})
}

// planned is an earlier plan that succeeded.
type planned struct {
	Record     string  `json:"record"`
	Task       string  `json:"task"`
	Steps      []step  `json:"steps"`
	Edited     bool    `json:"edited"`     // the person had changed it
	Confidence float64 `json:"confidence"` // weighted by samples, 0..1
	Samples    int     `json:"samples"`
	Template   bool    `json:"template,omitempty"` // a proven template
	Answered   bool    `json:"answered,omitempty"` // made with answers to questions
}

// similarPlans returns successful plans of similar tasks, best first. Their confidence is weighted by the number
// of samples, see longterm.Confidence.
func (m memories) similarPlans(ctx context.Context, x *workflow.Exec, task string) ([]planned, error) {
	return recall(ctx, m, x, "plans", func(ctx context.Context, o longterm.Owner) ([]planned, error) {
		hits, err := m.memory.Plans.Search(ctx, o, task, maxFound)
		if err != nil {
			return nil, err
		}
		var out []planned
		for _, h := range hits {
			if h.Data.SuccessCount == 0 || h.Data.SuccessRate < 0.5 {
				continue
			}
			p := planned{Record: h.Record.ID, Task: h.Data.Query, Edited: h.Data.WasEdited, Confidence: h.Confidence, Samples: h.Record.Samples}
			for _, s := range h.Data.Final {
				p.Steps = append(p.Steps, step{Text: s.Text, Tool: s.Tool})
			}
			out = append(out, p)
		}
		return out, nil
	})
}

// served describes how a tool performed in similar tasks.
type served struct {
	Samples int             `json:"samples"`
	Success float64         `json:"success"`
	Avoid   bool            `json:"avoid"`
	Best    json.RawMessage `json:"best,omitempty"` // arguments of successful calls
}

// toolPast returns how these tools performed, without those that lack samples.
func (m memories) toolPast(ctx context.Context, x *workflow.Exec, task string, names []string) (map[string]served, error) {
	return recall(ctx, m, x, "tools", func(ctx context.Context, o longterm.Owner) (map[string]served, error) {
		ranked, err := m.memory.Tools.Rank(ctx, o, task, names)
		if err != nil {
			return nil, err
		}
		out := map[string]served{}
		for _, r := range ranked {
			if r.Samples == 0 {
				continue
			}
			one := served{Samples: r.Samples, Success: r.SuccessRate, Avoid: r.Avoid}
			if len(r.Optimal) > 0 {
				if one.Best, err = json.Marshal(r.Optimal); err != nil {
					return nil, err
				}
			}
			out[r.Tool] = one
		}
		return out, nil
	})
}

// remembered returns what may have given the calls of a task their values: what is known of the person about a query. name is of the
// query within the visit of the node.
func (m memories) remembered(ctx context.Context, x *workflow.Exec, name, query string) ([]source, error) {
	if m.budget < 0 {
		return nil, nil
	}
	r, err := recall(ctx, m, x, name, func(ctx context.Context, o longterm.Owner) (longterm.Recollection, error) {
		return m.memory.Recall(ctx, o, query, m.budget)
	})
	return consent.RememberedOf(r), err
}

// valueMemory returns what may have given calls their values.
type valueMemory interface {
	remembered(ctx context.Context, x *workflow.Exec, name, query string) ([]source, error)
}

// sources returns what the values of a call may stem from, beside the conversation and earlier calls.
func (c channels) sources(ctx context.Context, s graph.State, x *workflow.Exec, m valueMemory, made ...called) ([]source, error) {
	out := c.reused(s)
	known, err := m.remembered(ctx, x, "values", c.input.Get(s))
	out = append(out, known...)
	for i, q := range c.sought(s, made) {
		if err != nil {
			return out, err
		}
		known, err = m.remembered(ctx, x, fmt.Sprintf("values/%d", i), q)
		out = append(out, known...)
	}
	return out, err
}

// sought returns what the run's calls and those of the current step asked memory for, the last few.
func (c channels) sought(s graph.State, made []called) (out []string) {
	for _, o := range slices.Concat(c.outcomes.Get(s), []outcome{{Calls: made}}) {
		for _, done := range o.Calls {
			if q, ok := (call{Tool: done.Tool, Arguments: done.Arguments}).Sought(); ok {
				out = append(out, q)
			}
		}
	}
	return out[max(0, len(out)-maxFound):]
}

// reused returns the answers to questions of earlier tasks that this one uses.
func (c channels) reused(s graph.State) (out []source) {
	for _, a := range c.clarity.Get(s).Answers {
		if !a.Own {
			out = append(out, source{Text: a.Answer, At: a.At, From: consent.FromAnswer})
		}
	}
	return out
}

// standings is the memory used to rank tools.
type standings struct {
	tools *longterm.Tools
	owner longterm.Owner
	task  string
}

// standings returns the memory used to rank tools, nil if it must not be used.
func (m memories) standings(x *workflow.Exec, task string) tool.Memory {
	if !m.remembers(x) {
		return nil
	}
	return standings{m.memory.Tools, owner(x), task}
}

// Standings implements tool.Memory.
func (s standings) Standings(ctx context.Context, names []string) (map[string]tool.Standing, error) {
	ranked, err := s.tools.Rank(ctx, s.owner, s.task, names)
	if err != nil {
		return nil, err
	}
	out := make(map[string]tool.Standing, len(ranked))
	for _, r := range ranked {
		out[r.Tool] = tool.Standing{Success: r.SuccessRate, Uses: r.Samples, Avoid: r.Avoid}
	}
	return out, nil
}

// likely is the probability that this person accepts a step, from their own decisions only.
type likely struct {
	Accepts float64 `json:"accepts"` // 0..1
	Samples int     `json:"samples"`
}

func (m memories) predict(ctx context.Context, x *workflow.Exec, task string) (likely, error) {
	return recall(ctx, m, x, "decisions", func(ctx context.Context, o longterm.Owner) (likely, error) {
		p, err := m.memory.Behaviors.Predict(ctx, o, kindStep, task)
		return likely{p.Acceptance, p.Samples}, err
	})
}

// stepTask returns the key of a step in the memory of decisions: its tool and the person's
// words.
func stepTask(toolName, task string) string { return strings.TrimSpace(toolName + " " + task) }

// personal returns memories of the person that help with a text, as lines for the turn's prompts.
func (m memories) personal(ctx context.Context, x *workflow.Exec, text string) (string, error) {
	if m.budget < 0 {
		return "", nil
	}
	r, err := recall(ctx, m, x, "preferences", func(ctx context.Context, o longterm.Owner) (longterm.Recollection, error) {
		return m.memory.Recall(ctx, o, text, m.budget)
	})
	var used []agent.Known
	for _, f := range r.Mementos {
		used = append(used, agent.Known{ID: f.ID, Kind: string(f.Kind), Text: f.Text, Why: f.Why().In(x.Request.Language)})
	}
	tellUsed(x, used...)
	return r.Prompt(), err
}
