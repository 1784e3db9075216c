package web

import (
	"cmp"
	"html/template"
	"net/http"

	"maru/adapters/web/site"
	"maru/bot"
)

// frame is the console's layout around the pages of [site.Site].
type frame struct{ d *door }

// insidePage is a page whose content is rendered by another package.
type insidePage struct {
	view

	Body template.HTML
}

// Visitor implements site.Frame.
func (f frame) Visitor(r *http.Request) site.Visitor {
	v := visitOf(r)
	out := site.Visitor{User: v.user(), Thread: v.place(f.d), Own: v.person != nil, Reads: v.ReadsOnly(), Lang: v.Lang, Token: v.Token}
	if v.person != nil {
		out.Mail = v.person.Mail
	}
	return out
}

// Show implements site.Frame.
func (f frame) Show(w http.ResponseWriter, r *http.Request, p site.Page) {
	v, err := f.d.view(r, "brand", "")
	if err != nil {
		f.d.fail(w, r, err)
		return
	}
	v.Where, v.Title = p.Where, p.Title
	f.d.render(w, r, cmp.Or(p.Status, http.StatusOK), "inside", insidePage{view: v, Body: p.Body})
}

// Fail implements site.Frame.
func (f frame) Fail(w http.ResponseWriter, r *http.Request, err error) { f.d.fail(w, r, err) }

// Markdown implements site.Frame.
func (f frame) Markdown(text, lang string) template.HTML {
	return htmlOf(text, around("", bot.Card{}, lang))
}
