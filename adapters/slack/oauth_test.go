package slack_test

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/logtest"
)

// TestInstallPage: Slack is asked for what the manifest names, to send the person
// back here, with a state that only this browser can use.
func TestInstallPage(t *testing.T) {
	t.Parallel()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	d := distribute(t, fake, newRows(), true, func(c *slack.AppConfig) { c.PublicURL = "https://maru.example.com" })
	req, err := http.NewRequestWithContext(d.ctx, http.MethodGet, d.site.URL+"/slack/oauth/install?team=T1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := d.browser().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	q := page.Query()
	scopes := strings.Split(q.Get("scope"), ",")
	if page.Path != "/oauth/v2/authorize" || q.Get("client_id") != fake.ClientID() || q.Get("redirect_uri") != "https://maru.example.com/slack/oauth/callback" || q.Get("team") != "T1" ||
		!slices.Contains(scopes, "chat:write") || !slices.Contains(scopes, "commands") || len(q.Get("state")) < 80 {
		t.Errorf("the install page leads to %s", page)
	}
	c := resp.Cookies()
	if len(c) != 1 || !c[0].HttpOnly || !c[0].Secure || c[0].SameSite != http.SameSiteLaxMode || c[0].MaxAge != 600 || strings.Contains(q.Get("state"), c[0].Value) {
		t.Errorf("cookies %+v", c)
	}
	if got := resp.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q", got)
	}
}

// attempt is an installation of which Slack sends the person back.
type attempt struct {
	t    *testing.T
	d    *distributed
	mine *http.Client
	back string // where Slack sends the person
	tick func(time.Duration)
}

// follow goes where Slack sends the person.
func (a attempt) follow() (status int, page string) {
	status, page, _ = a.d.get(a.mine, a.back)
	return status, page
}

// with returns where Slack sends the person, with another value.
func (a attempt) with(key, value string) string {
	u, err := url.Parse(a.back)
	if err != nil {
		a.t.Fatal(err)
	}
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// asking asks for the page with another value.
func asking(key, value string) func(attempt) (int, string) {
	return func(a attempt) (int, string) { s, p, _ := a.d.get(a.mine, a.with(key, value)); return s, p }
}

// callback is how the page is asked for, and what it says in both languages.
type callback struct {
	try       func(a attempt) (int, string)
	status    int
	ko, en    string
	installed bool
}

// expectCallbacks tries each with an installation of its own. No secret is anywhere.
func expectCallbacks(t *testing.T, cases map[string]callback) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryCallback(t, c)
		})
	}
}

func tryCallback(t *testing.T, c callback) {
	t.Helper()
	var mu sync.Mutex
	at := time.Now()
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return at }
	fake := slackfake.StartApp(t, slackfake.AppOptions{Now: clock})
	fake.Add(slackfake.Options{Team: "T1"})
	var log logtest.Log
	d := distribute(t, fake, newRows(), true, func(c *slack.AppConfig) {
		c.Now, c.Logger = clock, log.Logger()
	})
	a := attempt{t: t, d: d, mine: d.browser(), tick: func(by time.Duration) { mu.Lock(); defer mu.Unlock(); at = at.Add(by) }}
	a.back = d.allow("T1", d.begin(a.mine))
	status, page := c.try(a)
	if status != c.status || !strings.Contains(page, c.ko) || !strings.Contains(page, c.en) {
		t.Errorf("%d %s", status, page)
	}
	if row := d.in.rows.get("T1"); (row.State == bot.InstallActive) != c.installed {
		t.Errorf("row %+v", row)
	}
	for _, secret := range []string{fake.ClientSecret(), "xoxb", "code-", stateOf(t, a.back)} {
		if strings.Contains(log.String(), secret) || strings.Contains(page, secret) {
			t.Errorf("%q stands in the log or on the page:\n%s\n%s", secret, log.String(), page)
		}
	}
}

// TestCallbacksThatAreRefused: an installation is finished once, within its time
// and in the browser that began it. Every page says in both languages what to do.
func TestCallbacksThatAreRefused(t *testing.T) {
	t.Parallel()
	expectCallbacks(t, map[string]callback{
		"no_state": {asking("state", ""), 403, "이 브라우저에서 시작한", "started in this browser", false},
		"made_up":  {asking("state", "AAAA"), 403, "이 브라우저에서", "in this browser", false},
		"changed": {func(a attempt) (int, string) {
			st := stateOf(a.t, a.back)
			other := "A"
			if st[40] == 'A' { // it is random, and is to be another
				other = "B"
			}
			s, p, _ := a.d.get(a.mine, a.with("state", st[:40]+other+st[41:]))
			return s, p
		}, 403, "이 브라우저에서", "in this browser", false},
		"huge":            {asking("state", strings.Repeat("A", 8000)), 403, "이 브라우저에서", "in this browser", false},
		"another_browser": {func(a attempt) (int, string) { s, p, _ := a.d.get(a.d.browser(), a.back); return s, p }, 403, "이 브라우저에서", "in this browser", false},
		"another_browser_that_began_one_too": {func(a attempt) (int, string) {
			victim := a.d.browser()
			a.d.begin(victim)
			s, p, _ := a.d.get(victim, a.back)
			return s, p
		}, 403, "이 브라우저에서", "in this browser", false},
		"too_late": {func(a attempt) (int, string) {
			a.tick(11 * time.Minute)
			return a.follow()
		}, 403, "10분이 넘어서", "more than ten minutes ago", false},
		"twice": {func(a attempt) (int, string) {
			if s, _, _ := a.d.get(a.mine, a.back); s != http.StatusOK {
				a.t.Fatalf("first time: %d", s)
			}
			return a.follow() // the last page is loaded again
		}, 403, "이미 사용한", "has already been used", true},
	})
}

// TestCallbacksThatComeToNothing: the person, Slack or the record lets an installation fail, and the page
// says in both languages what to do.
func TestCallbacksThatComeToNothing(t *testing.T) {
	t.Parallel()
	expectCallbacks(t, map[string]callback{
		"no_code":        {asking("code", ""), 400, "코드를 보내지 않아서", "sent no code", false},
		"denied":         {asking("error", "access_denied"), 200, "취소해서", "was cancelled", false},
		"a_code_made_up": {asking("code", "nonsense"), 403, "이미 사용한", "already been used", false},
		"the_wrong_secret": {func(a attempt) (int, string) {
			a.d.Fail(slackfake.Fault{Method: "oauth.v2.access", Code: "bad_client_secret"})
			return a.follow()
		}, 502, "SLACK_CLIENT_SECRET", "must match", false},
		"slack_is_away": {func(a attempt) (int, string) {
			a.d.Fail(slackfake.Fault{Method: "oauth.v2.access", Drop: true})
			return a.follow()
		}, 502, "연결하지 못했거나", "be reached or gave", false},
		"the_record_is_away": {func(a attempt) (int, string) {
			a.d.in.rows.fail(nil, http.ErrServerClosed)
			defer a.d.in.rows.fail(nil, nil)
			return a.follow()
		}, 503, "저장하지 못했어요", "be saved just now", false},
		"the_record_was_away": {func(a attempt) (int, string) { // the page is loaded again
			a.d.in.rows.fail(http.ErrServerClosed, nil)
			if s, _, _ := a.d.get(a.mine, a.back); s != http.StatusServiceUnavailable {
				a.t.Errorf("answered with %d while the record was away", s)
			}
			a.d.in.rows.fail(nil, nil)
			return a.follow()
		}, 200, "", "", true},
	})
}

// TestInstallationsOfStrangers: a workspace that the operator has not named is
// refused, and its token given back.
func TestInstallationsOfStrangers(t *testing.T) {
	t.Parallel()
	fake := slackfake.StartApp(t, slackfake.AppOptions{})
	fake.Add(slackfake.Options{Team: "T1"})
	two := fake.Add(slackfake.Options{Team: "T2"})
	fake.Add(slackfake.Options{Team: "T3", Enterprise: "E3"})
	d := distribute(t, fake, newRows(), true, func(c *slack.AppConfig) { c.Teams = []string{"T1", "E3"} })
	d.install("T1")
	d.install("T3")
	c := d.browser()
	status, page, _ := d.get(c, d.allow("T2", d.begin(c)))
	if status != http.StatusForbidden || !strings.Contains(page, "SLACK_INSTALL_TEAMS") || d.in.rows.get("T2").Version != 0 {
		t.Errorf("%d %s", status, page)
	}
	if calls := two.Calls("auth.revoke"); len(calls) != 1 || calls[0].Error != "" {
		t.Errorf("revocations %+v", calls)
	}
}

// TestPageInTheBrowsersLanguage: both languages are there, the person's first.
func TestPageInTheBrowsersLanguage(t *testing.T) {
	t.Parallel()
	d := distribute(t, slackfake.StartApp(t, slackfake.AppOptions{}), newRows(), true)
	for want, accept := range map[string]string{"ko": "ko-KR,ko;q=0.9,en;q=0.8", "en": "fr,en;q=0.5,ko;q=0.2"} {
		req, err := http.NewRequestWithContext(d.ctx, http.MethodGet, d.site.URL+"/slack/oauth/callback?code=x", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Language", accept)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		buf := make([]byte, 4096)
		n, _ := resp.Body.Read(buf)
		page := string(buf[:n])
		if !strings.Contains(page, `<html lang="`+want+`">`) || strings.Index(page, `<p lang="`+want) > strings.LastIndex(page, `<p lang=`) {
			t.Errorf("%s: %s", accept, page)
		}
		if h := resp.Header; !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("headers %v", h)
		}
	}
}

// TestEveryAbilityIsOfBoth: what an Adapter can do and an App cannot would be missing
// only where many workspaces are served.
func TestEveryAbilityIsOfBoth(t *testing.T) {
	t.Parallel()
	one, many := reflect.TypeFor[*slack.Adapter](), reflect.TypeFor[*slack.App]()
	if one.NumMethod() < 20 {
		t.Fatalf("an Adapter has only %d methods", one.NumMethod())
	}
	for m := range one.Methods() {
		if _, ok := many.MethodByName(m.Name); !ok {
			t.Errorf("App has no %s", m.Name)
		}
	}
}
