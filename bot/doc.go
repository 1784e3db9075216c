// Package bot holds the words and ports between people and agents: messages, cards,
// forms, what an adapter can do, the rows of the record, failures as people read them.
// An adapter hands events to an [Intake]; they are committed to the thread's inbox in
// the [Record], a worker that holds the thread's [Lease] runs the thread's agent and
// turns its events into a reply that grows through the [Adapter].
//
// It decides nothing: the rooms below it do. It knows no platform's wire format
// (adapters do), no agent's thinking (agent does) and no database (memory/sqlitestore
// and memory/pgstore do).
package bot
