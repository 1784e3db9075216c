package orchestrator

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
	"maru/phrase/fit"
)

type routed struct {
	Kind   string `json:"kind"`
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

// The kinds of messages, in the model's words.
const (
	simpleChat   = "SIMPLE_CHAT"
	toolRequired = "TOOL_REQUIRED"
)

var routeShape = llm.MustShape("message_kind", `{
  "type": "object",
  "properties": {
    "kind": {"type": "string", "enum": ["SIMPLE_CHAT", "TOOL_REQUIRED"]},
    "title": {"type": "string", "description": "of the task, a few words in the person's language; empty for SIMPLE_CHAT"},
    "reason": {"type": "string", "description": "a few words"}
  },
  "required": ["kind", "title", "reason"],
  "additionalProperties": false
}`)

// undoWords take back the earlier answers that the last turn used by itself.
var undoWords = regexp.MustCompile(`(?i)^(?:지난 ?답(?:은|을)? ?(?:빼고|쓰지 ?말고|없이)(?: ?다시)?(?: ?(?:해|해줘|해 줘|해주세요|해 주세요))?|되돌려 ?(?:줘|주세요)?|undo|(?:again )?without (?:my )?(?:past|earlier) answers?)[\s.!~]*$`)

func (k kit) routing() workflow.Type {
	return k.define("routing", "Decides whether an answer will do or there is work to do; a task is marked in the history. What the person has said about themselves is brought in.",
		k.chooseRoute, []string{toChat, toTask},
		k.route.Name(), k.title.Name(), k.seed.Name(), k.messages.Name(), k.input.Name(), k.clarity.Name(), k.applied.Name(), k.known.Name())
}

func (k kit) chooseRoute(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	if last := k.applied.Get(s); last.ID != "" {
		if undoWords.MatchString(strings.TrimSpace(x.Request.Text)) {
			c := clarity{Undone: true, Reused: last.ID}
			known, err := k.personal(ctx, x, last.Task)
			return append(k.task(x, last.Task, ""), known, k.input.Set(last.Task), k.clarity.Set(c), k.applied.Set(applied{})), err
		}
	}
	known, err := k.personal(ctx, x, k.input.Get(s))
	if err != nil {
		return nil, err
	}
	forget := k.applied.Set(applied{})
	text, err := k.prompt("routing", s, x, nil)
	if err != nil {
		return nil, err
	}
	got, err := workflow.Fill[routed](ctx, x, "route", llm.Request{Purpose: llm.ForRoute, Messages: system(text, k.talk(s)...)}, routeShape)
	if err != nil {
		return nil, err
	}
	writes := append(k.cost(got.Usage, 1), forget, known)
	switch {
	case got.Failed != "":
		more, err := k.routeByCall(ctx, s, x)
		return append(writes, more...), err
	case got.Value.Kind == toolRequired:
		return append(writes, k.task(x, k.input.Get(s), got.Value.Title)...), nil
	}
	return append(writes, k.chat()...), nil
}

func (k kit) chat() []graph.Write {
	return []graph.Write{k.route.Set(toChat), k.next.Set(toChat)}
}

// task marks the beginning of a task.
func (k kit) task(x *workflow.Exec, text, title string) []graph.Write {
	title = strings.TrimSpace(title)
	if title == "" {
		title = fit.Clip(fit.OneLine(text), 60)
	}
	return []graph.Write{
		k.route.Set(toTask), k.title.Set(title), k.next.Set(toTask),
		k.messages.Add(memory.Message{ID: x.Request.Run + "/task", Role: string(llm.System), Text: taskMark + title, At: x.Request.Now.UTC()}),
	}
}

// withReaders adds the tools that only read to those that fit a message by its words: "12*34?" has
// none of the calculator's. Those that change something are offered for what names them alone.
func (k kit) withReaders(x *workflow.Exec, offer []tool.Spec) []tool.Spec {
	for _, n := range x.Tools.Names() {
		known := slices.ContainsFunc(offer, func(s tool.Spec) bool { return s.Name == n })
		if spec, ok := k.spec(x, n); ok && !known && spec.Policy.Unasked() && len(offer) < tool.MaxOffered {
			offer = append(offer, spec)
		}
	}
	return offer
}

// routeByCall decides for a model that fills no schemas, such as the built-in
// one: if it asks for a tool there is work to do, and the call is the plan.
func (k kit) routeByCall(ctx context.Context, s graph.State, x *workflow.Exec) ([]graph.Write, error) {
	if x.Tools == nil {
		return k.chat(), nil
	}
	offer, err := k.recommend(ctx, x, k.input.Get(s), maxOffered)
	if err != nil {
		return nil, err
	}
	offer = k.withReaders(x, offer)
	if len(offer) == 0 {
		return k.chat(), nil
	}
	text, err := k.prompt("routing_call", s, x, nil)
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForAnswer, Messages: system(text, k.talk(s)...), Tools: offered(x, offer)}
	said, err := host.Talk(ctx, x, "call", req, false)
	if err != nil {
		return nil, err
	}
	writes := k.cost(said.Usage, 1)
	if len(said.Calls) == 0 || said.Failed != "" {
		return append(writes, k.chat()...), nil
	}
	c := said.Calls[0]
	return append(append(writes, k.task(x, k.input.Get(s), "")...), k.seed.Set(call{Tool: c.Name, Arguments: c.Arguments})), nil
}
