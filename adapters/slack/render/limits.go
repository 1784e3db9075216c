package render

import "maru/phrase/fit"

// Slack's limits, in characters unless stated otherwise. The adapter clips everything to them
// before sending; slackfake rejects anything larger.
const (
	MaxFallback     = 3000  // of a message's text where blocks carry the content (Slack cuts at 40,000)
	maxMarkdown     = 12000 // of all markdown blocks of a message together
	maxTotal        = 12800 // of all blocks of a message; Slack refuses about 13,200
	maxBlocks       = 50
	maxSection      = 3000
	maxHeader       = 150
	maxField        = 2000
	maxSectionSet   = 10 // fields of a section
	maxActions      = 25
	maxButton       = 75
	maxURL          = 3000
	MaxID           = 255
	maxModalBlocks  = 100
	maxModalTitle   = 24
	maxPrivate      = 3000
	maxLabel        = 2000
	MaxHint         = 150
	MaxInput        = 3000
	maxOptions      = 100
	maxOption       = 75
	MaxStatus       = 50
	maxStepText     = 300
	maxStepDetail   = 300
	MaxSteps        = 40
	maxSources      = 20
	maxSourceTitle  = 120
	maxFields       = 40
	MaxPart         = 11400 // of Markdown in one message: leaves room for title and buttons
	maxMessages     = 20    // of one reply; a longer one ends with a notice
	contextText     = 2000
	maxLinkLabel    = 300
	MaxPlainMessage = 11900 // of a plain-text message
	MaxPlainEdit    = 4000  // of a plain-text edit: chat.update accepts no more
	MaxPrompts      = 4     // suggested at a time
)

// Clip bounds s to limit in Slack's count.
func Clip(s string, limit int) string { return fit.ClipBy(s, limit, fit.UTF16) }

// cut returns the longest prefix of s within limit in Slack's count.
func cut(s string, limit int) string { return fit.CutBy(s, limit, fit.UTF16) }
