// Package longterm is what the bot knows of the people it works for: how they
// plan, which tools serve them, what they answered before, how they decide, and
// what they have said about themselves. Six managers ([Plans], [Tools],
// [Clarifications], [Behaviors], [Workflows], [Preferences]) share one machine.
//
// What a session teaches is a [Note], stored once. A [Record] is the fold of the
// notes that mean the same: it is computed from all of them, sorted by time, so
// that the same notes in any order give the same record, no increment is lost
// when two replicas write at once, and forgetting a note undoes it. Which notes
// mean the same follows from the note alone (its key), never from what happens
// to be stored already.
//
// A record belongs to one person and to the scope it was learned in; it is found
// only where that scope may be read. Nothing here carries authority: a record
// helps to choose and to word, it never permits anything.
//
// The package does no I/O of its own: [Store] does (memory/sqlitestore,
// memory/pgstore; memory/memtest has their suite). It knows neither agents nor
// platforms, and of rag only the analysis of text.
package longterm
