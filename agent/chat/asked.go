package chat

import (
	"context"
	"fmt"
	"slices"
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
	o, err := graph.Repeatable(ctx, fmt.Sprintf("open/%d", i), func(context.Context, string) (opened, error) { return r.open(c), nil })
	switch {
	case err != nil || o.Wrong != "":
		return called{text: o.Wrong}, err
	case o.Absent:
		return r.call(ctx, i, c, workflow.AbsentTool) // which says that there is no such tool
	}
	known, err := graph.Repeatable(ctx, fmt.Sprintf("known/%d", i), func(ctx context.Context, _ string) ([]consent.Remembered, error) { return r.remembered(ctx), nil })
	if err != nil {
		return called{}, err
	}
	read := r.read
	read.Read = slices.Clone(read.Read)
	for _, m := range r.revealed(ctx, x, r.messages) {
		if points(x, m) {
			read.Read = append(read.Read, m.Text)
		}
	}
	ask := func(c consent.Call, notes, typed []string) agent.Ask {
		now := read
		now.Said = slices.Concat(typed, read.Said)
		return r.question(c, slices.Concat(c.Marks(x, known, now), notes))
	}
	d, err := o.Call.Settle(ctx, x, fmt.Sprintf("ask/%d", i), r.why(c), ask)
	switch {
	case err != nil:
		return called{}, err
	case d.Allowed():
		return r.allowed(ctx, i, d, ask)
	}
	return r.declined(d), nil
}

// declined returns the result of a call that nobody allowed.
func (r *round) declined(d consent.Settled) called {
	switch {
	case d.Answer.Action == agent.VerbTask:
		r.handed = true
		return called{text: handedOver}
	case d.Why == "":
		return called{text: d.Text}
	}
	return r.notMade(d.Call, d.Text, d.Why)
}

// opened is a call as it is first asked about. It is recorded: when the node runs again, its tool may be another one.
type opened struct {
	Call   consent.Call `json:"call"`
	Wrong  string       `json:"wrong,omitempty"`  // for the model: it cannot run
	Absent bool         `json:"absent,omitempty"` // its tool was not there
}

func (r *round) open(c consent.Call) opened {
	o := opened{Call: c.Filled(r.x), Absent: c.Digest(r.x) == workflow.AbsentTool}
	if wrong := o.Call.Faults(r.x); wrong != nil {
		o.Wrong = tool.ObserveIn(r.x.Request.Language, tool.Result{}, wrong)
	}
	return o
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
// something twice. It then asks a person whether the call took effect, should run again, or should be skipped. A call
// whose tool is no longer the approved one is shown again before it runs, the first time and every other.
func (r *round) allowed(ctx context.Context, i int, yes consent.Settled, ask consent.Asking) (called, error) {
	c, shown, cut := yes.Call, yes.Tool, node.Called{}
	for n := range maxAsked {
		name := fmt.Sprintf("call/%d", i)
		if n > 0 {
			name = fmt.Sprintf("call/%d/%d", i, n)
		}
		done, err := r.callShown(ctx, name, c, shown)
		switch {
		case err != nil:
			return called{}, err
		case done.Changed:
			note := r.x.Phrase("agent.tool_changed")
			if cut.Unsure {
				note = r.x.Phrase("agent.tool_changed_unsure")
			}
			d, err := c.Filled(r.x).Settle(ctx, r.x, fmt.Sprintf("again/%d/%d", i, n), []string{note}, ask)
			switch {
			case err != nil:
				return called{}, err
			case d.Allowed():
				c, shown = d.Call, d.Tool
				continue
			case !cut.Unsure:
				return r.declined(d), nil
			}
			done = cut
			done.Text += "\n" + d.Text
		case done.Unsure:
			cut, shown = done, done.Tool
			d, err := consent.Ask(ctx, fmt.Sprintf("unsure/%d/%d", i, n), consent.KindStep, c.WhetherDone(r.x, r.x.Phrase("chat.ask_unsure", r.toolTitle(c.Tool))))
			switch {
			case err != nil:
				return called{}, err
			case d.Action == agent.VerbRerun:
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
