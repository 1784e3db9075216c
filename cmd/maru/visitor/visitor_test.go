package visitor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"maru/adapters/web/signin"
	"maru/bot"
	"maru/cmd/maru/visitor"
)

// slack is a workspace with one person.
type slack struct {
	user  bot.User
	there bool
	err   error
	asked int
}

func (s *slack) PersonNow(context.Context, bot.Thread, string) (bot.User, bool, error) {
	s.asked++
	return s.user, s.there, s.err
}

// installs is the record's row of the workspace.
type installs struct{ state bot.InstallState }

func (i *installs) Installation(context.Context, string, string) (bot.Installation, error) {
	if i.state == "" {
		return bot.Installation{}, bot.ErrNotFound
	}
	return bot.Installation{State: i.state}, nil
}

func TestPerson(t *testing.T) {
	t.Parallel()
	id := signin.Identity{Platform: "slack", Team: "T1", User: "U1"}
	for name, c := range map[string]struct {
		id       signin.Identity
		slack    slack
		state    bot.InstallState
		role     signin.Role // "" for nobody
		operator bool
	}{
		"member":                   {id, slack{user: bot.User{ID: "U1"}, there: true}, bot.InstallActive, signin.Member, false},
		"workspace without a row":  {id, slack{user: bot.User{ID: "U1"}, there: true}, "", signin.Member, false},
		"admin of the workspace":   {id, slack{user: bot.User{ID: "U1", Admin: true}, there: true}, bot.InstallActive, signin.Admin, false},
		"one who runs the program": {id, slack{user: bot.User{ID: "UBOSS"}, there: true}, bot.InstallActive, signin.Admin, true},
		"guest":                    {id, slack{user: bot.User{ID: "U1", Guest: true}, there: true}, bot.InstallActive, signin.Viewer, false},
		"stranger":                 {id, slack{user: bot.User{ID: "U1", External: true}, there: true}, bot.InstallActive, signin.Viewer, false},
		"closed account":           {id, slack{user: bot.User{ID: "U1"}}, bot.InstallActive, "", false},
		"bot":                      {id, slack{user: bot.User{ID: "U1", Bot: true}, there: true}, bot.InstallActive, "", false},
		"workspace left":           {id, slack{user: bot.User{ID: "U1"}, there: true}, bot.InstallLeaving, "", false},
		"workspace gone":           {id, slack{user: bot.User{ID: "U1"}, there: true}, bot.InstallRemoved, "", false},
		"workspace not served":     {id, slack{err: bot.ErrGone}, "", "", false},
		"platform switched off":    {signin.Identity{Platform: "discord", Team: "1", User: "2"}, slack{}, "", "", false},
		"admin by claims":          {signin.Identity{Platform: "web", Team: "oidc", User: "oidc-1", Role: signin.Admin}, slack{}, "", signin.Admin, true},
		"viewer by claims":         {signin.Identity{Platform: "web", Team: "oidc", User: "oidc-1", Role: signin.Viewer}, slack{}, "", signin.Viewer, false},
	} {
		d := visitor.New(visitor.Config{
			Directories: map[string]visitor.Directory{"slack": &c.slack}, Installations: &installs{c.state},
			Operates: func(_ bot.Thread, u bot.User) bool { return u.ID == "UBOSS" },
		})
		p, err := d.Person(t.Context(), c.id)
		if c.role == "" {
			if !errors.Is(err, bot.ErrNotFound) {
				t.Errorf("%s: %+v, %v; want nobody", name, p, err)
			}
			continue
		}
		if err != nil || p.Role != c.role || p.User.Operator != c.operator {
			t.Errorf("%s: %+v, %v; want %s", name, p, err, c.role)
		}
	}
}

func TestAPlatformThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := &slack{user: bot.User{ID: "U1", Admin: true}, there: true}
	d := visitor.New(visitor.Config{
		Directories: map[string]visitor.Directory{"slack": s}, Installations: &installs{}, Now: func() time.Time { return now },
		Operates: func(_ bot.Thread, u bot.User) bool { return u.ID == "UBOSS" },
	})
	id := signin.Identity{Platform: "slack", Team: "T1", User: "U1"}
	operates := func() bool {
		t.Helper()
		p, err := d.Person(t.Context(), signin.Identity{Platform: "slack", Team: "T1", User: "UBOSS"})
		if err != nil {
			t.Error(err)
		}
		return p.User.Operator
	}
	role := func() signin.Role {
		t.Helper()
		p, err := d.Person(t.Context(), id)
		if err != nil && errors.Is(err, bot.ErrNotFound) {
			t.Error("an outage makes somebody nobody")
		}
		return p.Role
	}
	if first, second := role(), role(); first != signin.Admin || second != first || s.asked != 1 {
		t.Fatalf("%s, %s, asked %d times", first, second, s.asked)
	}
	s.user.ID = "UBOSS"
	if !operates() {
		t.Error("who runs the program does not operate it")
	}
	s.err = errors.New("no answer")
	for _, step := range []struct {
		after time.Duration
		role  signin.Role
	}{{time.Second, signin.Admin}, {time.Minute, signin.Member}, {5 * time.Minute, ""}} {
		if now = now.Add(step.after); role() != step.role {
			t.Errorf("after %s: role %q, want %q", step.after, role(), step.role)
		}
		if step.after == time.Minute && operates() {
			t.Error("who cannot be looked up now operates the program")
		}
	}
	if asked := s.asked; role() != "" || s.asked != asked {
		t.Error("a look-up that failed is repeated at once")
	}
	now = now.Add(5 * time.Second)
	if s.err = nil; role() != signin.Admin {
		t.Error("not looked up again")
	}
	s.there = false
	now = now.Add(time.Minute)
	if _, err := d.Person(t.Context(), id); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("who left is still somebody: %v", err)
	}
}

// notes are a record's.
type notes map[string]string

func (n notes) Note(_ context.Context, key string) (string, error) { return n[key], nil }

func (n notes) SetNote(_ context.Context, key, value string) error {
	n[key] = value
	return nil
}

// TestRolesThatAreKnown: nobody is said to be what only their platform knows.
func TestRolesThatAreKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ platform, team, user, want string }{
		{"slack", "T1", "U1", "admin"}, {"slack", "T2", "U1", ""}, {"slack", "T1", "U2", ""}, {"discord", "1", "U9", "admin"},
		{"web", "local", "owner", "admin"}, {"web", "local", "release", ""}, {"web", "oidc", "oidc-1", ""},
	} {
		roles := visitor.Roles{Given: visitor.Given{Notes: notes{}}, Admins: []string{"slack/T1/U1", "U9", "web/local/owner"}}
		got, given, err := roles.RoleOf(t.Context(), bot.Thread{Platform: c.platform, Team: c.team}, c.user)
		if err != nil || given || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// TestGivenRoles go before those of platform and provider; only those whom the platform knows now become admins.
func TestGivenRoles(t *testing.T) {
	t.Parallel()
	kept := notes{}
	alice := &slack{user: bot.User{ID: "U1", Admin: true}, there: true}
	now := time.Now()
	d := visitor.New(visitor.Config{
		Directories: map[string]visitor.Directory{"slack": alice}, Installations: &installs{}, Given: visitor.Given{Notes: kept}, Now: func() time.Time { return now },
		Operates: func(bot.Thread, bot.User) bool { return false },
	})
	roles := visitor.Roles{Given: visitor.Given{Notes: kept}, Desk: d}
	for name, id := range map[string]signin.Identity{"slack": {Platform: "slack", Team: "T1", User: "U1"}, "oidc": {Platform: "web", Team: "oidc", User: "boss", Role: signin.Admin}} {
		place := bot.Thread{Platform: id.Platform, Team: id.Team}
		for _, role := range []signin.Role{signin.Viewer, signin.Member, signin.Admin} {
			if err := roles.Give(t.Context(), place, id.User, string(role)); err != nil {
				t.Fatal(err)
			}
			p, err := d.Person(t.Context(), id)
			if admin := role == signin.Admin; err != nil || p.Role != role || p.User.Operator != admin || p.User.Admin != admin {
				t.Errorf("%s is given %q: %+v, %v", name, role, p, err)
			}
		}
	}
	alice.err, now = context.DeadlineExceeded, now.Add(time.Minute)
	p, err := d.Person(t.Context(), signin.Identity{Platform: "slack", Team: "T1", User: "U1"})
	if err != nil || p.User.Operator || p.Role == signin.Admin {
		t.Errorf("while the platform is away: %+v, %v", p, err)
	}
	alice.there, alice.err, now = false, nil, now.Add(time.Minute)
	if _, err := d.Person(t.Context(), signin.Identity{Platform: "slack", Team: "T1", User: "U1"}); err == nil {
		t.Error("who has left is let in")
	}
	if got := roles.LookUp(t.Context(), bot.Thread{Platform: "slack", Team: "T1"}, "U1"); got != "" {
		t.Errorf("who has left is %q", got)
	}
}
