//go:build !race

package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestBrowserApprovals(t *testing.T) {
	t.Parallel()
	s := &staffed{waiting: openQuestions()}
	c := startStaffed(t, s)
	first, second := browser(t), browser(t)
	problems := complaints(t, first)
	for _, b := range []tab{first, second} {
		b.open(c.URL + "/approvals")
		b.see("#q-a1 .buttons")
	}
	if js[bool](first, `Boolean(document.querySelector("#q-a2 form"))`) {
		t.Error("what another person must decide has buttons")
	}
	first.click("#q-a1 details summary") // a form that is being filled in is not taken away
	first.do(chromedp.SetValue(chromedp.CSS("#q-a1 textarea"), "1. Ask Bora"))
	first.click("#q-a1 details [type=submit]")
	first.until(`location.search === "?said=decided" && !document.querySelector("#q-a1")`)
	s.mu.Lock()
	got := s.rulings[0]
	s.mu.Unlock()
	if got.Run != "r7" || got.Approval != "a1" || got.Action != "edit" || got.Values["steps"] != "1. Ask Bora" || got.User.ID != "owner" {
		t.Errorf("decided %+v", got)
	}
	second.until(`!document.querySelector("#q-a1") && Boolean(document.querySelector("#q-a2"))`) // without a reload
	if p := problems(); len(p) > 0 {
		t.Errorf("the browser complained: %q", p)
	}
}

// TestBrowserApprovalDecidedElsewhere shows who decided first.
func TestBrowserApprovalDecidedElsewhere(t *testing.T) {
	t.Parallel()
	s := &staffed{waiting: openQuestions()}
	c := startStaffed(t, s)
	b := browser(t)
	b.open(c.URL + "/approvals")
	b.until(`document.readyState === "complete"`)
	js[bool](b, `(document.querySelector("#q-a1 details").open = true)`) // so that the list waits
	s.mu.Lock()
	s.waiting = nil
	s.mu.Unlock()
	b.click("#q-a1 .buttons > form:first-child button")
	b.see("[role=alert]")
	b.see(".nothing")
}
