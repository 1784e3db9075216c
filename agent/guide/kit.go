package guide

import (
	"log/slog"

	"maru/agent/tool"
	"maru/agent/workflow"
)

// kit builds this package's node types.
type kit struct {
	st        state
	catalog   *Catalog
	memory    Memory             // nil: nothing outlives the thread
	tokens    int                // of memory in a prompt; negative disables it
	documents workflow.Documents // nil: none
	tools     *tool.Registry
	threshold float64
	maxRounds int
	log       *slog.Logger
}

func (k kit) types() []workflow.Type {
	return []workflow.Type{k.router(), k.answer(), k.planning(), k.recommendTool(), k.toolExecutor(), k.generation(), k.reflection()}
}

// none is the configuration of types without settings.
type none struct{}
