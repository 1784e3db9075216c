// Package inbound turns what people write on Discord into what the bot reads: a
// [Reader] makes messages, edits and deletions of events (message.go), plain words of
// Discord's tokens (plain.go), the past of a thread (history.go), and a quote of what
// a link leads to (linked.go).
//
// The bot's own messages, other bots' and Discord's are none of the bot's business.
// Nobody is shown through a link what they could not read themselves. Events and
// their order are [maru/adapters/discord/event]'s; the package commits nothing.
package inbound
