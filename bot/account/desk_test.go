package account_test

import (
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
