package mcp_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent/tool/mcp"
)

// referenceServer is the version of the project's own server that the test knows.
const referenceServer = "@modelcontextprotocol/server-everything@2026.8.31"

// TestReferenceServer talks to the server that the protocol's project tests clients
// with. It needs node and the npm registry, which are no service of ours: where they
// are missing it is skipped, with MARU_TEST_REQUIRE too. It runs if
// MARU_TEST_MCP_REFERENCE is set, because it downloads.
func TestReferenceServer(t *testing.T) {
	t.Parallel()
	if os.Getenv("MARU_TEST_MCP_REFERENCE") == "" {
		t.Skip("set MARU_TEST_MCP_REFERENCE=1 to install the reference server with npm and talk to it")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("no npm here to install the reference server with")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--prefix", dir, referenceServer)
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("the reference server cannot be installed: %v\n%.500s", err, out)
	}
	b := start(t, mcp.Config{Watch: true, Servers: []mcp.Server{{
		Name: "ref", Command: filepath.Join(dir, "node_modules", ".bin", "mcp-server-everything"), Args: []string{"stdio"}, Timeout: time.Minute,
	}}})
	s := b.ready()
	t.Logf("tools %v, skipped %v", s.Tools, s.Skipped)
	if !slices.Contains(s.Tools, "ref_echo") || len(s.Skipped) != 0 {
		t.Fatalf("status %+v", s)
	}
	if got, err := b.call("ref_echo", `{"message":"hello"}`); err != nil || !strings.Contains(got.Text, "hello") {
		t.Errorf("echo: %+v, %v", got, err)
	}
	if _, err := b.call("ref_echo", `{"message":5}`); code(err) != "bad_argument" {
		t.Errorf("echo of a number: %v", err)
	}
	for _, name := range s.Tools {
		if strings.Contains(name, "env") {
			got, err := b.call(name, `{}`)
			if err != nil || strings.Contains(got.Text, "MARU_TEST") {
				t.Errorf("%s: %.300s, %v", name, got.Text, err)
			}
		}
	}
	if got, err := b.call("ref_get_sum", `{"a":2,"b":3}`); err != nil || !strings.Contains(got.Text, "5") {
		t.Errorf("sum: %+v, %v", got, err)
	}
	if got, err := b.call("ref_get_structured_content", `{"location":"New York"}`); err != nil || !strings.Contains(string(got.Data), "temperature") {
		t.Errorf("structured: %+v, %v", got, err)
	}
	if got, err := b.call("ref_get_tiny_image", `{}`); err != nil || !strings.Contains(got.Text, "[a picture, image/png") {
		t.Errorf("image: %+v, %v", got, err)
	}
}
