// Package graph runs state graphs: a turn of a conversation goes through nodes
// that read a typed state and write updates to it, and every step is in a log
// before the next one begins, so that a run survives its process and can wait
// for people.
//
// # Tour
//
// A [Schema] is a set of channels. [NewLast] keeps the last write, [NewFold]
// combines by a function, [NewList] appends (and removes by key), [NewKeyed]
// merges by key. A channel lives [PerTurn] or [PerThread]. A [Codec] says how
// its values are kept; [JSON] is one for plain structs, [Any] for dynamic
// values. Code uses the typed channels; workflow definitions use
// [Schema.Set], [Schema.Add] and [State.Value] by name.
//
// A [Builder] collects nodes and edges: [Builder.Edge], [Builder.Switch] for
// one of several targets, [Builder.Branch] for any number of tasks with
// arguments ([SendTo]), [Builder.Join] to wait for several, [Builder.Subgraph]
// to nest. [Builder.Compile] checks everything at once and gives a [Plan].
//
// A [Runtime] runs plans on threads. [Runtime.Run] is at least once: asked
// again for the same turn it goes on where the log ends, or returns what is
// recorded. Nodes that are next run side by side as one super-step; their
// updates are applied in the order of the tasks, whichever ended first.
//
// A thread's past can be used: [Runtime.History] and [Runtime.StateAt] show it,
// [Runtime.Fork] goes back to a record on the thread itself or on a new one,
// [Runtime.Edit] writes as if a node had written, [Runtime.Retain] forgets what
// is old. [Builder.OnExpiry] and [Runtime.Expire] end the wait for a person.
//
// Within a node, [Once] does an effect once for this visit, [Ask] asks a person
// and waits. A [Sink] is told what happens; readers that may be slow read from
// a [Hub]. A node that waited or failed runs again from its top, so
// whatever must not happen twice goes through Once.
//
// A [Checkpointer] keeps the log: one [Record] a super-step with only what
// changed, and a snapshot when these outweigh the last one. The key of a record
// is the compare-and-swap that keeps two writers from forking a history. [Hot]
// is an optional shared copy of the newest states; an in-process one is built
// in. graphtest has the suites that every implementation must pass.
//
// The package must not know what is thought about: no model, tool, agent,
// platform or store. It imports nothing of ours but phrase/slip.
package graph
