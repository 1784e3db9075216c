package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"maru/adapters/account"
	"maru/adapters/console"
	"maru/adapters/mcp"
	"maru/bot"
	"maru/cmd/maru/heap"
	"maru/cmd/maru/toolserver"
	"maru/rag/library"
)

// serve runs the bot with everything configured until a signal arrives. Then it becomes unready, closes intake,
// stops runs at their next checkpoint and closes everything, within MARU_SHUTDOWN.
func serve(ctx context.Context, inv invocation) error {
	if what := unknownSettings(inv.args); what != "" {
		return usageError{Text: "unknown " + what + "; `maru help` lists what there is"}
	}
	if err := nothing(inv); err != nil {
		return err
	}
	for _, w := range inv.cfg.Warnings {
		inv.log.WarnContext(ctx, "setting", "variable", w.Variable, "problem", w.String())
	}
	heap.KeepRoom()
	if !inv.cfg.HTTP.Pprof {
		heap.StopSampling()
	}
	defer inv.takeHups()()
	want, door := fronts{web: inv.cfg.HTTP.Console, platforms: true}, (*console.Door)(nil)
	if inv.cfg.Store.DatabaseURL == "" { // else maru ask and maru chat open the record themselves
		door = console.NewDoor(terminalFiles(inv.cfg.Store))
		want.extra = []bot.Adapter{door}
	}
	a, err := wire(ctx, inv.cfg, inv.log, want)
	if err != nil {
		return err
	}
	a.door = door
	warnAdmins(ctx, a.cfg.Place.Admins, a.record, a.log)
	err = a.serve(ctx, inv)
	return errors.Join(err, a.close())
}

func (a *app) serve(ctx context.Context, inv invocation) error {
	mux := http.NewServeMux()
	a.health.mount(mux, false)
	desk := a.tryouts()
	var platforms []string
	for _, ad := range a.adapters {
		platforms = append(platforms, ad.Platform())
		if m, ok := ad.(bot.Mounter); ok {
			m.Mount(mux, desk)
		}
	}
	if d := a.bot.Desk(); d != nil {
		mcp.New(mcp.Config{Desk: d, Version: version(), SlackSecret: a.cfg.Slack.SigningSecret.Reveal(), Log: a.log, Now: time.Now}).Mount(mux)
	}
	if d := a.bot.Accounts(); d != nil {
		(&account.Server{Desk: d, PublicURL: a.cfg.HTTP.PublicURL, Document: toolserver.Document(a.cfg), Log: a.log}).Mount(mux)
	}
	main, err := listen(ctx, a.cfg.HTTP.Addr, mux, a.log)
	if err != nil {
		return err
	}
	servers := []*server{main}
	adminAddr := ""
	if a.cfg.HTTP.AdminAddr != "" {
		admin, err := listen(ctx, a.cfg.HTTP.AdminAddr, adminHandler(a.health, a.metrics, a.cfg.HTTP.Pprof, !a.cfg.HTTP.AdminPublic()), a.log)
		if err != nil {
			return errors.Join(err, main.ln.Close())
		}
		servers = append(servers, admin)
		adminAddr = admin.ln.Addr().String()
	}
	a.log.InfoContext(ctx, "ready", "addr", main.ln.Addr().String(), "admin_addr", adminAddr,
		"platforms", platforms, "model", a.model, "version", version(), "after_ms", time.Since(a.started).Milliseconds())
	a.greet(inv.stdout, main.ln.Addr().String())
	defer time.AfterFunc(20*time.Second, debug.FreeOSMemory).Stop() // release the start's memory, which Go would keep for minutes
	return a.runAll(ctx, servers, desk.Work, inv)
}

// runAll runs bot, rehearsals and listeners until one fails or ctx ends.
func (a *app) runAll(ctx context.Context, servers []*server, rehearse func(context.Context), inv invocation) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	grace := a.cfg.Run.Shutdown / 2
	var all sync.WaitGroup
	errs := make(chan error, len(servers)+9)
	start := func(run func() error) {
		all.Go(func() {
			if err := run(); err != nil {
				errs <- err
			}
			cancel()
		})
	}
	answered := make(chan struct{}) // from then on nothing is counted
	start(func() error { defer close(answered); return a.bot.Run(ctx) })
	start(func() error { return a.team.Watch(ctx) })
	start(func() error { return a.tools.run(ctx) })
	start(func() error { a.sources.Run(ctx); return nil })
	start(func() error { return a.reloads(ctx, inv) })
	start(func() error { return a.takesCommands(ctx, inv) })
	start(func() error { rehearse(ctx); return nil })
	if a.traces != nil {
		start(func() error { return a.traces.Run(ctx) })
	}
	if a.push != nil {
		start(func() error { return a.push.Run(ctx, answered) })
	}
	if server, remote := measured(a.base); remote {
		start(func() error { server.Watch(ctx); return nil })
	}
	if dir := a.cfg.Documents.Folder; dir != "" {
		start(func() error { return library.NewFolder(a.library, dir, a.log).Watch(ctx) })
	}
	for _, s := range servers {
		start(func() error { return s.run(ctx, grace) })
	}
	<-ctx.Done()
	stopping := time.Now()
	a.health.stopping.Store(true)
	a.log.InfoContext(ctx, "stopping", "limit", a.cfg.Run.Shutdown.String())
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(a.cfg.Run.Shutdown):
		return errors.New("shutdown time exceeded; unfinished runs resume at the next start")
	}
	close(errs)
	var failed []error
	for err := range errs {
		failed = append(failed, err)
	}
	a.log.InfoContext(ctx, "stopped", "after_ms", time.Since(stopping).Milliseconds())
	return errors.Join(failed...)
}

// greet tells a person at the terminal which address to open: the public one or, if the program listens on all
// interfaces (in a container), one that works in a browser.
func (a *app) greet(out io.Writer, addr string) {
	if !a.cfg.HTTP.Console {
		return
	}
	where := "http://" + addr
	if host, port, err := net.SplitHostPort(addr); err == nil && net.ParseIP(host).IsUnspecified() {
		where = "http://localhost:" + port
	}
	_, _ = fmt.Fprintf(out, "Maru is ready: %s\n", cmp.Or(a.cfg.HTTP.PublicURL, where)) // a closed terminal does not end the program
	if !a.cfg.Model.On() {
		_, _ = fmt.Fprintln(out, "The built-in model answers: it quotes documents and calculates. Set OPENAI_API_KEY or OPENAI_BASE_URL for a language model.")
		if slices.Contains(needModel(a.cfg.Model), a.cfg.Place.Agent) {
			_, _ = fmt.Fprintf(out, "The agent %s does little without one; `maru demo` shows with a scripted model what it is for.\n", a.cfg.Place.Agent)
		}
	}
}
