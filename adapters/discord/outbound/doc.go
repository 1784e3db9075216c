// Package outbound posts what the bot says: a [Sender] posts, edits and removes
// replies, makes their threads, uploads files and writes to people directly; a
// [Typist] shows that the bot types.
//
// A reply stands on Discord once, whatever fails: a nonce makes a repeated send the
// same message, and what will be posted is written down before it is (find.go), so
// that a process which comes after a crash finds it. A message that shows what it
// should is not edited again. Where the bot may not write, the answer goes to who
// asked, with a word on why.
//
// What a card looks like is [maru/adapters/discord/render]'s; the package does not
// know what a message answers.
package outbound
