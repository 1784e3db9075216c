package contract

import (
	"maru/agent"
	"maru/agent/graph"
	"maru/memory"
)

// state is what the workflow works on. Messages, contracts and last belong to
// the thread, everything else to one turn.
type state struct {
	schema *graph.Schema

	definition graph.Chan[string] // which definition the thread's turns run, as JSON

	messages  graph.List[memory.Message]
	contracts graph.List[Contract] // shared in this thread, the newest last
	last      graph.Chan[[]string] // the articles that the answer before was about, as people write them

	question   graph.Chan[string] // what the person wrote
	scope      graph.Chan[string] // port of scope_validator
	query      graph.Chan[string] // the question made whole with the conversation
	leans      graph.Chan[bool]   // the question cannot be understood alone
	held       graph.Chan[bool]   // the answers before and their sources hold the answer
	own        graph.Chan[[]Contract]
	others     graph.Chan[[]string] // titles of the place's other contracts, where nobody said which one is meant
	calls      graph.Chan[[]Call]   // planned and not yet made
	done       graph.List[Done]     // made, one a tool with its arguments
	found      graph.List[Found]    // passages, numbered by their place
	plan       graph.Chan[string]   // port of planner
	evaluation graph.Chan[Evaluation]
	iterations graph.Chan[int]
	answer     graph.Chan[string]
	cited      graph.Chan[[]agent.Source]
}

// Contract is a document that questions of a thread are about.
type Contract struct {
	Document string `json:"document"`
	Title    string `json:"title"`
	Asked    bool   `json:"asked,omitempty"` // the question is about this one in particular
}

// Call is a tool call that the planner wants.
type Call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`       // JSON in its one form
	Asked     bool   `json:"asked,omitempty"` // the person named what it looks up: that it is not there is told
}

// key names the call: the same tool with the same arguments is the same call.
func (c Call) key() string { return c.Tool + " " + c.Arguments }

// Done is a call that was made.
type Done struct {
	Call
	Text string `json:"text"`           // what a model reads of it
	Miss string `json:"miss,omitempty"` // for people: what was looked for and is not there, a sentence a line
	Hits int    `json:"hits"`           // passages that it found
}

// Found is a passage, from the user's contract or from the standard one.
type Found struct {
	Source   agent.Source `json:"source"` // N is set when it is shown
	Standard bool         `json:"standard,omitempty"`
	Article  string       `json:"article,omitempty"` // as people write it, "" outside of articles
	Label    string       `json:"label,omitempty"`   // with its title
}

// key names the passage, or the part of it that was asked for.
func (f Found) key() string { return f.Source.Chunk + "\x00" + f.Source.Quote }

// Evaluation is the evaluator's judgement of what was found.
type Evaluation struct {
	Enough     bool     `json:"enough"`
	Missing    string   `json:"missing_info"`
	Explored   []string `json:"explored"`
	Unexplored []string `json:"unexplored"`
}

func newState() state {
	s := graph.NewSchema()
	text := func(name string) graph.Chan[string] { return graph.NewLast(s, name, graph.PerTurn, graph.String()) }
	return state{
		schema:     s,
		definition: graph.NewLast(s, "definition", graph.PerThread, graph.String()),
		messages: graph.NewKeyed(s, "messages", graph.PerThread, graph.JSON[memory.Message]("message", 1),
			func(m memory.Message) string { return m.ID }),
		contracts: graph.NewKeyed(s, "contracts", graph.PerThread, graph.JSON[Contract]("contract", 1),
			func(c Contract) string { return c.Document }),
		last:       graph.NewLast(s, "last_articles", graph.PerThread, graph.JSON[[]string]("keys", 1)),
		question:   text("question"),
		scope:      text("scope"),
		query:      text("query"),
		leans:      graph.NewLast(s, "leans", graph.PerTurn, graph.Bool()),
		held:       graph.NewLast(s, "held", graph.PerTurn, graph.Bool()),
		own:        graph.NewLast(s, "own_contracts", graph.PerTurn, graph.JSON[[]Contract]("contracts", 1)),
		others:     graph.NewLast(s, "other_contracts", graph.PerTurn, graph.JSON[[]string]("titles", 1)),
		calls:      graph.NewLast(s, "calls", graph.PerTurn, graph.JSON[[]Call]("calls", 1)),
		done:       graph.NewKeyed(s, "done", graph.PerTurn, graph.JSON[Done]("done", 1), func(d Done) string { return d.key() }),
		found:      graph.NewKeyed(s, "found", graph.PerTurn, graph.JSON[Found]("found", 1), Found.key),
		plan:       text("plan"),
		evaluation: graph.NewLast(s, "evaluation", graph.PerTurn, graph.JSON[Evaluation]("evaluation", 1)),
		iterations: graph.NewLast(s, "iterations", graph.PerTurn, graph.Int()),
		answer:     text("answer"),
		cited:      graph.NewLast(s, "cited", graph.PerTurn, graph.JSON[[]agent.Source]("sources", 1)),
	}
}
