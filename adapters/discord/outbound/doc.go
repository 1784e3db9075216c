// Package outbound posts the bot's messages: a [Sender] posts, edits and removes replies,
// starts their threads, uploads files and sends direct messages; a [Typist] shows typing.
//
// A reply appears on Discord exactly once: a nonce makes sends idempotent, and the intent is
// stored before a post (find.go), so that a process finds it after a crash. An edit without a
// change is not sent. Where the bot may not write, the answer goes to the asker with an
// explanation.
//
// The appearance of cards belongs to [maru/adapters/discord/render]; the package does not
// know the answered messages.
package outbound
