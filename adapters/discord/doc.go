// Package discord connects Discord: gateway events and interactions in, cards
// out. It knows Discord's ids, limits, Markdown and errors, and nothing of what
// a message is answered with; the words it speaks are those of maru/bot.
//
// The connection is kept by [maru/adapters/discord/gateway]. What is decided
// about it stands here: how many shards there are and whose they are (gateway.go,
// links.go), how many sessions may begin (identify.go), what was missed
// (tracks.go, catchup.go), and REST calls that honour the context and Discord's
// rate limits (rest.go, limiter.go). Everything posted passes render.go, markdown.go
// and limits.go. discordgo lends the numbers and the wire types of commands.
package discord
