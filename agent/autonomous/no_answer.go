package autonomous

import (
	"cmp"
	"strings"
	"sync"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

// ending records the node of a run that ended last.
type ending struct {
	sink agent.Sink

	mu   sync.Mutex
	node string
}

// note implements agent.Sink.
func (e *ending) note(ev agent.Event) {
	if ev.Kind == agent.EventNodeEnd && !strings.Contains(ev.Node, "/") { // nodes of sub-workflows end within their parent
		e.mu.Lock()
		e.node = ev.Node
		e.mu.Unlock()
	}
	if e.sink != nil {
		e.sink(ev)
	}
}

// unanswered returns the message for a run without an answer. The trace tells the workflow's
// author which node ended last and what is missing.
func (a *Agent) unanswered(x *workflow.Exec, e *ending, s graph.State) string {
	e.mu.Lock()
	last := e.node
	e.mu.Unlock()
	d := a.Serves()
	if last == "" { // the run ended in an earlier process
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
