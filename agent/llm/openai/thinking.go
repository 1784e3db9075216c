package openai

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// thinking takes away the block with which local models that reason begin a reply
// where their server does not: people want the answer, and what is given on cannot be
// taken back. Only what is first is such a block; later the marks are words.
type thinking struct {
	stage    int
	channels *harmony // of a reply in messages of gpt-oss
	end      string   // of the block
	had      bool     // there was one
	held     string   // what has come and cannot be told yet
}

// How far a reply is.
const (
	notBegun = iota // nothing but space, or the beginning of the mark
	within          // in the block
	behind          // after it, before the first word
	answering
)

// thoughts are how such a block begins and ends: of most models, of Mistral's, and of gpt-oss at
// Bedrock.
var thoughts = []struct{ begin, end string }{
	{"<think>", "</think>"},
	{"[THINK]", "[/THINK]"},
	{"<reasoning>", "</reasoning>"},
}

// pass returns as much of the answer as is certain after another piece.
func (t *thinking) pass(piece string) string {
	if t.channels != nil {
		return t.channels.pass(piece)
	}
	if t.stage == answering {
		return piece
	}
	t.held += piece
	if t.stage == notBegun {
		switch maybe := t.begin(strings.TrimLeft(t.held, " \r\n\t")); {
		case t.channels != nil:
			held := t.held
			t.held = ""
			return t.channels.pass(held)
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
	for _, mark := range []string{channelMark, startMark} {
		if strings.HasPrefix(first, mark) {
			t.channels = &harmony{}
			return false
		}
		maybe = maybe || strings.HasPrefix(mark, first)
	}
	for _, b := range thoughts {
		if strings.HasPrefix(first, b.begin) {
			t.stage, t.had, t.end, t.held = within, true, b.end, first[len(b.begin):]
			return false
		}
		maybe = maybe || strings.HasPrefix(b.begin, first)
	}
	if rest, ok := strings.CutPrefix(first, bareChannel); ok && rest != "" {
		if r, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(r) {
			t.stage, t.had, t.end, t.held = within, true, bareFinal, rest
		}
		return false
	}
	return maybe || strings.HasPrefix(bareChannel, first)
}

// The channels of gpt-oss where the server took the marks away: no word goes on after analysis.
const bareChannel, bareFinal = "analysis", "assistantfinal"

// rest returns what was held back of the answer when no more comes before it.
func (t *thinking) rest() string {
	if t.channels != nil {
		return t.channels.rest()
	}
	held := t.held
	if t.stage == within {
		held = ""
	}
	t.stage, t.held = answering, ""
	return held
}
