// Package site is the part of the console that lists and explains the program's activity: runs, questions,
// documents, usage, the audit log, health. Each page is a file with the interface of its data; a desk that does
// not implement the interface has no such page.
//
// It knows no sessions, cookies or layout: [Frame] is the surrounding console (maru/adapters/web). The desk checks
// rights on every call.
package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Frame is the console around the pages.
//
// Visitor returns the person who asks. Show renders a page in the layout. Fail responds with an error for people.
// Markdown renders the bot's text.
type Frame interface {
	Visitor(r *http.Request) Visitor
	Show(w http.ResponseWriter, r *http.Request, p Page)
	Fail(w http.ResponseWriter, r *http.Request, err error)
	Markdown(text, lang string) template.HTML
}

// Visitor is the person who looks at a page.
type Visitor struct {
	User   bot.User
	Thread bot.Thread // their place, without a thread
	Lang   string
	Token  string // CSRF token of their session
	Mail   string // address that their account's provider has verified, "" for none
	Own    bool   // a person with an account, to whom the desk shows only their own data
	Reads  bool   // a viewer, who may change nothing
}

// T returns the page's word for key.
func (v Visitor) T(key string) string { return phrase.Say(v.Lang, "web."+key) }

// Page is a page's content for the layout.
type Page struct {
	Where string // of its [Link]
	Title string
	Body  template.HTML
	// Status is the HTTP status; 0 means 200.
	Status int
}

// Link is an entry of the navigation.
type Link struct{ Where, Href, Label string }

// Site serves the pages.
type Site struct {
	frame Frame
	now   func() time.Time
	desk  any
}

//go:embed templates/*.html
var files embed.FS

// templates are parsed when the first page is shown. An invalid one is a build error.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("site").Funcs(template.FuncMap{
		"clean": fit.Clean, "line": oneLine, "seg": url.PathEscape, "size": fit.Size, "took": Took, "money": money, "count": count, "printf": fmt.Sprintf,
		"tongue": tongue, "message": func(p exchangePage, m bot.RunSpoken) spokenPart { return spokenPart{p, m} },
	}).ParseFS(files, "templates/*.html"))
})

// New returns the pages for which desk has the data.
func New(frame Frame, desk any, now func() time.Time) *Site {
	return &Site{frame: frame, now: now, desk: desk}
}

// Routes returns the handlers by pattern.
func (s *Site) Routes() map[string]http.HandlerFunc {
	out := map[string]http.HandlerFunc{}
	if d, ok := s.desk.(Runs); ok {
		out["GET /runs"] = func(w http.ResponseWriter, r *http.Request) { s.runs(w, r, d) }
	}
	if d, ok := s.desk.(Exchanges); ok {
		out["GET /runs/{run}/calls/{call}"] = func(w http.ResponseWriter, r *http.Request) { s.exchange(w, r, d) }
	}
	if d, ok := s.desk.(Approvals); ok {
		out["GET /approvals"] = func(w http.ResponseWriter, r *http.Request) { s.approvals(w, r, d, "") }
		out["POST /approvals"] = func(w http.ResponseWriter, r *http.Request) { s.decide(w, r, d) }
	}
	if d, ok := s.desk.(Accounts); ok {
		out["GET /account"] = func(w http.ResponseWriter, r *http.Request) { s.account(w, r, d) }
		out["POST /account"] = out["GET /account"]
	}
	if d, ok := s.desk.(Documents); ok {
		out["POST /documents"] = func(w http.ResponseWriter, r *http.Request) { s.change(w, r, d) }
		out["GET /search"] = func(w http.ResponseWriter, r *http.Request) { s.probe(w, r, d) }
	}
	if d, ok := s.desk.(Usage); ok {
		out["GET /usage"] = func(w http.ResponseWriter, r *http.Request) { s.usage(w, r, d) }
	}
	if d, ok := s.desk.(Audit); ok {
		out["GET /audit"] = func(w http.ResponseWriter, r *http.Request) { s.audit(w, r, d) }
	}
	if d, ok := s.desk.(Health); ok {
		out["GET /health"] = func(w http.ResponseWriter, r *http.Request) { s.health(w, r, d) }
	}
	if d, ok := s.desk.(Settings); ok {
		out["GET /settings"] = func(w http.ResponseWriter, r *http.Request) { s.settings(w, r, d) }
		out["POST /settings"] = func(w http.ResponseWriter, r *http.Request) { s.saveSettings(w, r, d) }
	}
	if d, ok := s.desk.(Workflows); ok {
		out["GET /workflows"] = func(w http.ResponseWriter, r *http.Request) { s.workflows(w, r, d) }
		out["GET /workflows/{workflow}"] = func(w http.ResponseWriter, r *http.Request) { s.workflow(w, r, d) }
		out["POST /workflows/check"] = func(w http.ResponseWriter, r *http.Request) { s.checkWorkflow(w, r, d) }
		if e, ok := s.desk.(WorkflowEditor); ok {
			s.editing(out, d, e)
		}
	}
	s.rehearsing(out)
	s.team(out)
	return out
}

// Links returns a visitor's navigation. Operators see the whole program, others their own runs and the questions
// for them.
func (s *Site) Links(v Visitor) []Link {
	if !v.User.Operator && !v.Own {
		return nil
	}
	var out []Link
	add := func(has bool, where, key string) {
		if has {
			out = append(out, Link{Where: where, Href: "/" + where, Label: v.T(key)})
		}
	}
	add(has[Runs](s.desk), "runs", "runs")
	add(has[Approvals](s.desk), "approvals", "approvals")
	if !v.User.Operator {
		add(has[People](s.desk), "people", "people.you")
		return out
	}
	add(has[Documents](s.desk), "search", "search")
	add(has[Workflows](s.desk), "workflows", "workflows")
	add(has[Rehearsals](s.desk), "rehearsals", "rehearsals")
	add(has[Schedules](s.desk), "schedules", "schedules")
	add(has[Sources](s.desk), "sources", "sources")
	add(has[Tools](s.desk), "tools", "tools")
	add(has[Memory](s.desk), "memory", "memory")
	add(has[People](s.desk), "people", "people")
	add(has[Settings](s.desk), "settings", "settings")
	add(has[Usage](s.desk), "usage", "usage")
	add(has[Audit](s.desk), "audit", "audit")
	add(has[Health](s.desk), "health", "health")
	return out
}

// has reports whether a desk implements T.
func has[T any](desk any) bool {
	_, ok := desk.(T)
	return ok
}

// show renders a template as the page.
func (s *Site) show(w http.ResponseWriter, r *http.Request, where, title string, data any) {
	s.showUnder(w, r, where, Page{Where: where, Title: title}, data)
}

// render renders a template.
func (s *Site) render(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	err := templates().ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err //nolint:gosec // G203: made by our own templates
}

// base is the data that every template has.
type base struct {
	Visitor

	now     time.Time
	names   map[string]string // of places, by key; see [Names]
	unnamed bool              // some names could not be looked up
}

func (s *Site) base(r *http.Request) base { return base{Visitor: s.frame.Visitor(r), now: s.now()} }

// At is [Moment] for templates.
func (base) At(t time.Time) template.HTML { return Moment(t) }

// Moment returns a moment as an element that the script shows by the clock of the browser.
func Moment(t time.Time) template.HTML {
	if t.IsZero() {
		return ""
	}
	text := t.UTC().Format("2006-01-02 15:04 UTC")
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `">` + text + `</time>`) //nolint:gosec // G203: digits only
}

// oneLine sanitises foreign text for one line.
func oneLine(s string) string { return fit.OneLine(fit.Clean(s)) }

// tongue returns the language of a text, "" if it is the page's.
func tongue(page, text string) string {
	if t := phrase.Spoken(text, page); t != page {
		return t
	}
	return ""
}

// Took formats a duration for people.
func Took(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d:%02d min", int(d.Minutes()), int(d.Seconds())%60)
}

// money formats a cost, "" for none or an unknown one.
func money(v float64) string {
	if v <= 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// count formats a number with separators of thousands.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
