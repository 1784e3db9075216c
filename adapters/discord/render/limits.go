package render

import (
	"unicode/utf8"

	"maru/phrase/fit"
)

// Discord's limits, in characters unless stated otherwise. The adapter clips everything to
// them before sending; discordfake rejects anything larger.
const (
	MaxContent     = 2000 // of a message
	maxMessages    = 20   // of one reply; a longer one ends with a notice
	maxRows        = 5    // action rows of a message
	maxRowButtons  = 5
	maxButtons     = 10 // more become a select menu
	maxButton      = 80
	MaxCustomID    = 100
	maxURL         = 512 // of a link button
	maxModalTitle  = 45
	MaxModalInputs = 5
	maxPicked      = 25 // people and roles in a menu of them
	maxLabel       = 45
	maxHint        = 100
	maxInput       = 4000
	maxOptions     = 25
	maxOption      = 100
	maxTitle       = 250
	maxStatus      = 200
	maxFooter      = 300
	maxSteps       = 40
	maxStepText    = 300
	maxFields      = 40
	maxFieldText   = 1700 // as on Slack
	maxSources     = 20
	maxSourceTitle = 120
)

// size counts code points, as Discord does.
func size(s string) int { return utf8.RuneCountInString(s) }

// OneLine returns s on one line without double spaces.
func OneLine(s string) string { return fit.OneLine(fit.Clean(s)) }
