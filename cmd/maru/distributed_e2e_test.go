package main

import (
	"slices"
	"strings"
	"testing"

	slackgo "github.com/slack-go/slack"
	"gopkg.in/yaml.v3"

	"maru/adapters/slack/slackfake"
)

// TestDoctorOfADistributedApp: the workspaces of an app that many install are
// tried one by one, in the record that the program left.
func TestDoctorOfADistributedApp(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newTenantsWorld(t, slackfake.AppOptions{})
	env := without(w.env, childEnv)
	examined := func(name string, env []string, wantCode int, wants ...string) {
		t.Helper()
		code, out, errs := runHere(t, "", env, "doctor")
		if code != wantCode {
			t.Errorf("%s: exit %d, want %d:\n%s%s", name, code, wantCode, out, errs)
		}
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: it does not say %q:\n%s", name, want, out)
			}
		}
		for _, secret := range []string{w.app.ClientSecret(), sealingKey, w.app.AppToken(), "xoxb-", "xoxe"} {
			if strings.Contains(out+errs, secret) {
				t.Errorf("%s: it shows %q", name, secret)
			}
		}
	}
	examined("before", env, 0, "✓ slack        connected as an app in 0 workspaces")
	w.start()
	examined("beside the running program", env, 0, "· slack        its workspaces cannot be looked up", "/maru doctor")
	w.install("T1")
	w.install("T2")
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	examined("two", env, 0, "✓ slack        connected as an app in 2 workspaces: T1, T2")
	w.app.Kill("T2", "account_inactive")
	examined("one is broken", env, 0, "· slack        connected as an app in 1 workspace: T1", "→ the app must be installed again in T2 (account_inactive)")
	other := append(without(env, "MARU_SECRET_KEY"), "MARU_SECRET_KEY=ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=")
	examined("another key", other, 0, "an app in 0 workspaces", "T1 (its key is not in MARU_SECRET_KEY)")
	examined("no key", without(env, "MARU_SECRET_KEY"), 1, "MARU_SECRET_KEY")
}

// without returns an environment without a variable.
func without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// TestManifestOfADistributedApp: the manifest that `maru manifest` prints makes
// the app that the program then serves, and an installation asks for its scopes.
func TestManifestOfADistributedApp(t *testing.T) {
	t.Parallel()
	app := slackfake.StartApp(t, slackfake.AppOptions{})
	client := []string{
		"SLACK_CLIENT_ID=" + app.ClientID(), "SLACK_CLIENT_SECRET=" + app.ClientSecret(), "MARU_SECRET_KEY=" + sealingKey,
		"DATA_DIR=" + t.TempDir(),
	}
	socket, http := "SLACK_APP_TOKEN="+app.AppToken(), "SLACK_SIGNING_SECRET="+app.SigningSecret()
	public := "MARU_PUBLIC_URL=https://maru.example.com"
	for name, c := range map[string]struct {
		env    []string
		args   []string
		socket bool
	}{
		"socket_from_the_settings": {append(client[:4:4], socket, public), nil, true},
		"http_from_the_settings":   {append(client[:4:4], http, public), nil, false},
		"asked_for":                {client[3:], []string{"--install", "--url", "https://maru.example.com/"}, false},
		"asked_for_with_a_socket":  {append(client[3:4:4], "SLACK_BOT_TOKEN=xoxb-1", socket), []string{"--install", "--url", "https://maru.example.com"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runHere(t, "", c.env, append([]string{"manifest"}, c.args...)...)
			var m slackgo.Manifest
			dec := yaml.NewDecoder(strings.NewReader(out))
			dec.KnownFields(true)
			if err := dec.Decode(&m); err != nil || code != 0 {
				t.Fatalf("exit %d: %v\n%s%s", code, err, out, errs)
			}
			if want := []string{"https://maru.example.com/slack/oauth/callback"}; !slices.Equal(m.OAuthConfig.RedirectUrls, want) {
				t.Errorf("people come back to %q", m.OAuthConfig.RedirectUrls)
			}
			if !m.Settings.OrgDeployEnabled || m.Settings.SocketModeEnabled != c.socket {
				t.Errorf("settings %+v", m.Settings)
			}
			if has := strings.Contains(out, "https://maru.example.com/slack/events"); has == c.socket {
				t.Errorf("events go to an address: %v", has)
			}
			if !slices.Contains(m.OAuthConfig.Scopes.Bot, "chat:write") {
				t.Errorf("scopes %v", m.OAuthConfig.Scopes.Bot)
			}
		})
	}
	if code, out, errs := runHere(t, "", client[3:], "manifest", "--install"); code == 0 || out != "" || !strings.Contains(errs, "MARU_PUBLIC_URL") {
		t.Errorf("without an address: exit %d: %s%s", code, out, errs)
	}
}
