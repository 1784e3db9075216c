package site

import (
	"context"
	"errors"
	"net/http"

	"maru/bot"
)

// Accounts lets people show which e-mail address belongs to their account on a platform, by a link that they got there.
//
// AccountOf returns the account that a link is about and the visitor's address, "" for one whom the way of signing in gives none.
// [bot.ErrNotFound] says that the link serves nobody (any more). LinkAccount uses it up; [bot.ErrForbidden] says that the address is
// another person's there, and [ErrOtherWorkspace] that nobody vouches for the visitor's address there.
type Accounts interface {
	AccountOf(ctx context.Context, v Visitor, link string) (Account, error)
	LinkAccount(ctx context.Context, v Visitor, link string) (Account, error)
}

// ErrOtherWorkspace says that a visitor's address is vouched for only within the workspace that they signed in from.
var ErrOtherWorkspace = errors.New("site: the address is another workspace's")

// Account is somebody's account on a platform, and the address that they show to be theirs.
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

// account shows what a link would do, or with a change does it.
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
