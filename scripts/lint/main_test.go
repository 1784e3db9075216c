package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets this binary be the tool.
func TestMain(m *testing.M) {
	if os.Getenv("MARU_TEST_LINT") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestFindings vets a package with faults: those of go vet and staticcheck are found once each, code that only tests use
// is used, and an allowed fault is not told.
func TestFindings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module faulty\n\ngo 1.26\n",
		"a.go": `// Package faulty has faults.
package faulty

import "strings"

func unused() {}

func testsOnly(s string) string {
	s = s
	strings.TrimSpace(s)
	if s == s {
		return ""
	}
	//lint:ignore SA4017 allowed here
	strings.TrimSpace(s)
	for {
		break
	}
	return s
}

//lint:ignore U1000 allowed here
func allowed() {}
`,
		"a_test.go": "package faulty\n\nvar _ = testsOnly(\"\")\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+self, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MARU_TEST_LINT=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("nothing is found: %s", out)
	}
	for _, want := range []string{
		"a.go:6:1: func unused is unused (U1000)", "a.go:9:2: self-assignment of s\n", "TrimSpace doesn't have side effects and its return value is ignored (SA4017)",
		"identical expressions on the left and right side of the '==' operator (SA4000)",
	} {
		if strings.Count(string(out), want) != 1 {
			t.Errorf("%q is not told once:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "testsOnly is unused") || strings.Contains(string(out), "allowed is unused") || strings.Contains(string(out), "a.go:15") {
		t.Errorf("what is no fault is told:\n%s", out)
	}
}
