package slackfake

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// AppOptions configure a distributed app.
type AppOptions struct {
	Now       func() time.Time // clock, default time.Now
	TokenLife time.Duration    // lifetime of tokens, which then come with a refresh token; 0: unlimited
	Redirects []string         // addresses that people may be sent back to; empty: any
	Denied    bool             // nobody allows the app
}

// App is a Slack app that workspaces install through OAuth: one base address for
// the Web API, where the token says which workspace a call is for, and one
// Socket Mode for all of them.
//
//	app := slackfake.StartApp(t, slackfake.AppOptions{})
//	one, two := app.Add(slackfake.Options{Team: "T1"}), app.Add(slackfake.Options{Team: "T2"})
//	back, err := app.Allow("T1", "U1", page) // page is where the bot's install page led
type App struct {
	*wire
	opt     AppOptions
	http    *httptest.Server
	base    string
	desk    *Server // answers calls without a workspace
	servers []*Server

	codes   map[string]*grant // by code
	access  map[string]*grant // by access token
	refresh map[string]*grant // by refresh token
}

// StartApp runs an app without workspaces until the test ends.
func StartApp(tb testing.TB, o AppOptions) *App {
	tb.Helper()
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &App{wire: newWire(), opt: o, codes: map[string]*grant{}, access: map[string]*grant{}, refresh: map[string]*grant{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/", p.serveAPI)
	mux.HandleFunc("/socket", func(w http.ResponseWriter, r *http.Request) { p.desk.serveSocket(w, r) })
	mux.HandleFunc("/response/", p.serveResponse)
	mux.HandleFunc("/files-pri/", p.serveFile)
	mux.HandleFunc("/upload/v1/", p.serveUpload)
	mux.HandleFunc("/signin", serveSignIn)
	p.http = httptest.NewUnstartedServer(mux)
	p.base = "http://" + p.http.Listener.Addr().String()
	p.desk = p.Add(Options{Team: "TDESK", Now: o.Now})
	p.servers = nil
	p.http.Start()
	tb.Cleanup(p.Close)
	return p
}

// Close ends the app and all its connections.
func (p *App) Close() {
	p.desk.Close()
	p.http.Close()
	p.wg.Wait()
}

// Add adds a workspace, which has not installed the app.
func (p *App) Add(o Options) *Server {
	if o.Now == nil {
		o.Now = p.opt.Now
	}
	s := newServer(o, p.wire)
	s.app, s.base = p, p.base
	p.mu.Lock()
	defer p.mu.Unlock()
	p.servers = append(p.servers, s)
	return s
}

// URL returns the base of the Web API, for SLACK_API_URL.
func (p *App) URL() string { return p.base + "/api/" }

// AppToken returns the token for apps.connections.open.
func (p *App) AppToken() string { return p.desk.AppToken() }

// SigningSecret returns the secret that signs HTTP deliveries.
func (p *App) SigningSecret() string { return p.desk.SigningSecret() }

// Deliver sends the events of all workspaces over signed HTTP.
func (p *App) Deliver(base string) { p.desk.Deliver(base) }

// Unknown returns the calls that were for no workspace, as "method: code".
func (p *App) Unknown() []string { return p.desk.Refused() }

// serveAPI finds the workspace of a call by its token.
func (p *App) serveAPI(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil {
		http.Error(w, "body", http.StatusBadRequest)
		return
	}
	again := func() { r.Body = io.NopCloser(bytes.NewReader(body)) }
	again()
	a, token, _ := readArgs(r)
	again()
	if r.URL.Path == "/api/oauth.v2.access" {
		p.serveAccess(w, r, a)
		return
	}
	p.mu.Lock()
	s := p.desk
	if g := p.access[token]; g != nil {
		s = p.serverOf(g, a)
	}
	p.mu.Unlock()
	s.serveAPI(w, r)
}

// serverOf returns the workspace of a call with a token: for an organisation's token, the one with the named
// object. The caller holds p.mu.
func (p *App) serverOf(g *grant, a args) *Server {
	var of *Server
	for _, s := range p.servers {
		if s.opt.Team != g.team && (g.enterprise == "" || s.opt.Enterprise != g.enterprise || !g.org) {
			continue
		}
		if of == nil || a["team_id"] != "" && s.opt.Team == a["team_id"] || s.channels[first(a["channel"], a["channel_id"])] != nil {
			of = s
		}
	}
	if of == nil {
		return p.desk
	}
	return of
}

func (p *App) serveResponse(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/response/")
	p.mu.Lock()
	i := slices.IndexFunc(p.servers, func(s *Server) bool { return s.replies[id] != nil })
	p.mu.Unlock()
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	p.servers[i].serveResponse(w, r)
}

func (p *App) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/upload/v1/")
	p.mu.Lock()
	i := slices.IndexFunc(p.servers, func(s *Server) bool { return s.uploads[id] != nil })
	p.mu.Unlock()
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	p.servers[i].serveUpload(w, r)
}

func (p *App) serveFile(w http.ResponseWriter, r *http.Request) {
	team, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files-pri/"), "-")
	i := slices.IndexFunc(p.servers, func(s *Server) bool { return s.opt.Team == team })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	p.servers[i].serveFile(w, r)
}

// Connections returns how many Socket Mode connections of the app are open.
func (p *App) Connections() int {
	open, _ := p.desk.Connections()
	return open
}
