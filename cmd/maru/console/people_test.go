package console_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/bot"
	"maru/bot/outside"
	"maru/cmd/maru/console"
)

func TestPeopleAreListedWithTheirTokens(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(c *console.Config) { c.Roles = console.Admins{"slack/T1/U1"} })
	o.ran(t, "m1", channel)
	o.ran(t, "m2", private)
	today := time.Now().UTC().Format(time.DateOnly)
	if err := o.record.Spend(t.Context(), bot.Used{Day: today, Team: "slack/T1", Channel: "C1", User: "U1", Kind: bot.SpentTools, Usage: agent.Usage{Input: 10, Output: 5}}); err != nil {
		t.Fatal(err)
	}
	token := outside.Token{ID: "k1", Hash: "h", Home: outside.Home{Platform: "slack", Team: "T1"}, Owner: bot.User{ID: "U1"}, Name: "Claude", Scopes: []outside.Scope{outside.Ask}, Created: time.Now(), Expires: time.Now().Add(time.Hour)}
	if err := o.record.PutToken(t.Context(), token, 10); err != nil {
		t.Fatal(err)
	}
	self, stranger := bot.User{ID: "U1", Locale: "en"}, bot.User{ID: "U2", Locale: "en"}
	list, err := o.ListPeople(t.Context(), operator, home)
	if err != nil || len(list) != 1 {
		t.Fatalf("people %+v, %v", list, err)
	}
	p := list[0]
	if p.Key() != "slack/T1/U1" || p.Name != "alice" || p.Role != site.RoleAdmin || p.Tokens != 15 || p.Last.IsZero() {
		t.Errorf("person %+v", p)
	}
	for _, c := range []struct {
		by   bot.User
		want int
	}{{self, 1}, {stranger, 0}} {
		if list, err := o.ListPeople(t.Context(), c.by, channel); len(list) != c.want || err != nil {
			t.Errorf("%s sees %d people, %v", c.by.ID, len(list), err)
		}
	}
	if _, err := o.PersonTokens(t.Context(), stranger, channel, p); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("another person's tokens: %v", err)
	}
	if _, err := o.RevokeToken(t.Context(), stranger, channel, p, "k1"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("another person revokes: %v", err)
	}
	if tokens, err := o.PersonTokens(t.Context(), self, channel, p); len(tokens) != 1 || tokens[0].Name != "Claude" || tokens[0].Over || err != nil {
		t.Errorf("tokens %+v, %v", tokens, err)
	}
	if name, err := o.RevokeToken(t.Context(), operator, home, p, "k1"); name != "Claude" || err != nil {
		t.Errorf("revoked %q, %v", name, err)
	}
	if tokens, err := o.PersonTokens(t.Context(), operator, home, p); len(tokens) != 0 || err != nil {
		t.Errorf("tokens %+v, %v", tokens, err)
	}
	entries, err := o.record.AuditTail(t.Context(), "slack/T1", 10)
	if err != nil || len(entries) != 1 || entries[0].What != "program.shut_out" || entries[0].Who != "owner" {
		t.Errorf("audited %+v, %v", entries, err)
	}
}

// BenchmarkThousandPeople measures what a page of people reads of a record with 1,000 of them.
func BenchmarkThousandPeople(b *testing.B) {
	o := newOffice(b)
	for i := range 1000 {
		th := bot.Thread{Platform: "slack", Team: "T1", Channel: fmt.Sprint("C", i%20), ID: fmt.Sprint(i)}
		if err := o.record.SaveRun(b.Context(), bot.Run{ID: fmt.Sprint("r", i), Thread: th.Key(), Agent: "chat", User: fmt.Sprint("U", i), Status: bot.RunDone, Started: time.Now(), Usage: []byte(`{}`), Trace: []byte(`[]`)}); err != nil {
			b.Fatal(err)
		}
		o.ran(b, fmt.Sprint("m", i), th)
	}
	b.ResetTimer()
	for b.Loop() {
		list, err := o.ListPeople(b.Context(), operator, home)
		if err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
		for _, p := range list[:50] {
			if _, err := o.PersonTokens(b.Context(), operator, home, p); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestRolesThatAreKnown: nobody is said to be what only their platform knows.
func TestRolesThatAreKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ platform, team, user, want string }{
		{"slack", "T1", "U1", site.RoleAdmin}, {"slack", "T2", "U1", ""}, {"slack", "T1", "U2", ""}, {"discord", "1", "U9", site.RoleAdmin},
		{"web", "local", "owner", site.RoleAdmin}, {"web", "local", "release", ""}, {"web", "oidc", "oidc-1", ""},
	} {
		got, err := console.Admins{"slack/T1/U1", "U9"}.RoleOf(t.Context(), bot.Thread{Platform: c.platform, Team: c.team}, c.user)
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
