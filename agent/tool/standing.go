package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest identifies what a tool is: its server, its description, its parameters and what it can do. A standing permission is for one digest.
func (s Spec) Digest() string {
	p := s.Policy
	raw, err := json.Marshal([]any{s.Name, s.Description, string(s.Parameters), p.ReadOnly, p.Idempotent, p.Egress, p.Executes, p.Sandboxed, s.Origin})
	if err != nil { // strings and booleans: cannot be
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Standing reports whether admins of a channel may allow the tool's calls for a time: it reads inside, and neither its server nor
// the operator wants a person's decision about each call. A query to an outside service can carry private words out, so each asks.
func (p Policy) Standing() bool {
	return p.ReadOnly && !p.Egress && !p.Lasting() && !p.Executes && !p.Personal && !p.Approval
}
