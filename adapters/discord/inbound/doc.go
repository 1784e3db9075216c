// Package inbound converts people's messages to the bot's types: a [Reader] converts new,
// edited and deleted messages (message.go), Discord's tokens to plain text (plain.go), a
// thread's history (history.go), and a link's target to a quote (linked.go).
//
// It ignores messages of the bot itself, other bots and Discord. A link shows nobody a
// message that they could not read themselves. Events and their order belong to
// [maru/adapters/discord/event]; the package commits nothing.
package inbound
