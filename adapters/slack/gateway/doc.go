// Package gateway receives Slack's deliveries.
//
// There is one [Door] per Slack app, for all its workspaces: a Socket Mode connection
// (socket.go, redial.go, acks.go) or the signed HTTP endpoints (http.go). Both wrap a
// delivery in an [Envelope], pass it to the [Take] that finds the workspace, and acknowledge
// it with the [Result].
//
// Invariants: an envelope is acknowledged only after Take returned without an error, so Slack
// redelivers an uncommitted event; envelopes of one channel are handled in order, and a
// blocked channel delays no other; an HTTP request body is read once, bounded, and trusted
// only with a valid signature and timestamp.
//
// The package does not interpret envelopes.
package gateway
