package node

import (
	"encoding/json"
	"fmt"

	"maru/agent/llm"
	"maru/agent/workflow"
)

// Types returns the general node types.
func Types() []workflow.Type {
	return workflow.Toolless([]workflow.Type{
		llmCall(), conditional(), switchType(), toolCall(), retrieve(), humanApproval(), setState(), httpRequest(),
		mapType(), joinType(), subWorkflow(),
	})
}

// outputSchema is the config member "output", which most types have.
const outputSchema = `"output": {"type": "string", "description": "where the result goes: a channel, or metadata.NAME; default last_output"}`

// decode reads a config that fits its schema.
func decode[C any](p workflow.Place) (C, error) {
	var c C
	if err := llm.StrictJSON(p.Config, &c); err != nil {
		return c, fmt.Errorf("config: %w", err)
	}
	return c, nil
}

// schemaOf completes a config schema: an object with nothing else in it.
func schemaOf(properties string, required ...string) json.RawMessage {
	if len(required) == 0 {
		required = []string{}
	}
	names, err := json.Marshal(required)
	if err != nil {
		panic(err) // strings always encode
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, properties, names))
}
