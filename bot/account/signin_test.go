package account_test

import (
	"strings"
	"testing"
)

// TestNewerLinkDuringBegin replaces a link while the server answers: the newer one works, the older one does not.
func TestNewerLinkDuringBegin(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	old, newer := o.state(ann), ""
	o.grants.begin = func() { newer = o.state(ann) }
	if address, _, problem, err := o.desk.Begin(t.Context(), old, "en"); err != nil || problem == nil || !strings.Contains(problem.Text, "replaced") {
		t.Errorf("%q, %+v, %v", address, problem, err)
	}
	o.grants.begin = nil
	if _, _, problem, err := o.desk.Begin(t.Context(), newer, "en"); err != nil || problem != nil {
		t.Errorf("the newer link: %+v, %v", problem, err)
	}
}

// TestPageNamesPerson tells people of one name apart, and workspaces.
func TestPageNamesPerson(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	page, err := o.desk.Open(t.Context(), o.state(ann), "en")
	if err != nil || !strings.Contains(page.Text, "Ann Lee (U1) on Slack T1") {
		t.Errorf("%+v, %v", page, err)
	}
}
