package guide

import "maru/agent/graph"

// Output ports of the nodes.
const (
	portComplex = "complex"
	portPlain   = "plain"
	portReplan  = "replan"   // the person wants other sub-tasks
	portTools   = "tools"    // tool calls are planned
	portDone    = "done"     // every sub-task has its service
	portDropped = "rejected" // the person declined
)

// routerRoute returns the output port of llm_router.
func (k kit) routerRoute(s graph.State) string {
	if k.st.complex.Get(s) {
		return portComplex
	}
	return portPlain
}

// recommendRoute returns the output port of recommend_tool_node.
func (k kit) recommendRoute(s graph.State) string { return k.st.next.Get(s) }
