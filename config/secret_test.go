package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"maru/config"
)

func TestSecretIsMaskedHoweverItIsPrinted(t *testing.T) {
	t.Parallel()
	c := config.Config{Slack: config.Slack{BotToken: canary}, Tools: config.Tools{TavilyKey: canary}}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", c, "token", c.Slack.BotToken)
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Marshal(c.Slack)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{log.String(), string(asJSON), string(asYAML), c.Slack.BotToken.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		out = append(out, fmt.Sprintf(verb, c), fmt.Sprintf(verb, &c.Slack), fmt.Sprintf(verb, c.Slack.BotToken))
	}
	for _, text := range out {
		if strings.Contains(text, canary) || strings.Contains(text, fmt.Sprintf("%x", canary)) || !strings.Contains(text, "***") {
			t.Errorf("shows the secret or no mask: %.200s", text)
		}
	}
	if c.Slack.BotToken.Reveal() != canary {
		t.Error("the secret is lost")
	}
}

func TestValuesNeverShowSecrets(t *testing.T) {
	t.Parallel()
	var env []string
	for _, g := range config.Table() {
		for _, s := range g.Settings {
			if s.Secret {
				env = append(env, s.Var+"="+canary)
			}
		}
	}
	c, _, err := from(env, "")
	if err == nil {
		t.Fatal("wrong URLs were taken")
	}
	out := err.Error()
	if len(c.Warnings) > 0 {
		out += c.Warnings.Error()
	}
	for _, v := range c.Values() {
		out += v.Text + v.From
	}
	if strings.Contains(out, canary) {
		t.Errorf("shows a secret: %s", out)
	}
}
