// Package pgstore keeps the record in PostgreSQL: the inbox and its leases, replies, transcripts, traces, approvals,
// settings, the audit log ([bot.Record]) and the logs of the graphs ([graph.Checkpointer]). Several replicas of the
// program share it: leases use the database's clock, fencing tokens come from one sequence, and a replica that
// enqueues work notifies the others ([bot.Waker]). It passes memory/memtest as memory/sqlitestore does.
//
// A call that loses its connection is retried for a short while. A connection lost during a commit leaves the outcome
// unknown, so every call has an idempotency key (column op) or a natural key, by which the retry finds the first
// attempt's effects.
//
// The package makes no decisions about messages, runs or people; bot and agent do.
package pgstore
