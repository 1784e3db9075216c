// Package reply maintains the bot's replies in Slack: each grows in one place and is posted
// once.
//
// [Desk] bundles the parts of one workspace. Start with [Writer]: it posts a card, as a
// native stream where Slack offers one (stream.go, growing.go) and by edits elsewhere, finds
// messages left by an unanswered call or a crashed process (trail.go), and falls back when a
// stream cannot be ended (stuck.go). [Signs] show that the bot is working. [Asides] are
// private messages and forms. [Replies], [Looks] and [Privately] implement the bot's
// interfaces for every workspace.
//
// Invariants: every message of a reply carries its key, so a crash does not duplicate the
// reply; a stream shows only settled text; a final text is an idempotent edit; an answer
// never waits for a draft.
//
// The package knows neither events nor installations nor the content of cards.
package reply
