package render

import (
	"unicode/utf8"

	"maru/phrase/fit"
)

// What Discord takes at most, in characters where nothing else is said.
// Everything the adapter sends is cut to these before it leaves; discordfake
// refuses what exceeds them.
const (
	MaxContent     = 2000 // of a message
	maxMessages    = 20   // of one reply; what is longer ends with a word on it
	maxRows        = 5    // action rows of a message
	maxRowButtons  = 5
	maxButtons     = 10 // more are a list to choose from
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
	maxFieldText   = 1000
	maxSources     = 20
	maxSourceTitle = 120
)

// size counts as Discord does: in code points.
func size(s string) int { return utf8.RuneCountInString(s) }

// OneLine makes s one line without double spaces.
func OneLine(s string) string { return fit.OneLine(fit.Clean(s)) }
