package toolcall

import (
	"cmp"
	"iter"
	"strings"

	"maru/phrase/pattern"
)

// mark is what a call written as text begins and ends with. An empty end is the next mark, or the end of the reply.
type mark struct {
	begin, end string
	part       bool // the reader of the form between the marks needs them
	tag        bool // an ordinary text may have it: it reads as XML, or as a word in brackets
}

// marks are those of the chat templates of model families. They are around calls in any form: [readCalls] does not ask in which
// marks it stood, since models that learned from the replies of others mix them.
var marks = []mark{
	{begin: callMark, end: "</tool_call>"},                   // Hermes, Qwen, GLM, ERNIE
	{begin: "<tools>", end: "</tools>", tag: true},           // of the list in Qwen's prompt, which small models repeat with a call in it or nothing
	{begin: functionMark, end: functionEnd, part: true},      // Qwen3-Coder, Llama
	{begin: "[TOOL_CALLS]"},                                  // Mistral
	{begin: "<|python_tag|>"},                                // Llama
	{begin: "<tool_calls>", end: "</tool_calls>", tag: true}, // Jamba, Hunyuan, Apriel
	{begin: "<function_calls>", end: "</function_calls>", tag: true},
	{begin: "<TOOLCALL>", end: "</TOOLCALL>", tag: true},   // Nemotron
	{begin: "[TOOL_CALL]", end: "[/TOOL_CALL]", tag: true}, // MiniMax
	{begin: "<|tool_call|>", end: "<|/tool_call|>"},        // Granite, Phi
	{begin: "<|tool_call>", end: "<tool_call|>"},           // Gemma
	{begin: "<start_function_call>", end: "<end_function_call>"},
	{begin: "<|tool_call_start|>", end: "<|tool_call_end|>"}, // LFM
	{begin: "<|START_ACTION|>", end: "<|END_ACTION|>"},       // Command
	{begin: "<|action_start|>", end: "<|action_end|>"},       // InternLM
	{begin: "<seed:tool_call>", end: "</seed:tool_call>", tag: true},
	{begin: "<minimax:tool_call>", end: "</minimax:tool_call>", tag: true},
	{begin: "<|tool_calls_section_begin|>", end: "<|tool_calls_section_end|>"}, // Kimi
	{begin: "<|tool_call_begin|>", end: "<|tool_call_end|>", part: true},       // Kimi, without the section
	{begin: "<｜tool▁calls▁begin｜>", end: "<｜tool▁calls▁end｜>"},                 // DeepSeek
	{begin: "<｜tool▁call▁begin｜>", end: "<｜tool▁call▁end｜>", part: true},       // DeepSeek, without the section
	{begin: "<｜DSML｜function_calls>", end: "</｜DSML｜function_calls>"},          // DeepSeek since V3.2
	{begin: "<｜DSML｜tool_calls>", end: "</｜DSML｜tool_calls>"},                  // DeepSeek V4
	{begin: `<｜DSML｜invoke name="`, end: "</｜DSML｜invoke>", part: true},        // without the section
	{begin: `<invoke name="`, end: "</invoke>", part: true, tag: true},         // MiniMax and others, without the section
}

// fenced is how many of the first [marks] are read in code blocks as well, since small models put a fence around their calls.
const fenced = 5

const callMark = "<tool_call>"

// maxEnds is how many ends are tried: an argument may hold the mark that ends its call.
const maxEnds = 8

// marked reads what is between the marks of a call. A text that goes on as no call does is an answer about such marks.
func (r *Reader) marked(m mark, final bool) (n int, calls []Call, sure bool) {
	text := r.held[:min(len(r.held), maxHeld)]
	if !m.meant(text) {
		return len(m.begin), nil, true
	}
	for at := range m.ends(text, final) {
		body := text[len(m.begin):at]
		if m.end != "" {
			body = strings.TrimSuffix(body, m.end)
		}
		if strings.TrimSpace(body) == "[]" {
			return len(m.begin), nil, true // no calls, which is no fault
		}
		if m.part {
			body = text[:at]
		}
		calls = readCalls(body, r.tools, m.begin == callMark)
		if len(calls) > 0 && !(m.tag && r.told.any && !r.offersAll(calls)) {
			return at, calls, true
		}
	}
	if !final && len(r.held) < maxHeld && (m.end == "" || strings.Count(text, m.end) < maxEnds) {
		return 0, nil, false
	}
	if !m.tag || !r.told.any {
		r.broken = true
		return len(r.held), nil, true
	}
	r.failed++
	return len(m.begin), nil, true
}

// ends returns where a text that begins with the mark may end, the first ones first. final is whether no more comes.
func (m mark) ends(text string, final bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		next := cmp.Or(m.end, m.begin) // without an end a call ends with the next
		at := len(m.begin)
		for range maxEnds {
			n := strings.Index(text[at:], next)
			if n < 0 {
				break
			}
			end := at + n
			if at = end + len(next); m.end != "" {
				end = at
			}
			if !yield(end) {
				return
			}
		}
		if final {
			yield(len(text))
		}
	}
}

// How calls go on after a mark: with a value, a tag, or a name that one of them follows.
var (
	goesOn    = pattern.New(`^\s*(?:$|[\[{<"]|call:|(?:functions\.)?[\w.:-]+\s*(?:$|[<{(]|\[(?:[A-Z_]*$|(?:ARGS|CALL_ID)\])))`)
	tagGoesOn = pattern.New(`^[^"<>]*(?:$|"(?:$|>\s*(?:$|<)))`)
	callGoes  = pattern.New("^[\\w.:-]*(?:$|>(?:\\s*(?:$|<|\\{)|[^\\s`)\\].,;:'\"]))")
)

// meant reports whether a text that begins with the mark goes on, as far as it has come, as a call does.
func (m mark) meant(text string) bool {
	rest := text[len(m.begin):]
	switch {
	case strings.HasSuffix(m.begin, `name="`):
		return tagGoesOn.MatchString(rest)
	case m.begin == functionMark:
		return callGoes.MatchString(rest) || strings.Contains(rest, functionEnd)
	}
	return goesOn.MatchString(rest)
}
