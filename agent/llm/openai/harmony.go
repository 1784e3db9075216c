package openai

import (
	"strings"

	"maru/agent/llm/openai/toolcall"
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
		h.calls = append(h.calls, callOf(toolcall.Call{Name: h.to, Args: strings.TrimSpace(h.text.String())}))
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
	if h.to != "" && len(toolcall.Values(h.text.String())) == 0 {
		h.to = ""
	}
	h.endMessage()
	return held
}
