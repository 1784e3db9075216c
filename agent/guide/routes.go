package guide

import "maru/agent/graph"

// Ports of the nodes.
const (
	portComplex = "complex"
	portPlain   = "plain"
	portReplan  = "replan"   // the person wants other sub-tasks
	portTools   = "tools"    // tools are to be called
	portDone    = "done"     // every sub-task has its service
	portDropped = "rejected" // the person does not want it
)

// routerRoute is where llm_router leads.
func (k kit) routerRoute(s graph.State) string {
	if k.st.complex.Get(s) {
		return portComplex
	}
	return portPlain
}

// recommendRoute is where recommend_tool_node leads.
func (k kit) recommendRoute(s graph.State) string { return k.st.next.Get(s) }
