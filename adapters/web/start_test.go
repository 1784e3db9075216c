package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"maru/adapters/web"
	"maru/bot"
)

// console is a running console with its bot.
type console struct {
	*httptest.Server
	bot     *echo
	adapter *web.Adapter
}

// start serves a console on loopback.
func start(t testing.TB, change ...func(*web.Config)) *console {
	t.Helper()
	return startWith(t, newEcho(), change...)
}

func startWith(t testing.TB, e *echo, change ...func(*web.Config)) *console {
	t.Helper()
	return startDesk(t, e, e, change...)
}

// startDesk serves a console for a desk before e.
func startDesk(t testing.TB, e *echo, desk bot.Intake, change ...func(*web.Config)) *console {
	t.Helper()
	cfg := web.Config{Addr: "127.0.0.1:8080", Log: slog.New(slog.DiscardHandler), Version: "test"}
	for _, c := range change {
		c(&cfg)
	}
	a, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.adapter = a
	mux := http.NewServeMux()
	a.Mount(mux, desk)
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- a.Run(ctx, e) }()
	srv := httptest.NewServer(mux)
	t.Cleanup(func() {
		for _, stop := range e.cancels() {
			stop()
		}
		e.running.Wait()
		cancel()
		if err := <-ran; err != nil {
			t.Errorf("Run: %v", err)
		}
		srv.Close()
	})
	return &console{Server: srv, bot: e, adapter: a}
}

// serve listens for a mux alone.
func serve(t testing.TB, mux http.Handler) *console {
	t.Helper()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return &console{Server: srv}
}

// restart makes another console for the same bot and returns its handler.
func restart(t testing.TB, e *echo) http.Handler {
	t.Helper()
	a, err := web.New(web.Config{Addr: "127.0.0.1:8080"})
	if err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	e.adapter = a
	e.mu.Unlock()
	mux := http.NewServeMux()
	a.Mount(mux, e)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, e) }()
	t.Cleanup(func() { cancel(); <-ended })
	return mux
}
