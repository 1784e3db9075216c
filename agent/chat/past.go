package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/memory"
	"maru/memory/longterm"
	"maru/phrase/fit"
)

// Past finds what people said in a thread long ago, in their own words. Earlier
// returns the few messages that most likely bear on a question, best first: of
// those that still stand as they are, and were not taken back.
type Past interface {
	Earlier(ctx context.Context, thread, question string, limit int) ([]Said, error)
}

// Said is one message of the thread.
type Said struct {
	ID     string
	Author string
	Text   string
	At     time.Time
	Score  float64 // comparable within one answer only
}

const (
	earlierFound  = 12  // messages that are looked at
	earlierTokens = 300 // of them in a prompt
	earlierLong   = 200 // letters of one
)

// recalled is what the trace keeps of a message that entered a prompt.
type recalled struct {
	ID     string  `json:"id"`
	Score  float64 `json:"score"`
	Tokens int     `json:"tokens"`
}

// earlier returns what was said in the thread before its window and has to do
// with the question, as lines of the prompt, oldest first. It costs no model call.
// A summary has what a thread was about; the words themselves have what it left
// out.
func (a *Agent) earlier(ctx context.Context, x *workflow.Exec, s graph.State) string {
	if a.cfg.Past == nil || len(a.ch.summaries.Get(s)) == 0 { // nothing has left the window
		return ""
	}
	found, err := a.cfg.Past.Earlier(ctx, x.Request.Thread, a.ch.question.Get(s), earlierFound)
	if err != nil {
		a.cfg.Log.WarnContext(ctx, "what was said long ago cannot be read, the answer goes without", "run", x.Request.Run, "err", err)
		return ""
	}
	window := a.ch.messages.Get(s)
	found = slices.DeleteFunc(found, func(m Said) bool {
		return slices.ContainsFunc(window, func(w memory.Message) bool { return w.ID == m.ID })
	})
	var lines []Said
	var used []recalled
	left := earlierTokens
	for _, m := range found {
		m.Text = fit.Clip(fit.OneLine(m.Text), earlierLong)
		cost := longterm.Tokens(m.line())
		if cost > left {
			continue
		}
		left -= cost
		lines, used = append(lines, m), append(used, recalled{m.ID, m.Score, cost})
	}
	if len(lines) == 0 {
		return ""
	}
	if raw, err := json.Marshal(used); err == nil { // ids and numbers: always
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "earlier", Data: raw})
	}
	slices.SortStableFunc(lines, func(a, b Said) int { return a.At.Compare(b.At) })
	var out strings.Builder
	for _, m := range lines {
		fmt.Fprintln(&out, m.line())
	}
	return strings.TrimSpace(out.String())
}

// line is a message as a prompt has it.
func (m Said) line() string {
	return fmt.Sprintf("- %s %s: %s", m.At.Format(time.DateOnly), m.Author, m.Text)
}
