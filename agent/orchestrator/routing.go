package orchestrator

import (
	"context"
	"slices"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

type routed struct {
	Kind   string `json:"kind"`
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

// Kinds of messages, as named in the model's reply.
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

// undoes reports whether a message withdraws the answers that the last turn reused without asking, in the
// suggested wording or another.
func undoes(text string) bool {
	v, _ := intent.Decide(text)
	return v == intent.Undo || slices.ContainsFunc(phrase.Languages(), func(lang string) bool {
		return intent.Same(text, phrase.Say(lang, "orchestrator.clarify.undo_words"))
	})
}

// router decides whether a message starts a task.
type router struct {
	stage

	tools  recommending
	memory preferences
}

// preferences recalls the person's preferences, as lines for prompts.
type preferences interface {
	personal(ctx context.Context, x *workflow.Exec, text string) (string, error)
}

func (r router) routing() workflow.Type {
	return r.define("routing", "Decides whether an answer will do or there is work to do; a task is marked in the history. What the person has said about themselves is brought in.",
		r.chooseRoute, []string{toChat, toTask},
		r.route.Name(), r.title.Name(), r.seed.Name(), r.messages.Name(), r.input.Name(), r.clarity.Name(), r.applied.Name(), r.known.Name())
}

func (r router) chooseRoute(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	if last := r.applied.Get(s); last.ID != "" {
		if undoes(x.Request.Text) {
			c := clarity{Undone: true, Reused: last.ID}
			known, err := r.memory.personal(ctx, x, last.Task)
			return append(r.task(x, last.Task, ""), r.known.Set(known), r.input.Set(last.Task), r.clarity.Set(c), r.applied.Set(applied{})), err
		}
	}
	known, err := r.memory.personal(ctx, x, r.input.Get(s))
	if err != nil {
		return nil, err
	}
	forget := r.applied.Set(applied{})
	text, err := r.prompt("routing", s, x, nil)
	if err != nil {
		return nil, err
	}
	got, err := workflow.Fill[routed](ctx, x, "route", llm.Request{Purpose: llm.ForRoute, Messages: system(text, r.talk(s)...)}, routeShape)
	if err != nil {
		return nil, err
	}
	writes := append(r.cost(got.Usage, 1), forget, r.known.Set(known))
	switch {
	case got.Failed != "":
		more, err := r.routeByCall(ctx, s, x)
		return append(writes, more...), err
	case got.Value.Kind == toolRequired:
		return append(writes, r.task(x, r.input.Get(s), got.Value.Title)...), nil
	}
	return append(writes, r.chat()...), nil
}

func (c channels) chat() []graph.Write {
	return []graph.Write{c.route.Set(toChat), c.next.Set(toChat)}
}

// task returns the writes that start a task.
func (c channels) task(x *workflow.Exec, text, title string) []graph.Write {
	title = strings.TrimSpace(title)
	if title == "" {
		title = fit.Clip(fit.OneLine(text), 60)
	}
	return []graph.Write{
		c.route.Set(toTask), c.title.Set(title), c.next.Set(toTask),
		c.messages.Add(memory.Message{ID: x.Request.Run + "/task", Role: string(llm.System), Text: taskMark + title, At: x.Request.Now.UTC()}),
	}
}

// withReaders adds read-only tools to those that match the message lexically, since "12*34?" shares no word with
// the calculator. Tools with other effects are offered only if the message matches them.
func (r router) withReaders(x *workflow.Exec, offer []tool.Spec) []tool.Spec {
	for _, n := range x.Tools.Names() {
		known := slices.ContainsFunc(offer, func(s tool.Spec) bool { return s.Name == n })
		if spec, ok := toolNamed(x, n); ok && !known && spec.Policy.Unasked() && len(offer) < tool.MaxOffered {
			offer = append(offer, spec)
		}
	}
	return offer
}

// routeByCall decides for a model without structured output, such as the built-in one:
// a tool call means a task, and the call is its plan.
func (r router) routeByCall(ctx context.Context, s graph.State, x *workflow.Exec) ([]graph.Write, error) {
	if x.Tools == nil {
		return r.chat(), nil
	}
	offer, err := r.tools.recommend(ctx, x, r.input.Get(s), maxOffered)
	if err != nil {
		return nil, err
	}
	offer = r.withReaders(x, offer)
	if len(offer) == 0 {
		return r.chat(), nil
	}
	text, err := r.prompt("routing_call", s, x, nil)
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForAnswer, Messages: system(text, r.talk(s)...), Tools: offered(x, offer)}
	said, err := host.Talk(ctx, x, "call", req, false)
	if err != nil {
		return nil, err
	}
	writes := r.cost(said.Usage, 1)
	if len(said.Calls) == 0 || said.Failed != "" {
		return append(writes, r.chat()...), nil
	}
	c := said.Calls[0]
	return append(append(writes, r.task(x, r.input.Get(s), "")...), r.seed.Set(call{Tool: c.Name, Arguments: c.Arguments})), nil
}
