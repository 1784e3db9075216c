package site

import (
	"context"
	"errors"
	"net/http"

	"maru/bot"
)

// Accounts links a person's e-mail address to their account on a platform, by a link sent to that account.
//
// AccountOf returns the link's account and the visitor's address, "" if their sign-in method provides none.
// [bot.ErrNotFound] reports an unknown or used link. LinkAccount uses the link; [bot.ErrForbidden] reports that
// the address belongs to another person there, and [ErrOtherWorkspace] that it is not verified for that workspace.
type Accounts interface {
	AccountOf(ctx context.Context, v Visitor, link string) (Account, error)
	LinkAccount(ctx context.Context, v Visitor, link string) (Account, error)
}

// ErrOtherWorkspace reports an address that is verified only within the workspace of the sign-in.
var ErrOtherWorkspace = errors.New("site: the address is another workspace's")

// Account is an account on a platform with the address to be linked.
type Account struct {
	Platform, Server string
	ID, Name         string
	Mail             string
}

type accountPage struct {
	base
	Account

	Link    string
	Done    bool
	Problem string // a word of the catalogue, "" for none
}

// account shows the effect of a link or, for a changing request, carries it out.
func (s *Site) account(w http.ResponseWriter, r *http.Request, d Accounts) {
	p := accountPage{base: s.base(r), Link: r.FormValue("link")}
	act := d.AccountOf
	if r.Method == http.MethodPost {
		act = d.LinkAccount
	}
	var err error
	p.Account, err = act(r.Context(), p.Visitor, p.Link)
	status := http.StatusOK
	switch {
	case errors.Is(err, bot.ErrNotFound):
		status, p.Problem = http.StatusNotFound, "account.no_link"
	case errors.Is(err, bot.ErrForbidden):
		status, p.Problem = http.StatusConflict, "account.taken"
	case errors.Is(err, ErrOtherWorkspace):
		status, p.Problem = http.StatusForbidden, "account.elsewhere"
	case err != nil:
		s.frame.Fail(w, r, err)
		return
	case p.Mail == "":
		status, p.Problem = http.StatusForbidden, "account.no_mail"
	default:
		p.Done = r.Method == http.MethodPost
	}
	s.showUnder(w, r, "account", Page{Title: p.T("account"), Status: status}, p)
}
