// Package wire defines Discord's JSON objects: users, messages, channels and guilds
// (message.go, guild.go), interactions (interaction.go), components and flags (component.go),
// and IDs, which contain a time (id.go).
//
// It does not use discordgo's structs, whose decoding fails on unknown components and loses
// the whole event: here unknown parts are skipped. It uses discordgo's constants. The package
// makes no request and decides nothing.
package wire
