// Package web calls Slack's Web API for one workspace or organisation.
//
// [Client] is the tour: it sends calls with the newest token (access.go), paces them
// by method and channel ([Client.Do], gate.go and budget.go), repeats what is safe to
// repeat (again.go), remembers what a workspace refuses (quiet.go), and knows whose
// bot the token belongs to (identity.go). errors.go maps Slack's error codes to the
// bot's classes.
//
// Invariants: every call passes a gate; a 429 pauses one method in one channel and
// nothing else; a call that may have taken effect is repeated only if repeating it
// changes nothing; no error carries a token or a secret address.
//
// The package does not know cards, events or installations.
package web
