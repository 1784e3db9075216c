// Package bot defines the types and ports between people and agents: messages, cards, forms,
// adapter abilities, the rows of the record, and errors for people. An adapter hands events to an
// [Intake]; they are committed to the thread's inbox in the [Record]. A worker that holds the
// thread's [Lease] runs the thread's agent and turns its events into a reply that grows through
// the [Adapter].
//
// The package contains no decisions; its sub-packages do. It knows no platform's wire format
// (adapters), no agent's logic (agent) and no database (memory/sqlitestore and memory/pgstore).
package bot
