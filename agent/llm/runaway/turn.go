package runaway

import (
	"strings"

	"maru/phrase/pattern"
)

// Turn removes the marks of a model's template ("<|return|>", "<|im_end|>") at the end of a reply, and the turns that a model
// invents after its own where a server does not know its template: people read neither. Its zero value is ready for use.
type Turn struct {
	held   string
	over   bool
	inCode bool // an odd number of backquotes was passed: marks are an example there
}

const templateMark = `(?:<\|[A-Za-z_]{1,24}\|>|</s>|<(?:start|end)_of_turn>)`

var (
	mayEnd = pattern.New(`(?:` + templateMark + `\s*)*(?:<[/|A-Za-z_]{0,26}\|?)?$`)
	isEnd  = pattern.New(`^(?:` + templateMark + `\s*)+$`)
	// nextTurn is the end of a turn and of its line, or of a turn before the beginning of another: ChatML, Llama 3, Gemma,
	// Zephyr and Phi. "</s>" is HTML as well.
	nextTurn = pattern.New(`(?:<\|(?:im_end|eot_id|end|endoftext|end_of_text)\|>|<end_of_turn>)[ \t]*\n|` +
		`(?:<\|(?:im_end|eot_id|end|endoftext|end_of_text)\|>|</s>|<end_of_turn>)\s*(?:<\|(?:im_start|start_header_id|user|assistant|system)\|>|<start_of_turn>)`)
)

// Over reports whether the reply has ended: what may still come is no part of it.
func (e *Turn) Over() bool { return e.over }

// Pass returns as much of the reply as is certain after another piece.
func (e *Turn) Pass(piece string) string {
	if e.over {
		return ""
	}
	e.held += piece
	at := mayEnd.FindStringIndex(e.held)[0]
	if cut := nextTurn.FindStringIndex(e.held); cut != nil && !e.code(e.held[:cut[0]]) {
		at, e.over = cut[0], true
	}
	out := e.held[:at]
	e.held, e.inCode = e.held[at:], e.code(out)
	return out
}

// code reports whether the place after more text is within code.
func (e *Turn) code(more string) bool { return e.inCode != (strings.Count(more, "`")%2 == 1) }

// Rest returns what was held back when no more comes.
func (e *Turn) Rest() string {
	held := e.held
	if e.held = ""; e.over || isEnd.MatchString(held) {
		return ""
	}
	return held
}
