// Package rest calls Discord's REST API. A [Call] describes a request; [Client.Do] waits for
// the rate limit (limiter.go), sends it (rest.go, encode.go) and retries idempotent calls. It
// does not repeat a call that was just refused for a missing permission (denials.go), and
// pauses before Discord bans the bot for too many refusals. Files are downloaded without the
// token (files.go).
//
// Errors carry Discord's code and status ([CodeOf], [StatusOf]); [Delivery] maps them to the
// bot's error classes (apierror.go). No error or log line contains a token or URL. The
// package does not know the purpose of a call.
package rest
