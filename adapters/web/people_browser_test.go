//go:build !race

package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"maru/adapters/web/site"
	"maru/bot"
)

var _ site.People = (*staffed)(nil)

// crowd are the people of a fake desk. The first has a token until it is revoked.
type crowd struct {
	mu      sync.Mutex
	list    []site.Person
	revoked []string
	given   map[string]string
}

func somePeople(n int) []site.Person {
	out := make([]site.Person, n)
	for i := range out {
		out[i] = site.Person{
			Platform: "slack", Team: "T1", ID: fmt.Sprintf("U%d", i), Name: fmt.Sprintf("영희 %d", i), Role: []string{site.RoleMember, site.RoleAdmin, site.RoleViewer}[i%3],
			Last: ranAt.Add(-time.Duration(i) * time.Minute), Runs: 12, Tokens: 34_567, Cost: .12,
		}
	}
	return out
}

func (c *crowd) ListPeople(context.Context, bot.User, bot.Thread) ([]site.Person, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slices.Clone(c.list)
	for i, p := range out {
		if role := c.given[p.Key()]; role != "" {
			out[i].Role, out[i].Given = role, true
		}
	}
	return out, nil
}

func (c *crowd) RoleOnPlatform(_ context.Context, p site.Person) string {
	if p.Platform == "slack" {
		return site.RoleMember
	}
	return ""
}

// TestRolesWithoutAPlatform: of people whom no platform knows, the list says what their role depends on, and offers another role only
// where one would count.
func TestRolesWithoutAPlatform(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		person site.Person
		word   string
		change bool
	}{
		"slack":    {site.Person{Platform: "slack", Team: "T1", ID: "U1"}, "Member", true},
		"terminal": {site.Person{Platform: "console", Team: "local", ID: "owner", Role: site.RoleAdmin}, "Admin", false},
		"token":    {site.Person{Platform: "web", Team: "local", ID: "ci"}, "By its token", false},
		"oidc":     {site.Person{Platform: "web", Team: "oidc", ID: "oidc-1"}, "Set at sign-in", true},
		"gone":     {site.Person{Platform: "discord", Team: "1", ID: "9"}, "–", true},
	} {
		body := startStaffed(t, &staffed{crowd: crowd{list: []site.Person{c.person}}}).person(t).get("/people").body
		if !strings.Contains(body, `<span class="tag">`+c.word+`</span>`) || strings.Contains(body, `value="role"`) != c.change {
			t.Errorf("%s: %s", name, body)
		}
	}
}

func (c *crowd) GiveRole(_ context.Context, _ bot.User, _ bot.Thread, p site.Person, role string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = map[string]string{p.Key(): role}
	return nil
}

func (c *crowd) PersonTokens(_ context.Context, _ bot.User, _ bot.Thread, p site.Person) ([]site.PersonToken, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.ID != "U0" || slices.Contains(c.revoked, "k1") {
		return nil, nil
	}
	return []site.PersonToken{{ID: "k1", Name: "Claude Code", Allows: "ask, search", Expires: ranAt}}, nil
}

func (c *crowd) RevokeToken(_ context.Context, _ bot.User, _ bot.Thread, p site.Person, id string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Key() != "slack/T1/U0" {
		return "", bot.ErrNotFound
	}
	c.revoked = append(c.revoked, id)
	return "Claude Code", nil
}

func TestBrowserPeople(t *testing.T) {
	t.Parallel()
	for lang, words := range map[string]struct{ admin, viewer, revoked string }{"en": {"Admin", "Viewer", "The token “Claude Code” is revoked."}, "ko": {"관리자", "보기 전용", "“Claude Code” 토큰을 끊었어요."}} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			c := startStaffed(t, &staffed{crowd: crowd{list: somePeople(1000)}})
			b := browser(t)
			problems := complaints(t, b)
			b.open(c.URL + "/people")
			b.click("[name=lang][value=" + lang + "]")
			b.wait("html[lang=" + lang + "]")
			b.see(".rows.acts li")
			b.until(`document.readyState === "complete" && document.querySelectorAll(".rows.acts > li").length === 50`)
			if got := get(b, chromedp.Text(chromedp.CSS(`[data-person="slack/T1/U1"]`))); !strings.Contains(got, words.admin) || !strings.Contains(got, "34,567") {
				t.Errorf("a person is shown as %q", got)
			}
			b.click(`[data-person="slack/T1/U0"] summary`)
			b.click(`[data-person="slack/T1/U0"] [type=submit]`)
			b.until(`document.querySelector(".said").textContent === "` + words.revoked + `" && !document.querySelector(".token")`)
			b.click(`[data-person="slack/T1/U1"] .role summary`)
			b.do(chromedp.SetValue(chromedp.CSS(`[data-person="slack/T1/U1"] select`), site.RoleViewer))
			b.click(`[data-person="slack/T1/U1"] [value=role]`)
			b.until(`document.querySelector('[data-person="slack/T1/U1"] .tag').textContent === "` + words.viewer + `"`)
			b.write("[name=words]", "U999")
			b.click(".filters [type=submit]")
			b.until(`document.querySelectorAll(".rows.acts > li").length === 1 && Boolean(document.querySelector('[data-person="slack/T1/U999"]'))`)
			if p := problems(); len(p) > 0 {
				t.Errorf("the browser complained: %q", p)
			}
		})
	}
}
