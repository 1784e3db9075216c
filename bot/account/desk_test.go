package account_test

import (
	"slices"
	"strings"
	"testing"
)

// TestEndAtARemovedServer ends accounts whose server was removed, or added again, after the sign-in.
func TestEndAtARemovedServer(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.signIn(ann, "a")
	rows := o.record.rows
	o.record.rows = nil
	if got := o.say(bob, "disconnect notes").Text; !strings.Contains(got, "No server here called") {
		t.Errorf("somebody without an account: %s", got)
	}
	if got := o.say(ann, "disconnect notes").Text; !strings.Contains(got, "revoked there") || strings.Join(o.grants.revoked, ",") != "a" {
		t.Errorf("%s, revoked %q", got, o.grants.revoked)
	}
	if got := o.say(ann, "disconnect notes").Text; !strings.Contains(got, "No server here called") {
		t.Errorf("once more: %s", got)
	}
	o.record.rows = rows
	o.signIn(ann, "b")
	o.record.rows[0].URL = "https://elsewhere.example.com/mcp"
	if got := o.say(ann, "disconnect notes").Text; !strings.Contains(got, "revoked there") || strings.Join(o.grants.revoked, ",") != "a,b" {
		t.Errorf("at a server that moved: %s, revoked %q", got, o.grants.revoked)
	}
}

// TestAccountsAtRemovedServersAreListed: an account whose server is gone is shown to its person, with how to delete it, and to nobody else.
func TestAccountsAtRemovedServersAreListed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.signIn(ann, "a")
	rows := o.record.rows
	o.record.rows = nil
	if got := o.say(bob, "list").Text; strings.Contains(got, "notes") {
		t.Errorf("somebody without an account: %s", got)
	}
	if got := o.say(ann, "list").Text; !strings.Contains(got, "server was removed") || !strings.Contains(got, "disconnect notes") {
		t.Errorf("%s", got)
	}
	moved := slices.Clone(rows)
	moved[0].URL = "https://elsewhere.example.com/mcp"
	o.record.rows = moved
	if got := o.say(ann, "list").Text; !strings.Contains(got, "server was removed or changed") || strings.Count(got, "`notes`") != 1 {
		t.Errorf("at a server that moved: %s", got)
	}
	o.record.rows = nil
	o.say(ann, "disconnect notes")
	if got := o.say(ann, "list").Text; strings.Contains(got, "notes") || strings.Join(o.grants.revoked, ",") != "a" {
		t.Errorf("after its end: %s, revoked %q", got, o.grants.revoked)
	}
	o.record.rows = rows
	o.signIn(ann, "b")
	if got := o.say(ann, "list").Text; strings.Contains(got, "removed") || !strings.Contains(got, "signed in") {
		t.Errorf("signed in again: %s", got)
	}
}
