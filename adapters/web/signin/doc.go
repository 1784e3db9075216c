// Package signin signs people in to the console with an external account: at an OpenID Connect provider
// (authorization code flow with PKCE, state and nonce), at Slack or at Discord. Its result is an [Identity]
// authenticated by the provider.
//
// Invariants: the state of a sign-in is in a sealed cookie of the browser that started it, so that any replica can
// complete it and no other browser can. Redirects lead only to paths of this console. No code, token or claim is
// logged.
//
// It is the only user of go-oidc and oauth2. It must not know sessions, pages and rights, which belong to
// maru/adapters/web.
package signin
