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

// maxAsked limits the questions about one call of unknown outcome.
const maxAsked = 8

// deed is a call that needed approval, as reported below the answer.
type deed struct {
	Tool   string `json:"tool"`
	Values string `json:"values,omitempty"` // its arguments
	Why    string `json:"why,omitempty"`    // for people: why it was not made, or failed
}

// asked makes a call after a person's approval, with the arguments shown or with those edited in its form. A
// rejection and its reason go to the model, as do other words; if the model changes the call accordingly, the new
// call is shown.
func (r *round) asked(ctx context.Context, i int, c consent.Call) (called, error) {
	x := r.x
	if !x.Request.MayAsk(c.Tool) {
		no := tool.NeedsYes(c.Tool)
		return r.notMade(c, tool.Observe(tool.Result{}, no), tool.Sentence(no, x.Request.Language)), nil
	}
	c = c.Filled(x)
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

// handedOver is the result given to the model for a call that was not made because the message becomes a task.
const handedOver = "error (not_called): this is done as a task instead."

// question builds the question about a call.
func (r *round) question(c consent.Call, notes []string) agent.Ask {
	a := c.Question(r.x, r.x.Phrase("chat.ask", r.toolTitle(c.Tool)), true)
	a.Notes = notes
	actions := []agent.Action{{Verb: agent.VerbReject, Style: "danger"}}
	if r.task {
		actions = append(actions, agent.Action{Verb: agent.VerbTask})
	}
	consent.Choices(r.x, &a, actions...)
	return a
}

// allowed makes an approved call. If its outcome is unknown after a crash or a timeout, repeating it could send
// something twice. It then asks a person whether the call took effect, should run again, or should be skipped.
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

// notMade returns the result of a call that was not made: text for the model, why for people.
func (r *round) notMade(c consent.Call, text, why string) called {
	return called{text, flow.Label{}, deed{c.Tool, shortened(c), why}}
}

// maxValues limits the arguments of a call in the answer, in characters.
const maxValues = 300

// shortened formats a call's arguments on one line.
func shortened(c consent.Call) string {
	return strings.ReplaceAll(fit.Clip(fit.OneLine(node.Legible(c.Arguments)), maxValues), "`", "'")
}

// told returns the answer with the outcome of the calls that needed approval, so that a model can neither hide a
// failure nor omit a call.
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

// restarts reports whether a turn interrupted by an update of the program may start over: only if it had no
// effects yet. A turn that asked people or called a tool resumes, or reports that it cannot.
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
