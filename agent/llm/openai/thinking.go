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
	channels *harmony        // of a reply in messages of gpt-oss
	end      string          // of the block
	had      bool            // there was one
	held     string          // what has come and cannot be told yet
	tag      strings.Builder // the reply so far while it may be an answer about its first word, a tag

	expected bool // the prompt of this model begins them
	unopened bool // they ended, and had no beginning
	marked   bool // the mark of their end came
	awaited  strings.Builder
}

// How far a reply is.
const (
	notBegun = iota // nothing but space, or the beginning of the mark
	within          // in the block
	awaiting        // perhaps in one that the prompt began
	behind          // after it, before the first word
	answering
)

// thoughts are how such a block begins and ends. A tag is a word of answers as well, unless a line ends with the tag that closes it.
var thoughts = []struct {
	begin, end string
	tag        bool
}{
	{begin: "<think>", end: thoughtEnd},                           // most models
	{begin: "[THINK]", end: "[/THINK]"},                           // Mistral
	{begin: "<reasoning>", end: "</reasoning>"},                   // gpt-oss at Bedrock
	{begin: "<thought>", end: "</thought>\n", tag: true},          // EXAONE Deep
	{begin: "<thinking>", end: "</thinking>\n", tag: true},        // small models that learned from Claude's replies
	{begin: "<seed:think>", end: "</seed:think>"},                 // Seed-OSS
	{begin: "◁think▷", end: "◁/think▷"},                           // Kimi-VL
	{begin: "<|begin_of_thought|>", end: "<|begin_of_solution|>"}, // Sky-T1, OpenThinker
	{begin: "<|channel>thought", end: "<channel|>"},               // Gemma 4
	{begin: "<|START_THINKING|>", end: "<|END_THINKING|>"},        // Command A Reasoning
}

const (
	thoughtEnd    = "</think>"
	responseStart = "<|START_RESPONSE|>" // of Command A, behind its thoughts
)

// withoutThoughts returns what follows thoughts whose mark at the beginning stood in the prompt, as templates of DeepSeek-R1 and QwQ
// have it; thoughts reports whether there were any. The mark that ends them ends a line, and is the only one: others are words of an
// answer or of its code.
func withoutThoughts(text string) (answer string, thoughts bool) {
	before, after, ok := strings.Cut(text, thoughtEnd)
	answer = strings.TrimLeft(after, " \r\n\t")
	lines := strings.Count(after[:len(after)-len(answer)], "\n") // that begin or end with the mark
	if before == "" || strings.HasSuffix(before, "\n") {
		lines++
	}
	switch {
	case !ok, answer != "" && lines < 2, strings.Contains(answer, thoughtEnd),
		strings.Contains(before, "<think"), strings.Count(before, "```")%2 == 1, strings.TrimRight(before, " \t\"'`") != before:
		return text, false
	}
	return answer, true
}

// pass returns as much of the answer as is certain after another piece.
func (t *thinking) pass(piece string) string {
	if t.channels != nil {
		return t.channels.pass(piece)
	}
	switch t.stage {
	case answering:
		return piece
	case awaiting:
		return t.await(piece)
	}
	if t.held += piece; t.tag.Len() > 0 {
		t.tag.WriteString(piece)
	}
	if t.stage == notBegun {
		switch maybe := t.begin(strings.TrimLeft(t.held, " \r\n\t")); {
		case t.channels != nil:
			held := t.held
			t.held = ""
			return t.channels.pass(held)
		case t.stage == within:
		case maybe:
			return ""
		case t.expected:
			piece, t.held, t.stage = t.held, "", awaiting
			return t.await(piece)
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
	t.held = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(t.held, " \r\n\t"), responseStart), " \r\n\t")
	if strings.HasPrefix(responseStart, t.held) {
		return ""
	}
	return t.rest()
}

// await holds back what may be thoughts that the prompt began, until they have ended.
func (t *thinking) await(piece string) string {
	t.awaited.WriteString(piece)
	said := t.awaited.String()
	t.marked = t.marked || strings.Contains(said[max(0, len(said)-len(piece)-len(thoughtEnd)):], thoughtEnd)
	if !t.marked {
		return ""
	}
	answer, ok := withoutThoughts(said)
	if !ok || answer == "" {
		return ""
	}
	t.stage, t.had, t.unopened = answering, true, true
	return answer
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
			if b.tag {
				t.tag.WriteString(t.held)
			}
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
	switch t.stage {
	case within:
		held, t.had = t.tag.String(), t.tag.Len() == 0
	case awaiting:
		held = t.awaited.String()
	}
	t.stage, t.held = answering, ""
	return held
}
