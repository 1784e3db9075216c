// Package signin signs people in to the console with an account that they have elsewhere: at an OpenID Connect provider
// (authorization code flow with PKCE, state and nonce), at Slack or at Discord. Its result is an [Identity], for which the
// provider vouches.
//
// Invariants: between the two halves of a sign-in everything is in a sealed cookie of the browser that began it, so that any
// replica completes it and no other browser can. A person is led back to paths of this console only. No code, token or claim
// is logged.
//
// It is the home of go-oidc and oauth2. It must not know sessions, pages and what an identity may do: that is maru/adapters/web's.
package signin
