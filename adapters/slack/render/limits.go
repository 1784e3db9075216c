package render

import "maru/phrase/fit"

// What Slack takes at most, in characters where nothing else is said. Everything
// the adapter sends is cut to these before it leaves; slackfake refuses what
// exceeds them.
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
	maxMessages     = 20    // of one reply; what is longer ends with a word on it
	contextText     = 2000
	maxLinkLabel    = 300
	MaxPlainMessage = 11900 // of a message that is plain text only
	MaxPlainEdit    = 4000  // the same in an edit: chat.update takes no more
	MaxPrompts      = 4     // suggested at a time
)

// Clip bounds s to what Slack may count as limit.
func Clip(s string, limit int) string { return fit.ClipBy(s, limit, fit.UTF16) }

// cut returns the longest beginning of s that Slack may count as limit.
func cut(s string, limit int) string { return fit.CutBy(s, limit, fit.UTF16) }
