package metrics

import "time"

// Tools counts calls of tools that exist by their names: a name that a model
// invents is no label.
type Tools struct {
	*Recorder

	Known func(name string) bool
}

// ToolCall implements bot.Observer.
func (t Tools) ToolCall(name string, failed bool, took time.Duration) {
	if !t.Known(name) {
		name = "unknown"
	}
	t.Recorder.ToolCall(name, failed, took)
}
