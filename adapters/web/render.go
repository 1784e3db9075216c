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

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages turns what is to be shown into HTML.
type pages struct {
	byName map[string]*template.Template // a page in its layout
	parts  *template.Template            // pieces of pages
	assets assets
}

func newPages() (*pages, error) {
	files, err := newAssets()
	if err != nil {
		return nil, err
	}
	p := &pages{byName: make(map[string]*template.Template), assets: files}
	parts, err := template.New("parts").Funcs(funcs).Funcs(template.FuncMap{"asset": files.address, "preloads": files.preloads}).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html")
	if err != nil {
		return nil, err
	}
	p.parts = parts
	names, err := fs.Glob(templateFiles, "templates/page_*.html")
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		t, err := template.Must(parts.Clone()).ParseFS(templateFiles, n)
		if err != nil {
			return nil, err
		}
		p.byName[strings.TrimSuffix(strings.TrimPrefix(path.Base(n), "page_"), ".html")] = t
	}
	return p, nil
}

var funcs = template.FuncMap{"size": fit.Size, "passages": passages, "seg": url.PathEscape, "clean": fit.Clean, "printf": fmt.Sprintf, "chosen": chosen, "tongue": tongue}

// chosen reports whether a list between commas has a value.
func chosen(list, value string) bool { return slices.Contains(bot.Listed(list), value) }

// render writes a whole page.
func (a *Adapter) render(w http.ResponseWriter, r *http.Request, status int, page string, data any) {
	a.write(w, r, status, page, "layout", data)
}

// write executes one template of a page before the first byte is sent, so that
// a fault leaves no half of a page.
func (a *Adapter) write(w http.ResponseWriter, r *http.Request, status int, page, name string, data any) {
	var b bytes.Buffer
	if err := a.pages.byName[page].ExecuteTemplate(&b, name, data); err != nil {
		a.cfg.Log.ErrorContext(r.Context(), "console page failed", "page", page, "err", err)
		http.Error(w, visitOf(r).T("error.title"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // who went away does not miss it
}

// lineView is a line as its template sees it.
type lineView struct {
	line
	Lang   string
	Thread string
	Body   template.HTML
	Foot   template.HTML
	Cites  []sourceView
	Busy   bool
}

// Tongue is the language that the line speaks, "" if it is the page's.
func (v lineView) Tongue() string {
	said := v.Text
	if v.Card != nil {
		said = v.Card.Title + "\n" + v.Card.Text
	}
	return tongue(v.Lang, said)
}

// tongue is the language of a text on a page in another, "" if it is the page's.
func tongue(page, text string) string {
	if t := phrase.Spoken(text, page); t != page {
		return t
	}
	return ""
}

// Own is the language of the page's own words in a line that speaks another.
func (v lineView) Own() string {
	if v.Tongue() == "" {
		return ""
	}
	return v.Lang
}

// T returns the page's word for key.
func (v lineView) T(key string) string { return word(v.Lang, key) }

// Asks reports whether the card waits for a person's decision.
func (v lineView) Asks() bool {
	c := v.Card
	return c != nil && !c.Final && len(c.Buttons) > 0 && (c.Kind == bot.CardChoices || c.Kind == bot.CardPlan)
}

// Ask returns the form that follows a click.
func (v answerView) Ask(f *bot.Form) formView { return formView{f, v.Lang} }

// formView is a form as its template sees it.
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

// answerView is the answer to a click as its template sees it.
type answerView struct {
	answerJSON
	Lang   string
	Thread string
	Body   template.HTML
	Foot   template.HTML
}

// T returns the page's word for key.
func (v answerView) T(key string) string { return word(v.Lang, key) }

// answer renders the card and the form that follow a click.
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
		panic(fmt.Sprintf("web: template %s: %v", name, err)) // a mistake in a template, which every test meets
	}
	return b.String()
}
