package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// withDefaults fills the fields that are zero.
func (l Limits) withDefaults() Limits {
	l.MaxMessages = cmp.Or(max(l.MaxMessages, 0), 10)
	l.KeepRecent = cmp.Or(max(l.KeepRecent, 0), 5)
	l.MaxSummaries = cmp.Or(max(l.MaxSummaries, 0), 3)
	return l
}

// Split divides a window that holds more than MaxMessages into the messages to
// be summarised and those that stay, the last KeepRecent. A tool call is never
// parted from its results, nor from the question that it was made for: some
// endpoints refuse a call that follows no person's message. If the cut would fall
// between them, the whole exchange stays, so that more than KeepRecent may stay. A window within its
// limit, or one that cannot be cut, has nothing to be summarised. The returned
// slices share messages' memory.
func Split(messages []Message, l Limits) (old, recent []Message) {
	l = l.withDefaults()
	if len(messages) <= l.MaxMessages {
		return nil, messages
	}
	cut := max(len(messages)-l.KeepRecent, 0)
	asked := askers(messages)
	for i := len(messages) - 1; i >= cut; i-- {
		if asked[i] < cut {
			cut = asked[i]
		}
	}
	return messages[:cut:cut], messages[cut:]
}

// askers returns for each message the index of the call that it answers, for a call that of its question, or its own
// if it follows from none. Models reuse ids of calls: the nearest call above is meant. A result without its call in
// the window belongs to the message above it.
func askers(messages []Message) []int {
	at := make([]int, len(messages))
	calls := map[string]int{}
	asked := -1 // the question that calls are made for
	for i, m := range messages {
		at[i] = i
		for _, c := range m.Calls {
			calls[c.ID] = i
		}
		switch {
		case m.Role == "user":
			asked = i
		case len(m.Calls) > 0 && asked >= 0:
			at[i] = asked
		case m.CallID == "":
			asked = -1 // answered
		}
		if m.CallID == "" {
			continue
		}
		if call, ok := calls[m.CallID]; ok {
			at[i] = call
		} else if i > 0 {
			at[i] = at[i-1]
		}
	}
	return at
}

// Slide adds a summary to the window of summaries and drops the oldest ones
// beyond MaxSummaries. summaries is left as it is.
func Slide(summaries []Summary, s Summary, l Limits) []Summary {
	l = l.withDefaults()
	out := append(append(make([]Summary, 0, len(summaries)+1), summaries...), s)
	if over := len(out) - l.MaxSummaries; over > 0 {
		out = out[over:]
	}
	return out
}

// Unsay clears the summaries that include a message and reports whether there are any: a summary paraphrases, so one
// message cannot be cut out of it. A cleared summary still stands for its messages, which have left the window. The
// argument is not modified.
func Unsay(summaries []Summary, message string) ([]Summary, bool) {
	out, found := slices.Clone(summaries), false
	for i, s := range out {
		if s.Text != "" && slices.Contains(s.Of, message) {
			out[i].Text, found = "", true
		}
	}
	return out, found
}

// Numbered writes summaries as a prompt shows them: numbered from 1, the oldest
// first, without those that have no words any more. No summaries are "".
func Numbered(summaries []Summary) string {
	var b strings.Builder
	n := 0
	for _, s := range summaries {
		if text := strings.TrimSpace(s.Text); text != "" {
			n++
			fmt.Fprintf(&b, "%d. %s\n", n, text)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxToldResult is how much of a tool's result a transcript has, in bytes.
const maxToldResult = 4 << 10

// Transcript formats messages for a summary prompt, with speaker, date, tool calls and results. Further lines of a
// message are indented, so that none can pass for another speaker's.
func Transcript(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		who := m.Author
		switch {
		case m.Role == "assistant":
			who = "Maru"
		case m.Role == "tool":
			who = "result of " + m.Name
		case who == "":
			who = "Person"
		}
		if day := m.Day(); day != "" && m.Role == "user" {
			who += " (" + day + ")"
		}
		text := m.Text
		if m.Role == "tool" && len(text) > maxToldResult { // the window keeps results whole
			text = strings.ToValidUTF8(text[:maxToldResult], "") + " […]"
		}
		for _, c := range m.Calls {
			text += fmt.Sprintf(" [calls %s %s]", c.Name, c.Arguments)
		}
		fmt.Fprintf(&b, "%s: %s\n", who, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "))
	}
	return b.String()
}

// WithAnswer returns the ids of a message and its consequences up to the next person's message: tool calls, results
// and the answer may all quote it.
func WithAnswer(messages []Message, i int) []string {
	ids := []string{messages[i].ID}
	for _, m := range messages[i+1:] {
		if m.Role == "user" {
			break
		}
		ids = append(ids, m.ID)
	}
	return ids
}
