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

// ManifestOptions describe how an app is deployed.
type ManifestOptions struct {
	URL     string // public https URL of this program, for deliveries and browsers
	Socket  bool   // deliver events over Socket Mode instead of URL
	Install bool   // allow installation by workspaces, with OAuth redirects to URL
}

// Manifest returns the app manifest to paste into Slack. Without a URL, which Install and
// HTTP delivery need, it is for one workspace with Socket Mode.
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
		if events, ok := subscriptions["bot_events"].([]any); ok { // events of distributed apps only
			subscriptions["bot_events"] = append(events, payload.AccessGranted, payload.AccessRevoked)
		}
	}
	out, err := yaml.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("slack: manifest: %w", err)
	}
	return string(out), nil
}

// deliverTo directs events, interactions and commands to the endpoints below base.
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

// sub returns a nested mapping.
func sub(m map[string]any, k string) map[string]any {
	s, ok := m[k].(map[string]any)
	if !ok {
		s = map[string]any{}
		m[k] = s
	}
	return s
}

// manifestScopes lists the manifest's bot scopes, so that an installation requests the scopes
// of the app.
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
