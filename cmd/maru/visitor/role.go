package visitor

import (
	"context"
	"fmt"
	"slices"

	"maru/adapters/web/signin"
	"maru/bot"
)

// Notes keep the roles that were given.
type Notes interface {
	Note(ctx context.Context, key string) (string, error)
	SetNote(ctx context.Context, key, value string) error // "" removes it
}

// Given are the roles that admins gave people in the console, in notes "console/role/slack/T1/U1". They go before those of the
// platform and of the provider, and count in the console alone.
type Given struct{ Notes Notes }

func roleKey(t bot.Thread, user string) string { return "console/role/" + t.Person(bot.User{ID: user}) }

// Of returns the role that somebody was given, "" for none.
func (g Given) Of(ctx context.Context, t bot.Thread, user string) (signin.Role, error) {
	role, err := g.Notes.Note(ctx, roleKey(t, user))
	if err != nil {
		return "", fmt.Errorf("read role: %w", err)
	}
	return signin.Role(role), nil
}

// apply gives a person their role. That of an admin takes that the platform knows the person now.
func apply(given signin.Role, u *bot.User, role *signin.Role, current bool) {
	switch given {
	case signin.Viewer, signin.Member:
		*role, u.Admin, u.Operator = given, false, false
	case signin.Admin:
		if current {
			*role, u.Admin, u.Operator = given, true, true
		}
	}
}

// Record is the part of the record that is asked about people.
type Record interface {
	Installations
	Notes
}

// Over returns the desk of people of these platforms; admins run the program, by their ID or as "slack/T1/U1".
func Over(platforms []bot.Adapter, admins []string, r Record) *Desk {
	dirs := map[string]Directory{}
	for _, p := range platforms {
		if d, ok := p.(Directory); ok {
			dirs[p.Platform()] = d
		}
	}
	return New(Config{
		Directories: dirs, Installations: r, Given: Given{r},
		Operates: func(t bot.Thread, u bot.User) bool {
			return slices.Contains(admins, u.ID) || slices.Contains(admins, t.Person(u))
		},
	})
}

// Roles tells and changes the roles of people, for a list of them.
type Roles struct {
	Given  Given
	Desk   *Desk    // asks the platforms; nil: nobody signs in
	Admins []string // those who run the program, by their ID or as "slack/T1/U1"
}

// RolesOf returns the roles of people of these platforms, with the owner in the console and in the terminal.
func RolesOf(platforms []bot.Adapter, admins []string, r Record) Roles {
	return Roles{Given{r}, Over(platforms, admins, r), append(slices.Clone(admins), "web/local/owner", "console/local/owner")}
}

// RoleOf returns the role of a person as far as it is known without asking the platform, "" else; given says that it was given in
// the console.
func (r Roles) RoleOf(ctx context.Context, t bot.Thread, user string) (role string, given bool, err error) {
	got, err := r.Given.Of(ctx, t, user)
	switch {
	case err != nil || got != "":
		return string(got), got != "", err
	case slices.Contains(r.Admins, user) || slices.Contains(r.Admins, t.Person(bot.User{ID: user})):
		return string(signin.Admin), false, nil
	}
	return "", false, nil
}

// LookUp asks the person's platform; "" if it cannot tell now, or if they have no account there.
func (r Roles) LookUp(ctx context.Context, t bot.Thread, user string) string {
	if r.Desk == nil || r.Desk.cfg.Directories[t.Platform] == nil {
		return ""
	}
	p, err := r.Desk.Person(ctx, signin.Identity{Platform: t.Platform, Team: t.Team, User: user})
	if err != nil {
		return ""
	}
	return string(p.Role)
}

// Give gives somebody a role, or with "" that of their platform again.
func (r Roles) Give(ctx context.Context, t bot.Thread, user, role string) error {
	return r.Given.Notes.SetNote(ctx, roleKey(t, user), role)
}
