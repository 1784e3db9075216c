// Package pgstore keeps the record in PostgreSQL: the inbox and its leases,
// replies, transcripts, traces, approvals, settings, the audit log
// ([bot.Record]) and the logs of the graphs ([graph.Checkpointer]). Several
// replicas of the program share it: leases run by the database's clock, fencing
// tokens come from one sequence, and a replica that puts work wakes the others
// ([bot.Waker]). It passes memory/memtest like memory/sqlitestore.
//
// A call that loses its connection is made again for a short while. Where the
// connection broke during a commit nobody knows whether it took place, so every
// call carries a name of its own (column op) or a natural key, by which the
// second try finds what the first one did.
//
// The package decides nothing about messages, runs or people; bot and agent do.
package pgstore
