// Package wire has Discord's JSON objects as the adapter reads and sends them:
// users, messages, channels and guilds (message.go, guild.go), interactions
// (interaction.go), components and flags (component.go), and ids, which are times
// (id.go).
//
// The structs are the adapter's own and not discordgo's, whose decoding fails on
// components newer than itself and loses the whole event: what is not understood of
// an object here is passed over. discordgo lends the numbers. The package makes no
// request and decides nothing.
package wire
