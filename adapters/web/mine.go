package web

import (
	"context"
	"html/template"
	"net/http"
	"slices"

	"maru/bot"
)

// Home returns the person's own page, as on other surfaces; see [bot.Homer].
type Home interface {
	Home(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Card, error)
}

// minePage shows Maru's functions and the person's own open questions, settings, memory, runs
// and documents.
type minePage struct {
	view
	Parts []minePart
}

// minePart is one card of the page.
type minePart struct {
	bot.Card
	view
	Body, Foot template.HTML
}

// Here lists the part's conversations if they are the console's: they are shown as links
// instead of the text that lists them for other surfaces.
func (p minePart) Here() []bot.Lead {
	if slices.ContainsFunc(p.Leads, func(l bot.Lead) bool { return l.Thread.Platform != platform }) {
		return nil
	}
	return p.Leads
}

// Waits reports whether the part has a question for the person.
func (p minePart) Waits() bool { return p.Card.Run != "" && len(p.Buttons()) > 0 }

// Buttons returns the buttons that the person may use: a viewer only follows links.
func (p minePart) Buttons() []bot.Button {
	if !p.ReadsOnly() {
		return p.Card.Buttons
	}
	return slices.DeleteFunc(slices.Clone(p.Card.Buttons), func(b bot.Button) bool { return b.URL == "" })
}

func (d *door) minePage(w http.ResponseWriter, r *http.Request) {
	v, err := d.view(r, "mine", "")
	var cards []bot.Card
	if err == nil {
		cards, err = d.desk.Home(r.Context(), d.at(r, ""), v.user())
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	v.Where = "mine"
	p := minePage{view: v}
	for _, c := range cards {
		p.Parts = append(p.Parts, minePart{Card: c, view: v, Body: htmlOf(c.Text, around("", c, v.Lang)), Foot: allPages().foot(c, "", v.Lang)})
	}
	d.render(w, r, http.StatusOK, "mine", p)
}
