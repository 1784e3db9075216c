package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
)

type toolCallConfig struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Approval  string         `json:"approval"`
	Result    string         `json:"result"`
	Output    string         `json:"output"`
}

func toolCall() workflow.Type {
	return workflow.Type{
		Name: "tool_call", Mappable: true, Summary: "Calls a tool with arguments made from the state.",
		Doc: "A tool that does more than read asks a person first, unless `approval` is `never`. The question marks values that a model of the workflow wrote and that nobody gave. A tool's failure is its result: `error (…)`, and stands in `error` too; so does a result that says that nothing was changed or sent, of a tool that does either. The call is recorded: a run that goes on after a crash does not call again. " +
			"Of an outside server (MCP) the result is what it said, word for word; prompts of `llm_call` mark what they take from the state as data from then on.",
		Writes: []string{"last_output", "error", "results", outside, words},
		Config: schemaOf(`
			"tool": {"type": "string", "pattern": "^[a-z0-9_]{1,64}$"},
			"arguments": {"type": "object", "description": "each text in it is a template; a text that is one expression keeps its type"},
			"result": {"enum": ["text", "data"], "description": "data: the tool's typed result, else its text read as JSON; default text"},
			"approval": {"enum": ["auto", "always", "never"], "description": "auto: for tools that do more than read"},
			`+outputSchema, "tool"),
		Tools: func(config json.RawMessage) ([]string, bool) {
			var c toolCallConfig
			if json.Unmarshal(config, &c) != nil {
				return nil, true
			}
			return []string{c.Tool}, false
		},
		Make: makeToolCall,
	}
}

func makeToolCall(p workflow.Place) (workflow.Bound, error) {
	c, err := decode[toolCallConfig](p)
	if err != nil {
		return workflow.Bound{}, err
	}
	if c.Arguments == nil {
		c.Arguments = map[string]any{}
	}
	f := form{p: p}
	n := &toolNode{c: c, schema: p.Schema, out: f.target("/output", c.Output), arguments: f.pattern("/arguments", c.Arguments)}
	return f.bound(workflow.Bound{Run: n.run, Writes: n.out.writes("error", outside, words)})
}

type toolNode struct {
	c         toolCallConfig
	schema    *graph.Schema
	out       output
	arguments *pattern
}

// Called is what is recorded of a tool call.
type Called struct {
	Text string          `json:"text"` // the tool's own words; a model reads [Called.Observed]
	Err  string          `json:"err,omitempty"`
	Data json.RawMessage `json:"data,omitempty"` // of a tool_call that wants it
	From string          `json:"from,omitempty"` // the outside server whose words it is, "" for ours

	Unsure  bool   `json:"unsure,omitempty"`  // it may have taken effect, and nobody knows
	Tool    string `json:"tool,omitempty"`    // digest of the tool when the call was begun, of a lasting call
	Changed bool   `json:"changed,omitempty"` // it was not made: the tool is not the one that was approved
	Account string `json:"account,omitempty"` // it was not made: the person has to sign in at this server first
}

// Observed is the call's outcome as a model reads it: a stranger's words are marked.
func (c Called) Observed() string {
	return tool.Observe(tool.Result{Text: c.Text, From: c.From}, nil)
}

// Whole is Observed without a bound, for callers that show a long result in parts.
func (c Called) Whole() string {
	return tool.ObserveWhole(tool.Result{Text: c.Text, From: c.From}, nil)
}

var errNoTools = errors.New("workflow: the run has no tools")

func (n *toolNode) run(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	if x.Tools == nil {
		return nil, errNoTools
	}
	value, err := n.arguments.value(scopeOf(s, x))
	if err != nil {
		return nil, err
	}
	arguments, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	use := toolUse{once: "tool", tool: n.c.Tool, arguments: x.Filled(n.c.Tool, arguments), typed: n.c.Result == "data"}
	for asked := range maxShown {
		var ok bool
		if use.shown, ok, err = n.allowed(ctx, s, x, use.arguments, asked); err != nil {
			return nil, err
		}
		if !ok {
			return n.writes(s, x, use, Called{Text: "error (refused): a person did not allow this call.", Err: errRefused})
		}
		done, err := use.run(ctx, x)
		if err != nil {
			return nil, err
		}
		if !done.Changed {
			return n.writes(s, x, use, done)
		}
		use.once, use.arguments = fmt.Sprintf("tool/%d", asked+1), x.Filled(n.c.Tool, arguments)
	}
	return n.writes(s, x, use, Called{Text: "error (not_called): the tool changed each time after a person had allowed this call. It was not made.", Err: errChanged})
}

func (n *toolNode) writes(s graph.State, x *workflow.Exec, use toolUse, done Called) ([]graph.Write, error) {
	var v any = done.Text
	said := Words{Gave: Gave{n.c.Tool, use.arguments, done.Text}, Err: done.forPeople(x)}
	if n.c.Result == "data" && done.Err == "" {
		data, err := graph.Normalize(done.data())
		if v = data; err != nil {
			v, done.Err = done.Text, "its result is no JSON"
		}
	}
	writes, err := n.out.write(s, v)
	if err != nil {
		return nil, err
	}
	if writes, err = noted(n.schema, writes, said); err != nil {
		return nil, err
	}
	if spec, ok := x.Tool(n.c.Tool); ok && done.Err == "" && spec.Acts() {
		if verdict, why := spec.Judge(use.arguments, done.Text); verdict == tool.Failed {
			done.Err = why
		}
	}
	if writes, err = fromOutside(n.schema, writes, n.whose(x, done)); err != nil || done.Err == "" || s.Arg() != nil {
		return writes, err
	}
	w, err := n.schema.Set("error", n.c.Tool+": "+done.Err)
	return append(writes, w), err
}

// Codes in [Called.Err] of calls that were not made.
const (
	errRefused = "refused"
	errChanged = "tool_changed"
)

// forPeople tells people of a call that failed, "" for one that did not.
func (c Called) forPeople(x *workflow.Exec) string {
	switch c.Err {
	case errRefused:
		return x.Phrase("agent.call_refused")
	case errChanged:
		return x.Phrase("agent.tool_changed")
	}
	return c.Err
}

// data is the typed result; it may be no JSON.
func (c Called) data() json.RawMessage {
	if len(c.Data) > 0 {
		return c.Data
	}
	return jsonText(c.Text)
}

// whose names whose words a result is, "" if it is the program's own.
func (n *toolNode) whose(x *workflow.Exec, done Called) string {
	_, spec, err := x.Tools.Lookup(n.c.Tool)
	if done.From == "" && err == nil && flow.Result(spec.Policy, "", flow.Label{}).Outsiders {
		return n.c.Tool
	}
	return done.From
}

// maxShown bounds how often a call is shown again because its tool changed after it was shown.
const maxShown = 3

// allowed asks a person about calls that do more than read, and returns the digest of the tool that was shown, "" if nobody had
// to be asked. Nobody is asked about a tool that is not there: its call fails. asked counts the times that the call was shown before.
func (n *toolNode) allowed(ctx context.Context, s graph.State, x *workflow.Exec, arguments json.RawMessage, asked int) (shown string, ok bool, err error) {
	spec, there := x.Tool(n.c.Tool)
	read := reading(s, x, n.c.Arguments)
	placeAsks := slices.Contains(x.Request.Scopes, agent.AskFirst(n.c.Tool)) // goes over the workflow's word
	harmless := there && !read.NeedsYes(spec, arguments) && flow.ClassOf(spec.Policy) != flow.Executes
	if n.c.Approval == approvalNever && !placeAsks || n.c.Approval != approvalAlways && harmless {
		return "", true, nil
	}
	key, notes := "approve", append(marks(ctx, s, x, spec, arguments, n.c.Arguments), Reason(x, spec, arguments, read)...)
	if asked > 0 {
		key, notes = fmt.Sprintf("approve/%d", asked), append([]string{x.Phrase("agent.tool_changed")}, notes...)
	}
	shown, err = graph.Repeatable(ctx, key+"/tool", func(context.Context, string) (string, error) { return x.Digest(n.c.Tool), nil })
	if err != nil || shown == workflow.AbsentTool {
		return shown, err == nil, err
	}
	ok, err = allowedCall(ctx, key, agent.Ask{
		Question: x.Phrase("agent.tool_ask"), Detail: ShowCall(x, n.c.Tool, arguments), Notes: notes, Effect: spec.Policy.Effect(),
	})
	return shown, ok, err
}

// CallTool calls a tool once within the node's visit and reports it. Only the end of the run is an error: a tool's
// failure is for the model to read. A call with effects that a crash interrupted is not repeated: whether it took
// place is unknown, and that is its result.
func CallTool(ctx context.Context, x *workflow.Exec, name, toolName string, arguments json.RawMessage) (Called, error) {
	return CallShown(ctx, x, name, toolName, arguments, "")
}

// CallShown is CallTool for a call that people approved of the tool with the digest shown. If the tool is another
// one when the call would begin, nothing is called; of a call that began before, its record counts.
func CallShown(ctx context.Context, x *workflow.Exec, name, toolName string, arguments json.RawMessage, shown string) (Called, error) {
	return toolUse{once: name, tool: toolName, arguments: arguments, shown: shown}.run(ctx, x)
}

// toolUse is one call of a tool.
type toolUse struct {
	once      string // name of its record in the node's visit
	tool      string
	arguments json.RawMessage
	typed     bool   // with its data
	shown     string // digest of the approved tool, "" if nobody had to be asked
}

// begun is the digest of the tool when the call was begun.
func (u toolUse) begun(ctx context.Context, x *workflow.Exec) (string, error) {
	return graph.Repeatable(ctx, u.once+"/tool", func(context.Context, string) (string, error) { return x.Digest(u.tool), nil })
}

// made makes the call once within the node's visit.
func (u toolUse) made(ctx context.Context, x *workflow.Exec) (Called, error) {
	_, spec, err := x.Tools.Lookup(u.tool)
	once := graph.Effect[Called]{Name: u.once, Do: func(ctx context.Context, key string) (Called, error) {
		if u.shown != "" && x.Digest(u.tool) != u.shown {
			return Called{Text: "error (not_called): the tool changed after a person had allowed this call. It was not made.", Err: x.Phrase("agent.tool_changed"), Changed: true}, nil
		}
		return u.call(ctx, x, key, spec)
	}}
	once.Repeat = err == nil && !spec.Policy.Lasting() // one that is not there now may have been when it was called
	begun := ""
	if !once.Repeat { // whoever repeats it later must know of which tool it was
		if begun, err = u.begun(ctx, x); err != nil {
			return Called{}, err
		}
	}
	done, err := once.Run(ctx)
	done.Tool = begun
	if errors.Is(err, graph.ErrAmbiguous) {
		if once.Repeat { // the tool was a lasting one when the call was begun
			if begun, err = u.begun(ctx, x); err != nil {
				return Called{}, err
			}
		}
		return Called{
			Text: "error (unknown): the call was begun before an interruption; whether it took place is not known. Do not repeat it; say so.",
			Err:  x.Phrase("agent.tool_interrupted"), Unsure: true, Tool: begun,
		}, nil
	}
	return done, err
}

// traced returns arguments for the trace; what a model wrote may be no JSON.
func traced(arguments json.RawMessage) json.RawMessage {
	if json.Valid(arguments) {
		return arguments
	}
	quoted, _ := json.Marshal(string(arguments)) // a string always encodes
	return quoted
}

// callOf is a call of a run.
func callOf(r agent.Request, key string, arguments json.RawMessage) tool.Call {
	return tool.Call{
		ID: key, Arguments: arguments, Thread: r.Thread, Scopes: r.Scopes, User: r.User.ID,
		Said: r.Text, Message: r.Message, Learn: r.LearnScope(), NoMemory: r.NoMemory,
		TimeZone: r.User.TimeZone, Language: r.Language, Now: r.Now, Until: r.Until,
	}
}

// Reveal returns what a model may read of a recorded result: of a tool whose findings may not be kept, what the
// result points at as well, see [tool.Revealer]. It belongs into a prompt, and into nothing that is kept.
func Reveal(ctx context.Context, x *workflow.Exec, toolName string, arguments json.RawMessage, kept string) string {
	if x.Tools == nil || tool.OpensAsError(kept) {
		return kept
	}
	shown := x.Tools.Reveal(ctx, toolName, callOf(x.Request, "", arguments), kept)
	x.Unkept(kept, shown)
	return shown
}

// Gave is what a call gave the model, without the messages that it points at.
type Gave struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Text      string          `json:"text"`
}

// Shown is [Reveal] of it.
func (g Gave) Shown(ctx context.Context, x *workflow.Exec) string {
	return Reveal(ctx, x, g.Tool, g.Arguments, g.Text)
}

func (u toolUse) call(ctx context.Context, x *workflow.Exec, key string, spec tool.Spec) (Called, error) {
	if !spec.Title.Empty() {
		x.Doing("agent.doing", spec.Title)
	}
	x.Emit(agent.Event{Kind: agent.EventToolCall, Name: u.tool, Data: traced(u.arguments), Effect: spec.Policy.Effect(), Lasting: spec.Policy.Lasting(), Call: key})
	began := time.Now()
	result, err := x.Tools.Invoke(ctx, u.tool, callOf(x.Request, key, u.arguments))
	if ctx.Err() != nil {
		return Called{}, ctx.Err()
	}
	done := Called{Text: tool.Observe(result, err)}
	e := agent.Event{Kind: agent.EventToolResult, Name: u.tool, Text: x.Knew(done.Text, result.Known), Took: time.Since(began), Call: key}
	if err != nil {
		done.Err = tool.Sentence(err, x.Request.Language)
		failed := (*tool.Error)(nil)
		if errors.As(err, &failed) {
			done.Account = failed.Account
		}
		if failed != nil && failed.Unsure && spec.Policy.Lasting() {
			done.Err += " " + x.Phrase("agent.tool_unsure")
			done.Unsure = true
			done.Text += "\nWhether it took place is not known. Do not repeat it; say so."
		}
		e.Err = done.Err
	} else {
		done.Text, done.From, e.Files = result.Text, result.From, result.Files
	}
	if u.typed {
		done.Data = result.Data
	}
	x.Emit(e)
	return done, nil
}
