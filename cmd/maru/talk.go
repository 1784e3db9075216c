package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"maru/adapters/console"
	"maru/bot"
	"maru/bot/operate"
	"maru/cmd/maru/heap"
	"maru/cmd/maru/toolserver"
	"maru/config"
	"maru/phrase"
)

// terminal is shared by the two terminal commands: the person's settings, and a log that does not disturb the
// conversation.
func terminal(inv invocation) (console.Config, *slog.Logger) {
	level := max(inv.cfg.Log.Level, slog.LevelError)
	if inv.cfg.Log.Level == slog.LevelDebug {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(inv.stderr, &slog.HandlerOptions{Level: level}))
	c := console.Config{In: inv.stdin, Out: inv.stdout, Err: inv.stderr, Name: personName(inv), TimeZone: zoneName(inv.cfg)}
	c.Files = terminalFiles(inv.cfg.Store)
	c.Language = inv.cfg.Place.Language
	if c.Language == config.LanguageAuto {
		c.Language = terminalLanguage(inv)
	}
	return c, log
}

// terminalFiles returns the folder for files of answers in a terminal.
func terminalFiles(s config.Store) string { return filepath.Join(s.DataDir, "files") }

// terminalLanguage returns the language of the person's locale, such as ko_KR.UTF-8.
func terminalLanguage(inv invocation) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale, _, _ := strings.Cut(variable(inv, name), "."); locale != "" {
			lang, _ := phrase.Match(locale)
			return lang
		}
	}
	return phrase.Fallback
}

func variable(inv invocation, name string) string {
	for _, line := range inv.environ {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			return v
		}
	}
	return ""
}

func personName(inv invocation) string {
	if u := variable(inv, "USER"); u != "root" {
		return u
	}
	return ""
}

// zoneName returns the default time zone in the form that agents use.
func zoneName(c config.Config) string {
	if name := c.Place.Location().String(); name != "Local" {
		return name
	}
	return ""
}

// demonstrate is `maru demo`: a conversation that starts with the demo, on temporary stores.
func demonstrate(ctx context.Context, inv invocation) (err error) {
	if err := nothing(inv); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "maru-demo")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c, log := terminal(inv)
	c.First, c.Thread = "demo", "demo"
	cfg, _, err := config.Load(config.Source{Read: inv.readFile}) // the defaults: the demo needs no settings
	if err != nil {
		return err
	}
	cfg.Store.DataDir, cfg.Place.Language, cfg.Place.TimeZone = dir, inv.cfg.Place.Language, inv.cfg.Place.TimeZone
	inv.cfg = cfg
	return converse(ctx, inv, c, log)
}

// talk is `maru chat`: a conversation in this terminal.
func talk(ctx context.Context, inv invocation) error {
	f := operate.Flags("chat")
	name := f.String("thread", "", "")
	rest, err := operate.Parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usageError{Text: "it takes no arguments; `maru ask` asks one question"}
	}
	c, log := terminal(inv)
	if *name != "" && !console.NameFits(*name) {
		return usageError{Text: "--thread: " + phrase.Say(c.Language, "console.new.name")}
	}
	c.Thread = *name
	if err = converse(ctx, inv, c, log); !blocked(err) {
		return err
	}
	there, leave := context.WithCancel(ctx)
	defer leave()
	remote := console.NewRemote(c, leave)
	defer remote.Close()
	inv.stdout = remote
	err = inv.give(there, operate.Order{Name: "chat", Args: remote.Args(), In: remote, Begin: remote.Begin}, err)
	if ctx.Err() == nil && there.Err() != nil {
		return nil // left by the person
	}
	return err
}

// converse runs a conversation in this terminal until the person leaves.
func converse(ctx context.Context, inv invocation, c console.Config, log *slog.Logger) error {
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	c.Quit = quit
	heap.KeepRoom()
	a, err := wire(ctx, inv.cfg, log, fronts{extra: []bot.Adapter{console.New(c)}})
	if err != nil {
		return err
	}
	err = a.tools.withServers(ctx, func() error {
		if err := a.bot.Run(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})
	return errors.Join(err, a.close())
}

// ask is `maru ask`: one question, one answer, an exit code. A running program that has the data open is asked instead.
func ask(ctx context.Context, inv invocation) error {
	q, err := operate.ReadQuestion(inv.args)
	if err != nil {
		return err
	}
	c, log := terminal(inv)
	c.Thread = q.Thread
	asker := console.NewAsker(c, q.JSON)
	heap.KeepRoom() // it ends before collections would free much
	a, err := wire(ctx, inv.cfg, log, fronts{extra: []bot.Adapter{asker}})
	if err != nil {
		if q.Text == "-" && blocked(err) {
			text, wrong := io.ReadAll(io.LimitReader(inv.stdin, 1<<18))
			if wrong != nil {
				return wrong
			}
			q.Text = string(text)
		}
		return inv.orGive(ctx, "ask", q.Args(), err)
	}
	running, stop := context.WithCancel(ctx)
	var run sync.WaitGroup
	var runErr error
	run.Go(func() { runErr = a.tools.withServers(running, func() error { return a.bot.Run(running) }) })
	toolserver.Await(ctx, a.tools.registry, a.tools.mcp, inv.stderr, c.Language)
	code := asker.Ask(ctx, a.bot, q.Text)
	stop()
	run.Wait()
	if err := errors.Join(runErr, a.close()); err != nil {
		return err
	}
	return operate.Asked(code, "")
}

// asked carries out `maru ask` for another process, whose arguments and language inv has.
func (a *app) asked(ctx context.Context, inv invocation, out io.Writer) error {
	q, err := operate.ReadQuestion(inv.args)
	if err != nil {
		return err
	}
	c, _ := terminal(inv)
	var why strings.Builder
	c.In, c.Out, c.Err, c.Thread = nil, out, &why, q.Thread
	return operate.Asked(a.door.Ask(ctx, c, q.JSON, q.Text), strings.TrimSpace(why.String()))
}

// chats holds the conversation of `maru chat` in another process.
func (a *app) chats(ctx context.Context, inv invocation, out io.Writer) error {
	c, _ := terminal(inv)
	c.Out = out
	c, err := console.Called(c, inv.args)
	if err != nil {
		return err
	}
	return a.door.Chat(ctx, c)
}

// called carries out a command of the terminal for another process, with its arguments, language and input.
func (a *app) called(inv invocation, do func(context.Context, invocation, io.Writer) error) operate.Command {
	return func(ctx context.Context, o operate.Order, out io.Writer) error {
		one := inv
		one.cfg, one.args, one.environ, one.stdin = a.live.Now(), o.Args, o.Environ, o.In
		if a.door == nil {
			return errors.New("the running program has this data folder; give this one a folder of its own with --data-dir")
		}
		if err := operate.Unlike(one.cfg.Differing(o.Given)); err != nil {
			return err
		}
		return do(ctx, one, out)
	}
}

// isTerminal reports whether w is a terminal, for progress bars.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
