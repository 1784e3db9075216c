// Package gateway is where Slack's deliveries come in.
//
// [Door] is one for each Slack app, however many workspaces it serves: a Socket Mode
// connection (socket.go, redial.go, acks.go) or the signed HTTP endpoints (http.go).
// Both make an [Envelope] of a delivery, hand it to the [Take] that knows the
// workspaces, and acknowledge it with the [Result].
//
// Invariants: an envelope is acknowledged only after Take returned without an error, so
// Slack sends again what was not committed; envelopes of one channel are handled in
// order, and a channel that waits holds up no other; a request over HTTP is read at most
// once, bounded, and believed only if its signature and its time are right.
//
// The package does not know what an envelope means.
package gateway
