// Package place resolves Discord's places: guilds, channels, threads, roles and members. A
// [Map] caches the gateway's state as far as needed; a [Directory] looks up the rest with the
// API, and resolves a message's conversation, its author, and a member's permissions.
//
// Evicted entries are looked up again, and failures deny: missing information makes nobody an
// admin or a reader of a channel. Permissions are checked against current data (member.go);
// an event's data about its author counts for seconds. The package posts nothing.
package place
