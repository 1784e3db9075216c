// Package account serves the pages on which people sign in at the MCP servers of tools: "/oauth/start" behind the link that a
// person got in the chat, and "/oauth/callback", to which the server's authorization server sends their browser back. At
// "/oauth/client.json" authorization servers read what Maru is.
//
// The pages run no script and load nothing. The [Desk] decides; the package must not know tokens, servers or runs.
package account

import (
	"bytes"
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"maru/bot/account"
	"maru/phrase"
)

// Desk signs people in; *account.Desk implements it.
type Desk interface {
	Open(ctx context.Context, state, lang string) (account.Page, error)
	Begin(ctx context.Context, state, lang string) (address, browser string, problem *account.Page, err error)
	Return(ctx context.Context, answer url.Values, browser, lang string) (account.Page, error)
}

var _ Desk = (*account.Desk)(nil)

// Server serves the pages.
type Server struct {
	Desk      Desk
	PublicURL string // at which browsers reach it
	Document  []byte // metadata of Maru as a client, JSON; nil: none is served
	Log       *slog.Logger
}

// maxForm bounds a request's form, in bytes.
const maxForm = 16 << 10

// cookie holds what the browser that began a sign-in shows when it comes back.
const cookie = "maru_account"

// Mount registers the paths.
func (s *Server) Mount(mux *http.ServeMux) {
	own := http.NewCrossOriginProtection() // another site may not press the button for a person
	if u, err := url.Parse(s.PublicURL); err == nil && u.Host != "" {
		_ = own.AddTrustedOrigin(u.Scheme + "://" + u.Host) // behind a proxy the Host may be another
	}
	mux.HandleFunc("GET /oauth/start", s.open)
	mux.Handle("POST /oauth/start", own.Handler(http.HandlerFunc(s.begin)))
	mux.HandleFunc("GET /oauth/callback", s.back)
	if s.Document != nil {
		mux.HandleFunc("GET /oauth/client.json", s.document)
	}
}

func (s *Server) document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(s.Document) // the reader may be gone
}

func (s *Server) open(w http.ResponseWriter, r *http.Request) {
	p, err := s.Desk.Open(r.Context(), r.URL.Query().Get("s"), language(r))
	s.show(w, r, p, err)
}

func (s *Server) begin(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	address, browser, problem, err := s.Desk.Begin(r.Context(), r.PostFormValue("s"), language(r))
	if err != nil || problem != nil {
		if problem == nil {
			problem = &account.Page{}
		}
		s.show(w, r, *problem, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: browser, Path: "/oauth/", MaxAge: 600, HttpOnly: true, Secure: strings.HasPrefix(s.PublicURL, "https://"), SameSite: http.SameSiteLaxMode})
	headers(w)
	http.Redirect(w, r, address, http.StatusSeeOther)
}

func (s *Server) back(w http.ResponseWriter, r *http.Request) {
	browser := ""
	if c, err := r.Cookie(cookie); err == nil {
		browser = c.Value
	}
	p, err := s.Desk.Return(context.WithoutCancel(r.Context()), r.URL.Query(), browser, language(r)) // a closed browser ends nothing halfway
	s.show(w, r, p, err)
}

// language returns the reader's, until the person is known.
func language(r *http.Request) string {
	return phrase.LanguageOf("", "", r.Header.Get("Accept-Language"))
}

func headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the link
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// No form-action: browsers apply it to the redirect that follows, which leads to the authorization server.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
}

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>{{.Title}}</title>
<style>body{font:1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;color:#1f2328;background:#fff}button{font:inherit;padding:.6rem 1rem;border:0;border-radius:.5rem;background:#1f5fd0;color:#fff;cursor:pointer}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181c}}</style></head>
<body><main><h1>{{.Title}}</h1><p>{{.Text}}</p>
{{if .Go}}<form method="post" action="/oauth/start"><input type="hidden" name="s" value="{{.State}}"><button>{{.Go}}</button></form><p>{{.Leave}}</p>{{end}}</main></body></html>
`))

func (s *Server) show(w http.ResponseWriter, r *http.Request, p account.Page, err error) {
	headers(w)
	status := http.StatusOK
	if err != nil {
		s.Log.WarnContext(r.Context(), "a page of a sign-in", "err", err)
		lang := language(r)
		p, status = account.Page{Lang: lang, Title: phrase.Say(lang, "account.page.title"), Text: phrase.Say(lang, "account.page.trouble")}, http.StatusServiceUnavailable
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, struct {
		account.Page
		State string
	}{p, r.URL.Query().Get("s")}); err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}
