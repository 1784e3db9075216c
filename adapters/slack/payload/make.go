package payload

import "encoding/json"

// With returns an object with one text field, as JSON.
func With(k, v string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{k: v})
	if err != nil {
		return nil
	}
	return raw
}

// Quote returns s as JSON.
func Quote(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return raw
}

// ListOf returns a JSON list of one object.
func ListOf(o Object) json.RawMessage {
	raw, err := json.Marshal([]Object{o})
	if err != nil {
		return nil
	}
	return raw
}
