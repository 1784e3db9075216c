package orchestrator

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
)

// kit makes the node types on a state.
type kit struct {
	channels

	cfg Config
}

// none is the config of the nodes: the agent's Config says everything.
type none struct{}

func (k kit) types() []workflow.Type {
	return []workflow.Type{
		k.routing(), k.clarificationAnalysis(), k.clarificationApproval(), k.clarificationFeedback(),
		k.dynamicPlanning(), k.planApproval(), k.planFeedback(),
		k.stepPreparation(), k.stepApproval(), k.stepFeedback(),
		k.toolExecution(), k.stepCompletion(), k.checkContinue(), k.synthesis(),
	}
}

// define makes a node type. The node writes the port that it chose to `next`,
// which several ports need.
func (k kit) define(name, summary string, run workflow.Execute[none], ports []string, writes ...string) workflow.Type {
	t := workflow.Type{
		Name: name, Summary: summary, Ports: ports, Writes: append(writes, k.spent.Name(), k.calls.Name()),
	}
	if len(ports) == 0 {
		return workflow.Define(t, run, nil)
	}
	t.Writes = append(t.Writes, k.next.Name())
	return workflow.Define(t, run, func(s graph.State, _ none) string { return k.next.Get(s) })
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// prompt renders one of the prompts for a run.
func (k kit) prompt(name string, s graph.State, x *workflow.Exec, more map[string]any) (string, error) {
	r := x.Request
	data := map[string]any{
		"Today": host.Today(r), "Language": node.AnswerIn(r.Language), "User": r.User.Name, "Persona": r.Persona,
		"Personal": k.known.Get(s), "Task": k.input.Get(s), "Answers": k.clarity.Get(s).Answers,
	}
	for key, v := range more {
		data[key] = v
	}
	return host.Render(prompts, name, data)
}

// recent is how many messages of the conversation prompts show.
const recent = 10

// talk is the conversation up to this turn's message.
func (k kit) talk(s graph.State) []llm.Message { return node.Talk(k.shown(s)) }

// shown are the messages of the conversation that prompts show. A message that began a
// task says so, so that models tell tasks apart.
func (k kit) shown(s graph.State) []memory.Message {
	var list []memory.Message
	for _, m := range k.messages.Get(s) {
		if mark, ok := strings.CutPrefix(m.Text, taskMark); ok && m.Role == string(llm.System) {
			if n := len(list); n > 0 {
				list[n-1].Text += "\n[new task: " + mark + "]"
			}
			continue
		}
		list = append(list, m)
	}
	return list[max(0, len(list)-recent):]
}

// taskMark begins the mark of a new task in the history; its title follows.
const taskMark = "new task: "

// system begins a prompt.
func system(text string, rest ...llm.Message) []llm.Message {
	return append([]llm.Message{{Role: llm.System, Content: text}}, rest...)
}

// user is one message of a person.
func user(text string) llm.Message { return llm.Message{Role: llm.User, Content: text} }

// cost is what a recorded reply adds to the turn's spending.
func (k kit) cost(used llm.Usage, calls int) []graph.Write {
	return []graph.Write{k.spent.Add(used), k.calls.Add(calls)}
}

// recommend returns the tools that may do a task, the best first; those that are
// forbidden here are not among them. Without a recommender it is all of them.
func (k kit) recommend(ctx context.Context, x *workflow.Exec, task string, limit int) ([]tool.Spec, error) {
	if x.Tools == nil {
		return nil, nil
	}
	names, err := graph.Once(ctx, fmt.Sprintf("recommend/%d", limit), func(ctx context.Context, _ string) ([]string, error) {
		var names []string
		if k.cfg.Recommend == nil {
			return x.Tools.Names(), nil
		}
		want := tool.Want{Task: task, Limit: limit, Scopes: x.Request.Scopes}
		if k.remembers(x) {
			want.Memory = standings{k.cfg.Memory.Tools, owner(x), task}
		}
		for _, r := range k.cfg.Recommend.Recommend(ctx, want) {
			names = append(names, r.Spec.Name)
		}
		return names, ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var specs []tool.Spec
	for _, n := range names {
		if spec, ok := k.spec(x, n); ok && len(specs) < limit {
			specs = append(specs, spec)
		}
	}
	return specs, nil
}

// spec returns a tool that may be used here.
func (k kit) spec(x *workflow.Exec, name string) (tool.Spec, bool) {
	if x.Tools == nil || name == "" {
		return tool.Spec{}, false
	}
	_, spec, err := x.Tools.Lookup(name)
	return spec.In(x.Request.Scopes), err == nil && spec.Policy.Allows(x.Request.Scopes)
}

// titleOf is what people read of a tool.
func (k kit) titleOf(x *workflow.Exec, name string) string {
	if spec, ok := k.spec(x, name); ok && !spec.Title.Empty() {
		return spec.Title.In(x.Request.Language)
	}
	return name
}

// outcomeOf returns what became of a step so far.
func (k kit) outcomeOf(s graph.State, id string) outcome {
	list := k.outcomes.Get(s)
	if i := slices.IndexFunc(list, func(o outcome) bool { return o.Step == id }); i >= 0 {
		return list[i]
	}
	return outcome{Step: id}
}

// stepAt returns the step that is worked on.
func (k kit) stepAt(s graph.State) (step, bool) {
	steps, i := k.plan.Get(s).Steps, k.current.Get(s)
	if i < 0 || i >= len(steps) {
		return step{}, false
	}
	return steps[i], true
}

// asking reports whether anybody is ever asked in this run.
func asking(x *workflow.Exec) bool {
	a := x.Request.Approvals
	return a.Clarification || a.Plan || a.Step
}

// askingFor reports whether people may be asked about a call of a tool: as the
// run may ask, or because its place wants to be asked first about this tool.
func askingFor(x *workflow.Exec, name string) bool {
	return asking(x) || slices.Contains(x.Request.Scopes, agent.AskFirst(name))
}
