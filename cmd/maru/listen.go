package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync/atomic"
	"time"

	"maru/bot"
	"maru/metrics"
)

// server is an HTTP listener of the program.
type server struct {
	http *http.Server
	ln   net.Listener
}

// listen opens the address, so that a taken port is an error at start.
func listen(ctx context.Context, addr string, h http.Handler, log *slog.Logger) (*server, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; is another maru running? choose another HTTP_ADDR or ADMIN_ADDR", addr, err)
	}
	return &server{ln: ln, http: &http.Server{
		Handler: punctual(h, bodyTime), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}, nil
}

// run serves until ctx ends, then waits up to grace for open requests.
func (s *server) run(ctx context.Context, grace time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve %s: %w", s.ln.Addr(), err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := s.http.Shutdown(stop); err != nil {
		_ = s.http.Close() // open connections are cut
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// health answers the probes. The program is live while it answers, and ready unless it is stopping or a required
// part is unavailable.
type health struct {
	stopping atomic.Bool
	check    func(context.Context) map[string]error
	detail   func(context.Context) map[string]error // of ?verbose alone; nothing here makes the program unready
}

// Reasons name hosts and quote servers: they are for the operator's listener alone.
func (h *health) mount(mux *http.ServeMux, reasons bool) {
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n")) // the prober may be gone
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { h.ready(w, r, reasons) })
}

// readiness is the body of /readyz. ?verbose adds Parts and Reasons.
type readiness struct {
	Ready   bool              `json:"ready"`
	Parts   map[string]string `json:"parts"`             // "ok", "limited", "not ready", "stopping"
	Reasons map[string]string `json:"reasons,omitempty"` // of the parts that are not "ok"
}

func (h *health) ready(w http.ResponseWriter, r *http.Request, reasons bool) {
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	state, why := map[string]string{}, map[string]string{}
	ok := !h.stopping.Load()
	if !ok {
		state["program"] = "stopping"
	}
	verbose := r.URL.Query().Has("verbose")
	parts := h.check(ctx)
	if verbose && h.detail != nil {
		maps.Copy(parts, h.detail(ctx))
	}
	for name, err := range parts {
		state[name] = "ok"
		switch {
		case errors.Is(err, bot.ErrLimited):
			state[name] = "limited"
		case err != nil:
			ok = ok && name == degradable
			state[name] = "not ready"
		}
		if err != nil {
			why[name] = strings.TrimPrefix(oneLine(err.Error()), bot.ErrLimited.Error()+": ")
		}
	}
	code := http.StatusOK
	if !ok {
		code = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	answer := readiness{Ready: ok}
	if verbose {
		answer.Parts = state
		if reasons {
			answer.Reasons = why
		}
	}
	_ = json.NewEncoder(w).Encode(answer) // the prober may be gone
}

// degradable is the part that the program can work without.
const degradable = "redis"

// adminHandler returns the operator's HTTP handler. local says that it listens on the loopback interface only.
func adminHandler(h *health, m *metrics.Recorder, profiles, local bool) http.Handler {
	mux := http.NewServeMux()
	h.mount(mux, true)
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, version()) // the caller may be gone
	})
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	if !local {
		return mux // a scraper may use any host name
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Prevents DNS rebinding: a page in the operator's browser could otherwise read this listener through its
		// own host name, resolved to this machine.
		if !namesThisMachine(r.Host) {
			http.Error(w, "the operator's listener accepts only localhost and IP addresses as host", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// namesThisMachine reports whether a Host header is an address or localhost.
func namesThisMachine(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return host == "localhost" || net.ParseIP(host) != nil
}

// healthcheck asks the running program, for container health checks.
func healthcheck(ctx context.Context, inv invocation) error {
	host, port, err := net.SplitHostPort(inv.cfg.HTTP.Addr)
	if err != nil {
		return err
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/livez", http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("nothing answers on HTTP_ADDR %s: %w", inv.cfg.HTTP.Addr, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing to save
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", resp.Status)
	}
	return nil
}

// bodyTime limits the arrival of a request's body: platform endpoints are public, and authentication needs the
// whole body. Slower routes, such as uploads, set their own deadline.
const bodyTime = 30 * time.Second

// punctual limits the arrival of request bodies. The response may take longer, as a stream does: net/http lifts
// the deadline when the body has ended. A server's ReadTimeout would apply to uploads as well.
func punctual(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit)) // a connection that is gone has no body either
		}
		h.ServeHTTP(w, r)
	})
}
