package web

import (
	"context"
	"errors"
	"net/http"

	"maru/adapters/web/access"
	"maru/adapters/web/signin"
	"maru/bot"
)

// People looks up the people who signed in with an account.
//
// Person returns the present person of an identity. [bot.ErrNotFound] ends their session. After any other error
// the request is denied.
type People interface {
	Person(ctx context.Context, id signin.Identity) (Person, error)
}

// Person is a person who signed in with an account.
type Person struct {
	signin.Identity

	User bot.User   // according to their platform at present; Operator: they run the program
	Home bot.Thread // their private conversations on the console, without a thread
	Role signin.Role
}

// Place returns where the person has their rights: their workspace, or the console for accounts of an OIDC
// provider.
func (p Person) Place() bot.Thread { return bot.Thread{Platform: p.Platform, Team: p.Team} }

// Seer is implemented by desks with several users. See returns the parts of a run that the person may see, or
// [bot.ErrNotFound] if they may not know that it exists.
type Seer interface {
	See(ctx context.Context, by bot.User, from bot.Thread, run string) (bot.RunView, error)
}

// trace returns a run as the visitor may see it.
func (d entrance) trace(r *http.Request, run string) (bot.RunView, error) {
	v := visitOf(r)
	if s, ok := d.desk.(Seer); ok {
		return s.See(r.Context(), v.user(), v.place(d.door), run)
	}
	if v.person != nil { // a desk for one person alone
		return bot.RunView{}, bot.ErrNotFound
	}
	return d.desk.Trace(r.Context(), v.user(), run)
}

// accounts reports whether people sign in with accounts.
func (a *Adapter) accounts() bool { return a.cfg.SignIn != nil && a.cfg.People != nil }

// locked reports whether the console has a login.
func (a *Adapter) locked() bool { return a.cfg.Login != "" || a.accounts() }

// recognise admits a visitor with a session. It looks up a person with an account at each request, so that revoked
// rights end at once.
func (d entrance) recognise(r *http.Request, v *visit, s session) bool {
	if s.who == nil {
		v.session, v.in = s, s.person || !d.locked()
		return true
	}
	if !d.accounts() || s.who.Role != "" && s.who.Rules != d.cfg.SignIn.Rules() {
		return false
	}
	if isAsset(r) {
		v.session = s
		return true
	}
	p, err := d.cfg.People.Person(r.Context(), *s.who)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		v.gone = true
		return false
	case err != nil:
		d.cfg.Log.WarnContext(r.Context(), "look up signed-in person", "person", s.key(), "err", err)
		v.session, v.unsure = s, true
		return true
	}
	p.User.Locale = v.Lang
	v.session, v.person, v.in = s, &p, true
	return true
}

// lost reports whether the visitor of an open stream may no longer open it: they signed out, the session has
// expired, the look-up failed, or they lost rights. The browser then reconnects with the present rights.
func (d entrance) lost(ctx context.Context, r *http.Request) bool {
	v := visitOf(r)
	if d.over(ctx, v.session) || v.session.person && d.cfg.Now().Sub(v.session.issued) > v.session.age() {
		return true
	}
	if v.person == nil {
		return false
	}
	p, err := d.cfg.People.Person(ctx, v.person.Identity)
	return err != nil || !p.reaches(r) || v.person.User.Operator && !p.User.Operator
}

// reaches reports whether the person may open a path.
func (p *Person) reaches(r *http.Request) bool {
	return p.User.Operator || r.URL.Path == "/logout" || isOpen(r) || access.Opens(r.URL.Path, !safe(r.Method), p.Role == signin.Viewer)
}

// refusedTo returns the reason why a person may not open a path.
func refusedTo(r *http.Request, p *Person) refusal {
	if p.Role == signin.Viewer && !safe(r.Method) {
		return refusal{http.StatusForbidden, "viewer_reads"}
	}
	return refusal{http.StatusForbidden, "not_for_this_person"}
}

// Me returns the name of the signed-in person, "" for the owner.
func (v *visit) Me() string {
	if v.person == nil {
		return ""
	}
	if v.person.User.Name != "" {
		return v.person.User.Name
	}
	return v.person.User.ID
}

// ReadsOnly reports whether the signed-in person is a viewer.
func (v *visit) ReadsOnly() bool { return v.person != nil && v.person.Role == signin.Viewer }

// MyRole returns the role of the signed-in person in the language of the page.
func (v *visit) MyRole() string {
	if v.person == nil {
		return ""
	}
	return v.T("role." + string(v.person.Role))
}

// HomeOf returns the place of a person's private conversations on the console: one team per workspace, one channel
// per person.
func HomeOf(place bot.Thread, user string) bot.Thread {
	t := bot.Thread{Platform: platform, Team: place.Platform + "-" + place.Team, Channel: user}
	if place.Platform == platform {
		t.Team = place.Team
	}
	return t
}
