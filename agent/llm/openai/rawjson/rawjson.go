// Package rawjson reads members of JSON whose kind differs from server to server: a value of another kind than asked for is an
// empty one, and no error. It knows no API.
package rawjson

import (
	"bytes"
	"encoding/json"
)

// Object is a JSON object whose members are not read yet.
type Object = map[string]json.RawMessage

// Kind returns the first byte of a value, which tells its kind; 0 for none.
func Kind(raw json.RawMessage) byte {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 {
		return raw[0]
	}
	return 0
}

// Map returns the members of an object, unread; nil for any other value.
func Map(raw json.RawMessage) Object {
	var out Object
	if Kind(raw) != '{' || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// List returns the values of a list, unread; false for any other value.
func List(raw json.RawMessage) ([]json.RawMessage, bool) {
	var out []json.RawMessage
	if Kind(raw) != '[' || json.Unmarshal(raw, &out) != nil {
		return nil, false
	}
	return out, true
}

// String returns a text; "" for any other value.
func String(raw json.RawMessage) string {
	var out string
	if Kind(raw) != '"' || json.Unmarshal(raw, &out) != nil {
		return ""
	}
	return out
}
