package host

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// OneForm writes JSON in one form: members in order, no spaces. By it the same arguments of a
// call are known, however a model writes them. What is no JSON, as something behind the value or
// a name given twice, stays, for the tool to refuse.
func OneForm(raw json.RawMessage) string {
	one, err := jsontext.AppendFormat(nil, raw, jsontext.ReorderRawObjects(true))
	if err != nil {
		return string(raw)
	}
	return string(one)
}
