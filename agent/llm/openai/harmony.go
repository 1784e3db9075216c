package openai

import (
	"strings"

	"maru/phrase/pattern"
)

// harmony reads a reply in the messages of gpt-oss, whose server has no parser for them:
//
//	<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…<|return|>
//
// What is said in the channel final is the answer; a message to a recipient is a call of a tool;
// all else are thoughts.
type harmony struct {
	held  string
	body  bool   // held is within a message, not its head
	final bool   // which is told
	to    string // its recipient
	text  strings.Builder
	calls []*partial
}

const (
	messageMark = "<|message|>"
	startMark   = "<|start|>"
	channelMark = "<|channel|>"
)

// harmonyEnds are what ends a message, or begins the next.
var harmonyEnds = []string{"<|end|>", "<|call|>", "<|return|>", startMark, channelMark}

var recipient = pattern.New(`\bto=([^\s<]+)`)

// pass returns what is told of another piece.
func (h *harmony) pass(piece string) string {
	h.held += piece
	var out strings.Builder
	for {
		if !h.body {
			head, rest, ok := strings.Cut(h.held, messageMark)
			if !ok {
				return out.String()
			}
			_, channel, _ := strings.Cut(head, channelMark)
			h.final, h.to = strings.HasPrefix(strings.TrimSpace(channel), "final"), ""
			if m := recipient.FindStringSubmatch(head); m != nil {
				h.to = m[1]
			}
			h.body, h.held = true, rest
		}
		at, mark := len(h.held), ""
		for _, m := range harmonyEnds {
			if i := strings.Index(h.held, m); i >= 0 && i < at {
				at, mark = i, m
			}
		}
		if mark == "" {
			if cut := strings.LastIndex(h.held, "<"); cut >= 0 && len(h.held)-cut < len(channelMark) {
				at = cut // may begin a mark
			}
			out.WriteString(h.take(h.held[:at]))
			h.held = h.held[at:]
			return out.String()
		}
		out.WriteString(h.take(h.held[:at]))
		h.endMessage()
		if h.held = h.held[at:]; mark != startMark && mark != channelMark {
			h.held = h.held[len(mark):]
		}
	}
}

// take keeps a piece of a message, and returns it if it is told.
func (h *harmony) take(s string) string {
	switch {
	case h.to != "":
		h.text.WriteString(s)
	case h.final:
		return s
	}
	return ""
}

func (h *harmony) endMessage() {
	if h.to != "" {
		h.calls = append(h.calls, callOf(h.to, []byte(strings.TrimSpace(h.text.String()))))
	}
	h.text.Reset()
	h.body, h.to, h.final = false, "", false
}

// rest returns what was held back when no more comes. A call that is not ended is one if its
// arguments are whole: the server may have taken the end for its own.
func (h *harmony) rest() string {
	held := h.held
	if h.held = ""; !h.body {
		return ""
	}
	held = h.take(held)
	if h.to != "" && len(argumentValues(h.text.String(), 0)) == 0 {
		h.to = ""
	}
	h.endMessage()
	return held
}

// ending removes the marks of a model's template ("<|return|>", "<|im_end|>") at the end of a reply, and the turns that a
// model invents behind its own where a server does not know its template: people read neither.
type ending struct {
	held   string
	over   bool // the reply has ended: what follows is no part of it
	inCode bool // an odd number of backquotes was passed: marks are an example there
}

const templateMark = `(?:<\|[a-z_]{1,24}\|>|</s>|<(?:start|end)_of_turn>)`

var (
	mayEnd = pattern.New(`(?:` + templateMark + `\s*)*(?:<[/|a-z_]{0,26}\|?)?$`)
	isEnd  = pattern.New(`^(?:` + templateMark + `\s*)+$`)
	// nextTurn is the end of one turn and the beginning of another: ChatML, Llama 3, Gemma, Zephyr and Phi.
	nextTurn = pattern.New(`(?:<\|(?:im_end|eot_id|end|endoftext|end_of_text)\|>|</s>|<end_of_turn>)\s*(?:<\|(?:im_start|start_header_id|user|assistant|system)\|>|<start_of_turn>)`)
)

func (e *ending) pass(piece string) string {
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

// code reports whether the place behind more text is within code.
func (e *ending) code(more string) bool { return e.inCode != (strings.Count(more, "`")%2 == 1) }

func (e *ending) rest() string {
	held := e.held
	if e.held = ""; e.over || isEnd.MatchString(held) {
		return ""
	}
	return held
}
