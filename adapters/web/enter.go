package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"maru/adapters/web/signin"
	"maru/bot"
)

// wayLink is a sign-in method, for the page.
type wayLink struct{ Href, Label string }

// ways lists the sign-in methods besides the password.
func (a *Adapter) ways(lang, next string) []wayLink {
	if !a.accounts() {
		return nil
	}
	var out []wayLink
	for _, w := range a.cfg.SignIn.Ways() {
		label := word(lang, "signin.with."+w.ID)
		if w.Host != "" {
			label = word(lang, "signin.with."+w.ID, w.Host)
		}
		out = append(out, wayLink{Href: "/signin/" + w.ID + "?next=" + url.QueryEscape(next), Label: label})
	}
	return out
}

// Auditor is implemented by desks with an audit log. NoteAct adds a person's action to it.
type Auditor interface {
	NoteAct(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// entrance handles the sign-in with accounts.
type entrance struct{ *door }

// signIn leads the browser to a provider.
func (d entrance) signIn(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.URL.Query().Get("next"))
	if !d.accounts() {
		d.refuse(w, r, refusal{http.StatusNotFound, "no_such_page"})
		return
	}
	page, err := d.cfg.SignIn.Begin(w, r, r.PathValue("way"), next)
	if err != nil {
		d.signInFailed(w, r, next, err)
		return
	}
	http.Redirect(w, r, page, http.StatusSeeOther)
}

// signedIn handles the redirect from a provider. A person with several identities chooses one.
func (d entrance) signedIn(w http.ResponseWriter, r *http.Request) {
	if !d.accounts() {
		d.refuse(w, r, refusal{http.StatusNotFound, "no_such_page"})
		return
	}
	list, next, err := d.cfg.SignIn.End(w, r, r.PathValue("way"))
	if err == nil {
		list, err = d.known(r.Context(), list)
	}
	switch {
	case err != nil && visitOf(r).in && signin.IsForeign(err): // the address of an earlier sign-in, such as by "back"
		d.stillIn(w, r)
	case err != nil:
		d.signInFailed(w, r, next, err)
	case len(list) == 1:
		d.enter(w, r, list[0], next)
	default:
		if list, err = d.cfg.SignIn.Offer(w, list, next); err != nil {
			d.fail(w, r, err)
			return
		}
		d.render(w, r, http.StatusOK, "login", loginPage{view: d.bareView(r, "login.title"), Next: localPath(next), Choices: list})
	}
}

// stillIn says as whom the browser stays signed in: the sign-in that did not count may have been somebody else's.
func (d entrance) stillIn(w http.ResponseWriter, r *http.Request) {
	v := d.bareView(r, "login.title")
	if v.person == nil {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	d.render(w, r, http.StatusOK, "error", errorPage{view: v, Text: word(v.Lang, "signin.still", v.person.User.Name)})
}

// known returns the identities that belong to a person at present.
func (d entrance) known(ctx context.Context, list []signin.Identity) ([]signin.Identity, error) {
	var out []signin.Identity
	for _, id := range list {
		_, err := d.cfg.People.Person(ctx, id)
		if errors.Is(err, bot.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, &signin.Problem{Key: "signin.unreachable", Status: http.StatusBadGateway, Err: err}
		}
		out = append(out, id)
	}
	if len(out) == 0 {
		return nil, &signin.Problem{Key: "signin.not_here", Status: http.StatusForbidden}
	}
	return out, nil
}

// choose handles the person's choice among the offered identities.
func (d entrance) choose(w http.ResponseWriter, r *http.Request) {
	if !d.accounts() {
		d.refuse(w, r, refusal{http.StatusNotFound, "no_such_page"})
		return
	}
	list, next := d.cfg.SignIn.Offered(r)
	n, err := strconv.Atoi(r.PostFormValue("choice"))
	if err != nil || n < 0 || n >= len(list) {
		d.signInFailed(w, r, next, &signin.Problem{Key: "signin.foreign", Status: http.StatusForbidden})
		return
	}
	d.cfg.SignIn.Chosen(w)
	one, err := d.known(r.Context(), list[n:n+1])
	if err != nil {
		d.signInFailed(w, r, next, err)
		return
	}
	d.enter(w, r, one[0], next)
}

// enter begins a session of a person: a new one, against session fixation.
func (d entrance) enter(w http.ResponseWriter, r *http.Request, id signin.Identity, next string) {
	id.Place = ""
	p, err := d.cfg.People.Person(r.Context(), id)
	if err != nil {
		d.signInFailed(w, r, next, &signin.Problem{Key: "signin.unreachable", Status: http.StatusBadGateway, Err: err})
		return
	}
	d.begin(w, session{person: true, who: &id})
	if log, ok := d.desk.(Auditor); ok {
		log.NoteAct(r.Context(), p.Place(), p.User, "person.signed_in", map[string]any{"role": p.Role})
	}
	d.cfg.Log.InfoContext(r.Context(), "console sign-in", "person", id.Key())
	http.Redirect(w, r, localPath(next), http.StatusSeeOther)
}

// signInFailed shows the sign-in page with the reason of the failure.
func (d entrance) signInFailed(w http.ResponseWriter, r *http.Request, next string, err error) {
	var p *signin.Problem
	if !errors.As(err, &p) {
		d.fail(w, r, err)
		return
	}
	if p.Err != nil {
		d.cfg.Log.WarnContext(r.Context(), "console sign-in failed", "way", r.PathValue("way"), "problem", p.Key, "err", p.Err)
	}
	d.loginPage(w, r, p.Status, localPath(next), p.Key)
}

// loginPage shows the page of sign-in; problem is a catalogue key, "" for none.
func (a *Adapter) loginPage(w http.ResponseWriter, r *http.Request, status int, next, problem string) {
	v := a.bareView(r, "login.title")
	v.Path = "/login?next=" + url.QueryEscape(next) // and not the address of a provider's answer
	a.render(w, r, status, "login", loginPage{view: v, Next: next, Problem: problem, Password: a.cfg.Login != "", Ways: a.ways(v.Lang, next)})
}
