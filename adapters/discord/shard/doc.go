// Package shard keeps this process's share of the gateway's connections. A [Manager]
// asks how many shards there are, shares them out evenly among the replicas
// (division.go, owner.go), waits until a session may begin (budget.go), and hands
// what comes over the connections to [Events].
//
// One replica at most has a shard, for two would both be told everything. Sessions are
// counted over restarts and replicas: Discord resets the token of a bot that begins
// too many. The connection itself is [maru/adapters/discord/gateway]'s; the package
// does not know what an event means.
package shard
