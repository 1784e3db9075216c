package openai

import (
	"encoding/json"
	"sync"
)

// rewritten remembers schemas as an endpoint takes them: the same few go with
// every request, and making one takes as long as a small write to the record.
type rewritten struct {
	rewrite func(json.RawMessage) json.RawMessage

	mu   sync.Mutex
	made map[string]json.RawMessage // by the schema
}

// mostRewritten bounds what is remembered: schemas may name tools, which change.
const mostRewritten = 256

// of returns a schema rewritten. It is shared: nobody may change it.
func (r *rewritten) of(schema json.RawMessage) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	if out, ok := r.made[string(schema)]; ok {
		return out
	}
	if r.made == nil || len(r.made) >= mostRewritten {
		r.made = map[string]json.RawMessage{}
	}
	out := r.rewrite(schema)
	r.made[string(schema)] = out
	return out
}
