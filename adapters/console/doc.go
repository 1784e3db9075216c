// Package console is the bot in a terminal: [Adapter] for a conversation
// (maru chat), [Asker] for one question (maru ask). It is the smallest adapter
// and the one to copy; docs/adding-an-adapter.md walks through it.
//
// It knows terminals and nothing else: what a person types becomes a
// bot.Message, a bot.Card becomes text. Where In and Out are no terminal it
// reads and writes plain lines.
package console
