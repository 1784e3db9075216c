// Package discord connects Discord: gateway events and interactions in, cards
// out. It knows Discord's ids, limits, Markdown and errors, and nothing of what
// a message is answered with; the words it speaks are those of maru/bot.
//
// discordgo keeps the gateway connection (handshake, heartbeats, resuming,
// ordered dispatch). What it lacks stands here: the reasons for which a
// connection ended, a watchdog, the identify budget, catching up after a gap
// (gateway.go, wire.go, identify.go, catchup.go), and REST calls that honour the
// context and Discord's rate limits (rest.go, limiter.go). Everything posted
// passes render.go, split.go and limits.go.
package discord
