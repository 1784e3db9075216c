package guide

import (
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/memory"
)

// state declares the workflow's state channels. Messages live as long as the thread, the others
// for one turn.
type state struct {
	schema *graph.Schema

	definition graph.Chan[string] // the definition of the thread's turns, as JSON

	messages graph.List[memory.Message]

	question  graph.Chan[string]   // the person's message
	known     graph.Chan[[]string] // earlier statements of the person about themselves
	complex   graph.Chan[bool]
	tasks     graph.Chan[[]SubTask]
	replans   graph.Chan[int]
	feedback  graph.List[string] // corrections of the sub-tasks, in order
	unchanged graph.Chan[bool]   // the last correction changed nothing
	approved  graph.Chan[bool]   // the sub-tasks are approved or need no approval
	next      graph.Chan[string] // port of recommend_tool_node
	pending   graph.Chan[[]Call]
	rounds    graph.Chan[int]          // tool rounds made
	results   graph.List[ToolResult]   // of tool calls
	docs      graph.List[RetrievedDoc] // services and passages found
	recommend graph.Chan[[]Recommendation]
	plain     graph.Chan[bool]   // the endpoint has no structured output: ask it for nothing else
	silent    graph.Chan[string] // class under which the model failed to choose services or to write the guide; "" if it did not
	guide     graph.Chan[string]
	cited     graph.Chan[[]agent.Source]
	lessons   graph.List[agent.Lesson]
	lacking   graph.List[string] // requested services missing in the catalogue
}

// SubTask is one part of the goal; it gets one service.
type SubTask struct {
	Title  string `json:"title"`
	Detail string `json:"detail,omitempty"`
}

// Call is a planned tool call.
type Call struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// ToolResult is a completed tool call.
type ToolResult struct {
	Call
	Text string `json:"text"`
	Err  string `json:"err,omitempty"`
}

// RetrievedDoc is a service or passage found by retrieve_docs.
type RetrievedDoc struct {
	Service string       `json:"service,omitempty"` // id in the knowledge; "" for a passage
	Source  agent.Source `json:"source"`            // N is set when it is cited
}

func (d RetrievedDoc) key() string { return d.Service + "\x00" + d.Source.Chunk }

// Recommendation is the chosen service of a sub-task.
type Recommendation struct {
	SubTask string `json:"sub_task"`
	Service string `json:"service"` // "" if none is known
	Reason  string `json:"reason"`
	Price   string `json:"price,omitempty"` // "" if it is not known
	URL     string `json:"url,omitempty"`
}

func newState() state {
	s := graph.NewSchema()
	text := func(name string) graph.Chan[string] { return graph.NewLast(s, name, graph.PerTurn, graph.String()) }
	number := func(name string) graph.Chan[int] { return graph.NewLast(s, name, graph.PerTurn, graph.Int()) }
	flag := func(name string) graph.Chan[bool] { return graph.NewLast(s, name, graph.PerTurn, graph.Bool()) }
	return state{
		schema:     s,
		definition: graph.NewLast(s, "definition", graph.PerThread, graph.String()),
		messages: graph.NewKeyed(s, "messages", graph.PerThread, graph.JSON[memory.Message]("message", 1),
			func(m memory.Message) string { return m.ID }),
		question:  text("question"),
		known:     graph.NewLast(s, "known", graph.PerTurn, graph.JSON[[]string]("texts", 1)),
		complex:   flag("is_complex_task"),
		tasks:     graph.NewLast(s, "sub_tasks", graph.PerTurn, graph.JSON[[]SubTask]("sub_tasks", 1)),
		replans:   number("replans"),
		feedback:  graph.NewList(s, "user_feedback", graph.PerTurn, graph.String(), nil),
		unchanged: flag("unchanged"),
		approved:  flag("approved"),
		next:      text("next"),
		silent:    text("silent"),
		pending:   graph.NewLast(s, "pending", graph.PerTurn, graph.JSON[[]Call]("calls", 1)),
		rounds:    number("rounds"),
		results:   graph.NewKeyed(s, "tool_result", graph.PerTurn, graph.JSON[ToolResult]("tool_result", 1), func(r ToolResult) string { return r.ID }),
		docs:      graph.NewKeyed(s, "retrieved_docs", graph.PerTurn, graph.JSON[RetrievedDoc]("retrieved_doc", 1), RetrievedDoc.key),
		recommend: graph.NewLast(s, "tool_recommendations", graph.PerTurn,
			graph.JSON[[]Recommendation]("recommendations", 1)),
		plain:   flag("plain"),
		guide:   text("final_guide"),
		cited:   graph.NewLast(s, "cited", graph.PerTurn, graph.JSON[[]agent.Source]("sources", 1)),
		lessons: graph.NewList(s, "lessons", graph.PerTurn, graph.JSON[agent.Lesson]("lesson", 1), nil),
		lacking: graph.NewKeyed(s, "lacking", graph.PerTurn, graph.String(), strings.ToLower),
	}
}
