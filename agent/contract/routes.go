package contract

import (
	"context"

	"maru/agent/graph"
)

// Ports of the nodes.
const (
	portIn       = "in_scope"
	portOut      = "out_of_scope"
	portOne      = "one"      // one call
	portSeveral  = "several"  // calls side by side
	portEvaluate = "evaluate" // everything that is wanted was done before
	portRespond  = "respond"  // nothing needs to be looked up
	portMissing  = "missing"
	portEnough   = "enough"
)

// scopeRoute is where scope_validator leads.
func (k kit) scopeRoute(s graph.State) string { return k.st.scope.Get(s) }

// spread sends each planned call to a task of its own.
func (k kit) spread(_ context.Context, s graph.State) (port string, items []any, empty string, err error) {
	for _, c := range k.st.calls.Get(s) {
		items = append(items, c)
	}
	port = portSeveral
	if len(items) == 1 {
		port = portOne
	}
	return port, items, k.st.plan.Get(s), nil
}

// enoughRoute is where evaluator leads.
func (k kit) enoughRoute(s graph.State) string {
	if k.st.evaluation.Get(s).Enough || k.st.iterations.Get(s) >= k.maxIterations {
		return portEnough
	}
	return portMissing
}
