package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"maru/agent/catalog"
	"maru/bot"
	"maru/bot/operate"
	"maru/config"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// process is the program's environment; tests provide their own.
type process struct {
	args     []string
	environ  []string
	readFile func(string) ([]byte, error)
	stdin    io.Reader
	stdout   io.Writer
	stderr   io.Writer
}

// invocation is a subcommand's input.
type invocation struct {
	process

	cfg   config.Config
	log   *slog.Logger
	args  []string // after the subcommand's name
	wrong error    // faults of the settings, for doctor
	level *slog.LevelVar
	hups  <-chan os.Signal // of serve
}

// usageError reports incorrect use of the command line.
type usageError = operate.Misuse

// nothing rejects arguments of a command without parameters.
func nothing(inv invocation) error {
	if len(inv.args) > 0 {
		return usageError{Text: fmt.Sprintf("it takes no arguments, got %q", inv.args)}
	}
	return nil
}

// run runs the program and returns the exit code.
func run(p process) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() { // a second signal exits at once
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
		what := unknownSettings(rest)
		if !strings.HasPrefix(name, "-") {
			what = "command " + strconv.Quote(name)
		}
		fmt.Fprintf(p.stderr, "maru: unknown %s; `maru help` lists what there is\n", what)
		if err != nil { // the value of a misspelt setting would look like a command
			fmt.Fprintf(p.stderr, "maru: the settings are not right:\n%v\n", err)
		}
		return exitUsage
	}
	if cmd.agents {
		err = cfg.WithAgents(err, catalog.New(workflowDir(cfg.Store)).AgentIDs(cfg.Place.Agent))
	}
	if err != nil && !cmd.bare {
		fmt.Fprintf(p.stderr, "maru: the settings are not right:\n%v\n", err)
		return exitUsage
	}
	inv := invocation{process: p, cfg: cfg, args: args, wrong: err, level: new(slog.LevelVar)}
	inv.level.Set(cfg.Log.Level)
	inv.log = slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: inv.level}))
	err = cmd.run(ctx, inv)
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "maru %s: %v\n%s`maru %s -h` tells more\n", cmd.name, err, cmd.use(), cmd.name)
		return exitUsage
	case errors.Is(err, errSilent):
		return exitFailed
	case errors.Is(err, errMisused):
		return exitUsage
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitOK
	}
	fmt.Fprintf(p.stderr, "maru %s: %v%s\n", cmd.name, err, room(err, cfg.Store))
	return exitFailed
}

// room returns the remedy for a full disk, "" for other errors.
func room(err error, s config.Store) string {
	coded, ok := errors.AsType[interface {
		error
		PeopleCode() string
	}](err)
	if !errors.Is(err, syscall.ENOSPC) && (!ok || coded.PeopleCode() != string(bot.CodeStoreFull)) {
		return ""
	}
	if s.DatabaseURL != "" {
		return fmt.Sprintf("; make room in the database and on the disk of DATA_DIR (%s), then try again: nothing is lost", s.DataDir)
	}
	return fmt.Sprintf("; make room on the disk of DATA_DIR (%s), then try again: nothing is lost", s.DataDir)
}

// unknownSettings lists all arguments that look like settings, "" for none.
func unknownSettings(args []string) string {
	var all []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			all = append(all, strconv.Quote(a))
		}
	}
	switch len(all) {
	case 0:
		return ""
	case 1:
		return "setting " + all[0]
	}
	return "settings " + strings.Join(all, ", ")
}

// errSilent fails a command that has already printed the reason.
var errSilent = operate.ErrTold

// errMisused fails a command that has already printed its usage.
var errMisused = operate.ErrMisused

// split splits the arguments into the subcommand's name and the rest.
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
		if a == "-h" || a == "--help" || a == "-help" {
			return "help", []string{rest[0]}
		}
	}
	return rest[0], rest[1:]
}
