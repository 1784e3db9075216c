// Package gateway maintains one shard's connection to Discord's gateway: handshake,
// heartbeats and their watchdog, resuming, close codes, and the order of events. It passes
// events on undecoded, so that their content cannot break the connection. It knows neither
// the meaning of events nor Maru; its only user is [maru/adapters/discord].
//
// docs/decisions/0420 explains why it does not use discordgo's.
package gateway
