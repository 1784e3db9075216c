package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// TestEveryScenarioIsAccountedFor: the 109 scenarios have tests that exist, or say why they have none, and are in the
// page of results.
func TestEveryScenarioIsAccountedFor(t *testing.T) {
	t.Parallel()
	all, err := rows(table)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.id] {
			t.Errorf("%s stands twice", r.id)
		}
		seen[r.id] = true
		if len(r.tests) == 0 && r.note == "" {
			t.Errorf("%s has neither tests nor a reason", r.id)
		}
		line := regexp.MustCompile(`(?m)^\| ` + r.id + ` \|.*$`).FindString(string(page))
		if line == "" {
			t.Errorf("%s is not in docs/reliability.md: run scripts/scorecard.sh -write docs/reliability.md", r.id)
		}
		for _, one := range r.tests {
			if !defined(t, one) {
				t.Errorf("%s: there is no %s in %s", r.id, one.name, one.pkg)
			}
			if !strings.Contains(line, "`"+one.name+"`") {
				t.Errorf("%s: %s is not in its line of docs/reliability.md", r.id, one.name)
			}
		}
	}
	if len(all) != 109 {
		t.Errorf("%d scenarios", len(all))
	}
}

func defined(t *testing.T, one test) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, one.pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+one.name+"(") {
			return true
		}
	}
	return false
}

// TestVerdicts: a scenario passes only if all of its tests ran and passed.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	a, b := test{"p", "TestA"}, test{"p", "TestB"}
	r := row{id: "A01", tests: []test{a, b}, note: "half as large"}
	for name, c := range map[string]struct {
		row  row
		of   map[test]outcome
		want string
	}{
		"both_passed":  {r, map[test]outcome{a: {state: "pass"}, b: {state: "pass"}}, "passed half as large"},
		"one_failed":   {r, map[test]outcome{a: {state: "skip", why: "no server"}, b: {state: "fail"}}, "failed p TestB"},
		"one_skipped":  {r, map[test]outcome{a: {state: "skip", why: "no server"}, b: {state: "pass"}}, "not run TestA: no server"},
		"one_is_gone":  {r, map[test]outcome{a: {state: "pass"}}, "failed p TestB did not run"},
		"has_no_tests": {row{note: "no Docker"}, nil, "not run no Docker"},
	} {
		if state, why := verdict(c.row, c.of); state+" "+why != c.want {
			t.Errorf("%s: %s %s, want %s", name, state, why, c.want)
		}
	}
	if got := reason("=== RUN   TestA\n    a_test.go:7: redis-server is not installed\n--- SKIP: TestA (0.00s)\n"); got != "redis-server is not installed" {
		t.Errorf("reason %q", got)
	}
}

// TestRecordedOutcomes: outcomes come from a run's events, and of a test that ran again the later one counts.
func TestRecordedOutcomes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "events")
	events := `{"Action":"output","Package":"maru/bot","Test":"TestA","Output":"    a_test.go:7: no server\n"}
{"Action":"skip","Package":"maru/bot","Test":"TestA"}
{"Action":"pass","Package":"maru/bot","Test":"TestB/one"}
{"Action":"fail","Package":"maru/bot","Test":"TestB"}
not an event
{"Action":"fail","Package":"maru/bot"}
{"Action":"pass","Package":"maru/bot","Test":"TestB"}
`
	if err := os.WriteFile(file, []byte(events), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := recorded(file)
	if err != nil || len(got) != 2 || got[test{"bot", "TestA"}] != (outcome{"skip", "no server"}) || got[test{"bot", "TestB"}].state != "pass" {
		t.Errorf("%v %v", got, err)
	}
	if _, err := recorded(file + ".gone"); err == nil {
		t.Error("a missing file is no error")
	}
}
