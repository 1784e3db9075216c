package host

import (
	"bytes"
	"encoding/json"
	"strings"
)

// OneForm writes JSON in one form: members in order, no spaces. By it the same arguments of a
// call are known, however a model writes them. What is no JSON stays, for the tool to refuse.
func OneForm(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return string(raw)
	}
	return strings.TrimSpace(b.String())
}
