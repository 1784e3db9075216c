package openai

import "strings"

// thinking takes away the block with which local models that reason begin a reply
// where their server does not: people want the answer, and what is given on cannot be
// taken back. Only what stands first is such a block; later the marks are words.
type thinking struct {
	stage int
	held  string // what has come and cannot be told yet
}

// How far a reply is.
const (
	notBegun = iota // nothing but space, or the beginning of the mark
	within          // in the block
	behind          // after it, before the first word
	answering
)

const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// pass returns as much of the answer as is certain after another piece.
func (t *thinking) pass(piece string) string {
	if t.stage == answering {
		return piece
	}
	t.held += piece
	if t.stage == notBegun {
		first := strings.TrimLeft(t.held, " \r\n\t")
		switch {
		case strings.HasPrefix(first, thinkBegin):
			t.stage, t.held = within, first[len(thinkBegin):]
		case strings.HasPrefix(thinkBegin, first):
			return ""
		default:
			return t.rest()
		}
	}
	if t.stage == within {
		_, after, ok := strings.Cut(t.held, thinkEnd)
		if !ok {
			t.held = t.held[max(0, len(t.held)-len(thinkEnd)):]
			return ""
		}
		t.stage, t.held = behind, after
	}
	if t.held = strings.TrimLeft(t.held, " \r\n\t"); t.held == "" {
		return ""
	}
	return t.rest()
}

// rest returns what was held back of the answer when no more comes before it.
func (t *thinking) rest() string {
	held := t.held
	if t.stage == within {
		held = ""
	}
	t.stage, t.held = answering, ""
	return held
}
