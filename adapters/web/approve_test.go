package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"maru/adapters/web"
	"maru/agent"
	"maru/bot"
)

// ruler returns a bot that notes rulings and lets all of them count.
func ruler(t *testing.T, change ...func(*web.Config)) (*console, func() []bot.Ruling) {
	t.Helper()
	e := newEcho()
	var mu sync.Mutex
	var got []bot.Ruling
	e.rule = func(r bot.Ruling) (bot.Ruled, error) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r)
		ruled := bot.Ruled{Approval: "a1", Run: r.Run, State: bot.ApprovalDecided, By: "web/local/owner"}
		switch r.Action {
		case "late":
			return ruled, &bot.Error{Code: bot.CodeStale}
		case "wrong":
			ruled.Errors = map[string]string{"plan": "too long"}
			return ruled, &bot.Error{Code: bot.CodeBadAnswer}
		case "stranger":
			return bot.Ruled{}, &bot.Error{Code: bot.CodeNotAllowed}
		}
		return ruled, nil
	}
	return startWith(t, e, change...), func() []bot.Ruling {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

func TestApproveCarriesADecision(t *testing.T) {
	t.Parallel()
	c, got := ruler(t)
	p := c.person(t)
	a := p.post("/api/runs/r1/approve", `{"action":"edit","values":{"Plan":"1. x"},"approval":"a1"}`)
	if a.status != http.StatusOK || !strings.Contains(a.body, `"state":"decided"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	r := got()[0]
	if r.Run != "r1" || r.Action != "edit" || r.Values["Plan"] != "1. x" || r.Approval != "a1" || r.User.ID != "owner" || !r.User.Operator || r.Thread.Platform != "web" {
		t.Errorf("ruling %+v", r)
	}
	for action, want := range map[string]struct {
		status int
		part   string
	}{
		"late":     {http.StatusConflict, `"approval":"a1"`},
		"wrong":    {http.StatusUnprocessableEntity, `"errors":{"plan":"too long"}`},
		"stranger": {http.StatusForbidden, `"code":"not_allowed"`},
	} {
		a := p.post("/api/runs/r1/approve", `{"action":"`+action+`"}`)
		if a.status != want.status || !strings.Contains(a.body, want.part) {
			t.Errorf("%s: %d %s", action, a.status, a.body)
		}
	}
}

// TestMalformedDecisionsDecideNothing knocks at the HTTP door as no console does.
func TestMalformedDecisionsDecideNothing(t *testing.T) {
	t.Parallel()
	c, got := ruler(t)
	p := c.person(t)
	bad := []string{
		`{"action":"reject","ACTION":"approve"}`, `{"action":"reject","action":"approve"}`, `{"ACTION":"approve"}`, `{"Action":"approve"}`,
		`{"action":"approve","approved":true}`, `{"action":null}`, `{"action":true}`, `{"action":["approve"]}`, `{"action":{"verb":"approve"}}`,
		`{"action":""}`, `{}`, ``, `null`, `[]`, `"approve"`, `approve`, `{"action":"approve"} x`, `{"action":"approve"}{"action":"reject"}`,
		`{"action":"approve"`, `{"action":"approve",}`, `{'action':'approve'}`, `{"action":"approve","values":{"a":"1","a":"2"}}`,
		`{"action":"approve","values":{"a":"1","A":"2"}}`, `{"action":"approve","values":{"a":1}}`, `{"action":"approve","values":[]}`,
		`{"action":"approve","text":1}`, `{"action":"` + strings.Repeat("a", 65) + `"}`, `{"action":"approve","approval":"` + strings.Repeat("a", 201) + `"}`,
		`{"action":"approve","by":"U1"}`, `{"action":"approve","user":{"id":"U1"}}`, "\x00", `{"action":"approve","values":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40) + `}`,
		`<approve/>`, `action=approve`, `{"action":"approve"}//`, `{"action":"approve","suggestion":{}}`, `{"action":1e9}`, `{"action":"\ud800"`,
		"\xef\xbb\xbf" + `{"action":"approve"}`, `{"action" "approve"}`,
	}
	for _, body := range bad {
		if a := p.post("/api/runs/r1/approve", body); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	if a := p.post("/api/runs/..%2F..%2Fx/approve", `{"action":"approve"}`); a.status < 400 {
		t.Errorf("a run that is no id: %d", a.status)
	}
	if n := len(got()); n != 0 {
		t.Errorf("%d of %d malformed bodies reached the bot", n, len(bad))
	}
}

func TestApproveNeedsAnIdentity(t *testing.T) {
	t.Parallel()
	c, got := ruler(t, func(c *web.Config) { c.Login = "correct horse" })
	ask := func(change func(*http.Request)) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL+"/api/runs/r1/approve", strings.NewReader(`{"action":"approve"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		change(r)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	for name, tt := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"nobody":           {func(r *http.Request) {}, http.StatusUnauthorized},
		"a wrong bearer":   {func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") }, http.StatusUnauthorized},
		"another's cookie": {func(r *http.Request) { r.Header.Set("Cookie", "maru=p.x.1.y") }, http.StatusForbidden},
		"the bearer":       {func(r *http.Request) { r.Header.Set("Authorization", "Bearer correct horse") }, http.StatusOK},
	} {
		if status := ask(tt.change); status != tt.want {
			t.Errorf("%s: %d, want %d", name, status, tt.want)
		}
	}
	if n := len(got()); n != 1 {
		t.Errorf("%d decisions, want the bearer's alone", n)
	}
}

func TestRunIsFollowedAndResumed(t *testing.T) {
	t.Parallel()
	e := newEcho()
	feeds, left := make(chan bot.Feed, 4), make(chan struct{}, 4)
	e.follow = func(ctx context.Context, run string, show func(bot.Feed) error) error {
		if run != "r1" {
			return &bot.Error{Code: bot.CodeNotFound}
		}
		for {
			select {
			case f := <-feeds:
				if err := show(f); err != nil || f.Ended != "" {
					return err
				}
			case <-ctx.Done():
				left <- struct{}{}
				return nil
			}
		}
	}
	p := startWith(t, e).person(t)
	plan := agent.Plan{Steps: []agent.PlanStep{{Text: "read", State: agent.StepRunning}}}
	feeds <- bot.Feed{Run: "r1", Life: "x", Status: "reading", Plan: plan}
	s := p.stream("/api/runs/r1/events", "")
	want := func(name, part string) event {
		t.Helper()
		got := s.next()
		if got.name != name || !strings.Contains(got.data, part) {
			t.Fatalf("%s %s, want %s with %s", got.name, got.data, name, part)
		}
		return got
	}
	want("START", `"run":"r1"`)
	want("STATUS", `"read"`)
	feeds <- bot.Feed{Run: "r1", Life: "x", Status: "reading", Plan: plan, Text: "one "}
	last := want("TOKEN", `"one "`)
	s.cancel()
	<-left
	feeds <- bot.Feed{Run: "r1", Life: "x", Text: "one two"}
	s = p.stream("/api/runs/r1/events", last.id) // and goes on where it was
	want("START", `"run":"r1"`)
	want("TOKEN", `"two"`)
	feeds <- bot.Feed{Run: "r1", Life: "x", Text: "new", Reset: 1}
	want("TOKEN", `"reset":true`)
	want("TOKEN", `"new"`)
	ask := bot.FeedAsk{Approval: "a1", Kind: "plan", Ask: json.RawMessage(`{"question":"Run?"}`)}
	feeds <- bot.Feed{Run: "r1", Life: "record", Asks: []bot.FeedAsk{ask}}
	want("HUMAN_INPUT_REQUIRED", `"question":"Run?"`)
	feeds <- bot.Feed{Run: "r1", Life: "record", Asks: []bot.FeedAsk{ask}, Ended: "done", Final: &bot.Card{Text: "the end", Final: true}}
	want("END", `"the end"`)
	if a := p.get("/api/runs/none/events"); a.status != http.StatusNotFound {
		t.Errorf("a run that is not there: %d", a.status)
	}
}

// TestTokensHaveNames lets programs and people decide under names of their own,
// and nothing more than their role says.
func TestTokensHaveNames(t *testing.T) {
	t.Parallel()
	tokens := []web.Token{
		{Name: "ci", Token: "ci-0123456789abcdefgh"},
		{Name: "boss", Token: "boss-0123456789abcdef", As: "slack/T1/U2"},
		{Name: "ops", Token: "ops-0123456789abcdefg", Operator: true},
	}
	for name, login := range map[string]string{"with_a_login": "correct horse", "on_loopback_without_one": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, got := ruler(t, func(c *web.Config) { c.Login, c.Tokens = web.Secret(login), tokens })
			ask := func(method, path, body, token string) int {
				r, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+token)
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				return res.StatusCode
			}
			for _, tt := range []struct {
				token    string
				who      bot.User
				platform string
			}{
				{"ci-0123456789abcdefgh", bot.User{ID: "ci", Name: "ci"}, "web"},
				{"boss-0123456789abcdef", bot.User{ID: "U2", Name: "boss"}, "slack"},
				{"ops-0123456789abcdefg", bot.User{ID: "ops", Name: "ops", Admin: true, Operator: true}, "web"},
			} {
				before := len(got())
				if code := ask(http.MethodPost, "/api/runs/r1/approve", `{"action":"approve"}`, tt.token); code != http.StatusOK {
					t.Fatalf("%s: %d", tt.who.ID, code)
				}
				r := got()[before]
				r.User.Locale = ""
				if r.User.ID != tt.who.ID || r.User.Name != tt.who.Name || r.User.Admin != tt.who.Admin || r.User.Operator != tt.who.Operator ||
					r.Thread.Platform != tt.platform || (tt.platform == "slack" && r.Thread.Team != "T1") {
					t.Errorf("ruled by %+v from %+v", r.User, r.Thread)
				}
				if r.Thread.Channel != "" && !tt.who.Operator {
					t.Errorf("%s stands in the console's place %+v and sees its runs", tt.who.ID, r.Thread)
				}
				want := http.StatusForbidden
				if tt.who.Operator {
					want = http.StatusOK
				}
				for _, path := range []string{"/api/threads", "/api/documents"} {
					if code := ask(http.MethodGet, path, "", tt.token); code != want {
						t.Errorf("%s: GET %s: %d, want %d", tt.who.ID, path, code, want)
					}
				}
				if code := ask(http.MethodPost, "/api/threads/t1/messages", `{"text":"hello"}`, tt.token); (code == http.StatusForbidden) == tt.who.Operator {
					t.Errorf("%s: a message: %d", tt.who.ID, code)
				}
			}
			n := len(got())
			for _, wrong := range []string{"ci-0123456789abcdefgi", "ci", "ci-0123456789abcdefghi", "owner"} {
				if code := ask(http.MethodPost, "/api/runs/r1/approve", `{"action":"approve"}`, wrong); code != http.StatusUnauthorized {
					t.Errorf("token %q: %d", wrong, code)
				}
			}
			if len(got()) != n {
				t.Error("a wrong token decided")
			}
		})
	}
}

func TestFaultyTokensAreNamed(t *testing.T) {
	t.Parallel()
	const good = web.Secret("0123456789abcdefghij")
	for want, list := range map[string][]web.Token{
		`"Ops"`:          {{Name: "Ops", Token: good}},
		`"owner"`:        {{Name: "owner", Token: good}},
		"token name":     {{Name: "a", Token: good}, {Name: "a", Token: good + "1"}},
		"token b":        {{Name: "a", Token: good}, {Name: "b", Token: good}},
		"20 characters":  {{Name: "a", Token: "short"}},
		"platform/team":  {{Name: "a", Token: good, As: "U2"}},
		"no operator be": {{Name: "a", Token: good, As: "slack/T1/U2", Operator: true}},
	} {
		_, err := web.New(web.Config{Addr: "127.0.0.1:8080", Tokens: list})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), string(good)) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestWhoReadsAConversation: nobody but a person reads their own, and tokens read those of the console.
func TestWhoReadsAConversation(t *testing.T) {
	t.Parallel()
	a, err := web.New(web.Config{Addr: "127.0.0.1:8080", Tokens: []web.Token{{Name: "release", Token: "a token of the release robot"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		team, channel, user, group string
		want                       bool
	}{
		{"local", "home", "owner", "", true}, {"local", "home", "release", "", true}, {"local", "home", "U1", "", false}, {"local", "home", "owner", "admins", false},
		{"slack-T1", "U1", "U1", "", true}, {"slack-T1", "U1", "U2", "", false}, {"slack-T1", "U1", "U1", "admins", false}, {"oidc", "oidc-1", "oidc-2", "", false},
	} {
		in, err := a.Member(t.Context(), bot.Thread{Platform: "web", Team: c.team, Channel: c.channel, ID: "t1", Direct: true}, c.user, c.group)
		if err != nil || in != c.want {
			t.Errorf("%+v: %v, %v", c, in, err)
		}
	}
}
