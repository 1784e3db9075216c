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
//   - An item ends only by the transaction that finishes it: one that was broken off is
//     worked on again, with the same run and the same reply.
//   - People see an answer before the record says so; where the two differ after a crash
//     the reply is found again, and not posted twice.
//   - A stop is noted before it takes effect: whoever goes on with the run after a crash
//     finds the note, and ends the run with the words that were due.
//   - A word of stop ends what was asked before it was said, and no later question.
//
// It must not know how a message was accepted, who works on a thread, what a platform is,
// or what a command is.
package turn
