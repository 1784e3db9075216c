package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"strings"
	"syscall"

	"maru/config"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// process is what the program takes from its surroundings; tests make their own.
type process struct {
	args     []string
	environ  []string
	readFile func(string) ([]byte, error)
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
}

// subcommand is one row of the program's command table.
type subcommand struct {
	name    string
	usage   string // after the name
	summary string
	hidden  bool
	bare    bool // runs without valid settings
	agents  bool // runs only if the agent of places where nobody chose one is there
	run     func(context.Context, invocation) error
}

// invocation is what a subcommand runs with.
type invocation struct {
	process

	cfg   config.Config
	log   *slog.Logger
	args  []string // after the subcommand's name
	wrong error    // what is wrong with the settings, for doctor
}

// usageError is a wrong use of the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func subcommands() []subcommand {
	return []subcommand{
		{name: "serve", summary: "serve the web console, Slack and Discord (the default)", agents: true, run: serve},
		{name: "chat", usage: "[--thread NAME]", summary: "talk to the bot in this terminal", run: talk},
		{name: "ask", usage: "[--json] [--thread NAME] QUESTION…|/COMMAND…|-", summary: "ask once, or give a command as in /memory, and print the answer", run: ask},
		{name: "ingest", usage: "[--scope SCOPE] [--tag TAG]… [--sync] PATH…", summary: "add files or folders to the documents, filed under tags; --sync removes what a folder has no more", run: ingest},
		{name: "workflow", usage: "list | show ID | validate FILE… | graph [--svg] ID|FILE | schema | run [--log FILE] FILE INPUT|-", summary: "look at agents and check definitions", run: workflows},
		{name: "eval", usage: "[--json] [--wrong] [--documents PATH] [--against YAML] FILE | [--json] [--every N] [--memory|--removed|--vectors] SET…", summary: "measure answers to a file of questions, or on sets retrieval, memory, or how a missing answer is told", run: evaluate},
		{name: "migrate", usage: "[status]", summary: "bring the record's schema up to date, or show where it is", run: migrate},
		{name: "audit", usage: "verify | list [--team TEAM] [--who ID] [--what KIND] [--since 7d] [--format json|csv]", summary: "check the audit log's chain, or write it as JSON lines or CSV", run: audit},
		{name: "usage", usage: "[--days N]", summary: "write what was used as CSV", run: usage},
		{name: "doctor", summary: "check every configured part and say what to fix", bare: true, run: doctor},
		{name: "installs", usage: "[list] | remove PLATFORM/WORKSPACE", summary: "list the workspaces that the bot is installed in, or send it away from one", run: installs},
		{name: "manifest", usage: "[--url URL] [--install]", summary: "print the manifest that creates the Slack app; --install for one that workspaces install", bare: true, run: manifest},
		{name: "healthcheck", summary: "ask the running program whether it is alive", hidden: true, run: healthcheck},
		{name: "version", summary: "print the version", bare: true, run: printVersion},
		{name: "help", summary: "this text, with every setting", bare: true, run: help},
		{name: childCommand, hidden: true, bare: true, run: parseChild},
	}
}

// run is the program: it returns the exit code.
func run(p process) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() { // a second signal ends the program at once
		<-ctx.Done()
		stop()
	}()
	return p.run(ctx)
}

func (p process) run(ctx context.Context) int {
	cfg, rest, err := config.Load(config.Source{Args: p.args, Environ: p.environ, Read: p.readFile})
	name, args := split(rest)
	cmd, known := find(name)
	if !known {
		what := "command"
		if strings.HasPrefix(name, "-") {
			what = "setting"
		}
		fmt.Fprintf(p.stderr, "maru: unknown %s %q; `maru help` lists what there is\n", what, name)
		if err != nil { // a misspelt setting leaves its value behind, which then looks like a command
			fmt.Fprintf(p.stderr, "maru: the settings are not right:\n%v\n", err)
		}
		return exitUsage
	}
	if cmd.agents {
		err = cfg.WithAgents(err, agentIDs(cfg))
	}
	if err != nil && !cmd.bare {
		fmt.Fprintf(p.stderr, "maru: the settings are not right:\n%v\n", err)
		return exitUsage
	}
	inv := invocation{process: p, cfg: cfg, args: args, wrong: err}
	inv.log = slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: cfg.Log.Level}))
	err = cmd.run(ctx, inv)
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "maru %s: %v\nusage: maru %s %s\n", cmd.name, err, cmd.name, cmd.usage)
		return exitUsage
	case errors.Is(err, errSilent):
		return exitFailed
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitOK
	}
	fmt.Fprintf(p.stderr, "maru %s: %v\n", cmd.name, err)
	return exitFailed
}

// errSilent fails a command that has already said why.
var errSilent = errors.New("failed")

// split takes the subcommand's name off the arguments.
func split(rest []string) (string, []string) {
	if len(rest) == 0 {
		return "serve", nil
	}
	switch rest[0] {
	case "-h", "--help", "-help":
		return "help", rest[1:]
	case "-v", "--version", "-version":
		return "version", rest[1:]
	}
	for _, a := range rest[1:] {
		if a == "-h" || a == "--help" {
			return "help", []string{rest[0]}
		}
	}
	return rest[0], rest[1:]
}

func find(name string) (subcommand, bool) {
	for _, c := range subcommands() {
		if c.name == name {
			return c, true
		}
	}
	return subcommand{}, false
}

// help prints the commands and every setting, or one command's use.
func help(_ context.Context, inv invocation) error {
	var s strings.Builder
	if len(inv.args) == 1 {
		c, known := find(inv.args[0])
		if !known {
			return usageError{fmt.Sprintf("there is no command %q", inv.args[0])}
		}
		_, err := fmt.Fprintf(inv.stdout, "usage: maru %s\n\n%s\n\n`maru help` lists the settings, which every command takes.\n",
			strings.TrimSpace(c.name+" "+c.usage), c.summary)
		return err
	}
	s.WriteString("Maru is a chat bot for teams on Slack and Discord.\n\nusage: maru [command] [settings]\n\ncommands:\n")
	for _, c := range subcommands() {
		if !c.hidden {
			fmt.Fprintf(&s, "  %-38s %s\n", strings.TrimSpace(c.name+" "+c.usage), c.summary)
		}
	}
	s.WriteByte('\n')
	if _, err := io.WriteString(inv.stdout, s.String()); err != nil {
		return err
	}
	return config.Help(inv.stdout)
}
