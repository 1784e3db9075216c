// Package demo is the orchestrator as one sees it in the first minute: the same graph, cards and
// clicks, with a scripted model and two tools that only read. It needs no model and no documents
// of the team's, remembers nothing and leaves nothing outside its thread.
//
// A place cannot choose it: the command `demo` begins it. The script is
// [maru/agent/llm/scripted], which must not be imported here; the wiring brings model and
// calculator.
package demo

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/orchestrator"
	"maru/agent/tool"
	"maru/agent/workflow/host"
)

// Name is the agent's name. It is in no list of agents.
const Name = "maru-demo"

// Config holds the agent's dependencies.
type Config struct {
	Model      llm.Model // scripted
	LookUp     string    // name of the tool that looks things up in the sample handbook
	Calculator tool.Tool
	Runtime    *graph.Runtime
	Log        *slog.Logger
}

// Agent plays the demo.
type Agent struct {
	*orchestrator.Agent
}

var (
	_ agent.Agent    = (*Agent)(nil)
	_ agent.Unlisted = (*Agent)(nil)
)

// New makes the agent.
func New(c Config) (*Agent, error) {
	tools, err := tool.NewRegistry(lookUp{c.LookUp}, c.Calculator)
	if err != nil {
		return nil, err
	}
	played, err := orchestrator.New(orchestrator.Config{
		ID: Name, Models: host.Models{Model: c.Model, MaxRetries: -1, Now: time.Now}, Tools: tools, Runtime: c.Runtime, Log: c.Log,
	})
	if err != nil {
		return nil, err
	}
	return &Agent{played}, nil
}

// Unlisted implements agent.Unlisted.
func (*Agent) Unlisted() {}

// Run implements agent.Agent. Everything is asked, nothing is remembered or recalled, and the
// documents of the place are not read.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	req.Approvals = agent.Approvals{Clarification: true, Plan: true, Step: true}
	req.NoMemory, req.Files, req.Quoted, req.Context, req.Persona = true, nil, nil, nil, ""
	res, err := a.Agent.Run(ctx, req, sink)
	res.Lessons, res.Artifacts = nil, nil
	return cited(res), err
}

// cited adds the passage that the answer quotes as its source.
func cited(res agent.Result) agent.Result {
	for _, p := range passages() {
		for sentence := range strings.SplitSeq(p.text, "\n") {
			if at := strings.Index(res.Text, sentence); sentence != "" && at >= 0 {
				end := at + len(sentence)
				end += len(closing(res.Text[end:]))
				res.Text = res.Text[:end] + " [1]" + res.Text[end:]
				res.Sources = []agent.Source{{N: 1, Title: p.title, Heading: p.heading, Quote: p.paragraph(), Score: 1, Sample: true}}
				res.Found = res.Sources
				return res
			}
		}
	}
	return res
}

// closing returns the quotation mark with which a text goes on, if it does.
func closing(text string) string {
	for _, mark := range []string{"”", "’", "\"", "」"} {
		if strings.HasPrefix(text, mark) {
			return mark
		}
	}
	return ""
}
