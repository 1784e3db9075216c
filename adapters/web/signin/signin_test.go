package signin_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/web/signin"
	"maru/adapters/web/signin/oidcfake"
)

const public = "http://maru.test"

// desk is a SignIn with one provider, and a browser's cookies.
type desk struct {
	*signin.SignIn

	t       *testing.T
	cookies map[string]*http.Cookie
	next    string
}

func rules(t *testing.T, list ...string) []signin.Rule {
	t.Helper()
	out, err := signin.ParseRules(list)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func newDesk(t *testing.T, c signin.Config) *desk {
	t.Helper()
	c.PublicURL, c.Key, c.Client = public, []byte("the key of all replicas"), oidcfake.Patient
	s, err := signin.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{SignIn: s, t: t, cookies: map[string]*http.Cookie{}}
}

func (d *desk) keep(w *httptest.ResponseRecorder) {
	for _, c := range w.Result().Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
			d.t.Errorf("cookie %s is not HttpOnly and Lax", c.Name)
		}
		if c.MaxAge < 0 {
			delete(d.cookies, c.Name)
			continue
		}
		d.cookies[c.Name] = c
	}
}

func (d *desk) request(address string) *http.Request {
	r := httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, address, nil)
	for _, c := range d.cookies {
		r.AddCookie(c)
	}
	return r
}

// begin goes to the provider and returns the address to which it leads back.
func (d *desk) begin(way, next string) string {
	d.t.Helper()
	w := httptest.NewRecorder()
	page, err := d.Begin(w, d.request(public+"/signin/"+way), way, next)
	if err != nil {
		d.t.Fatal(err)
	}
	d.keep(w)
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, page, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	back := res.Header.Get("Location")
	if res.StatusCode != http.StatusFound {
		d.t.Fatalf("the provider answers %d for %s", res.StatusCode, page)
	}
	return back
}

// end opens the address to which the provider led back, and returns who came and the key of the problem.
func (d *desk) end(way, back string) ([]signin.Identity, string) {
	d.t.Helper()
	w := httptest.NewRecorder()
	list, next, err := d.End(w, d.request(back), way)
	d.keep(w)
	d.next = next
	var p *signin.Problem
	if err != nil && !errors.As(err, &p) {
		d.t.Fatalf("no problem for people: %v", err)
	}
	if p != nil {
		if strings.Contains(p.Error(), "secret detail") || strings.Contains(p.Error(), "code-") {
			d.t.Errorf("the log would tell %q", p.Error())
		}
		return list, strings.TrimPrefix(p.Key, "signin.")
	}
	return list, ""
}

func newOIDC(t *testing.T, list ...string) (*desk, *oidcfake.Provider) {
	t.Helper()
	p := oidcfake.Start(t)
	return newDesk(t, signin.Config{OIDC: &signin.OIDC{Issuer: p.URL, ClientID: oidcfake.ClientID, ClientSecret: oidcfake.ClientSecret, Roles: rules(t, list...)}}), p
}

func TestOIDCSignsIn(t *testing.T) {
	t.Parallel()
	d, p := newOIDC(t, "admin:groups=maru-admins", "member:email=*@example.com", "viewer:*")
	for name, c := range map[string]struct {
		who  oidcfake.Account
		role signin.Role
	}{
		"group":             {oidcfake.Account{Subject: "1", Claims: map[string]any{"groups": []any{"staff", "maru-admins"}}}, signin.Admin},
		"group of userinfo": {oidcfake.Account{Subject: "1", InfoOnly: map[string]any{"groups": []any{"maru-admins"}}}, signin.Admin},
		"address":           {oidcfake.Account{Subject: "2", Claims: map[string]any{"email": "bob@Example.com", "email_verified": true}}, signin.Member},
		"unproved address":  {oidcfake.Account{Subject: "3", Claims: map[string]any{"email": "eve@example.com"}}, signin.Viewer},
		"other domain":      {oidcfake.Account{Subject: "4", Claims: map[string]any{"email": "eve@example.com.evil.org", "email_verified": true}}, signin.Viewer},
	} {
		p.Become(c.who)
		list, problem := d.end(signin.WayOIDC, d.begin(signin.WayOIDC, "/runs/r1#source-2"))
		if problem != "" || len(list) != 1 || list[0].Role != c.role || list[0].Platform != "web" || list[0].Team != signin.TeamOIDC || list[0].Rules != d.Rules() {
			t.Errorf("%s: %+v, problem %q; want role %s", name, list, problem, c.role)
		}
		if d.next != "/runs/r1#source-2" {
			t.Errorf("%s: leads to %q", name, d.next)
		}
	}
	if said := p.Refused(); len(said) > 0 {
		t.Errorf("the provider refused %v", said)
	}
}

func TestOIDCSameAccountIsSamePerson(t *testing.T) {
	t.Parallel()
	d, p := newOIDC(t, "member:*")
	seen := map[string]bool{}
	for _, sub := range []string{"a", "a", "b"} {
		p.Become(oidcfake.Account{Subject: sub, Claims: map[string]any{"name": "Same Name"}})
		list, problem := d.end(signin.WayOIDC, d.begin(signin.WayOIDC, "/"))
		if problem != "" {
			t.Fatal(problem)
		}
		seen[list[0].Key()] = true
	}
	if len(seen) != 2 {
		t.Errorf("two accounts are %d people", len(seen))
	}
}

func TestOIDCRefusesBadTokens(t *testing.T) {
	t.Parallel()
	hour := time.Now().Add(-time.Hour).Unix()
	for name, f := range map[string]oidcfake.Faults{
		"nonce":             {Claims: map[string]any{"nonce": "other"}},
		"no nonce":          {Claims: map[string]any{"nonce": ""}},
		"audience":          {Claims: map[string]any{"aud": "another-client"}},
		"issuer":            {Claims: map[string]any{"iss": "https://evil.example"}},
		"expired":           {Claims: map[string]any{"exp": hour}},
		"unpublished key":   {OtherKey: true},
		"unsigned":          {Unsigned: true},
		"another's profile": {Other: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := newOIDC(t, "member:groups=staff", "viewer:*")
			back := d.begin(signin.WayOIDC, "/")
			p.Fail(f)
			if list, problem := d.end(signin.WayOIDC, back); problem != "refused" || len(list) > 0 {
				t.Errorf("%+v, problem %q", list, problem)
			}
			p.Fail(oidcfake.Faults{})
			if _, problem := d.end(signin.WayOIDC, d.begin(signin.WayOIDC, "/")); problem != "" {
				t.Errorf("afterwards: %q", problem)
			}
		})
	}
}

func TestOIDCRefusesForeignAnswers(t *testing.T) {
	t.Parallel()
	d, p := newOIDC(t, "viewer:*")
	back := d.begin(signin.WayOIDC, "/")
	other := newDesk(t, signin.Config{OIDC: &signin.OIDC{Issuer: p.URL, ClientID: oidcfake.ClientID, ClientSecret: oidcfake.ClientSecret, Roles: rules(t, "viewer:*")}})
	if list, problem := other.end(signin.WayOIDC, back); problem != "foreign" || len(list) > 0 {
		t.Errorf("a browser that did not begin: %+v, %q", list, problem)
	}
	u, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("state", "other")
	u.RawQuery = q.Encode()
	if _, problem := d.end(signin.WayOIDC, u.String()); problem != "foreign" {
		t.Errorf("another state: %q", problem)
	}
	other.cookies = d.cookies // another replica with the same key completes it
	if _, problem := other.end(signin.WayOIDC, back); problem != "" {
		t.Errorf("another replica: %q", problem)
	}
	d.cookies = map[string]*http.Cookie{}
	if _, problem := d.end(signin.WayOIDC, back); problem != "foreign" {
		t.Errorf("once more: %q", problem)
	}
	back = d.begin(signin.WayOIDC, "/")
	kept := d.cookies["maru-signin"]
	if _, problem := d.end(signin.WayOIDC, back); problem != "" {
		t.Fatal(problem)
	}
	d.cookies["maru-signin"] = kept // a copy of the cookie: the provider takes no code twice
	if _, problem := d.end(signin.WayOIDC, back); problem != "refused" {
		t.Errorf("a replayed code: %q", problem)
	}
	if said := p.Refused(); len(said) != 1 || said[0] != "code used before" {
		t.Errorf("the provider refused %v", said)
	}
}

// TestTabsSignInSideBySide: sign-ins that began in several tabs of one browser end in any order, each where it began.
func TestTabsSignInSideBySide(t *testing.T) {
	t.Parallel()
	d, _ := newOIDC(t, "viewer:*")
	long := "/runs?q=" + strings.Repeat("a", 900)
	for name, next := range map[string][]string{"short": {"/runs", "/documents", "/me"}, "long": {long + "1", long + "2"}} {
		var back []string
		for _, n := range next {
			back = append(back, d.begin(signin.WayOIDC, n))
		}
		for _, i := range []int{len(next) - 1, 0} {
			if _, problem := d.end(signin.WayOIDC, back[i]); problem != "" || d.next != next[i] {
				t.Errorf("%s: tab %d: %q at %q", name, i, problem, d.next)
			}
			if _, problem := d.end(signin.WayOIDC, back[i]); problem != "foreign" {
				t.Errorf("%s: tab %d once more: %q", name, i, problem)
			}
		}
	}
	first := d.begin(signin.WayOIDC, "/first")
	for range 5 {
		d.begin(signin.WayOIDC, "/")
	}
	if _, problem := d.end(signin.WayOIDC, first); problem != "foreign" {
		t.Errorf("the first of six: %q", problem)
	}
}

func TestOIDCNewKeysAreFetched(t *testing.T) {
	t.Parallel()
	d, p := newOIDC(t, "viewer:*")
	for range 2 {
		if _, problem := d.end(signin.WayOIDC, d.begin(signin.WayOIDC, "/")); problem != "" {
			t.Fatal(problem)
		}
		p.Rotate()
	}
}

func TestOIDCOutage(t *testing.T) {
	t.Parallel()
	p := oidcfake.Start(t)
	p.Fail(oidcfake.Faults{Down: true})
	now := time.Now()
	d := newDesk(t, signin.Config{Now: func() time.Time { return now }, OIDC: &signin.OIDC{
		Issuer: p.URL, ClientID: oidcfake.ClientID, ClientSecret: oidcfake.ClientSecret, Roles: rules(t, "viewer:*"),
	}})
	_, err := d.Begin(httptest.NewRecorder(), d.request(public), signin.WayOIDC, "/")
	var problem *signin.Problem
	if !errors.As(err, &problem) || problem.Key != "signin.unreachable" || problem.Status != http.StatusBadGateway {
		t.Fatalf("while it is down: %v", err)
	}
	p.Fail(oidcfake.Faults{})
	now = now.Add(time.Minute)
	back := d.begin(signin.WayOIDC, "/")
	p.Fail(oidcfake.Faults{Down: true})
	if _, problem := d.end(signin.WayOIDC, back); problem != "unreachable" {
		t.Errorf("down between the halves: %q", problem)
	}
	p.Fail(oidcfake.Faults{})
	back = d.begin(signin.WayOIDC, "/")
	now = now.Add(time.Hour)
	if _, problem := d.end(signin.WayOIDC, back); problem != "foreign" {
		t.Errorf("after an hour: %q", problem)
	}
}

func TestRoleRules(t *testing.T) {
	t.Parallel()
	d, p := newOIDC(t, "member:realm_access.roles=maru", "admin:https://example.com/role=boss")
	for name, c := range map[string]struct {
		claims map[string]any
		role   signin.Role
	}{
		"nested":    {map[string]any{"realm_access": map[string]any{"roles": []any{"maru"}}}, signin.Member},
		"with dots": {map[string]any{"https://example.com/role": "boss"}, signin.Admin},
		"none":      {map[string]any{"realm_access": map[string]any{"roles": []any{"other", 7}}}, ""},
	} {
		p.Become(oidcfake.Account{Subject: name, Claims: c.claims})
		list, problem := d.end(signin.WayOIDC, d.begin(signin.WayOIDC, "/"))
		if c.role == "" {
			if problem != "no_role" || len(list) > 0 {
				t.Errorf("%s: %+v, %q", name, list, problem)
			}
			continue
		}
		if problem != "" || list[0].Role != c.role {
			t.Errorf("%s: %+v, %q", name, list, problem)
		}
	}
	for _, bad := range []string{"", "owner:*", "admin:*", "admin", "admin:groups", "admin:=x", "admin:groups=", "admin:groups=*", "admin:email=a*b"} {
		if _, err := signin.ParseRules([]string{bad}); err == nil {
			t.Errorf("%q is taken for a rule", bad)
		}
	}
}

// TestOfferFitsACookie: long names and a long address do not keep somebody of many servers out.
func TestOfferFitsACookie(t *testing.T) {
	t.Parallel()
	many := func(n int, name string) (list []signin.Identity) {
		for i := range n {
			list = append(list, signin.Identity{Platform: "discord", Team: fmt.Sprint(100000000000000000 + i), User: "100000000000000001", Name: name, Place: name})
		}
		return list
	}
	const some = -1 // fewer than there are
	for name, c := range map[string]struct {
		list []signin.Identity
		next string
		want int
		to   string
	}{
		"few":            {many(2, "마루"), "/documents", 2, "/documents"},
		"too many":       {many(30, "마루"), "/documents", 10, "/documents"},
		"long names":     {many(10, strings.Repeat("마", 100)), "/documents", 10, "/documents"},
		"a long address": {many(10, strings.Repeat("마", 100)), "/search?q=" + strings.Repeat("<", 900), 10, "/"},
		"escaped names":  {many(10, strings.Repeat("\x01", 100)), "/", some, "/"},
	} {
		d, _ := newOIDC(t, "viewer:*")
		w := httptest.NewRecorder()
		offered, err := d.Offer(w, c.list, c.next)
		if err != nil || len(offered) != c.want && (c.want != some || len(offered) < 5 || len(offered) > 9) {
			t.Errorf("%s: offered %d, %v; want %d", name, len(offered), err, c.want)
			continue
		}
		d.keep(w)
		if kept, next := d.Offered(d.request(public)); !slices.Equal(kept, offered) || next != c.to {
			t.Errorf("%s: kept %d, next %.20q", name, len(kept), next)
		}
	}
	d, _ := newOIDC(t, "viewer:*")
	if _, problem := d.end(signin.WayOIDC, d.begin(signin.WayOIDC, "/"+strings.Repeat("<", 900))); problem != "" || d.next != "/" {
		t.Errorf("problem %q, leads to %.20q", problem, d.next)
	}
}

// TestProvidersErrorsAreClipped: what a provider sends fills no log.
func TestProvidersErrorsAreClipped(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, strings.Repeat("<p>down</p>", 10_000))
	}))
	defer s.Close()
	d := newDesk(t, signin.Config{OIDC: &signin.OIDC{Issuer: s.URL, ClientID: "c", ClientSecret: "s", Roles: rules(t, "viewer:*")}})
	_, err := d.Begin(httptest.NewRecorder(), d.request(public), signin.WayOIDC, "/")
	var p *signin.Problem
	if !errors.As(err, &p) || len(p.Error()) > 500 || !strings.Contains(p.Error(), "502") {
		t.Errorf("%.600v", err)
	}
}
