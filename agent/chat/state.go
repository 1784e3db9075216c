package chat

import (
	"maru/agent"
	"maru/agent/graph"
	"maru/memory"
)

// channels are the state channels of a chat thread. messages, summaries and lately belong to the thread, the
// others to one turn.
type channels struct {
	schema *graph.Schema

	definition graph.Chan[string] // the definition of the thread's turns, as JSON

	messages  graph.List[memory.Message] // the window, oldest first
	summaries graph.Chan[[]memory.Summary]

	lately graph.Chan[[]string] // documents cited by the last answer with sources

	question graph.Chan[string]         // the person's message
	route    graph.Chan[string]         // "rag" or "agent"
	reason   graph.Chan[string]         // for the trace
	wants    graph.Chan[string]         // kind of request, from the router
	query    graph.Chan[string]         // the question rewritten to stand alone, from the router; may be empty
	draft    graph.Chan[string]         // summary of the messages that leave the window, from the router; may be empty
	context  graph.Chan[[]agent.Source] // numbered passages
	about    graph.Chan[string]         // part of the message's files that it is about: aboutWhole or aboutPart
	notes    graph.Chan[string]         // notes on the parts of long files
	aside    graph.Chan[[]agent.Source] // passages for an answer of the agent
	sought   graph.Chan[[]agent.Source] // passages found by the model's searches, numbered after them
	near     graph.Chan[[]agent.Source] // nearest passages below the threshold
	rounds   graph.Chan[int]            // tool rounds so far
	deeds    graph.List[deed]           // calls that needed approval
	handed   graph.Chan[bool]           // a person chose to have it done as a task
	answer   graph.Chan[string]
	cited    graph.Chan[[]agent.Source]
}

// Routes, and kinds of requests that need more than an answer.
const (
	routeRAG    = "rag"
	routeAgent  = "agent"
	wantsAction = "action"
	wantsTask   = "task"
)

func newChannels() channels {
	s := graph.NewSchema()
	sources := graph.JSON[[]agent.Source]("sources", 1)
	return channels{
		schema:     s,
		definition: graph.NewLast(s, "definition", graph.PerThread, graph.String()),

		messages:  graph.NewKeyed(s, "messages", graph.PerThread, graph.JSON[memory.Message]("message", 1), func(m memory.Message) string { return m.ID }),
		summaries: graph.NewLast(s, "summaries", graph.PerThread, graph.JSON[[]memory.Summary]("summaries", 1)),
		lately:    graph.NewLast(s, "lately", graph.PerThread, graph.JSON[[]string]("strings", 1)),
		question:  graph.NewLast(s, "question", graph.PerTurn, graph.String()),
		route:     graph.NewLast(s, "route", graph.PerTurn, graph.String()),
		reason:    graph.NewLast(s, "reason", graph.PerTurn, graph.String()),
		wants:     graph.NewLast(s, "wants", graph.PerTurn, graph.String()),
		query:     graph.NewLast(s, "query", graph.PerTurn, graph.String()),
		draft:     graph.NewLast(s, "draft", graph.PerTurn, graph.String()),
		context:   graph.NewLast(s, "context", graph.PerTurn, sources),
		about:     graph.NewLast(s, "about", graph.PerTurn, graph.String()),
		notes:     graph.NewLast(s, "notes", graph.PerTurn, graph.String()),
		aside:     graph.NewLast(s, "aside", graph.PerTurn, sources),
		sought:    graph.NewLast(s, "sought", graph.PerTurn, sources),
		near:      graph.NewLast(s, "near", graph.PerTurn, sources),
		rounds:    graph.NewLast(s, "rounds", graph.PerTurn, graph.Int()),
		deeds:     graph.NewList(s, "deeds", graph.PerTurn, graph.JSON[deed]("deed", 1), nil),
		handed:    graph.NewLast(s, "handed", graph.PerTurn, graph.Bool()),
		answer:    graph.NewLast(s, "answer", graph.PerTurn, graph.String()),
		cited:     graph.NewLast(s, "cited", graph.PerTurn, sources),
	}
}
