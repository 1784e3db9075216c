package contract

import (
	"maru/agent"
	"maru/agent/graph"
	"maru/memory"
)

// state declares the workflow's state channels. Messages, contracts and last live as long as the
// thread, the others for one turn.
type state struct {
	schema *graph.Schema

	definition graph.Chan[string] // the definition of the thread's turns, as JSON

	messages  graph.List[memory.Message]
	contracts graph.List[Contract] // shared in this thread, newest last
	last      graph.Chan[[]string] // article names of the last answer

	question   graph.Chan[string] // the person's message
	scope      graph.Chan[string] // port of scope_validator
	query      graph.Chan[string] // the question, rewritten to stand alone
	leans      graph.Chan[bool]   // the question depends on earlier messages
	held       graph.Chan[bool]   // earlier answers and their sources contain the answer
	own        graph.Chan[[]Contract]
	others     graph.Chan[[]string] // titles of the channel's other contracts, if none was named
	calls      graph.Chan[[]Call]   // planned, not made yet
	done       graph.List[Done]     // made; at most one per tool and arguments
	found      graph.List[Found]    // passages in citation order
	plan       graph.Chan[string]   // port of planner
	evaluation graph.Chan[Evaluation]
	iterations graph.Chan[int]
	answer     graph.Chan[string]
	cited      graph.Chan[[]agent.Source]
}

// Contract is a document that a thread's questions are about.
type Contract struct {
	Document string `json:"document"`
	Title    string `json:"title"`
	Asked    bool   `json:"asked,omitempty"` // named by the question
}

// Call is a tool call planned by the planner.
type Call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`       // canonical JSON
	Asked     bool   `json:"asked,omitempty"` // the person named the part, so a miss is reported
}

// key identifies the call: same tool and arguments, same call.
func (c Call) key() string { return c.Tool + " " + c.Arguments }

// Done is a completed call.
type Done struct {
	Call
	Text string `json:"text"`           // the result as shown to a model
	Miss string `json:"miss,omitempty"` // notices for people about parts not found, one per line
	Hits int    `json:"hits"`           // number of passages found
}

// Found is a passage of the user's contract or of the standard one.
type Found struct {
	Source   agent.Source `json:"source"` // N is set when it is cited
	Standard bool         `json:"standard,omitempty"`
	Article  string       `json:"article,omitempty"` // as people write it, "" outside of articles
	Label    string       `json:"label,omitempty"`   // number and title
}

// key identifies the passage, or the quoted part of it.
func (f Found) key() string { return f.Source.Chunk + "\x00" + f.Source.Quote }

// Evaluation is the evaluator's verdict on the passages.
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
