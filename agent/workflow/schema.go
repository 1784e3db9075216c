package workflow

import (
	"encoding/json"
	"fmt"
)

// SchemaURL names the JSON Schema of definitions.
const SchemaURL = "urn:maru:workflow"

type object = map[string]any

// JSONSchema returns the JSON Schema (draft 2020-12) of definitions that are
// written with the types of a registry, for editors: it knows every type's
// config.
func JSONSchema(r *Registry) ([]byte, error) {
	nodes, err := nodeSchema(r)
	if err != nil {
		return nil, err
	}
	text := func(about string) object { return object{"type": "string", "minLength": 1, "description": about} }
	id := object{"type": "string", "pattern": nodeID.String(), "description": "letters, digits, _ . -, at most 64"}
	doc := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     SchemaURL,
		"title":   "Maru workflow",
		"type":    "object",
		"properties": object{
			"$schema":        object{"type": "string"},
			"id":             id,
			"name":           text("What people call it; default its id."),
			"description":    object{"type": "string"},
			"version":        text("Of the definition, such as 1.2; default 1."),
			"max_iterations": object{"type": "integer", "minimum": 0, "maximum": 10000, "default": defaultIterations, "description": "Super-steps that one turn may take."},
			"owner":          object{"type": "string", "pattern": ownerID.String(), "description": "Who besides admins may enable the triggers: PLATFORM/WORKSPACE/PERSON, such as slack/T0123/U0123."},
			"triggers":       object{"type": "array", "maxItems": maxTriggers, "items": object{"$ref": "#/$defs/trigger"}, "description": "When it runs by itself, in the channels where they are enabled."},
			"nodes":          object{"type": "array", "minItems": 2, "maxItems": maxNodes, "items": object{"$ref": "#/$defs/node"}},
			"edges":          object{"type": "array", "minItems": 1, "items": object{"$ref": "#/$defs/edge"}},
		},
		"required":             []string{"nodes", "edges"},
		"additionalProperties": false,
		"$defs": object{
			"node": nodes,
			"edge": object{
				"type": "object",
				"properties": object{
					"source":      text("Id of the node that it leaves."),
					"source_port": text("Port of that node, if it has named ones; \"default\" stands for the only one of the others."),
					"target":      text("Id of the node that it leads to."),
				},
				"required": []string{"source", "target"}, "additionalProperties": false,
			},
			"trigger": object{
				"type": "object",
				"properties": object{
					"id":        object{"type": "string", "pattern": nodeID.String(), "description": "Names it where it is enabled; default its position, from 1."},
					"type":      object{"const": TriggerSchedule},
					"when":      object{"type": "string", "minLength": 1, "description": "A cron expression of five fields, or words that say a time again and again, in Korean or English.", "examples": []string{"0 9 * * 1", "every weekday at 9"}},
					"time_zone": object{"type": "string", "description": "IANA name by which it is read; default that of the channel.", "examples": []string{"Asia/Seoul"}},
					"input":     object{"type": "string", "minLength": 1, "maxLength": maxInput, "description": "The message that the workflow runs with."},
					"result":    object{"enum": []string{resultChannel, ResultThread}, "default": resultChannel, "description": "Where the answer is posted: in the channel, or in the thread where the trigger was enabled."},
				},
				"required": []string{"type", "when", "input"}, "additionalProperties": false,
			},
			"duration": object{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, "examples": []string{"30s", "2m"}},
			"policy": object{
				"type": "object",
				"properties": object{
					"timeout": object{"$ref": "#/$defs/duration", "description": "Of one attempt, at most 1h."},
					"retry": object{
						"type": "object",
						"properties": object{
							"attempts": object{"type": "integer", "minimum": 1, "maximum": maxAttempts},
							"wait":     object{"$ref": "#/$defs/duration"},
							"max_wait": object{"$ref": "#/$defs/duration"},
						},
						"required": []string{"attempts"}, "additionalProperties": false,
					},
				},
				"additionalProperties": false,
			},
		},
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("workflow schema: %w", err)
	}
	return append(out, '\n'), nil
}

// nodeSchema returns the schema of a node: its config depends on its type.
func nodeSchema(r *Registry) (object, error) {
	types := []string{TypeStart, TypeEnd}
	rules := []any{object{
		"if":   object{"properties": object{"node_type": object{"enum": []string{TypeStart, TypeEnd}}}, "required": []string{"node_type"}},
		"then": object{"properties": object{"config": object{"maxProperties": 0}}},
	}}
	for _, name := range r.Names() {
		t, _ := r.Type(name)
		types = append(types, name)
		config := t.Config
		if len(config) == 0 {
			config = json.RawMessage(`{"type":"object","maxProperties":0}`)
		}
		var parsed object
		if err := json.Unmarshal(config, &parsed); err != nil {
			return nil, fmt.Errorf("config schema of type %s: %w", name, err)
		}
		then := object{"properties": object{"config": parsed}, "description": t.Summary}
		if required, _ := parsed["required"].([]any); len(required) > 0 {
			then["required"] = []string{"config"}
		}
		rules = append(rules, object{
			"if":   object{"properties": object{"node_type": object{"const": name}}, "required": []string{"node_type"}},
			"then": then,
		})
	}
	node := object{
		"type": "object",
		"properties": object{
			"id":        object{"type": "string", "pattern": nodeID.String()},
			"node_type": object{"enum": types},
			"label":     object{"type": "string", "description": "What drawings and traces show."},
			"config":    object{"type": "object"},
			"policy":    object{"$ref": "#/$defs/policy"},
			"position": object{
				"type": "object", "properties": object{"x": object{"type": "number"}, "y": object{"type": "number"}},
				"required": []string{"x", "y"}, "additionalProperties": false,
			},
		},
		"required": []string{"id", "node_type"}, "additionalProperties": false,
	}
	node["allOf"] = rules
	return node, nil
}
