// Package turn takes an item of the inbox to its answer.
//
// [Turns] decide on each item what it asks for: a run of the place's agent, one that goes
// on after a decision, or one that begins again because its question was edited. They
// show its reply while it grows, and finish the item with reply, transcript and trace in
// one transaction. [Runs] knows which runs are at work in this process, and stops them.
// [Files] brings what comes with a message to the documents, [Redos] finds tasks to be
// done once more, and [Controls] are the buttons of an answer.
//
// Its invariants:
//
//   - Only the finishing transaction ends an item: an interrupted item is retried with the
//     same run and the same reply.
//   - The platform shows an answer before the record commits it. After a crash in between,
//     the reply is found again and not posted twice.
//   - A stop is recorded before it takes effect, so that a worker that takes the run over
//     after a crash finds it and ends the run.
//   - A stop message cancels tasks and questions that are older than it, and none that are newer.
//
// It must not know how a message was accepted, who works on a thread, what a platform is,
// or what a command is.
package turn
