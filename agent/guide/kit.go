package guide

import (
	"log/slog"

	"maru/agent/tool"
	"maru/agent/workflow"
)

// kit makes the node types of this package.
type kit struct {
	st        state
	catalog   *Catalog
	memory    Memory             // nil: nothing lasts beyond the thread
	tokens    int                // of memory in a prompt; negative: none
	documents workflow.Documents // nil: none
	tools     *tool.Registry
	threshold float64
	maxRounds int
	log       *slog.Logger
}

func (k kit) types() []workflow.Type {
	return []workflow.Type{k.router(), k.answer(), k.planning(), k.recommendTool(), k.toolExecutor(), k.generation(), k.reflection()}
}

// none is the config of types that take none.
type none struct{}
