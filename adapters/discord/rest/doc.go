// Package rest calls Discord's REST API. A [Call] names a request; [Client.Do] waits
// until Discord's limits allow it (limiter.go), sends it (rest.go, encode.go) and
// retries what may be sent twice. It never asks again for what Discord has just
// refused for want of a right (denials.go), and it falls silent before Discord bans
// the bot for too many refusals. Files are downloaded without the token (files.go).
//
// Errors carry Discord's code and status ([CodeOf], [StatusOf]); [Delivery] gives
// them the class by which the bot decides what to do (apierror.go). No error and no
// log line has a token or an address in it. The package does not know what a call
// is for.
package rest
