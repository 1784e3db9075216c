package host

import (
	"time"

	"maru/agent/llm"
	"maru/agent/workflow"
)

// Models are the models that an agent asks, and how. Zero numbers mean their
// defaults.
type Models struct {
	Model      llm.Model   // metered; retries and fallbacks are the agent's
	Fallbacks  []llm.Model // asked in turn when Model is unable
	ModelName  string      // asked of Model; "" for its own default
	MaxRetries int         // of a passing failure of one model; default 2, negative none
	Backoff    time.Duration
	Patience   time.Duration // with one model, all its repetitions counted; 0 means no end but the run's
	Random     func() float64
	Now        func() time.Time
}

// Exec returns what a run has at hand of them. window is the context window in tokens; 0
// is the default.
func (m Models) Exec(window int) workflow.Exec {
	return workflow.Exec{
		Models: m.all(), ModelName: m.ModelName, MaxRetries: m.MaxRetries, Backoff: m.Backoff, Patience: m.Patience,
		Guard: workflow.NewGuard(window), Random: m.Random, Now: m.Now,
	}
}

// all returns the models in the order in which they are asked; none without a first.
func (m Models) all() []llm.Model {
	if m.Model == nil {
		return nil
	}
	return append([]llm.Model{m.Model}, m.Fallbacks...)
}
