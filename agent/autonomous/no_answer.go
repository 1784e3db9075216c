package autonomous

import (
	"cmp"
	"strings"
	"sync"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

// ending notes which node of a run ended last.
type ending struct {
	sink agent.Sink

	mu   sync.Mutex
	node string
}

// note is an agent.Sink.
func (e *ending) note(ev agent.Event) {
	if ev.Kind == agent.EventNodeEnd && !strings.Contains(ev.Node, "/") { // those of sub-workflows end within one
		e.mu.Lock()
		e.node = ev.Node
		e.mu.Unlock()
	}
	if e.sink != nil {
		e.sink(ev)
	}
}

// unanswered says that a run ended without an answer: to its person what they can
// do, in what it returns; to whoever writes the workflow which node ended it and
// what is missing, in the run's trace.
func (a *Agent) unanswered(x *workflow.Exec, e *ending, s graph.State) string {
	e.mu.Lock()
	last := e.node
	e.mu.Unlock()
	d := a.Serves()
	if last == "" { // it ended in a process that is gone
		return x.Phrase("autonomous.no_answer", d.Name)
	}
	label := last
	for _, n := range d.Nodes {
		if n.ID == last {
			label = cmp.Or(n.Label, n.ID)
		}
	}
	says := x.Phrase("autonomous.no_answer.builder", last, strings.Join(a.st.Answers(), ", "))
	if fault := a.st.Error.Get(s); fault != "" {
		says += " " + x.Phrase("autonomous.no_answer.error", fault)
	}
	x.Emit(agent.Event{Kind: agent.EventCustom, Name: agent.CustomNoAnswer, Node: last, Text: says})
	return x.Phrase("autonomous.no_answer.after", d.Name, label)
}
