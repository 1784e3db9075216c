package slack

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// What Slack takes at most, in characters where nothing else is said. Everything
// the adapter sends is cut to these before it leaves; slackfake refuses what
// exceeds them.
const (
	maxFallback     = 3000  // of a message's text where blocks carry the content (Slack cuts at 40,000)
	maxMarkdown     = 12000 // of all markdown blocks of a message together
	maxTotal        = 12800 // of all blocks of a message; Slack refuses about 13,200
	maxBlocks       = 50
	maxSection      = 3000
	maxHeader       = 150
	maxField        = 2000
	maxSectionSet   = 10 // fields of a section
	maxContext      = 10 // elements of a context block
	maxActions      = 25
	maxButton       = 75
	maxURL          = 3000
	maxID           = 255
	maxModalBlocks  = 100
	maxModalTitle   = 24
	maxPrivate      = 3000
	maxLabel        = 2000
	maxHint         = 150
	maxInput        = 3000
	maxOptions      = 100
	maxOption       = 75
	maxStatus       = 50
	maxStepText     = 300
	maxStepDetail   = 300
	maxSteps        = 40
	maxSources      = 20
	maxSourceTitle  = 120
	maxFields       = 40
	maxPart         = 11400 // of Markdown in one message: leaves room for title and buttons
	maxMessages     = 20    // of one reply; what is longer ends with a word on it
	contextText     = 2000
	maxLinkLabel    = 300
	maxPlainMessage = 11900 // of a message that is plain text only
	maxPlainEdit    = 4000  // the same in an edit: chat.update takes no more
	maxPrompts      = 4     // suggested at a time
)

// units counts as Slack may: in UTF-16 code units, which is never less than in
// characters.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}

// clip cuts s to limit units at a grapheme's border and says so with "…".
func clip(s string, limit int) string {
	if len(s) <= limit || units(s) <= limit {
		return s
	}
	if limit <= 1 {
		return ""
	}
	return strings.TrimRight(cut(s, limit-1), " \n") + "…"
}

// cut returns the longest prefix of whole graphemes that fits into limit units.
// A single grapheme that is longer (stacks of marks) is cut between characters.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		var g string
		g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		u := units(g)
		if n+u > limit {
			if end == 0 {
				return cutRunes(g, limit)
			}
			break
		}
		n += u
		end += len(g)
	}
	return s[:end]
}

func cutRunes(s string, limit int) string {
	n := 0
	for i, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
		if n > limit {
			return s[:i]
		}
	}
	return s
}

// clean makes s valid for JSON and for people: no broken UTF-8, no control
// characters but line feeds and tabs.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case isControl(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
