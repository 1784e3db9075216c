package main

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
	"maru/memory/memtest/servers"
)

// sealingKey is what `openssl rand -base64 32` might have printed.
const sealingKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// hand is a clock that stands still until it is moved: what is said in two
// workspaces meanwhile has equal ids.
type hand struct {
	mu sync.Mutex
	at time.Time
}

func (h *hand) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hand) move() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = time.Now()
}

// tenantsWorld is the program in two workspaces that have all ids in common but
// their own.
type tenantsWorld struct {
	*program
	app   *slackfake.App
	clock *hand
	teams map[string]*slackfake.Server
}

func newTenantsWorld(t *testing.T, o slackfake.AppOptions, env ...string) *tenantsWorld {
	t.Helper()
	w := &tenantsWorld{clock: &hand{at: time.Now()}, teams: map[string]*slackfake.Server{}}
	o.Now = w.clock.now
	w.app = slackfake.StartApp(t, o)
	for _, team := range []string{"T1", "T2"} {
		w.teams[team] = w.app.Add(slackfake.Options{Team: team})
	}
	model := brain(t)
	w.program = newProgram(t, append([]string{
		"SLACK_CLIENT_ID=" + w.app.ClientID(), "SLACK_CLIENT_SECRET=" + w.app.ClientSecret(), "MARU_SECRET_KEY=" + sealingKey,
		"SLACK_APP_TOKEN=" + w.app.AppToken(), "SLACK_API_URL=" + w.app.URL(),
		"OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test",
	}, env...)...)
	t.Cleanup(func() {
		for team, s := range w.teams {
			for _, refused := range s.Refused() {
				if !expected(refused) {
					t.Errorf("Slack refused in %s: %s", team, refused)
				}
			}
		}
		if unknown := w.app.Unknown(); len(unknown) > 0 {
			t.Errorf("calls with the token of no workspace: %v", unknown)
		}
	})
	return w
}

// expected reports whether Slack may refuse this: a token that has run out, which is
// renewed; one of an uninstalled app, until that is known; what a killed program had
// done.
func expected(refused string) bool {
	return strings.HasSuffix(refused, "token_expired") || strings.HasSuffix(refused, "account_inactive") || doneBefore(refused)
}

// install installs the app with a browser.
func (w *tenantsWorld) install(team string) {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	open := func(address string) *http.Response {
		w.t.Helper()
		req, err := http.NewRequestWithContext(within(w.t, atMost), http.MethodGet, address, http.NoBody)
		if err != nil {
			w.t.Fatal(err)
		}
		resp, err := browser.Do(req)
		if err != nil {
			w.t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp
	}
	back, err := w.app.Allow(team, "U1", open("http://"+w.addr+"/slack/oauth/install").Header.Get("Location"))
	if err != nil {
		w.t.Fatal(err)
	}
	if resp := open(back); resp.StatusCode != http.StatusOK {
		w.t.Fatalf("the installation in %s ended with %s", team, resp.Status)
	}
}

// await waits until the bot's n-th message in a thread of a workspace contains
// text.
func (w *tenantsWorld) await(team, thread string, n int, text string) slackfake.Message {
	w.t.Helper()
	s := w.teams[team]
	var said []slackfake.Message
	err := s.Wait(within(w.t, atMost), func() bool {
		said = s.Replies("C1", thread)
		return len(said) >= n && strings.Contains(said[n-1].Shown()+said[n-1].Text, text)
	})
	if err != nil {
		var texts []string
		for _, m := range said {
			texts = append(texts, m.Text)
		}
		w.t.Fatalf("%s: the bot does not say %q as message %d; it said %q", team, text, n, texts)
	}
	return said[n-1]
}

// TestTwoWorkspacesAreStrangers: what is said in one workspace is never heard in
// another with the same ids, over restarts, uninstallation and installation.
func TestTwoWorkspacesAreStrangers(t *testing.T) {
	t.Parallel()
	w := newTenantsWorld(t, slackfake.AppOptions{})
	w.start()
	roots := map[string]string{}
	for team, s := range w.teams {
		w.install(team)
		roots[team] = s.Say("U1", "C1", "<@UBOT> hello from "+team, "")
	}
	if roots["T1"] != roots["T2"] {
		t.Fatalf("the test wants equal ids: %v", roots)
	}
	root := roots["T1"]
	for team := range w.teams {
		w.await(team, root, 1, "You said: hello from "+team)
	}
	w.kill()
	w.start()
	w.clock.move()
	for team, s := range w.teams {
		s.Say("U1", "C1", "still "+team, root)
		m := w.await(team, root, 2, "hello from "+team+" / still "+team)
		if other := map[string]string{"T1": "T2", "T2": "T1"}[team]; strings.Contains(m.Text, other) {
			t.Errorf("%s heard of %s: %s", team, other, m.Text)
		}
	}

	w.clock.move()
	w.app.Uninstall("T1")
	if err := w.teams["T1"].Settle(within(t, atMost)); err != nil {
		t.Fatal(err)
	}
	w.teams["T2"].Say("U1", "C1", "and now?", root)
	w.await("T2", root, 3, "and now?")
	if err := w.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	env := slices.DeleteFunc(slices.Clone(w.env), func(v string) bool { return strings.HasPrefix(v, childEnv) })
	code, out, errs := runHere(t, "", env, "installs")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 3 || !strings.Contains(out, "slack/T1") || !strings.Contains(out, "removed (") || !strings.Contains(out, "Team T2") {
		t.Errorf("installs: %d\n%s%s", code, out, errs)
	}
	code, out, errs = runHere(t, "", env, "installs", "remove", "slack/T2")
	if code != 0 || !strings.Contains(out, "slack/T2 (Team T2) is removed") {
		t.Errorf("installs remove: %d\n%s%s", code, out, errs)
	}
	if calls := w.teams["T2"].Calls("auth.revoke"); len(calls) != 1 {
		t.Errorf("the token was given back %d times", len(calls))
	}
	code, out, _ = runHere(t, "", env, "audit", "list", "--team", "slack/T2")
	if code != 0 || !strings.Contains(out, `"installation.add"`) || !strings.Contains(out, `"why":"operator"`) {
		t.Errorf("audit: %d\n%s", code, out)
	}
	w.start()
	w.install("T1")
	w.clock.move()
	again := w.teams["T1"].Say("U1", "C1", "<@UBOT> I am back", "")
	w.await("T1", again, 1, "You said: I am back")
}

// TestApprovalsOfTwoWorkspaces: a plan that is approved in one workspace is not
// approved in another, whatever ids they have in common.
func TestApprovalsOfTwoWorkspaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "announce.json"), []byte(announcement), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newTenantsWorld(t, slackfake.AppOptions{}, "MARU_WORKFLOWS="+dir, "MARU_AGENT=announce")
	w.start()
	cards := map[string]slackfake.Message{}
	for team, s := range w.teams {
		w.install(team)
		root := s.Say("U1", "C1", "<@UBOT> lunch in "+team, "")
		w.await(team, root, 1, "Announce this?")
		err := s.Wait(within(t, atMost), func() bool {
			for _, m := range s.Replies("C1", root) {
				if len(m.Buttons()) == 2 {
					cards[team] = m
				}
			}
			return cards[team].TS != ""
		})
		if err != nil {
			t.Fatalf("%s: the card has no buttons", team)
		}
	}
	// A click in T2 with what T1's button carries, as a forger would send it.
	forged := strings.ReplaceAll(click(t, w, cards["T1"]), `"T1"`, `"T2"`)
	w.teams["T2"].EmitRaw("interactive", json.RawMessage(forged))
	if err := w.teams["T2"].Settle(within(t, atMost)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.teams["T1"].Click("U1", "C1", cards["T1"].TS, cards["T1"].Buttons()[0]); err != nil {
		t.Fatal(err)
	}
	w.await("T1", cards["T1"].Thread, 2, "Announced: lunch in T1")
	if m, _ := w.teams["T2"].Message("C1", cards["T2"].TS); len(m.Buttons()) != 2 {
		t.Errorf("T2's card was decided with T1's: %s", m.Shown())
	}
}

// click returns a press on a card's first button as T1 would send it, which is not
// sent.
func click(t *testing.T, w *tenantsWorld, m slackfake.Message) string {
	t.Helper()
	var blocks []struct {
		Elements []struct {
			Action string `json:"action_id"`
			Value  string `json:"value"`
		} `json:"elements"`
	}
	if err := json.Unmarshal(m.Blocks, &blocks); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		for _, e := range b.Elements {
			if e.Value == "" {
				continue
			}
			raw, err := json.Marshal(map[string]any{
				"type": "block_actions", "team": map[string]any{"id": "T1"}, "api_app_id": "AMARU", "user": map[string]any{"id": "U1", "team_id": "T1"},
				"container": map[string]any{"type": "message", "message_ts": m.TS, "channel_id": "C1", "thread_ts": m.Thread},
				"channel":   map[string]any{"id": "C1"}, "message": map[string]any{"ts": m.TS, "thread_ts": m.Thread, "team": "T1"},
				"trigger_id": "forged", "actions": []any{map[string]any{"type": "button", "action_id": e.Action, "value": e.Value, "action_ts": m.TS}},
			})
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
	}
	t.Fatal("the card has no button")
	return ""
}

// TestTwoReplicasRenewOneToken runs two processes on one PostgreSQL while tokens
// run out under a conversation.
func TestTwoReplicasRenewOneToken(t *testing.T) {
	t.Parallel()
	pg := servers.StartPostgres(t)
	w := newTenantsWorld(t, slackfake.AppOptions{TokenLife: 12 * time.Hour}, "DATABASE_URL="+pg.URL)
	w.start()
	second := &tenantsWorld{program: w.beside(), app: w.app, clock: w.clock, teams: w.teams}
	second.start()
	w.install("T1")
	second.install("T2")
	w.clock.move()
	root := w.teams["T1"].Say("U1", "C1", "<@UBOT> one", "")
	w.await("T1", root, 1, "You said: one")
	for i, word := range []string{"two", "three"} {
		w.app.Kill("T1", "token_expired")
		w.clock.move()
		w.teams["T1"].Say("U1", "C1", word, root)
		w.await("T1", root, i+2, word)
	}
	second.clock.move()
	other := w.teams["T2"].Say("U1", "C1", "<@UBOT> the other", "")
	w.await("T2", other, 1, "You said: the other")
	if _, refreshes := w.app.Traded(); len(refreshes) != 2 || strings.Join(refreshes, "") != "okok" {
		t.Errorf("tokens were renewed with %q", refreshes)
	}
}
