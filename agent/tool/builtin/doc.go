// Package builtin holds maru's own tools: calculator, current_time, weather,
// wikipedia, web_search, python and read_file. Each is one file of code with
// its words for models beside it, and a test; [All] makes those that can be
// offered with the given [Config] and says what the others lack.
//
// A tool here knows nothing of agents, graphs or platforms: it gets a
// [maru/agent/tool.Call] and returns a result or a [*maru/agent/tool.Error].
// Keys never leave the requests they belong to.
package builtin

import (
	"maru/agent/tool"
	"maru/phrase"
)

// bad returns the error of arguments that fit the schema but make no sense.
func bad(model string, people phrase.Sentence) *tool.Error {
	return &tool.Error{Code: "bad_argument", Model: model, People: people}
}
