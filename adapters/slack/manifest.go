package slack

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"
)

//go:embed manifest.yaml
var manifest string

// Manifest returns the app's manifest, to be pasted where Slack creates apps.
// With baseURL "" the app uses Socket Mode; else events, interactions and
// commands are delivered to the endpoints below that https address.
func Manifest(baseURL string) (string, error) {
	if baseURL == "" {
		return manifest, nil
	}
	base, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil || base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return "", errors.New("slack: manifest: the base address must be an https address that Slack can reach, such as https://maru.example.com")
	}
	var m map[string]any
	if err := yaml.Unmarshal([]byte(manifest), &m); err != nil {
		return "", fmt.Errorf("slack: manifest: %w", err)
	}
	settings, features := sub(m, "settings"), sub(m, "features")
	settings["socket_mode_enabled"] = false
	sub(settings, "event_subscriptions")["request_url"] = base.String() + "/slack/events"
	sub(settings, "interactivity")["request_url"] = base.String() + "/slack/interactions"
	if commands, ok := features["slash_commands"].([]any); ok {
		for _, c := range commands {
			if c, ok := c.(map[string]any); ok {
				c["url"] = base.String() + "/slack/commands"
			}
		}
	}
	out, err := yaml.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("slack: manifest: %w", err)
	}
	return string(out), nil
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
