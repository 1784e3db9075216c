// Package sqlitestore keeps the record in one SQLite file, through a driver
// that needs no C: the inbox and its leases, replies, transcripts, traces,
// approvals, settings, the audit log ([bot.Record]) and the logs of the graphs
// ([graph.Checkpointer]). It is what the program uses when no database is
// configured, with the same promises as memory/pgstore on one replica; both
// pass memory/memtest.
//
// One process owns the file: a lock beside it turns a second one away. Within
// the process all writes go through one connection, which commits whatever
// waits in one transaction (writer.go); reads run beside it on connections of
// their own and see what was committed.
//
// The package decides nothing about messages, runs or people; bot and agent do.
package sqlitestore
