// Package longterm is the bot's memory of people: their plans, their tools' success, their clarifications, their
// decisions, and their statements about themselves. Six managers ([Plans], [Tools], [Clarifications], [Behaviors],
// [Workflows], [Preferences]) share one implementation.
//
// A session's lesson is a [Note], stored once. A [Record] is the fold of the notes with one key: it is computed from
// all of them, sorted by time, so that the same notes in any order give the same record, no increment is lost when
// two replicas write at once, and forgetting a note undoes it. The key follows from the note alone, never from stored
// data.
//
// A record belongs to one person and to the scope it was learned in; it is found only where that scope may be read.
// Records carry no authority: they help to choose and to word, and never grant permission.
//
// The package does no I/O of its own: [Store] does (memory/sqlitestore, memory/pgstore; memory/memtest has their
// suite). It must not know agents or platforms, and uses only the text analysis of rag.
package longterm
