package metrics_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/metrics"
)

// everything is /metrics after one of each thing that is counted.
func everything() string {
	queue := func(context.Context) (int, time.Time, error) { return 1, time.Now(), nil }
	m := metrics.New("v1", queue, queue, nil)
	m.Servers(func() []metrics.Server { return []metrics.Server{{Name: "files"}} })
	m.Parts(func(context.Context) map[string]error {
		return map[string]error{"record": nil, "slack": errors.New("away")}
	})
	m.Received("slack", "new")
	m.Finished("chat", "done", time.Second)
	m.FirstToken("chat", time.Second)
	m.ModelCall("answer", agent.Usage{Input: 1, Output: 1}, time.Second, "")
	m.ToolCall("clock", false, time.Second)
	m.Checked("chat", agent.Checked{Removed: 1})
	m.Delivered("slack", "post", "ok")
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func deployed(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// dashboard returns the expressions of the dashboard.
func dashboard(t *testing.T) []string {
	t.Helper()
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "grafana/dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range d.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			out = append(out, target.Expr)
		}
	}
	if len(out) < 15 {
		t.Errorf("the dashboard has %d expressions", len(out))
	}
	return out
}

// TestPartsReady: a part with an error is not ready.
func TestPartsReady(t *testing.T) {
	t.Parallel()
	for _, want := range []string{`maru_part_ready{part="record"} 1`, `maru_part_ready{part="slack"} 0`} {
		if !strings.Contains(everything(), want+"\n") {
			t.Errorf("%s is not in the metrics", want)
		}
	}
}

// TestPrometheusNames: rules, their test and the dashboard name metrics that there are, and the dashboard shows each.
func TestPrometheusNames(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`\b(maru|go|process)_[a-z0-9_]+`)
	there := map[string]bool{}
	for _, n := range name.FindAllString(everything(), -1) {
		there[n] = true
	}
	rules := deployed(t, "prometheus/rules.yml")
	rules = regexp.MustCompile(`(?m)^ *(description|summary|#).*$`).ReplaceAllString(rules, "")
	shown := strings.Join(dashboard(t), "\n")
	for where, text := range map[string]string{"rules.yml": rules, "rules.test.yml": deployed(t, "prometheus/rules.test.yml"), "dashboard.json": shown} {
		found := name.FindAllString(text, -1)
		if len(found) < 8 {
			t.Errorf("%s names %d metrics", where, len(found))
		}
		for _, n := range found {
			if !there[n] {
				t.Errorf("%s names %s, which is not in /metrics", where, n)
			}
		}
	}
	for n := range there {
		if base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(n, ""); strings.HasPrefix(n, "maru_") && !strings.Contains(shown, base) {
			t.Errorf("the dashboard does not show %s", n)
		}
	}
}

// TestPrometheusRules gives rules, their test and the dashboard's expressions to promtool.
func TestPrometheusRules(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("MARU_TEST_REQUIRE") == "1" {
			t.Fatal("no promtool: apt-get install prometheus")
		}
		t.Skip("no promtool: apt-get install prometheus")
	}
	var file strings.Builder
	file.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for _, e := range dashboard(t) {
		raw, err := json.Marshal(strings.ReplaceAll(e, "$__rate_interval", "5m"))
		if err != nil {
			t.Fatal(err)
		}
		file.WriteString("  - {record: x, expr: " + string(raw) + ", labels: {n: \"" + strings.Repeat("i", file.Len()%97) + "\"}}\n")
	}
	shown := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(shown, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "deploy", "prometheus")
	for _, args := range [][]string{
		{"check", "rules", filepath.Join(dir, "rules.yml")}, {"test", "rules", filepath.Join(dir, "rules.test.yml")},
		{"check", "config", filepath.Join(dir, "prometheus.yml")}, {"check", "rules", "--lint=none", shown},
	} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestSystemdUnit gives the unit to systemd-analyze, with a program that exists.
func TestSystemdUnit(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze: apt-get install systemd")
	}
	unit := strings.ReplaceAll(deployed(t, "systemd/maru.service"), "/usr/local/bin/maru", "/bin/true")
	at := filepath.Join(t.TempDir(), "maru.service")
	if err := os.WriteFile(at, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", at).CombinedOutput(); err != nil || strings.Contains(string(out), "maru.service") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
