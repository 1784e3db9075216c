package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/chat"
	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/orchestrator"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/bot/operate"
	"maru/cmd/maru/evaluate/task"
	"maru/cmd/maru/provider"
	"maru/rag/library"
)

// definitions returns the workflows of the agents that tasks can be run through.
func definitions() map[string]func() (workflow.Definition, error) {
	return map[string]func() (workflow.Definition, error){
		chat.Name: chat.Definition, orchestrator.Name: orchestrator.Definition, guide.Name: guide.Definition,
		contract.Name: contract.Definition, autonomous.Name: autonomous.Definition,
	}
}

// names are these agents in the order of a report.
func names() []string {
	return []string{chat.Name, orchestrator.Name, guide.Name, contract.Name, autonomous.Name}
}

// part is a file of tasks and the agent that carries them out.
type part struct{ agent, path string }

// parts returns those of a file, for the agent of --agent, or of a folder, whose files are named after agents.
func (c Command) parts(path string) ([]part, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		name := c.Config.Place.Agent
		if definitions()[name] == nil {
			return nil, operate.Misuse{Text: fmt.Sprintf("--agent is %q; tasks can be run through %s", name, strings.Join(names(), ", "))}
		}
		return []part{{name, path}}, nil
	}
	var out []part
	for _, n := range names() {
		if p := filepath.Join(path, n+".jsonl"); task.Holds(p) {
			out = append(out, part{n, p})
		}
	}
	return out, nil
}

// agents runs tasks through agents: those of a file through that of --agent, those of a folder each through its own.
func (c Command) agents(ctx context.Context, path string, opt flags) error {
	parts, err := c.parts(path)
	if err != nil {
		return err
	}
	defs := definitions()
	files := make([]task.File, len(parts))
	var faults []error
	for i, p := range parts {
		d, err := defs[p.agent]()
		if err == nil {
			files[i], err = task.Read(p.path, task.Routes(d))
		}
		if err != nil {
			err = fmt.Errorf("tasks for the agent %s (--agent chooses another):\n%w", p.agent, err)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	var reports []task.Report
	for i, p := range parts {
		files[i].Tasks = chosen(files[i].Tasks, opt)
		r, stopped := c.tasks(ctx, p.agent, files[i], opt)
		if stopped != nil && (ctx.Err() == nil || len(r.Outcomes) == 0) {
			err = stopped
			break
		}
		reports = append(reports, r)
		if stopped != nil {
			fmt.Fprintf(c.Stderr, "stopped after %d of %d tasks of %s\n", len(r.Outcomes), len(files[i].Tasks), r.File)
			err = stopped
			break
		}
	}
	if len(reports) == 0 {
		return err
	}
	if opt.json {
		return errors.Join(err, task.WriteJSON(c.Stdout, reports))
	}
	return errors.Join(err, task.WriteTable(c.Stdout, reports, opt.wrong))
}

// chosen returns the tasks that --skip and --every leave.
func chosen(tasks []task.Task, opt flags) []task.Task {
	var out []task.Task
	for i := min(max(opt.skip, 0), len(tasks)); i < len(tasks); i += max(opt.every, 1) {
		out = append(out, tasks[i])
	}
	return out
}

// tasks runs a file through one agent.
func (c Command) tasks(ctx context.Context, name string, f task.File, opt flags) (r task.Report, err error) {
	p := c.Open(c.Config)
	defer func() { err = errors.Join(err, p.Close()) }()
	meter, err := p.Meter(ctx)
	if err != nil {
		return r, err
	}
	ctx = meter.Evaluation(ctx)
	if paths := f.Setup.Documents; len(opt.documents) == 0 && len(paths) > 0 {
		opt.documents = paths
	}
	lib, err := p.opened(ctx, meter, opt)
	if err != nil {
		return r, err
	}
	if len(opt.documents) > 0 { // the configured documents have them
		var standards []library.Bundled
		for _, d := range contract.Standards() {
			standards = append(standards, library.Bundled{Name: d.Name, Data: d.Data})
		}
		if _, err := lib.AddBundled(ctx, contract.StandardScope, standards); err != nil {
			return r, fmt.Errorf("index the standard contracts: %w", err)
		}
	}
	tools := []tool.Tool{builtin.NewCalculator(), builtin.NewClock(p.Config.Place.Location())}
	if f.Setup.Tools != "" {
		more, err := task.ReadTools(f.Setup.Tools)
		if err != nil {
			return r, err
		}
		tools = append(tools, more...)
	}
	models, err := provider.New(p.Config, p.Refusals, p.Log, nil)
	if err != nil {
		return r, err
	}
	d, err := definitions()[name]()
	if err != nil {
		return r, err
	}
	bar := operate.Bar{Out: c.Stderr, Total: len(f.Tasks), Live: c.Live}
	run, err := task.New(task.Config{
		Definition: d, Tools: tools, Scopes: opt.scopes, Language: spokenIn(p.Config), TimeZone: p.TimeZone, Limit: p.Config.Run.Timeout, Clock: time.Now, Log: p.Log,
		Build:    func(t *tool.Registry) (agent.Agent, error) { return p.build(name, models, lib, t) },
		Progress: bar.Show, Sink: func(e agent.Event) { meter.EvaluationRun(ctx, e) },
	})
	if err != nil {
		return r, err
	}
	r, err = run.Run(ctx, f)
	r.Model = models.Name()
	return r, err
}

// build makes an agent as the program does, without memory and a record: its runs live in this process.
func (p Program) build(name string, models *provider.Models, lib *library.Library, tools *tool.Registry) (agent.Agent, error) {
	runtime := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer, Log: p.Log})
	finder := tool.NewRecommender(nil, p.Log)
	finder.Add(tools.Specs()...)
	switch name {
	case orchestrator.Name:
		return orchestrator.New(orchestrator.Config{Models: models.Asks(), Documents: lib, Tools: tools, Recommend: finder, Known: p.Chat.Known, Runtime: runtime, Log: p.Log})
	case guide.Name:
		return guide.New(guide.Config{
			Models: models.Asks(), Documents: lib, Known: p.Chat.Known, Tools: tools, Runtime: runtime, Threshold: p.Config.Guide.Threshold, MaxRounds: p.Config.Guide.MaxRounds, Log: p.Log,
		})
	case contract.Name:
		return contract.New(contract.Config{
			Models: models.Asks(), Documents: lib, Runtime: runtime, MaxIterations: p.Config.Contract.MaxIterations, Passages: p.Chat.Passages, Log: p.Log,
		})
	case autonomous.Name:
		return autonomous.New(autonomous.Config{Models: models.Asks(), Documents: lib, Tools: tools, Runtime: runtime, Log: p.Log})
	}
	c := p.Chat
	c.Model, c.Documents, c.Tools, c.Finder, c.Runtime, c.MaxRounds, c.Tasks = models.One(), lib, tools, finder, runtime, p.Config.Tools.Rounds, orchestrator.Name
	return chat.New(c)
}
