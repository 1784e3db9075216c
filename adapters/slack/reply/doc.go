// Package reply keeps the bot's replies in Slack: each grows in one place and is said once.
//
// [Desk] is the parts of one workspace. [Writer] is the tour: it posts a card, as a native
// stream where Slack offers one (stream.go, growing.go) and by edits elsewhere, finds what
// an unanswered call or another process left (trail.go), and shows the answer by other
// means when a stream will not end (stuck.go). [Signs] show that the bot is at work.
// [Asides] say what only one person sees. [Replies], [Looks] and [Privately] answer the bot
// for every workspace.
//
// Invariants: a reply carries its key in every message, so a crash leads to one reply; a
// stream shows only what no later word changes; a final text is an edit that may be
// repeated; a question's answer never waits for a draft.
//
// The package does not know events, installations or what a card is about.
package reply
