package host

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// OneForm writes JSON in a canonical form, with members in order and without spaces, so that a model's repeated call
// is recognised however it is written. Invalid JSON, such as a value with a rest or a name given twice, stays as it
// is, for the tool to refuse.
func OneForm(raw json.RawMessage) string {
	one, err := jsontext.AppendFormat(nil, raw, jsontext.ReorderRawObjects(true))
	if err != nil {
		return string(raw)
	}
	return string(one)
}
