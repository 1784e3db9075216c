// Package turn processes an inbox item up to its answer.
//
// [Turns] starts a run of the channel's agent for a message, resumes one after a decision, and
// restarts one whose question was edited. It updates the reply while the run is active, and finishes
// the item with reply, transcript and trace in one transaction. [Runs] tracks the active runs of this
// process and stops them. [Files] adds a message's files to the documents, [Redos] repeats earlier
// tasks, and [Controls] handles the buttons below an answer.
//
// Its invariants:
//
//   - Only the finishing transaction ends an item: an interrupted item is retried with the
//     same run and the same reply.
//   - The platform shows an answer before the record commits it. After a crash in between,
//     the reply is looked up and not posted twice.
//   - A stop is recorded before it takes effect, so that a worker that claims the run
//     after a crash ends it.
//   - A stop message cancels tasks and questions older than itself, and no newer ones.
//
// It must not know how messages are accepted or leased, what a platform is, or what a command is.
package turn
