package contract

import (
	"log/slog"

	"maru/agent/tool"
	"maru/agent/workflow"
)

// kit makes the node types of this package.
type kit struct {
	st            state
	shelf         shelf
	tools         *tool.Registry
	passages      int // per search
	maxIterations int
	log           *slog.Logger // nil: none
}

func (k kit) types() []workflow.Type {
	return []workflow.Type{k.scopeValidator(), k.checkPreviousContext(), k.planner(), k.executor(), k.evaluator(), k.respond()}
}

// none is the configuration of node types without settings.
type none struct{}
