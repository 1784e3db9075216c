// Package install knows which workspaces have installed the app, and with what tokens.
//
// [Registry] is the tour: it follows the record's installations, opens and seals their
// tokens ([Vault]), renews them under a lease, and returns the [Site] that serves a
// workspace. [Router] finds the site that a delivery is for. [Pages] are the OAuth pages
// on which people install the app. [Organisation] keeps the list of an Enterprise Grid's
// workspaces.
//
// Invariants: a token is stored only sealed, bound to its workspace; one of all replicas
// uses a refresh token; a workspace is named by Slack's delivery, never by what people
// wrote; an event that is older than an installation does not end it.
//
// The package knows neither cards nor what an event means: a Site takes it.
package install
