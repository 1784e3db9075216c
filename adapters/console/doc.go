// Package console is the bot in a terminal: [Adapter] for a conversation (maru chat), [Asker]
// for one question (maru ask). It is the smallest adapter and the template for others;
// docs/adding-an-adapter.md walks through it.
//
// It depends on terminals only: typed text becomes a bot.Message, a bot.Card becomes text. If
// In and Out are not a terminal, it reads and writes plain lines.
package console
