// Package web calls Slack's Web API for one workspace or organisation.
//
// Start with [Client]: it sends calls with the newest token (access.go), rate-limits them by
// method and channel ([Client.Do], gate.go and budget.go), retries safe ones (again.go),
// mutes requests that a workspace refuses (quiet.go), and identifies the bot of the token
// (identity.go). errors.go maps Slack's error codes to the bot's error classes.
//
// Invariants: every call passes a gate; a 429 pauses one method in one channel and nothing
// else; a call that may have taken effect is retried only if it is idempotent; no error
// contains a token or a secret URL.
//
// The package knows neither cards nor events nor installations.
package web
