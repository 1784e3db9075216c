//go:build !race

package web_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"maru/adapters/web"
	"maru/adapters/web/site"
)

// TestBrowserKeepsFormsOverALogin: a form sent after its session has ended leads to the sign-in page. The form returns with what
// was typed and a line that says that it is not saved.
func TestBrowserKeepsFormsOverALogin(t *testing.T) {
	t.Parallel()
	s := &staffed{kit: kit{servers: someServers()}}
	c := startStaffed(t, s, func(c *web.Config) { c.Login = "a long password" })
	b := browser(t)
	signIn := func() { t.Helper(); b.write("[name=password]", "a long password"+kb.Enter) }
	endSession := func() {
		t.Helper()
		b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, network.ClearBrowserCookies, cdp.Empty{})
			return err
		}))
	}
	b.open(c.URL + "/settings?level=channel")
	signIn()
	b.wait("textarea")
	b.write("textarea", "Speak like a pirate")
	endSession()
	b.click("form:has(textarea) [type=submit]")
	b.wait("[name=password]")
	signIn()
	b.until(`location.pathname === "/settings" && document.querySelector("textarea").value === "Speak like a pirate"`)
	if says := js[string](b, `document.querySelector("form:has(textarea) .problem").textContent`); !strings.Contains(says, "Nothing is saved yet") {
		t.Errorf("the form says %q", says)
	}
	b.click("form:has(textarea) [type=submit]")
	b.wait(".said")
	b.open(c.URL + "/settings?level=channel")
	if left := js[string](b, `sessionStorage.getItem("form") || ""`); left != "" {
		t.Errorf("what was saved is kept: %s", left)
	}

	of := func(server string) string {
		return `document.querySelector('form:has([name=server][value=` + server + `]) [name=place]')`
	}
	b.open(c.URL + "/tools")
	b.wait("[value=limit]")
	js[bool](b, `(() => { const i = `+of("crm")+`; i.closest("details").open = true; i.value = "slack/T1/C9"; return true })()`)
	endSession()
	b.click("[value=limit]")
	b.wait("[name=password]")
	s.kit.mu.Lock()
	s.servers = slices.Insert(s.servers, 0, site.ToolServer{Name: "another", Where: "https://another.example.com/mcp", Team: "slack/T1"})
	s.kit.mu.Unlock()
	signIn()
	b.until(`location.pathname === "/tools" && ` + of("crm") + `.value === "slack/T1/C9" && ` + of("crm") + `.closest("details").open`)
	if js[bool](b, of("another")+`.value !== "" || `+of("another")+`.closest("details").open`) {
		t.Error("another server's form has what was typed")
	}

	// Whoever signs in next, or after a sign-out, finds nothing.
	kept := `{"who":"somebody else","at":"/tools","lost":true,"sort":"","nth":0,"base":[],"values":[]}`
	js[bool](b, `(() => { sessionStorage.setItem("form", `+"`"+kept+"`"+`); return true })()`)
	b.open(c.URL + "/documents")
	b.wait("[action='/logout'] button")
	b.until(`!sessionStorage.getItem("form")`)
	js[bool](b, `(() => { sessionStorage.setItem("form", `+"`"+kept+"`"+`); return true })()`)
	js[bool](b, `(() => { document.querySelector("[action='/logout'] button").click(); return true })()`)
	b.wait("[name=password]")
	if left := js[string](b, `sessionStorage.getItem("form") || ""`); left != "" {
		t.Errorf("a sign-out leaves %s", left)
	}
}

// TestBrowserKeepsScriptsFromTheSignIn: after the session has ended, the editor does not show the sign-in page as the result of its check.
func TestBrowserKeepsScriptsFromTheSignIn(t *testing.T) {
	t.Parallel()
	c := startStaffed(t, &staffed{}, func(c *web.Config) { c.Login = "a long password" })
	p := c.person(t)
	post := func(path string, set ...string) answer {
		r := p.request("POST", path, "text=x&fragment=1")
		for i := 0; i < len(set); i += 2 {
			if r.Header.Del(set[i]); set[i+1] != "" {
				r.Header.Set(set[i], set[i+1])
			}
		}
		return p.do(r)
	}
	for _, path := range []string{"/workflows/check", "/workflows/complete"} {
		if got := post(path, "Sec-Fetch-Mode", "cors"); got.status < 400 {
			t.Errorf("a script that posts to %s: %d", path, got.status)
		}
	}
	if got := post("/settings", "Authorization", "Bearer wrong", "X-CSRF-Token", ""); got.status < 400 {
		t.Errorf("a program with a wrong token: %d", got.status)
	}
	if got := post("/settings", "Sec-Fetch-Mode", "navigate", "X-CSRF-Token", ""); got.status != 303 {
		t.Errorf("a person's form: %d", got.status)
	}
}
