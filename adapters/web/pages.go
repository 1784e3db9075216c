package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/cited"
	"maru/phrase/fit"
)

// view is the frame of every page.
type view struct {
	*visit
	Title    string
	Path     string // of the page, to return to
	Bare     bool   // without list and help: not signed in
	SignOut  bool
	Current  string // ID of the open thread
	Where    string // "thread", "documents" or ""
	Threads  []threadRow
	Nav      []site.Link // pages about the whole program
	Commands []commandJSON
	Version  string
	Limit    int64
	Words    template.JS // sentences of the script, as JSON
}

// Managing reports whether the page belongs to the menu Manage, which is shown expanded then.
func (v view) Managing() bool {
	return slices.ContainsFunc(v.Nav, func(l site.Link) bool { return l.Where == v.Where })
}

// threadRow is a thread in the side list.
type threadRow struct {
	ID, Title, When string
	Current         bool
}

// bareView returns the frame of a page outside the login.
func (a *Adapter) bareView(r *http.Request, title string) view {
	v := visitOf(r)
	return view{
		visit: v, Title: v.T(title), Path: r.URL.RequestURI(), Bare: true, Version: a.cfg.Version,
		Limit: a.cfg.MaxUpload, Words: scriptJSON(v.Lang), SignOut: a.locked() && v.in,
	}
}

func scriptJSON(lang string) template.JS {
	b, _ := json.Marshal(scriptWords(lang)) // strings only
	return template.JS(b)                   //nolint:gosec // G203: our own words; Marshal escapes < and >
}

// view returns the frame of a page.
func (d *door) view(r *http.Request, title, current string) (view, error) {
	v := d.bareView(r, title)
	v.Bare, v.Current, v.Nav = false, current, d.site.Links(frame{d}.Visitor(r))
	v.Commands = d.commands(v.Lang)
	var err error
	v.Threads, err = d.threads(r, current)
	return v, err
}

func (d *door) threads(r *http.Request, current string) ([]threadRow, error) {
	at := d.at(r, "")
	infos, err := d.desk.Threads(r.Context(), platform, at.Team, at.Channel, maxThreads)
	if err != nil {
		return nil, fmt.Errorf("list threads: %w", err)
	}
	lang, now := visitOf(r).Lang, d.cfg.Now()
	rows := make([]threadRow, len(infos))
	for i, t := range infos {
		rows[i] = threadRow{
			ID: t.Thread.ID, Title: oneLine(t.Title), When: ago(lang, t.Updated, now), Current: t.Thread.ID == current,
		}
	}
	return rows, nil
}

// threadPage is a conversation; for home, one that has not begun.
type threadPage struct {
	view
	ID       string
	Heading  string
	Lines    []template.HTML
	Revision string
	Beat     int64  // interval between two signs of life, in milliseconds
	Last     int    // how many entries the page shows
	Earlier  string // URL of the page with more entries, "" for none
	Sample   bool   // the sample handbook is searched: an empty page suggests questions about it
}

// sampled reports whether the sample handbook is searched in the thread of a request. A suggestion is not worth a failure.
func sampled(d *door, r *http.Request) bool {
	docs, err := d.documents(r)
	return err == nil && slices.ContainsFunc(docs, func(i bot.DocumentInfo) bool { return i.Sample })
}

func (d *door) home(w http.ResponseWriter, r *http.Request) {
	v, err := d.view(r, "thread.new", "")
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v.Where = "thread"
	d.render(w, r, http.StatusOK, "thread", threadPage{view: v, ID: "t" + d.newID(), Revision: revision(d.hub.epoch, 0), Beat: d.cfg.Heartbeat.Milliseconds(), Sample: sampled(d, r)})
}

func (d *door) threadPage(w http.ResponseWriter, r *http.Request) {
	p, err := d.thePage(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.render(w, r, http.StatusOK, "thread", p)
}

func (d *door) thePage(r *http.Request) (threadPage, error) {
	t, err := d.threadOf(r)
	if err != nil {
		return threadPage{}, err
	}
	last := lastOf(r)
	lines, rev, err := d.lines(r.Context(), t, last)
	if err != nil {
		return threadPage{}, err
	}
	v, err := d.view(r, "thread.untitled", t.ID)
	if err != nil {
		return threadPage{}, err
	}
	v.Where = "thread"
	p := threadPage{view: v, ID: t.ID, Revision: revision(d.hub.epoch, rev), Last: last, Beat: d.cfg.Heartbeat.Milliseconds(), Sample: len(lines) == 0 && sampled(d, r)}
	if len(lines) >= last && last < maxTranscript { // links to the page with more entries
		p.Earlier = fmt.Sprintf("/t/%s?last=%d#l-%s", t.ID, 5*last, lines[0].ID)
	}
	for _, l := range lines {
		p.Lines = append(p.Lines, template.HTML(allPages().line(v.Lang, t.ID, l))) //nolint:gosec // G203: made by our own template
	}
	for _, row := range v.Threads {
		if row.Current && row.Title != "" {
			p.Title, p.Heading = row.Title, row.Title
		}
	}
	return p, nil
}

// postForm accepts a message from a browser without script.
func (d *door) postForm(w http.ResponseWriter, r *http.Request) {
	t, err := d.threadOf(r)
	if err == nil {
		_, err = d.say(r, t, messageJSON{Text: r.PostFormValue("text")})
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	http.Redirect(w, r, "/t/"+t.ID, http.StatusSeeOther)
}

// threadList renders the side list, for the script to refresh it.
func (d *door) threadList(w http.ResponseWriter, r *http.Request) {
	rows, err := d.threads(r, r.FormValue("current"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v := d.bareView(r, "threads")
	v.Threads = rows
	d.write(w, r, http.StatusOK, "thread", "threads", v)
}

type documentsPage struct {
	view
	List    template.HTML
	Refused []refusedRow
	Formats string
}

// refusedRow is a rejected file with its detail line.
type refusedRow struct {
	refusedFile

	Detail string
}

func (d *door) documentsPage(w http.ResponseWriter, r *http.Request) {
	v, err := d.view(r, "documents", "")
	p := documentsPage{view: v, Formats: d.cfg.Formats(v.Lang)}
	if err == nil {
		p.List, err = d.site.Library(r, func() ([]bot.DocumentInfo, error) { return d.documents(r) }, func(doc bot.DocumentInfo) string { return d.detail(v.Lang, doc) })
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	p.Where = "documents"
	if v.person != nil { // refused files are noted for the owner
		d.render(w, r, http.StatusOK, "documents", p)
		return
	}
	for _, f := range d.refusedFiles(r.Context()) {
		p.Refused = append(p.Refused, refusedRow{f, d.refusedDetail(v.Lang, f)})
	}
	d.render(w, r, http.StatusOK, "documents", p)
}

// detail returns the detail line of a document.
func (d *door) detail(lang string, doc bot.DocumentInfo) string {
	var parts []string
	if doc.Name != "" && doc.Name != doc.Title {
		parts = append(parts, oneLine(doc.Name))
	}
	if doc.Pages > 0 {
		parts = append(parts, fmt.Sprintf(word(lang, "document.pages"), doc.Pages))
	}
	parts = append(parts, passages(lang, doc.Passages))
	if doc.Size > 0 {
		parts = append(parts, fit.Size(doc.Size))
	}
	if when := ago(lang, doc.Added, d.cfg.Now()); when != "" {
		parts = append(parts, when)
	}
	return strings.Join(parts, " · ")
}

func (d *door) refusedDetail(lang string, f refusedFile) string {
	when := ago(lang, f.At, d.cfg.Now())
	if f.Size > 0 {
		return fit.Size(f.Size) + " · " + when
	}
	return when
}

type passagePage struct {
	view
	P    cited.View
	N    int
	From string // ID of the thread
	Run  string // run of the linking answer, "" for none
	Was  string // the cited text, if the passage has changed
}

// passagePage shows a passage in its document; with fragment=1 without the frame, for the
// panel beside an answer. If the document was replaced since the citation, the page shows the
// cited text too.
func (d *door) passagePage(w http.ResponseWriter, r *http.Request) {
	t, p, err := d.passage(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	n, _ := strconv.Atoi(r.FormValue("n")) // not a number: no citation
	page := passagePage{N: n, From: t.ID, Run: r.FormValue("run")}
	if page.Was, err = d.cited(r, t, page.Run, n, p.Text); err != nil {
		d.fail(w, r, err)
		return
	}
	p.Before, p.Text, p.After = fit.Clean(p.Before), fit.Clean(p.Text), fit.Clean(p.After)
	if r.FormValue("fragment") != "" {
		page.view, page.P = d.bareView(r, "passage.title"), p
		d.write(w, r, http.StatusOK, "passage", "passage", page)
		return
	}
	v, err := d.view(r, "passage.title", t.ID)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v.Title = oneLine(p.Title)
	page.view, page.P = v, p
	d.render(w, r, http.StatusOK, "passage", page)
}

// cited returns the n-th source of a run's answer as cited, "" if now still contains it or it
// is unknown.
func (d *door) cited(r *http.Request, t bot.Thread, run string, n int, now string) (string, error) {
	if run == "" || n <= 0 {
		return "", nil
	}
	was, err := d.desk.Cited(r.Context(), t, visitOf(r).user(), run, n)
	if err != nil {
		return "", fmt.Errorf("read cited text: %w", err)
	}
	one, other := lettersOf(was), lettersOf(now)
	if strings.Contains(one, other) || strings.Contains(other, one) { // citations are clipped and joined with neighbouring passages
		return "", nil
	}
	return fit.Clean(was), nil
}

// lettersOf reduces a text to its letters, ignoring layout.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// oneLine sanitises foreign text for a heading.
func oneLine(s string) string { return fit.OneLine(fit.Clean(s)) }

func trim(s string) string { return strings.TrimSpace(s) }
