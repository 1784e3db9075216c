package orchestrator

import (
	"encoding/json"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/node"
	"maru/memory"
)

// channels are the state channels of a thread. Messages and the last applied answer
// belong to the thread, all others to one turn.
type channels struct {
	schema *graph.Schema

	definition graph.Chan[string] // the definition of the thread's turns, as JSON

	messages graph.List[memory.Message]
	applied  graph.Chan[applied] // the answer that the last turn reused without asking

	input    graph.Chan[string]
	known    graph.Chan[string] // the person's preferences, as lines for prompts
	route    graph.Chan[string]
	title    graph.Chan[string]
	seed     graph.Chan[call] // the call of a model without structured output
	clarity  graph.Chan[clarity]
	decided  graph.Chan[decided] // the decision on the newest question
	waited   graph.Chan[int]     // response time of that decision, in milliseconds
	plan     graph.Chan[plan]
	current  graph.Chan[int] // index of the current step
	prepared graph.Chan[prepared]
	made     graph.Chan[attempt]   // results of the current step's calls
	outcomes graph.List[outcome]   // one per step
	history  graph.List[approval]  // approval_history: every decision, in order
	notes    graph.List[string]    // shown below the answer
	problem  graph.Chan[string]    // why the task ended without its steps
	spent    graph.Chan[llm.Usage] // tokens of the turn so far, over restarts
	calls    graph.Chan[int]       // model calls of the turn so far, over restarts
	passages graph.Chan[[]agent.Source]
	answer   graph.Chan[string]
	next     graph.Chan[string] // port of the last node
}

// call is one call of a tool.
type call = consent.Call

// source is something from before this task that may have given a call its values.
type source = consent.Remembered

// clarity records how clear the task is, and the questions and answers about it.
type clarity struct {
	Score     float64     `json:"score"`           // 0..1, without answers
	After     *float64    `json:"after,omitempty"` // measured with the answers; nil: not measured
	Questions []question  `json:"questions,omitempty"`
	Past      []clarified `json:"past,omitempty"`    // suggestions from earlier runs
	Answers   []answered  `json:"answers,omitempty"` // in the person's own words
	Reused    string      `json:"reused,omitempty"`  // id of the earlier answers used
	Auto      bool        `json:"auto,omitempty"`    // applied without asking
	Undone    bool        `json:"undone,omitempty"`  // applied and withdrawn
	Rounds    int         `json:"rounds,omitempty"`
	Note      string      `json:"note,omitempty"` // shown with the next question
}

// question is one open point of a task.
type question struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
}

// answered is a question with the person's answer.
type answered struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Own      bool   `json:"own,omitempty"` // the asker's own words of this turn

	At time.Time `json:"at,omitzero"` // of an earlier answer
}

// applied names the earlier answers that a turn reused without asking.
type applied struct {
	ID   string `json:"id,omitempty"`
	Task string `json:"task,omitempty"`
}

// decided is a person's answer to a question.
type decided struct {
	agent.Reply

	Written []string  `json:"written,omitempty"` // see [agent.Ask.Written]
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Expired bool      `json:"expired,omitempty"` // nobody answered in time
	Auto    bool      `json:"auto,omitempty"`    // decided without asking
}

// approval is one line of the approval history.
type approval struct {
	Kind   string    `json:"kind"`   // "clarification", "plan", "step"
	Action string    `json:"action"` // a verb, or "expired"
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Step   string    `json:"step,omitempty"`
	Auto   bool      `json:"auto,omitempty"`
	Note   string    `json:"note,omitempty"`
	Words  []string  `json:"words,omitempty"`  // that the person wrote
	Millis int       `json:"millis,omitempty"` // response time
}

// step is one step of a plan, as it is shown and as it will run.
type step struct {
	ID        string          `json:"id"`
	Text      string          `json:"text"`
	Detail    string          `json:"detail,omitempty"`
	Tool      string          `json:"tool,omitempty"`      // "": any read-only tool
	Arguments json.RawMessage `json:"arguments,omitempty"` // known before the step
	Shown     string          `json:"shown,omitempty"`     // digest of the tool that the arguments were shown with
	Effect    agent.Effect    `json:"effect"`
}

// plan holds the steps to run. They change only by a decision or a new plan; progress
// is in the outcomes.
type plan struct {
	Title    string   `json:"title"`
	Why      string   `json:"why,omitempty"`
	Original []step   `json:"original"`
	Steps    []step   `json:"steps"`
	Notes    []string `json:"notes,omitempty"`
	From     []string `json:"from,omitempty"`    // ids of the earlier plans it is based on
	Edited   bool     `json:"edited,omitempty"`  // a person changed it
	Granted  string   `json:"granted,omitempty"` // digest of the approved steps
	By       string   `json:"by,omitempty"`
	Rounds   int      `json:"rounds,omitempty"`  // how often approval was asked for
	Replans  int      `json:"replans,omitempty"` // replans after failures
	NextID   int      `json:"next_id"`
	Redo     bool     `json:"redo,omitempty"` // a repeated task: the plan is reused as it is
	Ran      []string `json:"ran,omitempty"`  // ids of the steps that an earlier run tried

	Heard *string `json:"heard,omitempty"` // see [workflow.Exec.Heard], of the prompts that made the plan
}

// prepared is the call of the current step.
type prepared struct {
	Step      string          `json:"step"`
	Tools     []string        `json:"tools,omitempty"` // recommended, the best first
	Tool      string          `json:"tool,omitempty"`  // of the prepared call, "" without one
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Missing   []string        `json:"missing,omitempty"` // required fields without a value
	Total     int             `json:"total,omitempty"`   // required fields
	Unfit     string          `json:"unfit,omitempty"`   // why the tool would refuse the call, for people
	Notes     []string        `json:"notes,omitempty"`
	Known     []source        `json:"known,omitempty"`   // what its values may stem from
	Shown     string          `json:"shown,omitempty"`   // digest of the tool that the call was shown with
	Granted   string          `json:"granted,omitempty"` // digest of the approved call
	Auto      bool            `json:"auto,omitempty"`
	Rounds    int             `json:"rounds,omitempty"`
	Unsure    bool            `json:"unsure,omitempty"` // it was started and may have taken effect
	Again     bool            `json:"again,omitempty"`  // as Unsure, and it shall run again
	Heard     *string         `json:"heard,omitempty"`  // see [workflow.Exec.Heard], of the prompts that made the call
}

// attempt is the result of running a step once.
type attempt struct {
	Text    string       `json:"text,omitempty"`    // the tool's result or the model's text
	From    string       `json:"from,omitempty"`    // outside servers that the text comes from
	Based   *[]node.Gave `json:"based,omitempty"`   // results on which the model wrote the text; nil: it is a tool's result
	Code    failure      `json:"code,omitempty"`    // reason of the failure; "" on success
	Reason  string       `json:"reason,omitempty"`  // the reason, for people
	Skipped bool         `json:"skipped,omitempty"` // its tool did not run
	Calls   []called     `json:"calls,omitempty"`
	Millis  int64        `json:"millis,omitempty"`
}

// called is a completed call.
type called struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
	Why       string          `json:"why,omitempty"`   // reason of the failure, for people
	From      string          `json:"from,omitempty"`  // the outside server that answered
	Shown     string          `json:"shown,omitempty"` // digest of the tool when the call was begun
}

// outcome is the final result of a step, with its files.
type outcome struct {
	Step     string          `json:"step"`
	State    agent.StepState `json:"state"`
	Text     string          `json:"text,omitempty"`
	From     string          `json:"from,omitempty"`  // outside servers that Text comes from
	Based    *[]node.Gave    `json:"based,omitempty"` // as in [attempt]
	Code     failure         `json:"code,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Calls    []called        `json:"calls,omitempty"`
	Tries    int             `json:"tries"`
	Millis   int64           `json:"millis,omitempty"`
	Auto     bool            `json:"auto,omitempty"`
	JSON     string          `json:"json,omitempty"` // the result as files
	Markdown string          `json:"markdown,omitempty"`
}

func newChannels() channels {
	s := graph.NewSchema()
	text := func(name string) graph.Chan[string] { return graph.NewLast(s, name, graph.PerTurn, graph.String()) }
	return channels{
		schema:     s,
		definition: graph.NewLast(s, "definition", graph.PerThread, graph.String()),
		messages: graph.NewKeyed(s, "messages", graph.PerThread, graph.JSON[memory.Message]("message", 1),
			func(m memory.Message) string { return m.ID }),
		applied: graph.NewLast(s, "applied", graph.PerThread, graph.JSON[applied]("applied", 1)),

		input: text("input"), known: text("known"), route: text("route"), title: text("title"), next: text("next"), answer: text("answer"), problem: text("problem"),
		seed:     graph.NewLast(s, "seed", graph.PerTurn, graph.JSON[call]("call", 1)),
		clarity:  graph.NewLast(s, "clarity", graph.PerTurn, graph.JSON[clarity]("clarity", 1)),
		decided:  graph.NewLast(s, "decided", graph.PerTurn, graph.JSON[decided]("decided", 1)),
		waited:   graph.NewLast(s, "waited", graph.PerTurn, graph.Int()),
		plan:     graph.NewLast(s, "plan", graph.PerTurn, graph.JSON[plan]("plan", 1)),
		current:  graph.NewLast(s, "current", graph.PerTurn, graph.Int()),
		prepared: graph.NewLast(s, "prepared", graph.PerTurn, graph.JSON[prepared]("prepared", 1)),
		made:     graph.NewLast(s, "made", graph.PerTurn, graph.JSON[attempt]("attempt", 1)),
		outcomes: graph.NewKeyed(s, "outcomes", graph.PerTurn, graph.JSON[outcome]("outcome", 1), func(o outcome) string { return o.Step }),
		history:  graph.NewList(s, "approval_history", graph.PerTurn, graph.JSON[approval]("approval", 1), nil),
		notes:    graph.NewList(s, "notes", graph.PerTurn, graph.String(), nil),
		spent:    graph.NewFold(s, "spent", graph.PerTurn, graph.JSON[llm.Usage]("usage", 1), addUsage),
		calls:    graph.NewFold(s, "calls", graph.PerTurn, graph.Int(), func(old, add int) int { return old + add }),
		passages: graph.NewLast(s, "passages", graph.PerTurn, graph.JSON[[]agent.Source]("sources", 1)),
	}
}

func addUsage(old, add llm.Usage) llm.Usage {
	old.Add(add)
	return old
}
