package openai

import "strings"

// thinking takes away the block with which local models that reason begin a reply
// where their server does not: people want the answer, and what is given on cannot be
// taken back. Only what stands first is such a block; later the marks are words.
type thinking struct {
	stage int
	end   string // of the block
	held  string // what has come and cannot be told yet
}

// How far a reply is.
const (
	notBegun = iota // nothing but space, or the beginning of the mark
	within          // in the block
	behind          // after it, before the first word
	answering
)

// thoughts are how such a block begins and ends: of most models, of Mistral's, and the
// channels of gpt-oss, whose answer may also begin with no thought before it.
var thoughts = []struct{ begin, end string }{
	{"<think>", "</think>"},
	{"[THINK]", "[/THINK]"},
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
	{"<|channel|>final<|message|>", ""},
}

// pass returns as much of the answer as is certain after another piece.
func (t *thinking) pass(piece string) string {
	if t.stage == answering {
		return piece
	}
	t.held += piece
	if t.stage == notBegun {
		switch maybe := t.begin(strings.TrimLeft(t.held, " \r\n\t")); {
		case t.stage == within:
		case maybe:
			return ""
		default:
			return t.rest()
		}
	}
	if t.stage == within {
		_, after, ok := strings.Cut(t.held, t.end)
		if !ok {
			t.held = t.held[max(0, len(t.held)-len(t.end)):]
			return ""
		}
		t.stage, t.held = behind, after
	}
	if t.held = strings.TrimLeft(t.held, " \r\n\t"); t.held == "" {
		return ""
	}
	return t.rest()
}

// begin goes into the block that first begins with; maybe says that it may still turn
// out to.
func (t *thinking) begin(first string) (maybe bool) {
	for _, b := range thoughts {
		if strings.HasPrefix(first, b.begin) {
			t.stage, t.end, t.held = within, b.end, first[len(b.begin):]
			return false
		}
		maybe = maybe || strings.HasPrefix(b.begin, first)
	}
	return maybe
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
