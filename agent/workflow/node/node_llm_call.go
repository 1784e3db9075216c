package node

import (
	"context"
	"encoding/json"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/memory"
)

type llmCallConfig struct {
	System      string          `json:"system"`
	Prompt      string          `json:"prompt"`
	Schema      json.RawMessage `json:"schema"`
	Output      string          `json:"output"`
	Purpose     string          `json:"purpose"`
	Stream      bool            `json:"stream"`
	History     int             `json:"history"`
	Passages    bool            `json:"passages"`
	Temperature *float64        `json:"temperature"`
	MaxTokens   int             `json:"max_tokens"`
}

func llmCall() workflow.Type {
	return workflow.Type{
		Name: "llm_call", Mappable: true,
		Summary: "Asks the model with a prompt made from the state; with a schema the reply is data of that shape.",
		Doc:     "Passing failures are tried again and the next model is asked; `fallback` says so. The reply is recorded: a run that goes on after a crash does not ask again.",
		Reads:   []string{"messages", "summaries", "passages"}, Writes: []string{"last_output", "fallback", "results", words},
		Config: schemaOf(`
			"system": {"type": "string", "description": "role and rules; a template"},
			"prompt": {"type": "string", "minLength": 1, "description": "what is asked; a template"},
			"schema": {"type": "object", "description": "JSON Schema of the reply"},
			"purpose": {"enum": ["route", "answer", "summary", "rewrite", "plan", "review", "extract", "title"], "description": "for traces and the built-in model; default answer"},
			"stream": {"type": "boolean", "description": "people see the reply as it comes"},
			"history": {"type": "integer", "minimum": 0, "maximum": 50, "description": "how many messages of the conversation come before the prompt"},
			"passages": {"type": "boolean", "description": "the retrieved passages are shown, to be cited as [1]"},
			"temperature": {"type": "number", "minimum": 0, "maximum": 2},
			"max_tokens": {"type": "integer", "minimum": 1},
			`+outputSchema, "prompt"),
		Make: makeLLMCall,
	}
}

func makeLLMCall(p workflow.Place) (workflow.Bound, error) {
	c, err := decode[llmCallConfig](p)
	if err != nil {
		return workflow.Bound{}, err
	}
	f := form{p: p}
	n := &llmNode{
		c: c, schema: p.Schema, out: f.target("/output", c.Output),
		system: f.text("/system", c.System), prompt: f.text("/prompt", c.Prompt),
	}
	if len(c.Schema) > 0 {
		n.shape, err = llm.NewShape("reply", c.Schema)
		f.fault("/schema", err)
	}
	if n.c.Purpose == "" {
		n.c.Purpose = string(llm.ForAnswer)
	}
	return f.bound(workflow.Bound{Run: n.run, Writes: n.out.writes("fallback", words)})
}

type llmNode struct {
	c              llmCallConfig
	out            output
	schema         *graph.Schema
	system, prompt *template
	shape          *llm.Shape
}

// Reply is what is recorded of a model call: nothing of it is paid for twice.
type Reply struct {
	Text     string            `json:"text,omitempty"`
	Value    json.RawMessage   `json:"value,omitempty"`
	Switches []workflow.Switch `json:"switches,omitempty"`
}

func (n *llmNode) run(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	req, err := n.request(s, x)
	if err != nil {
		return nil, err
	}
	_, mapped := itemOf(s) // side by side, replies would run into each other
	reply, err := graph.Repeatable(ctx, "model", func(ctx context.Context, _ string) (Reply, error) {
		return n.ask(ctx, x, req, n.c.Stream && !mapped)
	})
	if err != nil {
		return nil, err
	}
	var v any = reply.Text
	if n.shape != nil {
		if v, err = graph.Normalize(reply.Value); err != nil {
			return nil, err
		}
	}
	writes, err := n.out.write(s, v)
	if err != nil {
		return nil, err
	}
	if writes, err = noted(n.schema, writes, Words{Gave: Gave{Text: textOf(v)}, Model: true}); err != nil {
		return nil, err
	}
	return noteSwitches(n.schema, writes, reply.Switches)
}

// noteSwitches adds what happened to the models to the state's fallback.
func noteSwitches(schema *graph.Schema, writes []graph.Write, switches []workflow.Switch) ([]graph.Write, error) {
	if len(switches) == 0 {
		return writes, nil
	}
	w, err := schema.Add("fallback", switches)
	return append(writes, w), err
}

func (n *llmNode) ask(ctx context.Context, x *workflow.Exec, req llm.Request, stream bool) (Reply, error) {
	var reply Reply
	if n.shape != nil {
		value, _, err := llm.Structured[any](ctx, x.Model(&reply.Switches), req, n.shape)
		if err != nil {
			return reply, err
		}
		reply.Value, err = json.Marshal(value)
		return reply, err
	}
	resp, switches, _, err := x.Say(ctx, req, stream)
	reply.Text, reply.Switches = strings.TrimSpace(resp.Message.Content), switches
	return reply, err
}

func (n *llmNode) request(s graph.State, x *workflow.Exec) (llm.Request, error) {
	sc := scopeOf(s, x)
	quote, servers := func(_, text string) string { return text }, heardOutside(s)
	if len(servers) > 0 {
		quote = func(_, text string) string { return fence(text) }
	}
	system, err := n.system.renderWith(sc, quote)
	if err != nil {
		return llm.Request{}, err
	}
	prompt, err := n.prompt.renderWith(sc, quote)
	if err != nil {
		return llm.Request{}, err
	}
	req := llm.Request{Purpose: llm.Purpose(n.c.Purpose), Temperature: n.c.Temperature, MaxTokens: n.c.MaxTokens}
	if len(servers) > 0 {
		system = strings.TrimSpace(system + "\n" + fenceNote(servers))
	}
	if n.shape == nil {
		system = strings.TrimSpace(system + "\n" + AnswerIn(x.Request.Language))
	}
	if n.c.Passages {
		passages, _ := s.Value("passages")
		list, _ := passages.([]agent.Source)
		system += ShowPassages(list)
		req.Passages = Passages(list)
	}
	if system != "" {
		req.Messages = append(req.Messages, llm.Message{Role: llm.System, Content: system})
	}
	req.Messages = append(req.Messages, n.history(s)...)
	req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: prompt})
	return req, nil
}

// history returns the conversation before this turn, which the prompt repeats.
func (n *llmNode) history(s graph.State) []llm.Message {
	if n.c.History == 0 {
		return nil
	}
	value, _ := s.Value("messages")
	list, _ := value.([]memory.Message)
	if len(list) > 0 {
		list = list[:len(list)-1]
	}
	return Talk(list[max(0, len(list)-n.c.History):])
}
