package discord

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// What Discord takes at most, in characters where nothing else is said.
// Everything the adapter sends is cut to these before it leaves; discordfake
// refuses what exceeds them.
const (
	maxContent     = 2000 // of a message
	maxMessages    = 20   // of one reply; what is longer ends with a word on it
	maxRows        = 5    // action rows of a message
	maxRowButtons  = 5
	maxButtons     = 10 // more are a list to choose from
	maxButton      = 80
	maxCustomID    = 100
	maxURL         = 512 // of a link button
	maxLink        = 1500
	maxThreadName  = 100
	maxNonce       = 25
	maxModalTitle  = 45
	maxModalInputs = 5
	maxLabel       = 45
	maxHint        = 100
	maxInput       = 4000
	maxOptions     = 25
	maxOption      = 100
	maxPlaceholder = 150
	maxOptionName  = 32
	maxOptionText  = 100
	maxCommands    = 25 // subcommands
	maxChoices     = 25
	maxRest        = 6000 // of an option's text
	maxTitle       = 250
	maxStatus      = 200
	maxFooter      = 300
	maxSteps       = 40
	maxStepText    = 300
	maxFields      = 40
	maxFieldText   = 1000
	maxSources     = 20
	maxSourceTitle = 120
	maxLinkLabel   = 300
)

// size counts as Discord does: in code points.
func size(s string) int { return utf8.RuneCountInString(s) }

// clip cuts s to limit characters at a grapheme's border and says so with "…".
func clip(s string, limit int) string {
	if len(s) <= limit || size(s) <= limit {
		return s
	}
	if limit <= 1 {
		return ""
	}
	return strings.TrimRight(cut(s, limit-1), " \n") + "…"
}

// cut returns the longest prefix of whole graphemes that has at most limit
// characters. A single grapheme that is longer (stacks of marks) is cut between
// characters.
func cut(s string, limit int) string {
	n, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		var g string
		g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		u := size(g)
		if n+u > limit {
			if end == 0 {
				return string([]rune(g)[:limit])
			}
			break
		}
		n += u
		end += len(g)
	}
	return s[:end]
}

// clean makes s valid for JSON and for people: no broken UTF-8, no control
// characters but line feeds and tabs, nothing that turns the writing direction.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			return '\n'
		case isControl(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f ||
		r == '\u2028' || r == '\u2029' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// oneLine makes s one line without double spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// first returns the first string that is not empty.
func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// word is the adapter's own sentence in the person's language.
