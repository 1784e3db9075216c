package site

import (
	"context"
	"html/template"
	"net/http"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase"
)

// People lists the people who have had runs.
//
// ListPeople lists, for operators, everybody, and for everybody else only themselves, most recently active first.
// PersonTokens lists a person's tokens. RevokeToken revokes one, as "/maru token revoke" does: a person's own or,
// for operators, anybody's. It returns the token's name.
//
// RoleOnPlatform asks a person's platform for their role; "" if unknown. GiveRole sets a person's role in the
// console, or with "" restores that of their platform; only operators may do so, and not for themselves.
type People interface {
	ListPeople(ctx context.Context, by bot.User, from bot.Thread) ([]Person, error)
	PersonTokens(ctx context.Context, by bot.User, from bot.Thread, p Person) ([]PersonToken, error)
	RevokeToken(ctx context.Context, by bot.User, from bot.Thread, p Person, id string) (name string, err error)
	RoleOnPlatform(ctx context.Context, p Person) string
	GiveRole(ctx context.Context, by bot.User, from bot.Thread, p Person, role string) error
}

// The roles of people.
const (
	RoleViewer = "viewer"
	RoleMember = "member"
	RoleAdmin  = "admin"
)

// Person is a person who has had runs.
type Person struct {
	Platform, Team string
	ID, Name       string
	Role           string // one of the roles, "" if unknown
	Given          bool   // the role was given in the console
	Last           time.Time
	Runs           int // this month
	Tokens         int // of models, this month
	Cost           float64
}

// Key names a person as settings do: "slack/T1/U1".
func (p Person) Key() string {
	return bot.Thread{Platform: p.Platform, Team: p.Team}.Person(bot.User{ID: p.ID})
}

// team returns the key of a person's workspace.
func (p Person) team() string { return bot.Thread{Platform: p.Platform, Team: p.Team}.TeamKey() }

// Team returns the name of a person's workspace, with the person's key under the pointer.
func (p peoplePage) Team(one Person) template.HTML {
	return titled(p.TeamWord(one.team()), one.Key())
}

// Local reports whether a person uses the program on its own machine or with a token of the settings file. Their
// rights are not a role of the console.
func (p Person) Local() bool {
	return p.Team == "local" && (p.Platform == "web" || p.Platform == "console")
}

// PersonToken is a token with which a program acts in a person's name.
type PersonToken struct {
	ID, Name, Allows string // Allows describes its rights
	Expires          time.Time
	Over             bool
}

// asking limits the time for asking platforms for roles before the page is shown without the rest.
const asking = 2 * time.Second

// peoplePerPage is the number of people per page.
const peoplePerPage = 50

type peoplePage struct {
	base

	List       []personRow
	Words      string
	All, Found int
	Pager      pager
	Said       string
}

// personRow is a person with their tokens.
type personRow struct {
	Person

	Keys []PersonToken
}

// RoleWord returns the name of a person's role, or what their role depends on; "–" if unknown.
func (p peoplePage) RoleWord(one Person) string {
	switch {
	case one.Role != "":
		return p.T("role." + one.Role)
	case one.Local():
		return p.T("people.role.token")
	case one.Platform == "web":
		return p.T("people.role.signin")
	}
	return "–"
}

// Total formats the number of people.
func (p peoplePage) Total() string { return phrase.Say(p.Lang, "web.people.total", p.Found) }

func (s *Site) people(w http.ResponseWriter, r *http.Request, d People, said string) {
	p := peoplePage{base: s.base(r), Words: strings.TrimSpace(r.URL.Query().Get("words")), Said: said}
	list, err := d.ListPeople(r.Context(), p.User, p.Thread)
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	var shown []Person
	for _, one := range list {
		if holdsWords(p.Words, one.Name, one.Key(), p.RoleWord(one)) {
			shown = append(shown, one)
		}
	}
	s.name(r, &p.base, keysOf(shown, Person.team)...)
	p.All, p.Found = len(list), len(shown)
	var from, to int
	p.Pager, from, to = paged(r, len(shown), peoplePerPage)
	until := time.Now().Add(asking)
	for _, one := range shown[from:to] {
		if one.Role == "" && time.Now().Before(until) {
			one.Role = d.RoleOnPlatform(r.Context(), one)
		}
		row := personRow{Person: one}
		if row.Keys, err = d.PersonTokens(r.Context(), p.User, p.Thread, one); err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		p.List = append(p.List, row)
	}
	s.show(w, r, "people", p.T("people"), p)
}

// Roles lists the assignable roles; "" is that of the platform.
func (peoplePage) Roles() []string { return []string{"", RoleViewer, RoleMember, RoleAdmin} }

// NameWord names a person.
func (p peoplePage) NameWord(one Person) string {
	return p.PersonWord(bot.Thread{Platform: one.Platform, Team: one.Team}, one.ID, one.Name)
}

// GivenWord returns the name of an assignable role.
func (p peoplePage) GivenWord(role string) string {
	if role == "" {
		return p.T("people.role.platform")
	}
	return p.T("role." + role)
}

// Changes reports whether the visitor may change a person's role.
func (p peoplePage) Changes(one personRow) bool {
	self := one.ID == p.User.ID && one.Platform == p.Thread.Platform && one.Team == p.Thread.Team
	return p.User.Operator && !self && !one.Local()
}

// changePerson handles the form of a token, or that of a role.
func (s *Site) changePerson(w http.ResponseWriter, r *http.Request, d People) {
	v := s.frame.Visitor(r)
	person := Person{Platform: r.PostFormValue("platform"), Team: r.PostFormValue("team"), ID: r.PostFormValue("person")}
	if r.PostFormValue("do") == "role" {
		if err := d.GiveRole(r.Context(), v.User, v.Thread, person, r.PostFormValue("role")); err != nil {
			s.frame.Fail(w, r, err)
			return
		}
		s.people(w, r, d, v.T("people.role.done"))
		return
	}
	name, err := d.RevokeToken(r.Context(), v.User, v.Thread, person, r.PostFormValue("id"))
	if err != nil {
		s.frame.Fail(w, r, err)
		return
	}
	s.people(w, r, d, phrase.Say(v.Lang, "web.people.revoked", oneLine(name)))
}
