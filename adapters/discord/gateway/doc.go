// Package gateway keeps one shard's connection to Discord's gateway: handshake,
// heartbeats and their watchdog, resuming, close codes, and the order of events.
// Events are handed on as they came, undecoded, so that nothing in them can harm
// the connection. It knows neither what an event means nor what Maru is; its
// only user is [maru/adapters/discord].
//
// See docs/decisions/0420 for why it is not discordgo's.
package gateway
