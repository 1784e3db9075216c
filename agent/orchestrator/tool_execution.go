package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/limit"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/phrase"
	"maru/phrase/fit"
)

// maxCalls limits the tool calls of one reply.
const maxCalls = 4

// executor runs the steps.
type executor struct {
	stage

	memory valueMemory
	limits Limits
}

func (e executor) toolExecution() workflow.Type {
	return e.define("tool_execution", "Runs the prepared call, else lets the model work with the recommended tools, bounded in rounds, tokens, time and repetition.",
		e.execute, nil, e.made.Name(), e.history.Name())
}

// execution is one attempt at a step.
type execution struct {
	executor

	s       graph.State
	x       *workflow.Exec
	st      step
	pre     prepared
	used    llm.Usage
	asks    int
	made    attempt
	results []node.Gave // of the calls so far

	unsure *node.Called // the call that may have taken effect

	seen map[string]bool // calls made, by name and arguments
	last string          // why the last failed call failed
	code failure         // its code
	gave string          // results of the wanted tool, or of any if the step names none
	from []string        // outside servers among their sources

	extra []graph.Write // spending of the step
}

func (k executor) execute(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	st, _ := k.stepAt(s)
	e := &execution{executor: k, s: s, x: x, st: st, pre: k.prepared.Get(s), seen: map[string]bool{}, results: []node.Gave{}}
	began, err := graph.Repeatable(ctx, "began", func(context.Context, string) (time.Time, error) { return k.now().UTC(), nil })
	if err != nil {
		return nil, err
	}
	bounded, cancel := limit.With(ctx, k.limits.StepTime)
	defer cancel()
	err = e.run(bounded)
	switch {
	case ctx.Err() != nil: // the run was stopped: record what was done
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded) && bounded.Err() != nil:
		e.fail(codeTimeout, x.Phrase("orchestrator.timeout", phrase.Span(k.limits.StepTime)))
	case err != nil:
		return nil, err
	}
	e.markUnsure()
	e.made.Millis = max(0, k.now().UTC().Sub(began).Milliseconds())
	return append(append(k.cost(e.used, e.asks), e.extra...), k.made.Set(e.made)), nil
}

func (e *execution) fail(code failure, reason string) { e.made.Code, e.made.Reason = code, reason }

// run executes the step.
func (e *execution) run(ctx context.Context) error {
	var failed *llm.Message // the result of the prepared call if it failed
	if e.pre.Tool != "" {
		done, err := e.prepared(ctx)
		if done || err != nil || e.unsure != nil {
			return err
		}
		failed = &llm.Message{Role: llm.User, Content: "The call of " + e.pre.Tool + " failed:\n" + tool.Observe(tool.Result{Text: e.made.Text, From: e.made.From}, nil)}
	} else if spec, ok := toolNamed(e.x, e.st.Tool); ok && e.refusalCode(e.s, e.x, e.st, spec, nil) != "" {
		e.refuse(e.refusalCode(e.s, e.x, e.st, spec, nil))
		return nil
	}
	return e.react(ctx, failed)
}

func (e *execution) refuse(code failure) { e.fail(code, code.refused(e.x)) }

// prepared makes the prepared call. done is false if it failed and other tools may help.
func (e *execution) prepared(ctx context.Context) (done bool, err error) {
	leave, err := graph.Repeatable(ctx, "leave", func(context.Context, string) (leave, error) { return e.leave(), nil })
	switch {
	case err != nil:
		return true, err
	case leave.Code == codeUnknown:
		e.fail(codeUnknown, e.x.Phrase("orchestrator.tool_gone"))
		return true, nil
	case leave.Code != "":
		e.refuse(leave.Code)
		return true, nil
	}
	got, err := e.call(ctx, "prepared", e.pre.call(), leave.Shown)
	if err != nil {
		return true, err
	}
	e.made.Text, e.made.From = got.Text, got.From
	if got.Err == "" {
		return true, nil
	}
	e.fail(e.code, got.Err)
	spec, _ := toolNamed(e.x, e.pre.Tool)
	return got.Changed || needsPerson(spec) || len(e.readers()) == 0, nil
}

// leave is whether the prepared call may run. It is recorded: after a crash in the middle of the call its tool may be another
// one, or gone, and the call has begun all the same.
type leave struct {
	Code  failure `json:"code,omitempty"`  // why it may not
	Shown string  `json:"shown,omitempty"` // digest of the tool that people approved
}

func (e *execution) leave() leave {
	spec, ok := toolNamed(e.x, e.pre.Tool)
	switch {
	case !ok:
		return leave{Code: codeUnknown}
	case e.approvedCall(e.s, e.x, e.st, e.pre.Tool, e.pre.Arguments):
		return leave{Shown: spec.Digest()}
	}
	return leave{Code: e.refusalCode(e.s, e.x, e.st, spec, e.pre.Arguments)}
}

// call makes one call as a durable step. It checks for a stop request first. shown is the digest of the tool that people
// approved, "" if nobody had to be asked.
func (e *execution) call(ctx context.Context, name string, c call, shown string) (node.Called, error) {
	if err := ctx.Err(); err != nil {
		return node.Called{}, err
	}
	e.seen[callDigest("", c.Tool, c.Arguments)] = true
	got, err := e.callTool(ctx, name, c, shown)
	if err != nil {
		return got, err
	}
	verdict, why := c.Judge(e.x, got)
	code := codeReported
	if verdict == tool.Empty {
		code = codeEmpty
	}
	got.Err = why
	e.made.Calls = append(e.made.Calls, called{Tool: c.Tool, Arguments: c.Arguments, Failed: why != "", Why: why, From: got.From, Shown: got.Tool})
	switch wanted := e.wanted(); {
	case why != "":
		e.code, e.last = code, why
	case wanted == "" || c.Tool == wanted:
		e.gave = strings.TrimSpace(e.gave + "\n\n" + got.Text)
		if got.From != "" && !slices.Contains(e.from, got.From) {
			e.from = append(e.from, got.From)
		}
	}
	return got, nil
}

// wanted returns the tool that the step must use: the planned one, or that of the approved call. Text without a
// result of it or of another tool is not a result.
func (e *execution) wanted() string {
	if e.pre.Granted != "" {
		return cmp.Or(e.st.Tool, e.pre.Tool)
	}
	return e.st.Tool
}

// readers returns the recommended tools that the model may call without approval.
func (e *execution) readers() []tool.Spec {
	var out []tool.Spec
	for _, n := range e.pre.Tools {
		if spec, ok := toolNamed(e.x, n); ok && e.refusalCode(e.s, e.x, e.st, spec, nil) == "" {
			out = append(out, spec)
		}
	}
	return out
}

// opening builds the first request of a step. before is the outcome of the prepared call, nil without one.
func (e *execution) opening(ctx context.Context, before *llm.Message, tools []tool.Spec) (llm.Request, error) {
	text, err := e.prompt("step", e.s, e.x, e.withThread(ctx, e.s, e.x, map[string]any{
		"Step": e.st, "N": e.current.Get(e.s) + 1, "Of": len(e.plan.Get(e.s).Steps), "Progress": e.progress(ctx, e.s), "HasTools": len(tools) > 0,
	}))
	if err != nil {
		return llm.Request{}, err
	}
	req := llm.Request{Purpose: llm.ForAnswer, Messages: system(text, user(strings.TrimSpace(e.st.Text+"\n"+e.st.Detail))), Tools: offered(e.x, tools)}
	if before != nil {
		req.Messages = append(req.Messages, *before)
	}
	return req, nil
}

// react alternates model replies and tool calls until there is a result.
func (e *execution) react(ctx context.Context, before *llm.Message) error {
	tools := e.readers()
	req, err := e.opening(ctx, before, tools)
	if err != nil {
		return err
	}
	e.made.Code, e.made.Reason = "", ""
	repeats := 0 // consecutive rounds of repeated calls only
	reminded := false
	for round := 0; ; round++ {
		last := round+1 >= e.limits.Rounds || e.used.Input+e.used.Output >= e.limits.Tokens || repeats > 1
		if last && len(req.Tools) > 0 {
			req.ToolChoice = "none"
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		reply, err := host.Talk(ctx, e.x, fmt.Sprintf("react/%d", round), req, false)
		e.used.Add(reply.Usage)
		e.asks++
		if err != nil {
			if !e.continuesWithoutModel(ctx, e.s, err) && (!workflow.Silent(ctx, err) || len(e.made.Calls) == 0) {
				return err
			}
			if e.gave != "" { // there is a result, though the model failed to put it into words
				e.made.Text, e.made.From = e.gave, strings.Join(e.from, ", ")
				return nil
			}
			reply.Failed = string(llm.ClassOf(err))
		}
		if reply.Failed != "" {
			e.fail(codeModel, e.x.Phrase("orchestrator.model_failed", host.Why(e.x, llm.Class(reply.Failed))))
			return nil
		}
		if !last && len(reply.Calls) == 0 && e.idle(tools) && !strings.Contains(reply.Text, blocked) {
			if !reminded {
				reminded = true
				e.remind(&req, reply)
				continue
			}
			if reply.Calls, err = e.obvious(ctx, round); err != nil {
				return err
			}
		}
		req.ToolChoice, req.Tools = "", offered(e.x, tools)
		if len(reply.Calls) == 0 || last || len(req.Tools) == 0 {
			e.conclude(reply, repeats > 1)
			return nil
		}
		results, again, err := e.calls(ctx, round, reply.Calls, tools)
		if err != nil || e.unsure != nil {
			return err
		}
		if again {
			repeats++
		}
		req.Messages = append(req.Messages, reply.Message())
		req.Messages = append(req.Messages, results...)
	}
}

// idle reports whether the step's planned tool is available and no tool was called.
func (e *execution) idle(tools []tool.Spec) bool {
	return len(e.made.Calls) == 0 && slices.ContainsFunc(tools, func(s tool.Spec) bool { return s.Name == e.st.Tool })
}

// remind asks a model that answered without a call to use the planned tool. If the tool only reads, a call is
// required.
func (e *execution) remind(req *llm.Request, reply host.Reply) {
	if spec, ok := toolNamed(e.x, e.st.Tool); ok && spec.Policy.Effect() == agent.EffectReads {
		req.ToolChoice, req.Tools = e.st.Tool, offered(e.x, []tool.Spec{spec})
	}
	if reply.Text != "" {
		req.Messages = append(req.Messages, reply.Message())
	}
	req.Messages = append(req.Messages, user("The plan gives this step the tool "+e.st.Tool+", and it was not called. Call it and answer from what it gives. If it cannot be called, end with a line "+blocked+" why]."))
}

// obvious returns the planned tool's call for a model that makes none although reminded: a read-only tool is
// called with the arguments that the model writes for its schema.
func (e *execution) obvious(ctx context.Context, round int) ([]llm.ToolCall, error) {
	spec, ok := toolNamed(e.x, e.st.Tool)
	if !ok || spec.Policy.Effect() != agent.EffectReads {
		return nil, nil
	}
	arguments, cost, err := e.fillCall(ctx, e.s, e.x, e.st, spec, served{})
	e.extra = append(e.extra, cost...)
	if err != nil && !e.continuesWithoutModel(ctx, e.s, err) {
		return nil, err
	}
	if arguments == nil {
		arguments = json.RawMessage("{}") // a tool without parameters
	}
	if !argumentsFit(e.x, spec.Name, arguments) {
		return nil, nil
	}
	return []llm.ToolCall{{ID: fmt.Sprintf("obvious_%d", round), Name: spec.Name, Arguments: arguments}}, nil
}

// blocked is the model's marker for a step that cannot be done.
const blocked = "[BLOCKED:"

// conclude takes the model's text as the result. A model that only repeats a successful call needs no text.
func (e *execution) conclude(reply host.Reply, repeats bool) {
	if len(reply.Calls) > 0 && repeats && e.gave != "" {
		e.made.Text, e.made.From = e.gave, strings.Join(e.from, ", ")
		return
	}
	e.made.Text, e.made.From, e.made.Based = reply.Text, "", &e.results
	if i := strings.LastIndex(reply.Text, blocked); i >= 0 {
		why, _, _ := strings.Cut(reply.Text[i+len(blocked):], "]")
		e.made.Text = strings.TrimSpace(reply.Text[:i])
		e.fail(codeReported, fit.Clip(strings.TrimSpace(why), 300))
		return
	}
	switch {
	case len(reply.Calls) > 0:
		e.fail(codeLimit, e.x.Phrase("orchestrator.tools_used_up"))
	case e.st.Tool != "" && len(e.made.Calls) == 0: // text without any tool result behind it
		e.fail(codeIdle, e.x.Phrase("orchestrator.tool_not_called", e.st.Tool))
	case e.unserved():
		e.fail(e.code, e.last)
	}
}

// unserved reports whether the wanted tool was called and no call returned a result, so that the model's text has
// no basis.
func (e *execution) unserved() bool {
	asked := false
	for _, c := range e.made.Calls {
		if !c.Failed {
			return false
		}
		asked = asked || c.Tool == e.wanted()
	}
	return asked
}

// calls makes the calls of one reply in sequence. again reports that all of them were repetitions.
func (e *execution) calls(ctx context.Context, round int, wanted []llm.ToolCall, tools []tool.Spec) (results []llm.Message, again bool, err error) {
	again = true
	for i, c := range wanted {
		m := llm.Message{Role: llm.ToolRole, Name: c.Name, ToolCallID: c.ID}
		digest := callDigest("", c.Name, c.Arguments)
		switch {
		case e.unsure != nil:
			m.Content = "error (stopped): the call before was interrupted; this one was not made."
		case i >= maxCalls:
			m.Content = fmt.Sprintf("error (limit): at most %d calls at once; this one was not made.", maxCalls)
		case !slices.ContainsFunc(tools, func(s tool.Spec) bool { return s.Name == c.Name }):
			m.Content = "error (refused): this tool is not among those that the step may use."
		case digest == "" || e.seen[digest]:
			m.Content = "error (repeated): this call was made before in this step; use its result."
		default:
			again = false
			var err error
			if m.Content, err = e.wish(ctx, fmt.Sprintf("tool/%d/%d", round, i), call{Tool: c.Name, Arguments: c.Arguments}); err != nil {
				return nil, false, err
			}
		}
		results = append(results, m)
	}
	return results, again, nil
}
