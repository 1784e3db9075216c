// Package discord connects Discord: gateway events and interactions in, cards out.
// An [Adapter] makes the parts that do it, connects them, and hands each call of the
// bot to the one that answers it (ports.go). What the gateway tells is sorted here
// (dispatch.go); so are the guilds that take the bot in and send it away (guild.go).
//
// In: [maru/adapters/discord/gateway] keeps one connection,
// [maru/adapters/discord/shard] says which and when,
// [maru/adapters/discord/event] brings the events of a channel to the bot in order
// and finds what was missed, [maru/adapters/discord/inbound] reads what people
// write, [maru/adapters/discord/interact] what they click and command.
//
// Out: [maru/adapters/discord/outbound] posts and edits, [maru/adapters/discord/render]
// makes messages of cards, [maru/adapters/discord/rest] sends them within Discord's
// limits.
//
// Known to all: [maru/adapters/discord/wire] (Discord's objects),
// [maru/adapters/discord/place] (guilds, channels, members) and
// [maru/adapters/discord/account] (the bot's own). Each part declares what it needs of
// the others as small interfaces of its own.
//
// The package speaks maru/bot's words and knows nothing of what a message is answered
// with. discordgo lends the numbers; its client and its wire types are not used.
package discord
