// Package sqlitestore keeps the record in one SQLite file, through a driver without C: the inbox and its leases,
// replies, transcripts, traces, approvals, settings, the audit log ([bot.Record]) and the logs of the graphs
// ([graph.Checkpointer]). It is the default without a configured database, with the same guarantees as memory/pgstore
// on one replica; both pass memory/memtest.
//
// One process owns the file: a lock beside it rejects a second one. Within the process all writes go through one
// connection with group commit (writer.go); reads run concurrently on connections of their own and see committed
// data. The ends of transcripts in use are kept in memory (tail.go).
//
// The package makes no decisions about messages, runs or people; bot and agent do.
package sqlitestore
