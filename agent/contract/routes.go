package contract

import (
	"context"

	"maru/agent/graph"
)

// Output ports of the nodes.
const (
	portIn       = "in_scope"
	portOut      = "out_of_scope"
	portOne      = "one"      // one call
	portSeveral  = "several"  // parallel calls
	portEvaluate = "evaluate" // every wanted call was made before
	portRespond  = "respond"  // no look-up needed
	portMissing  = "missing"
	portEnough   = "enough"
)

// scopeRoute returns the output port of scope_validator.
func (k kit) scopeRoute(s graph.State) string { return k.st.scope.Get(s) }

// spread sends each planned call to its own task.
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

// enoughRoute returns the output port of evaluator.
func (k kit) enoughRoute(s graph.State) string {
	if k.st.evaluation.Get(s).Enough || k.st.iterations.Get(s) >= k.maxIterations {
		return portEnough
	}
	return portMissing
}
