package console_test

import (
	"context"
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
	o := newOffice(t, func(c *console.Config) { c.Roles = roster{} })
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
	used, err := o.Used(t.Context(), operator, today, today)
	if err != nil || len(used) == 0 || used[0].User != "alice (U1)" {
		t.Errorf("the usage page has %+v, %v", used, err)
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

// roster are the roles of people in a test.
type roster struct{ given map[string]string }

func (r roster) RoleOf(_ context.Context, t bot.Thread, user string) (string, bool, error) {
	if role := r.given[t.Person(bot.User{ID: user})]; role != "" {
		return role, true, nil
	}
	return map[string]string{"U1": site.RoleAdmin}[user], false, nil
}

func (roster) LookUp(context.Context, bot.Thread, string) string { return site.RoleViewer }

func (r roster) Give(_ context.Context, t bot.Thread, user, role string) error {
	r.given[t.Person(bot.User{ID: user})] = role
	return nil
}

// TestRolesAreGiven: by those who run the program, to people that there are, and not to themselves.
func TestRolesAreGiven(t *testing.T) {
	t.Parallel()
	r := roster{map[string]string{}}
	o := newOffice(t, func(c *console.Config) { c.Roles = r })
	o.ran(t, "m1", channel)
	alice := site.Person{Platform: "slack", Team: "T1", ID: "U1"}
	self := bot.User{ID: "U1", Operator: true, Locale: "en"}
	for name, c := range map[string]struct {
		by   bot.User
		from bot.Thread
		to   site.Person
		role string
	}{
		"by a member": {bot.User{ID: "U2"}, channel, alice, site.RoleAdmin}, "their own": {self, channel, alice, site.RoleViewer}, "no role": {operator, home, alice, "owner"},
		"nobody": {operator, home, site.Person{Platform: "slack", Team: "T1", ID: "U9"}, site.RoleAdmin}, "the terminal's": {operator, home, site.Person{Platform: "console", Team: "local", ID: "owner"}, site.RoleViewer}, "the owner's": {operator, home, site.Person{Platform: "web", Team: "local", ID: "owner"}, site.RoleViewer},
	} {
		if err := o.GiveRole(t.Context(), c.by, c.from, c.to, c.role); err == nil || len(r.given) > 0 {
			t.Errorf("%s is given: %v", name, r.given)
		}
	}
	for _, role := range []string{site.RoleViewer, ""} {
		if err := o.GiveRole(t.Context(), operator, home, alice, role); err != nil {
			t.Fatal(err)
		}
		list, err := o.ListPeople(t.Context(), operator, home)
		if err != nil || len(list) != 1 || list[0].Given != (role != "") || role != "" && list[0].Role != role {
			t.Errorf("%q: %+v, %v", role, list, err)
		}
	}
	if got := o.RoleOnPlatform(t.Context(), alice); got != site.RoleViewer {
		t.Errorf("the platform says %q", got)
	}
	entries, err := o.record.AuditTail(t.Context(), "slack/T1", 10)
	if err != nil || len(entries) == 0 || entries[0].What != "person.role" {
		t.Errorf("the audit log has %+v, %v", entries, err)
	}
}
