package consent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// maxAsked bounds how often one call is asked about: a form can hold values that the
// tool refuses.
const maxAsked = 8

// Settled is the outcome of asking about a call. Text is what the model reads of a call that
// nobody allowed, and Why what people read of it; both are "" for one that was allowed.
type Settled struct {
	Call   Call   // as it was allowed: as shown, or with the values of its form
	Tool   string // digest of the tool that was shown
	Answer Answer
	Text   string
	Why    string // "" too where the model only has to read what a person said
}

// Asking makes the question about a call, with notes for people. typed is what they typed into its form so far.
type Asking = func(c Call, notes, typed []string) agent.Ask

// Allowed reports whether a person allowed the call.
func (s Settled) Allowed() bool { return s.Text == "" }

// Settle asks about a call until a person has decided, a bounded number of times. The values
// that they type into its form are their own; a call that others must agree to is shown
// again. Words that decide nothing are for the model. Nobody is asked about a tool that is gone. key names the questions within the
// node's visit; question makes one. Whoever makes the call has to compare its tool with the one
// that was shown ([node.CallShown]).
func (c Call) Settle(ctx context.Context, x *workflow.Exec, key string, notes []string, question Asking) (Settled, error) {
	var typed []string
	undecided := x.Phrase("agent.call_undecided")
	for n := range maxAsked {
		shown, err := graph.Repeatable(ctx, fmt.Sprintf("%s/%d/tool", key, n), func(context.Context, string) (string, error) { return c.Digest(x), nil })
		if err != nil {
			return Settled{}, err
		}
		if shown = cmp.Or(shown, workflow.AbsentTool); shown == workflow.AbsentTool { // nobody can tell what a yes would be for
			return Settled{c, shown, Answer{}, "error (not_found): the tool of this call is not available now. The call was not made.", x.Phrase("agent.tool_gone")}, nil
		}
		d, err := Ask(ctx, fmt.Sprintf("%s/%d", key, n), KindStep, question(c, notes, typed))
		switch {
		case err != nil:
			return Settled{}, err
		case d.Expired:
			return Settled{c, shown, d, "error (expired): nobody decided about this call in time. It was not made.", undecided}, nil
		case d.Action == agent.VerbAccept:
			return Settled{Call: c, Tool: shown, Answer: d}, nil
		case d.Action == agent.VerbReject:
			return Settled{c, shown, d, refusal(d.Text), x.Phrase("agent.call_refused")}, nil
		case d.Action != agent.VerbEdit:
			return Settled{c, shown, d, "error (not_called): this call was not made.", ""}, nil
		case len(d.Values) == 0:
			return Settled{c, shown, d, "error (not_called): this call was not made. Asked about it, a person said: " + said(d.Text) +
				" If that changes the call, call the tool again with the change; they will be asked about it. If it declines it, do not.", ""}, nil
		}
		e, err := graph.Repeatable(ctx, fmt.Sprintf("%s/%d/edit", key, n), func(context.Context, string) (edited, error) { return c.edited(x, d, shown), nil })
		if err != nil {
			return Settled{}, err
		}
		typed = append(typed, d.Written...)
		if c, notes = e.Call, e.Notes; len(notes) == 0 { // the values are the person's own
			return Settled{Call: c, Tool: shown, Answer: d}, nil
		}
	}
	return Settled{c, "", Answer{}, "error (not_called): the values of this call were not settled. It was not made.", undecided}, nil
}

// edited is a call with the values of a form. It is recorded: when the node runs again, the tool may be another one.
type edited struct {
	Call  Call     `json:"call"`
	Notes []string `json:"notes,omitempty"` // why it is shown again, none if it is as the person wants it
}

// edited applies the values that a person typed into the form of the tool shown.
func (c Call) edited(x *workflow.Exec, d Answer, shown string) edited {
	changed, wrong := c.With(x, d.Values)
	whole := changed.Filled(x)
	switch {
	case wrong != nil:
		return edited{c, []string{x.Phrase("agent.call_unfit", fit.Clip(tool.Sentence(wrong, x.Request.Language), 600))}}
	case c.Digest(x) != shown:
		return edited{whole, []string{x.Phrase("agent.tool_changed")}}
	case d.Confirm || !bytes.Equal(whole.Arguments, changed.Arguments): // others must agree to it too, or a default stands for an emptied field
		return edited{whole, c.Changed(changed, whole).Notes(x, x.Phrase("agent.call_changed"))}
	}
	return edited{Call: changed}
}

// refusal tells the model that a person refused.
func refusal(reason string) string {
	text := "error (refused): a person decided against this call. It was not made. Do not make it again unless they ask for it."
	if strings.TrimSpace(reason) == "" {
		return text
	}
	return text + " Their reason: " + said(reason)
}

// said quotes a person's words for the model.
func said(words string) string { return fmt.Sprintf("%q.", fit.Clip(strings.TrimSpace(words), 2000)) }
