package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"maru/config"
)

func TestServersOfTheFile(t *testing.T) {
	t.Parallel()
	c, _, err := fromFiles(nil, map[string]string{
		"maru.yaml": `
mcp:
  - name: github
    command: npx
    args: [-y, "@modelcontextprotocol/server-github"]
    env: {GITHUB_TOKEN_FILE: /run/secrets/github, LEVEL: info}
    allow: [get_*, create_issue]
    deny: get_secret
    timeout: 20s
    policy:
      get_*: {effect: reads}
      create_issue: {approval: yes, forbidden: [public, "channel:slack/*"], timeout: 60}
  - name: wiki
    url: https://wiki.example/mcp
    headers: {Authorization_FILE: /run/secrets/wiki}
  - name: notes
    url: https://notes.example/mcp
    auth: oauth
    client_id: maru-1
    client_secret_file: /run/secrets/notes
`,
		"/run/secrets/notes": "c-1\n", "/run/secrets/github": "ghp-1\n", "/run/secrets/wiki": "Bearer w-1\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.MCPServer{
		{
			Name: "github", Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-github"},
			Env:   map[string]config.Secret{"GITHUB_TOKEN": "ghp-1", "LEVEL": "info"},
			Allow: []string{"get_*", "create_issue"}, Deny: []string{"get_secret"}, Timeout: 20 * time.Second,
			Policy: map[string]config.MCPPolicy{
				"get_*":        {Effect: "reads"},
				"create_issue": {Effect: "writes", Approval: true, Forbidden: []string{"public", "channel:slack/*"}, Timeout: time.Minute},
			},
		},
		{Name: "wiki", URL: "https://wiki.example/mcp", Headers: map[string]config.Secret{"Authorization": "Bearer w-1"}},
		{Name: "notes", URL: "https://notes.example/mcp", OAuth: true, Client: "maru-1", Hidden: "c-1"},
	}
	if !reflect.DeepEqual(c.Tools.MCP, want) {
		t.Errorf("got %+v", c.Tools.MCP)
	}
	if shown := fmt.Sprintf("%+v", c.Tools.MCP); strings.Contains(shown, "ghp-1") || strings.Contains(shown, "w-1") || strings.Contains(shown, "c-1") {
		t.Errorf("a secret is printed: %s", shown)
	}
}
