package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"maru/bot"
)

// Exchanges shows the prompt and the reply of a model call. Exchange rejects people without access to everything
// that the run read, and returns bot.ErrNotFound for a call that does not exist or whose text is no longer stored.
type Exchanges interface {
	Exchange(ctx context.Context, by bot.User, from bot.Thread, run, call string) (Exchange, error)
}

// Exchange is a model call of a run with its text.
type Exchange struct {
	Purpose, Model string
	At             time.Time // its end
	Took           time.Duration
	Usage          bot.RunUsage
	Err            string
	Words          bot.RunExchange
	N, Of          int    // its number among the run's calls with stored text, from 1
	Before, After  string // the neighbouring calls, "" if none
}

type exchangePage struct {
	base
	Exchange

	Run, Call string
	Gone      bool // its text is no longer stored
}

// spokenPart is one message of it.
type spokenPart struct {
	Page   exchangePage
	Spoken bot.RunSpoken
}

// RoleWord returns the name of a message's role.
func (p exchangePage) RoleWord(role string) string {
	switch role {
	case "system", "user", "assistant", "tool":
		return p.T("exchange.role." + role)
	}
	return oneLine(role)
}

func (s *Site) exchange(w http.ResponseWriter, r *http.Request, d Exchanges) {
	p := exchangePage{base: s.base(r), Run: r.PathValue("run"), Call: r.PathValue("call")}
	status := http.StatusOK
	var err error
	p.Exchange, err = d.Exchange(r.Context(), p.User, p.Thread, p.Run, p.Call)
	if errors.Is(err, bot.ErrNotFound) {
		p.Gone, status, err = true, http.StatusNotFound, nil
	}
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.showUnder(w, r, "exchange", Page{Where: "runs", Title: p.T("exchange"), Status: status}, p)
}

// showUnder shows a template as a page below an entry of the navigation.
func (s *Site) showUnder(w http.ResponseWriter, r *http.Request, name string, p Page, data any) {
	body, err := s.render(name, data)
	if err != nil {
		s.frame.Fail(w, r, fmt.Errorf("render %s: %w", name, err))
		return
	}
	p.Body = body
	s.frame.Show(w, r, p)
}
