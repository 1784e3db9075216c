// Package turn takes a message to its answer. [Runs] are the runs of this process: it
// knows which are at work, and stops them.
//
// Its invariants:
//
//   - A stop is noted before it takes effect: whoever goes on with the run after a crash
//     finds the note, and ends the run with the words that were due.
//   - A word of stop ends what was asked before it was said, and no later question.
//
// It must not know how a message was accepted, what a platform is, or what a command is.
package turn
