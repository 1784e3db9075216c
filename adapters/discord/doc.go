// Package discord connects Discord: gateway events and interactions in, cards out. An
// [Adapter] creates the parts, wires them, and routes the bot's calls to them (ports.go).
// Gateway events are routed here (dispatch.go), and guilds' installations tracked (guild.go).
//
// In: [maru/adapters/discord/gateway] maintains one connection, [maru/adapters/discord/shard]
// assigns shards and schedules sessions, [maru/adapters/discord/event] delivers a channel's
// events to the bot in order and recovers missed ones, [maru/adapters/discord/inbound] reads
// messages, [maru/adapters/discord/interact] handles clicks and commands.
//
// Out: [maru/adapters/discord/outbound] posts and edits, [maru/adapters/discord/render]
// converts cards to messages, [maru/adapters/discord/rest] sends them within the rate limits.
//
// Shared: [maru/adapters/discord/wire] (Discord's objects), [maru/adapters/discord/place]
// (guilds, channels, members) and [maru/adapters/discord/account] (the bot's identity). Each
// part declares its dependencies as small interfaces.
//
// The package depends on maru/bot, not on how messages are answered. It uses constants of
// discordgo, but not its client or wire types.
package discord
