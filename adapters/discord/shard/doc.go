// Package shard runs this process's shards. A [Manager] looks up the number of shards, shares
// them evenly among the replicas (division.go, owner.go), waits until a session may begin
// (budget.go), and passes the connections' events to [Events].
//
// A shard has one owner at most, because two would both receive every event. Sessions are
// counted across restarts and replicas: Discord resets the token of a bot that begins too
// many. [maru/adapters/discord/gateway] maintains the connection; the package does not know
// the meaning of events.
package shard
