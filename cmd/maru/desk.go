package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"maru/bot/operate"
	"maru/cmd/maru/console"
	"maru/cmd/maru/visitor"
	"maru/config"
	"maru/memory/sqlitestore"
	"maru/rag/local"
)

// socketPath returns the socket on which a running program accepts operator commands.
func socketPath(s config.Store) string { return filepath.Join(s.DataDir, "maru.sock") }

// desk returns the bot's operations for the console's pages.
func (a *app) desk() *console.Desk {
	return console.New(a.bot, console.Config{
		Record: a.record, Library: a.library, Zone: a.cfg.Place.Location(), Workflows: workflowDir(a.cfg.Store), Changed: a.reloadWorkflows,
		Tools: a.tools.registry.Specs, Toolbox: toolbox{a.tools.registry, a.tools.mcp}, Servers: toolServers(a.tools), Adapters: a.adapters, Roles: visitor.RolesOf(a.adapters, a.cfg.Place.Admins, a.record), Trial: a.trial, Reads: a.reads, Log: a.log,
	})
}

// secrets seal the keys of receipts; none where they are not set. Wrong ones were refused with the settings.
func secrets(cfg config.Config) [][]byte {
	keys, _ := config.SealKeys(cfg.Store.SecretKey)
	return keys
}

// desk returns a subcommand that opens the record and calls do. chat is the equivalent chat command.
func desk(do func(operate.Desk, context.Context, []string, io.Writer) error, chat string) func(context.Context, invocation) error {
	return func(ctx context.Context, inv invocation) error {
		inv.args = operate.Inline(inv.args)
		d := operate.Desk{Zone: inv.cfg.Place.Location(), Secrets: secrets(inv.cfg), Open: func(ctx context.Context) (operate.Record, func(), error) {
			b := newBase(inv.cfg, inv.log)
			r, _, err := openRecord(ctx, b)
			if err != nil {
				return nil, nil, whileServing(err, "ask it in the chat with `/maru "+chat+"`, or stop it first")
			}
			return r, func() { _ = b.opened.Close() }, nil // nothing was written
		}}
		return inv.orGive(ctx, chat, inv.args, do(d, ctx, inv.args, inv.stdout))
	}
}

// orGive forwards a command to the running program if it failed because that program has the data open.
func (inv invocation) orGive(ctx context.Context, name string, args []string, failed error) error {
	return inv.give(ctx, operate.Order{Name: name, Args: args}, failed)
}

// give is orGive for an order.
func (inv invocation) give(ctx context.Context, o operate.Order, failed error) error {
	if !blocked(failed) {
		return failed
	}
	caller := slices.DeleteFunc(slices.Clone(inv.environ), func(line string) bool { return !isCallers(line) })
	o.Environ, o.Given = caller, inv.cfg.Given()
	o.Slow = func() {
		_, _ = fmt.Fprintln(inv.stderr, "maru: waiting for the running program that has the data in", inv.cfg.Store.DataDir, "open")
	}
	if err := operate.Give(ctx, socketPath(inv.cfg.Store), o, inv.stdout); !errors.Is(err, operate.ErrNobody) {
		return err
	}
	return failed
}

// blocked reports whether a command failed because the running program has the data open.
func blocked(failed error) bool {
	return errors.Is(failed, sqlitestore.ErrInUse) || errors.Is(failed, local.ErrInUse)
}

// isCallers reports whether a line of the environment sets the language or the name of the person.
func isCallers(line string) bool {
	return strings.HasPrefix(line, "USER=") || strings.HasPrefix(line, "LANG=") || strings.HasPrefix(line, "LC_")
}

// takesCommands executes operator commands on the open stores until ctx ends.
func (a *app) takesCommands(ctx context.Context, inv invocation) error {
	d := operate.Desk{Zone: a.cfg.Place.Location(), Secrets: secrets(a.cfg), Open: func(context.Context) (operate.Record, func(), error) { return a.record, func() {}, nil }}
	err := operate.Serve(ctx, socketPath(a.cfg.Store), map[string]operate.Command{
		"ask": a.called(inv, a.asked), "chat": a.called(inv, a.chats),
		"audit": func(ctx context.Context, o operate.Order, out io.Writer) error { return d.Audit(ctx, o.Args, out) },
		"gaps":  func(ctx context.Context, o operate.Order, out io.Writer) error { return d.Gaps(ctx, o.Args, out) },
		"retry": func(ctx context.Context, o operate.Order, out io.Writer) error { return d.Parked(ctx, o.Args, out) },
		"usage": func(ctx context.Context, o operate.Order, out io.Writer) error { return d.Usage(ctx, o.Args, out) },
		"rehearse": func(ctx context.Context, o operate.Order, out io.Writer) error {
			one := inv
			one.environ = append(slices.DeleteFunc(slices.Clone(inv.environ), isCallers), o.Environ...)
			b := a.base
			b.cfg, b.opened = a.live.Now(), &closers{}
			return errors.Join(stage{b, a.record, a.library, a.tools}.rehearse(ctx, one, o.Args, out, out), b.opened.Close())
		},
		"docs": func(ctx context.Context, o operate.Order, out io.Writer) error {
			one := inv
			one.cfg, one.args, one.stdout = a.cfg, o.Args, out
			act, err := readDocs(ctx, one)
			if err != nil {
				return err
			}
			return act(a.library)
		},
		"ingest": func(ctx context.Context, o operate.Order, out io.Writer) error {
			one := inv
			one.stdout, one.environ = out, o.Environ
			in, err := readIngest(o.Args)
			if err != nil {
				return err
			}
			return in.into(ctx, a.library, one)
		},
	})
	if err != nil { // such as a path too long for a socket
		a.log.WarnContext(ctx, "operator socket unavailable; commands such as maru ingest cannot run until this program stops", "err", err)
		<-ctx.Done()
	}
	return nil
}
