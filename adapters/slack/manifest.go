package slack

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"maru/adapters/slack/install"
	"maru/adapters/slack/payload"
)

//go:embed manifest.yaml
var manifest string

// ManifestOptions say what an app's manifest is for.
type ManifestOptions struct {
	URL     string // https address of this program, for what Slack or a browser opens there
	Socket  bool   // events come over Socket Mode, not to URL
	Install bool   // workspaces install the app by themselves: people come back to URL
}

// Manifest returns the app's manifest, to be pasted where Slack creates apps.
// Without a URL, which Install and HTTP delivery need, it is Socket Mode's for
// one workspace.
func Manifest(o ManifestOptions) (string, error) {
	if o.URL == "" && !o.Install {
		return manifest, nil
	}
	base, err := url.Parse(strings.TrimRight(o.URL, "/"))
	if err != nil || base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return "", errors.New("the base address must be an https address that Slack can reach, such as https://maru.example.com")
	}
	var m map[string]any
	if err := yaml.Unmarshal([]byte(manifest), &m); err != nil {
		return "", fmt.Errorf("slack: manifest: %w", err)
	}
	if !o.Socket {
		deliverTo(m, base.String())
	}
	if o.Install {
		sub(m, "oauth_config")["redirect_urls"] = []string{base.String() + install.CallbackPath}
		settings := sub(m, "settings")
		settings["org_deploy_enabled"] = true
		subscriptions := sub(settings, "event_subscriptions")
		if events, ok := subscriptions["bot_events"].([]any); ok { // only such an app may hear of these
			subscriptions["bot_events"] = append(events, payload.AccessGranted, payload.AccessRevoked)
		}
	}
	out, err := yaml.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("slack: manifest: %w", err)
	}
	return string(out), nil
}

// deliverTo makes events, interactions and commands come to the endpoints below
// an address.
func deliverTo(m map[string]any, base string) {
	settings, features := sub(m, "settings"), sub(m, "features")
	settings["socket_mode_enabled"] = false
	sub(settings, "event_subscriptions")["request_url"] = base + "/slack/events"
	sub(settings, "interactivity")["request_url"] = base + "/slack/interactions"
	if commands, ok := features["slash_commands"].([]any); ok {
		for _, c := range commands {
			if c, ok := c.(map[string]any); ok {
				c["url"] = base + "/slack/commands"
			}
		}
	}
}

// sub returns a mapping inside a mapping.
func sub(m map[string]any, k string) map[string]any {
	s, ok := m[k].(map[string]any)
	if !ok {
		s = map[string]any{}
		m[k] = s
	}
	return s
}

// manifestScopes lists the scopes of the bot as the manifest does: what an
// installation asks for is what the app was made with.
func manifestScopes() (string, error) {
	var m struct {
		OAuth struct {
			Scopes struct{ Bot []string }
		} `yaml:"oauth_config"`
	}
	if err := yaml.Unmarshal([]byte(manifest), &m); err != nil {
		return "", fmt.Errorf("slack: manifest: %w", err)
	}
	return strings.Join(m.OAuth.Scopes.Bot, ","), nil
}
