// Package render converts the bot's cards and forms to Discord's messages and modals: [Card]
// to message parts, [Modal] to a form. It is a pure function of its input.
//
// Invariants, tested for any card: no part exceeds Discord's limits (limits.go), none is
// empty, nobody is mentioned, previews are off, every link shows its target, and truncation
// is marked. Answers are classic messages; interactive cards are components (native.go).
// [maru/phrase/markdown] writes an answer's Markdown.
//
// The package makes no request and does not know the reader.
package render
