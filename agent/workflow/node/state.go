package node

import (
	"encoding/json"
	"maps"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/memory"
)

// State is what a workflow works on. Messages, summaries and the definition
// belong to the thread, everything else to one turn.
type State struct {
	Schema *graph.Schema

	Input            graph.Chan[string]
	Messages         graph.List[memory.Message] // appended; a message with a known id replaces it
	CurrentStep      graph.Chan[string]
	LastOutput       graph.Chan[any]
	Iteration        graph.Chan[int]
	MaxIterations    graph.Chan[int]
	Difficulty       graph.Chan[string]
	Answer           graph.Chan[string]
	ReviewResult     graph.Chan[string]
	ReviewFeedback   graph.Chan[string]
	ReviewCount      graph.Chan[int]
	Todos            graph.List[Todo] // merged by id
	CurrentTodoIndex graph.Chan[int]
	FinalAnswer      graph.Chan[string]
	CompletionSignal graph.Chan[string]
	CompletionDetail graph.Chan[string]
	Error            graph.Chan[string]
	IsComplete       graph.Chan[bool]
	ContextBudget    graph.Chan[workflow.Budget]
	Fallback         graph.List[workflow.Switch]            // appended: every change of model
	MemoryRefs       graph.List[workflow.MemoryRef]         // one a file name
	Metadata         graph.Chan[map[string]json.RawMessage] // merged by key, one level deep

	Summaries  graph.Chan[[]memory.Summary] // of messages that left the context
	Passages   graph.Chan[[]agent.Source]   // numbered passages that the answer may cite
	Results    graph.List[Mapped]           // of the items of maps
	Item       graph.Chan[json.RawMessage]  // of a sub-workflow: the item it was run for
	Definition graph.Chan[string]           // which definition the thread's turns run, as JSON
	Outside    graph.List[string]           // servers whose words the turn has taken in
	Words      graph.List[Words]            // what the turn was given and what its models wrote
}

// Todo is one step of a larger task.
type Todo struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Detail string `json:"detail,omitempty"`
	Status string `json:"status"` // TodoOpen, TodoDone or TodoFailed
	Result string `json:"result,omitempty"`
}

// The states of a todo.
const (
	TodoOpen   = "open"
	TodoDone   = "done"
	TodoFailed = "failed"
)

// Mapped is the result of one item of a map.
type Mapped struct {
	Map   string          `json:"map"` // id of the map node
	Index int             `json:"index"`
	Value json.RawMessage `json:"value"`
}

// NewState returns the channels on a schema of their own.
func NewState() State {
	s := graph.NewSchema()
	text := func(name string) graph.Chan[string] { return graph.NewLast(s, name, graph.PerTurn, graph.String()) }
	number := func(name string) graph.Chan[int] { return graph.NewLast(s, name, graph.PerTurn, graph.Int()) }
	return State{
		Schema: s,
		Input:  text("input"),
		Messages: graph.NewKeyed(s, "messages", graph.PerThread, graph.JSON[memory.Message]("message", 1),
			func(m memory.Message) string { return m.ID }),
		CurrentStep:      text("current_step"),
		LastOutput:       graph.NewLast(s, "last_output", graph.PerTurn, graph.Any()),
		Iteration:        number("iteration"),
		MaxIterations:    number("max_iterations"),
		Difficulty:       text("difficulty"),
		Answer:           text("answer"),
		ReviewResult:     text("review_result"),
		ReviewFeedback:   text("review_feedback"),
		ReviewCount:      number("review_count"),
		Todos:            graph.NewKeyed(s, "todos", graph.PerTurn, graph.JSON[Todo]("todo", 1), func(t Todo) string { return t.ID }),
		CurrentTodoIndex: number("current_todo_index"),
		FinalAnswer:      text("final_answer"),
		CompletionSignal: text("completion_signal"),
		CompletionDetail: text("completion_detail"),
		Error:            graph.NewFold(s, "error", graph.PerTurn, graph.String(), func(_, add string) string { return add }),
		IsComplete:       graph.NewLast(s, "is_complete", graph.PerTurn, graph.Bool()),
		ContextBudget:    graph.NewLast(s, "context_budget", graph.PerTurn, graph.JSON[workflow.Budget]("budget", 1)),
		Fallback:         graph.NewList(s, "fallback", graph.PerTurn, graph.JSON[workflow.Switch]("switch", 1), nil),
		MemoryRefs: graph.NewKeyed(s, "memory_refs", graph.PerTurn, graph.JSON[workflow.MemoryRef]("memory_ref", 1),
			func(m workflow.MemoryRef) string { return m.Filename }),
		Metadata:  graph.NewFold(s, "metadata", graph.PerTurn, graph.JSON[map[string]json.RawMessage]("metadata", 1), merge),
		Summaries: graph.NewLast(s, "summaries", graph.PerThread, graph.JSON[[]memory.Summary]("summaries", 1)),
		Passages:  graph.NewLast(s, "passages", graph.PerTurn, graph.JSON[[]agent.Source]("sources", 1)),
		Results: graph.NewKeyed(s, "results", graph.PerTurn, graph.JSON[Mapped]("mapped", 1),
			func(m Mapped) string { return key(m.Map, m.Index) }),
		Item:       graph.NewLast(s, "item", graph.PerTurn, graph.JSON[json.RawMessage]("item", 1)),
		Definition: graph.NewLast(s, "definition", graph.PerThread, graph.String()),
		Outside:    graph.NewKeyed(s, outside, graph.PerTurn, graph.String(), func(server string) string { return server }),
		Words:      graph.NewKeyed(s, words, graph.PerTurn, graph.JSON[Words]("words", 1), func(w Words) string { return w.ID }),
	}
}

// Answers names the channels in which a turn's answer stands, the first that holds
// one before the others.
func (s State) Answers() []string {
	return []string{s.FinalAnswer.Name(), s.Answer.Name(), s.LastOutput.Name()}
}

// merge puts the members of add over those of old.
func merge(old, add map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(old)+len(add))
	maps.Copy(out, old)
	maps.Copy(out, add)
	return out
}

// reserved are the channels that a definition cannot write directly: what they
// hold is not the definition's to say.
func reserved(name string) bool {
	switch name {
	case "messages", "summaries", "definition", "results", "item", "fallback", "passages", "context_budget", "input", outside, words:
		return true
	}
	return false
}
