package web

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"maru/adapters/web/site"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages renders HTML.
type pages struct {
	byName map[string]*template.Template // pages with their layout
	parts  *template.Template            // fragments of pages
	assets assets
}

// allPages are the pages of every console of this process, parsed when the first one is shown.
var allPages = sync.OnceValue(newPages)

// newPages parses the pages. An invalid one is a build error.
func newPages() *pages {
	files := newAssets()
	p := &pages{byName: make(map[string]*template.Template), assets: files}
	p.parts = template.Must(template.New("parts").Funcs(funcs).Funcs(template.FuncMap{"asset": files.address, "preloads": files.preloads}).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html"))
	names, err := fs.Glob(templateFiles, "templates/page_*.html")
	if err != nil {
		panic("web: " + err.Error())
	}
	for _, n := range names {
		t := template.Must(template.Must(p.parts.Clone()).ParseFS(templateFiles, n))
		p.byName[strings.TrimSuffix(strings.TrimPrefix(path.Base(n), "page_"), ".html")] = t
	}
	return p
}

var funcs = template.FuncMap{"size": fit.Size, "passages": passages, "seg": url.PathEscape, "clean": fit.Clean, "timed": timedHTML, "printf": fmt.Sprintf, "chosen": chosen, "tongue": tongue, "percent": site.Percent}

// chosen reports whether a comma-separated list contains a value.
func chosen(list, value string) bool { return slices.Contains(bot.Input{Value: list}.Values(), value) }

// render writes a whole page.
func (a *Adapter) render(w http.ResponseWriter, r *http.Request, status int, page string, data any) {
	a.write(w, r, status, page, "layout", data)
}

// write executes a template of a page before the first byte is sent, so that an error leaves
// no partial page.
func (a *Adapter) write(w http.ResponseWriter, r *http.Request, status int, page, name string, data any) {
	var b bytes.Buffer
	if err := allPages().byName[page].ExecuteTemplate(&b, name, data); err != nil {
		a.cfg.Log.ErrorContext(r.Context(), "console page failed", "page", page, "err", err)
		http.Error(w, visitOf(r).T("error.title"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may be gone
}

// lineView is the template data of a line.
type lineView struct {
	line
	Lang   string
	Thread string
	Body   template.HTML
	Foot   template.HTML
	Cites  []sourceView
	Busy   bool
}

// Tongue returns the line's language, "" if it is the page's.
func (v lineView) Tongue() string {
	said := v.Text
	if v.Card != nil {
		said = v.Card.Title + "\n" + v.Card.Text
	}
	return tongue(v.Lang, said)
}

// tongue returns the language of a text, "" if it is the page's.
func tongue(page, text string) string {
	if t := phrase.Spoken(text, page); t != page {
		return t
	}
	return ""
}

// Own returns the page's language for its own words in a line of another language.
func (v lineView) Own() string {
	if v.Tongue() == "" {
		return ""
	}
	return v.Lang
}

// T returns the page's word for key.
func (v lineView) T(key string) string { return word(v.Lang, key) }

// Asks reports whether the card has an open question.
func (v lineView) Asks() bool {
	c := v.Card
	return c != nil && !c.Final && len(c.Buttons) > 0 && (c.Kind == bot.CardChoices || c.Kind == bot.CardPlan)
}

// Ask returns the form that a click opens.
func (v answerView) Ask(f *bot.Form) formView { return formView{f, v.Lang} }

// formView is the template data of a form.
type formView struct {
	*bot.Form
	lang string
}

// T returns the page's word for key.
func (v formView) T(key string) string { return word(v.lang, key) }

// sourceView is a source under an answer.
type sourceView struct {
	bot.Source
	Href             string
	Away             bool
	TitleIn, QuoteIn string // languages, "" if they are the answer's
}

// line renders a line.
func (p *pages) line(lang, thread string, l line) string {
	if l.Gone {
		return ""
	}
	v := lineView{line: l, Lang: lang, Thread: thread}
	if c := l.Card; c != nil {
		v.Body, v.Foot = htmlOf(c.Text, around(thread, *c, lang)), p.foot(*c, thread, lang)
		said := cmp.Or(v.Tongue(), lang)
		for _, s := range c.Sources {
			href, away := sourceAddress(thread, c.Run, s)
			v.Cites = append(v.Cites, sourceView{Source: s, Href: href, Away: away, TitleIn: tongue(said, s.Title), QuoteIn: tongue(said, s.Quote)})
		}
		v.Busy = !c.Final && c.Kind == bot.CardProgress
	}
	return p.part("line", v)
}

// answerView is the template data of the answer to a click.
type answerView struct {
	answerJSON
	Lang   string
	Thread string
	Body   template.HTML
	Foot   template.HTML
}

// T returns the page's word for key.
func (v answerView) T(key string) string { return word(v.Lang, key) }

// answer renders the card and form of the answer to a click.
func (p *pages) answer(lang, thread string, ans answerJSON) string {
	v := answerView{answerJSON: ans, Lang: lang, Thread: thread}
	if ans.Card != nil {
		v.Body, v.Foot = htmlOf(ans.Card.Text, around(thread, *ans.Card, lang)), p.foot(*ans.Card, thread, lang)
	}
	return p.part("answer", v)
}

// foot renders the small line under a card.
func (p *pages) foot(c bot.Card, thread, lang string) template.HTML {
	if c.Footer == "" {
		return ""
	}
	return htmlOf(c.Footer, around(thread, c, lang))
}

func (p *pages) part(name string, data any) string {
	var b strings.Builder
	if err := p.parts.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("web: template %s: %v", name, err)) // a template bug, which every test hits
	}
	return b.String()
}
