// Package graph runs state graphs: a turn of a conversation goes through nodes that read a typed state and write
// updates to it, and every step is in a log before the next one starts, so that a run survives its process and can
// wait for people.
//
// # Tour
//
// A [Schema] is a set of state channels. [NewLast] keeps the last write, [NewFold] combines by a function, [NewList]
// appends (and removes by key), [NewKeyed] merges by key. A state channel lives [PerTurn] or [PerThread]. A [Codec]
// defines the stored form of its values; [JSON] is one for plain structs, [Any] for dynamic values. Code uses the
// typed state channels; workflow definitions use [Schema.Set], [Schema.Add] and [State.Value] by name.
//
// A [Builder] collects nodes and edges: [Builder.Edge], [Builder.Switch] for one of several targets, [Builder.Branch]
// for any number of tasks with arguments ([SendTo]), [Builder.Join] to wait for several, [Builder.Subgraph] to nest.
// [Builder.Compile] checks everything at once and returns a [Plan].
//
// A [Runtime] runs plans on threads. [Runtime.Run] is at least once: called again for the same turn it resumes at the
// end of the log, or returns the recorded result. The next nodes run side by side as one super-step; their updates
// are applied in the order of the tasks, whichever ended first.
//
// A thread's past can be used: [Runtime.History] and [Runtime.StateAt] show it, [Runtime.Fork] goes back to a record
// on the thread itself or on a new one, [Runtime.Edit] writes on behalf of a node, [Runtime.Retain] removes old
// records. [Builder.OnExpiry] and [Runtime.Expire] end the wait for a person.
//
// Within a node, [Once] runs an effect once for this visit, [Ask] asks a person and waits. A [Sink] receives events;
// slow readers use a [Hub]. A node that waited or failed runs again from its top, so effects that must not repeat go
// through Once.
//
// A [Checkpointer] keeps the log: one [Record] per super-step with only the changes, and a snapshot when these
// outweigh the last one. The key of a record is the compare-and-swap that keeps two writers from forking a history.
// [Hot] is an optional shared cache of the newest states; an in-process one is built in. graphtest has the
// conformance suites of every implementation.
//
// The package must not know the subject of a graph: models, tools, agents, platforms or stores. It imports only
// phrase/slip of this module.
package graph
