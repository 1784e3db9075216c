package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/bot"
	"maru/bot/operate"
	"maru/cmd/maru/provider"
	"maru/cmd/maru/session"
	"maru/config"
	"maru/phrase"
	"maru/phrase/intent"
)

// runWorkflow is `maru workflow run FILE INPUT`: one turn of a definition in this terminal. Progress goes to
// standard error, the answer to standard output; questions are asked here. Nothing is stored except, with --log,
// the turn.
func runWorkflow(ctx context.Context, inv invocation, args []string) error {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	logPath := f.String("log", "", "")
	if err := f.Parse(args); err != nil {
		return operate.Misused(err)
	}
	if args = f.Args(); len(args) < 2 {
		return usageError{Text: "run wants a file (or the id of an agent) and the input, or - to read it from standard input"}
	}
	in := bufio.NewReader(inv.stdin)
	input := strings.Join(args[1:], " ")
	if input == "-" {
		text, err := io.ReadAll(io.LimitReader(in, 1<<20))
		if err != nil {
			return err
		}
		input = string(text)
	}
	if strings.TrimSpace(input) == "" {
		return usageError{Text: "the input is empty"}
	}
	a, err := inv.workflowAgent(ctx, args[0], *logPath)
	if err != nil {
		return err
	}
	defer func() { _ = a.opened.Close() }() // nothing was written
	if a.tools == nil {
		return a.turn(ctx, inv, in, input)
	}
	return a.tools.withServers(ctx, func() error { return a.turn(ctx, inv, in, input) })
}

// trial is one definition with its dependencies.
type trial struct {
	base

	agent *autonomous.Agent
	tools *tools // nil: without documents and tools
}

// workflowAgent builds an agent for one definition, without a record: its runs
// live in this process. logPath names the file that its turns are added to, if
// any.
func (inv invocation) workflowAgent(ctx context.Context, name, logPath string) (_ *trial, err error) {
	d, err := inv.catalog().Find(name)
	if err != nil {
		return nil, err
	}
	if !d.Own && d.ID != autonomous.Name {
		return nil, fmt.Errorf("%s has its own state channels and tools; use `maru chat`", d.ID)
	}
	if logPath != "" && !slices.ContainsFunc(d.Nodes, func(n workflow.Node) bool { return n.Type == autonomous.TypeRecord }) {
		return nil, fmt.Errorf("workflow %q has no node of the type %s, so there is nothing for --log to write; add one before the end", d.ID, autonomous.TypeRecord)
	}
	log := slog.New(slog.NewTextHandler(inv.stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	b := newBase(inv.cfg, log)
	defer func() {
		if err != nil {
			err = errors.Join(err, b.opened.Close())
		}
	}()
	models, err := provider.New(b.cfg, b.refusals, b.log, nil)
	if err != nil {
		return nil, err
	}
	cfg := autonomous.Config{
		Models:  host.Models{Model: models.One(), MaxRetries: -1}, // the model has its own retries and fallbacks
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer, Log: log}),
		HTTP:    node.NewHTTPClient(inv.cfg.Workflows.Inside.Holds), Log: log,
	}
	if logPath != "" {
		cfg.Sessions = session.Log{Path: logPath}
	}
	vectors := newEmbedders(b, newMeter(b, nil, nil))
	var offered *tools
	if lib, err := openLibrary(ctx, b, vectors); err != nil {
		// Most likely the program is serving from the same folder.
		fmt.Fprintf(inv.stderr, "without documents and tools: %v\n", err)
	} else {
		if offered, err = newTools(ctx, b, lib, nil, vectors, nil); err != nil {
			return nil, err
		}
		cfg.Documents, cfg.Tools = lib, offered.registry
	}
	team, err := autonomous.NewTeam(cfg, d.Definition, d.Find)
	return &trial{b, team, offered}, err
}

// turn runs one turn to its end and asks its questions.
func (t *trial) turn(ctx context.Context, inv invocation, in *bufio.Reader, input string) error {
	c, _ := terminal(inv)
	req := agent.Request{
		Run: uuid.NewString(), Thread: "workflow-run", Text: input, User: agent.User{ID: "console", Name: c.Name, TimeZone: c.TimeZone},
		Now: time.Now(), Scopes: []string{bot.ScopePublic}, Home: bot.ScopePublic, Language: c.Language,
	}
	if inv.cfg.Place.Language == config.LanguageAuto {
		req.Language = phrase.Spoken(input, c.Language)
	}
	for {
		res, err := t.shown(ctx, req, inv.stderr)
		if err != nil {
			return err
		}
		if len(res.Interrupts) == 0 {
			_, err := fmt.Fprintln(inv.stdout, res.Text)
			return err
		}
		for _, i := range res.Interrupts {
			d, err := decide(inv.stderr, in, i)
			if err != nil {
				return err
			}
			req.Decisions = append(req.Decisions, d)
		}
	}
}

// shown runs a request and prints its events. The terminal reads from a hub, so that a paused one, or a pipe without
// a reader, stops no step.
func (t *trial) shown(ctx context.Context, req agent.Request, w io.Writer) (agent.Result, error) {
	hub := graph.NewHub[agent.Event](4096)
	reader, show := hub.Reader(), progress{w: w}
	var told sync.WaitGroup
	told.Go(func() { show.read(context.WithoutCancel(ctx), reader) })
	res, err := t.agent.Run(ctx, req, func(e agent.Event) { hub.Send(&e) })
	hub.Close()
	told.Wait()
	return res, err
}

// decide asks the person at the terminal. Anything but yes is a no.
func decide(w io.Writer, in *bufio.Reader, i agent.Interrupt) (agent.Decision, error) {
	if _, err := fmt.Fprintf(w, "\n%s asks (%s): %s\nyes or no? ", i.Node, i.Kind, asked(i.Payload)); err != nil {
		return agent.Decision{}, err
	}
	line, err := in.ReadString('\n')
	if err != nil && line == "" {
		return agent.Decision{}, fmt.Errorf("%s waits for an answer, but standard input has ended", i.Node)
	}
	value, err := json.Marshal(map[string]bool{"approved": yes(line)})
	return agent.Decision{Interrupt: i.ID, By: "console", At: time.Now(), Value: value}, err
}

// asked formats a question: an approval's question and subject, otherwise its data.
func asked(payload json.RawMessage) string {
	var q struct{ Question, Detail string }
	if json.Unmarshal(payload, &q) != nil || q.Question == "" {
		return string(payload)
	}
	return strings.TrimRight(q.Question+"\n"+q.Detail, "\n")
}

func yes(line string) bool {
	v, _ := intent.Decide(line)
	return v == intent.Yes
}

// progress prints the progress of a run.
type progress struct {
	w    io.Writer
	open bool // a line of tokens is not ended
}

// read prints events until the end, and the number of dropped ones.
func (p *progress) read(ctx context.Context, r *graph.Reader[agent.Event]) {
	var events []agent.Event
	var lost uint64
	for more, err := true, error(nil); more && err == nil; {
		events, more, err = r.Next(ctx, events[:0])
		if n := r.Lost(); n > lost {
			p.line("  (%d events were too many to show)", n-lost)
			lost = n
		}
		for _, e := range events {
			p.event(e)
		}
	}
	p.end()
}

func (p *progress) event(e agent.Event) {
	switch e.Kind {
	case agent.EventNodeStart:
		p.line("→ %s", e.Node)
	case agent.EventNodeEnd:
		mark := "✓"
		switch {
		case e.Err != "":
			mark = "✗"
		case e.Waits:
			p.line("⏸ %s waits for an answer", e.Node)
			return
		}
		p.line("%s %s %s %s", mark, e.Node, e.Took.Round(time.Millisecond), e.Text)
	case agent.EventStatus:
		p.line("  %s", e.Text)
	case agent.EventSources:
		p.line("  %d passages", len(e.Sources))
	case agent.EventToolCall:
		p.line("  tool %s %s", e.Name, e.Data)
	case agent.EventModelCall:
		p.line("  model %s (%s): %d tokens in, %d out %s", e.Text, e.Name, e.Usage.Input, e.Usage.Output, e.Err)
	case agent.EventReset:
		p.line("  (begins again)")
	case agent.EventCustom:
		if e.Name == agent.CustomNoAnswer {
			p.line("✗ %s", e.Text)
		}
	case agent.EventToken:
		p.write(e.Text)
		p.open = true
	}
}

func (p *progress) line(format string, args ...any) {
	if p.open {
		p.write("\n")
	}
	p.open = false
	p.write(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// write shows a piece; a terminal that is gone does not stop a run.
func (p *progress) write(s string) { _, _ = io.WriteString(p.w, s) }

func (p *progress) end() {
	if p.open {
		p.write("\n")
	}
	p.open = false
}
