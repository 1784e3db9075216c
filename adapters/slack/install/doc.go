// Package install manages the app's installations and their tokens.
//
// Start with [Registry]: it follows the record's installations, seals and opens their tokens
// ([Vault]), renews them under a lease, and returns the [Site] that serves a workspace.
// [Router] resolves a delivery's site. [Pages] are the OAuth pages that install the app.
// [Organisation] synchronises the workspaces of an Enterprise Grid.
//
// Invariants: tokens are stored only sealed, bound to their workspace; exactly one replica
// uses a refresh token; the workspace is identified by Slack's delivery, never by people's
// text; an event older than an installation does not end it.
//
// The package knows neither cards nor the meaning of events: a Site handles them.
package install
