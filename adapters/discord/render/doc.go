// Package render turns the bot's cards and forms into Discord's messages and modals:
// [Card] into the parts that show it, [Modal] into a form. It is a pure function of
// what it is given.
//
// Invariants, which its tests hold for whatever a card says: no part exceeds
// Discord's limits (limits.go), none is empty, nobody is mentioned, previews are off,
// no address leads where its label does not say, and what is cut says so. Answers
// are classic messages; cards that people act on are components (native.go). The
// Markdown of an answer is written by [maru/phrase/markdown].
//
// The package makes no request and does not know who reads.
package render
