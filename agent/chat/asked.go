package chat

import (
	"context"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/node"
	"maru/phrase/fit"
)

// maxAsked bounds how often one call of unknown outcome is asked about.
const maxAsked = 8

// deed is a call that needed a person's yes, as the answer tells of it.
type deed struct {
	Tool   string `json:"tool"`
	Values string `json:"values,omitempty"` // what it was called with
	Why    string `json:"why,omitempty"`    // why it was not made or failed, for people
}

// asked makes a call if a person allows it: the call that was shown, or one with the
// values that they typed into its form. The model reads a no with its reason, and words
// that say something else; a call that it changes by them is shown anew.
func (r *round) asked(ctx context.Context, i int, c consent.Call) (called, error) {
	x := r.x
	if !x.Request.MayAsk(c.Tool) {
		no := tool.NeedsYes(c.Tool)
		return r.notMade(c, tool.Observe(tool.Result{}, no), tool.Sentence(no, x.Request.Language)), nil
	}
	if wrong := c.Faults(x); wrong != nil {
		return called{text: tool.ObserveIn(x.Request.Language, tool.Result{}, wrong)}, nil
	}
	d, err := c.Settle(ctx, x, fmt.Sprintf("ask/%d", i), r.why(c), r.question)
	switch {
	case err != nil:
		return called{}, err
	case d.Answer.Action == agent.VerbTask:
		r.handed = true
		return called{text: handedOver}, nil
	case d.Allowed():
		return r.allowed(ctx, i, d.Call)
	case d.Why == "":
		return called{text: d.Text}, nil
	}
	return r.notMade(d.Call, d.Text, d.Why), nil
}

// handedOver is what the model reads of a call that was not made because the message is
// worked on as a task.
const handedOver = "error (not_called): this is done as a task instead."

// question returns the question about a call.
func (r *round) question(c consent.Call, notes []string) agent.Ask {
	a := c.Question(r.x, r.x.Phrase("chat.ask", r.toolTitle(c.Tool)), true)
	a.Notes = notes
	a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbReject, Style: "danger"})
	if r.task {
		a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbTask})
	}
	return a
}

// allowed makes a call that a person allowed. If the outcome is unknown, after a crash or a timeout,
// repeating the call could send something twice. So a person is asked: it was done, run it again,
// or skip it.
func (r *round) allowed(ctx context.Context, i int, c consent.Call) (called, error) {
	name := fmt.Sprintf("call/%d", i)
	for n := range maxAsked {
		done, err := r.call(ctx, name, c)
		if err != nil {
			return called{}, err
		}
		if done.Unsure {
			d, err := consent.Ask(ctx, fmt.Sprintf("unsure/%d/%d", i, n), consent.KindStep, c.WhetherDone(r.x, r.x.Phrase("chat.ask_unsure", r.toolTitle(c.Tool))))
			switch {
			case err != nil:
				return called{}, err
			case d.Action == agent.VerbRerun:
				name = fmt.Sprintf("call/%d/%d", i, n+1)
				continue
			case d.Action == agent.VerbDone:
				return called{"The call was cut off; a person says that it took effect. Do not make it again.", r.labelled(c.Tool, done), deed{c.Tool, shortened(c), ""}}, nil
			}
		}
		_, done.Err = c.Judge(r.x, done)
		return called{observed(done), r.labelled(c.Tool, done), deed{c.Tool, shortened(c), done.Err}}, nil
	}
	return r.notMade(c, "error (unknown): the call was cut off several times; whether it took effect is not known. Do not make it again.", r.x.Phrase("agent.tool_interrupted")), nil
}

// notMade is a call that was not made: what the model reads, and what people do.
func (r *round) notMade(c consent.Call, text, why string) called {
	return called{text, flow.Label{}, deed{c.Tool, shortened(c), why}}
}

// maxValues bounds the values in what the answer tells of a call, in characters.
const maxValues = 300

// shortened writes the values of a call on one line.
func shortened(c consent.Call) string {
	return strings.ReplaceAll(fit.Clip(fit.OneLine(node.Legible(c.Arguments)), maxValues), "`", "'")
}

// told is the answer with what became of the calls that needed a yes: a model's words
// make no failure good, and leave nothing out.
func (a *Agent) told(x *workflow.Exec, s graph.State) string {
	text := a.ch.answer.Get(s)
	var lines []string
	for _, d := range a.ch.deeds.Get(s) {
		title := a.toolTitle(d.Tool).In(x.Request.Language)
		switch {
		case d.Why == "":
			lines = append(lines, x.Phrase("chat.did", title, d.Values))
		case !strings.Contains(text, d.Why):
			lines = append(lines, x.Phrase("chat.did_not", title, d.Why))
		}
	}
	if len(lines) > 0 {
		text += "\n\n" + strings.Join(lines, "\n")
	}
	return text
}

// restarts reports whether a turn that an update of the program interrupted may begin
// again: it only read and thought. One that asked or did something goes on where it was,
// or says that it cannot.
func (a *Agent) restarts(x *workflow.Exec, s graph.State) bool {
	read := a.read(x, s)
	for _, m := range a.ch.messages.Get(s) {
		if !strings.HasPrefix(m.ID, x.Request.Run+"/") {
			continue
		}
		for _, c := range m.Calls {
			if spec, ok := x.Tool(c.Name); !ok || read.NeedsYes(spec, []byte(c.Arguments)) {
				return false
			}
		}
	}
	return true
}
