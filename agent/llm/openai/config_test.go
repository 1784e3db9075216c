package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

func TestKeyIsNeverShown(t *testing.T) {
	t.Parallel()
	const key = "sk-very-secret-0123456789"
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return fault(llmtest.Fault{Status: 401, Message: "Incorrect API key provided: " + key})
	})
	_, err := model(t, srv, func(c *openai.Config) { c.APIKey = key }).Generate(t.Context(), ask("?"), nil)
	if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), key) {
		t.Errorf("error %v", err)
	}
	_, err = openai.New(openai.Config{APIKey: key + "\n" + key, Model: "m"})
	if err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("error %v", err)
	}
}

func TestKeyIsSent(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServerWith(t, llmtest.Config{Key: "right", Azure: true})
	for name, tt := range map[string]struct {
		cfg   openai.Config
		class llm.Class
	}{
		"bearer":   {openai.Config{BaseURL: srv.URL, APIKey: "right"}, ""},
		"wrong":    {openai.Config{BaseURL: srv.URL, APIKey: "wrong"}, llm.Auth},
		"none":     {openai.Config{BaseURL: srv.URL}, llm.Auth},
		"azure":    {openai.Config{BaseURL: srv.Root, APIKey: "right", Azure: true, APIVersion: "2024-10-21"}, ""},
		"azure_v1": {openai.Config{BaseURL: srv.Root + "/openai/v1/", APIKey: "right"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.cfg.Model = "gpt-4.1"
			m, err := openai.New(tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if _, err := m.Generate(t.Context(), ask("?"), nil); llm.ClassOf(err) != tt.class {
				t.Errorf("error %v", err)
			}
		})
	}
	last := srv.Journal()
	for _, e := range last {
		if strings.Contains(e.Path, "/openai/") && e.Path != "/openai/deployments/gpt-4.1/chat/completions" && e.Path != "/openai/v1/chat/completions" {
			t.Errorf("azure path %s", e.Path)
		}
	}
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg  openai.Config
		want string
	}{
		"no_model":     {openai.Config{APIKey: "k"}, "OPENAI_MODEL"},
		"no_key":       {openai.Config{Model: "m"}, "OPENAI_API_KEY"},
		"bad_url":      {openai.Config{Model: "m", BaseURL: "localhost:11434"}, "OPENAI_BASE_URL"},
		"user_in_url":  {openai.Config{Model: "m", BaseURL: "http://a:b@localhost/v1"}, "OPENAI_BASE_URL"},
		"azure_no_key": {openai.Config{Model: "m", BaseURL: "https://x.openai.azure.com", Azure: true}, "OPENAI_API_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := openai.New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one about %s", err, tt.want)
			}
		})
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	names, err := model(t, srv, nil).Ping(t.Context())
	if err != nil || len(names) != 1 || names[0] != "fake" {
		t.Errorf("%v, %v", names, err)
	}
}
