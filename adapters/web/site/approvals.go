package site

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase/fit"
)

// Approvals is a team's inbox of open questions.
//
// Waiting lists them with the decisions open to the person from their place. Rule decides one, with the same
// rights as a click on its card, if its digest is the one that was shown.
type Approvals interface {
	Waiting(ctx context.Context, by bot.User, from bot.Thread) ([]Waiting, error)
	Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error)
}

// Waiting is an open question.
type Waiting struct {
	ID, Run, Digest string
	Thread          bot.Thread
	Title           string // of the thread
	Question        string
	Detail          string
	Steps           []string
	Asker           string   // whose task it is
	Others          []string // who else may decide
	Agreed, Needs   int      // people who agreed, and the number required
	Created         time.Time
	Expires         time.Time
	Actions         []WaitingAction // decisions open to the visitor; none: they may not decide
}

// WaitingAction is one decision of a question.
type WaitingAction struct {
	Verb, Label, Style string
	Words              bool // words may go with it
	Inputs             []bot.Input
}

// Form reports whether the decision needs more than a click.
func (a WaitingAction) Form() bool { return len(a.Inputs) > 0 || a.Words }

// Decides reports whether the visitor may decide it.
func (w Waiting) Decides() bool { return len(w.Actions) > 0 }

// Short returns the beginning of the digest, as people compare it.
func (w Waiting) Short() string { return w.Digest[:min(len(w.Digest), 12)] }

type approvalsPage struct {
	base

	List    []Waiting
	Said    string // outcome of the last decision
	Problem string
}

// Mine counts the questions that the visitor may decide.
func (p approvalsPage) Mine() (n int) {
	for _, w := range p.List {
		if w.Decides() {
			n++
		}
	}
	return n
}

func (s *Site) approvals(w http.ResponseWriter, r *http.Request, d Approvals, problem string) {
	p := approvalsPage{base: s.base(r), Problem: problem}
	var err error
	if p.List, err = d.Waiting(r.Context(), p.User, p.Thread); err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.name(r, &p.base, keysOf(p.List, func(w Waiting) string { return placeKey(w.Thread) })...)
	switch r.URL.Query().Get("said") {
	case "decided":
		p.Said = p.T("approvals.decided")
	case "counted":
		p.Said = p.T("approvals.counted")
	}
	s.show(w, r, "approvals", p.T("approvals"), p)
}

// input begins the names of a decision's fields in the form.
const input = "v."

// decide handles the form of a decision.
func (s *Site) decide(w http.ResponseWriter, r *http.Request, d Approvals) {
	v := s.frame.Visitor(r)
	ruling := bot.Ruling{
		Run: r.PostFormValue("run"), Approval: r.PostFormValue("approval"), Action: r.PostFormValue("action"), Text: fit.Clean(r.PostFormValue("text")),
		Thread: v.Thread, User: v.User,
	}
	for name, list := range r.PostForm {
		if id, ok := strings.CutPrefix(name, input); ok && len(list) > 0 {
			if ruling.Values == nil {
				ruling.Values = map[string]string{}
			}
			ruling.Values[id] = fit.Clean(list[0])
		}
	}
	ruled, err := d.Rule(r.Context(), ruling)
	var told *bot.Error
	switch {
	case errors.As(err, &told) && told.Err == nil: // for example, another person decided first
		problem := told.Text(v.Lang)
		for _, why := range ruled.Errors {
			problem += " " + why
		}
		s.approvals(w, r, d, problem)
	case err != nil:
		s.frame.Fail(w, r, err)
	case ruled.State == bot.ApprovalPending:
		http.Redirect(w, r, "/approvals?said=counted", http.StatusSeeOther)
	default:
		http.Redirect(w, r, "/approvals?said=decided", http.StatusSeeOther)
	}
}
