package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocsOnTheCommandLine lists and removes public documents by name, and switches the sample handbook for good.
func TestDocsOnTheCommandLine(t *testing.T) {
	t.Parallel()
	unraced(t)
	env := []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=true"}
	file := filepath.Join(t.TempDir(), "pier.md")
	if err := os.WriteFile(file, []byte("# The pier\n\nThe pier is closed on Mondays.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args       []string
		code       int
		says, lack string
	}{
		{[]string{"ask", "How many days of annual leave do I have?"}, 0, "(sample)", ""},
		{[]string{"docs"}, 0, "handbook/", ""},
		{[]string{"ingest", file}, 0, "✓ pier.md", ""},
		{[]string{"docs", "list"}, 0, "pier.md", "handbook/"},
		{[]string{"ask", "How many days of annual leave do I have?"}, 0, "", "15 days"},
		{[]string{"ask", "When is the pier closed?"}, 0, "Mondays", "(sample)"},
		{[]string{"ask", "/docs remove quay.md"}, 1, "quay.md", ""},
		{[]string{"docs", "remove", "pier.md", "quay.md"}, 1, `"quay.md"`, "removed"},
		{[]string{"docs", "remove", "pier.md"}, 0, "removed pier.md", ""},
		{[]string{"docs"}, 0, "handbook/", "pier.md"},
		{[]string{"docs", "sample", "off"}, 0, "stays away", ""},
		{[]string{"docs"}, 0, "NAME", "handbook/"},
		{[]string{"docs", "sample", "on"}, 0, "indexed", ""},
		{[]string{"ask", "How many days of annual leave do I have?"}, 0, "(sample)", ""},
		{[]string{"docs", "sample", "maybe"}, 2, "sample on|off", ""},
	} {
		code, stdout, stderr := runHere(t, "", env, step.args...)
		if all := stdout + stderr; code != step.code || !strings.Contains(all, step.says) || step.lack != "" && strings.Contains(all, step.lack) {
			t.Errorf("maru %s: exit %d: %s", strings.Join(step.args, " "), code, all)
		}
	}
}

// TestDocsBesideARunningProgram: the program that holds the documents lists and removes them for the operator.
func TestDocsBesideARunningProgram(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newSlackWorld(t, brain(t), "MARU_HANDBOOK=true")
	w.start()
	file := filepath.Join(t.TempDir(), "pier.md")
	must(t, "write", os.WriteFile(file, []byte("# The pier\n\nThe pier is closed on Mondays.\n"), 0o600))
	for _, step := range []struct {
		args       []string
		code       int
		says, lack string
	}{
		{[]string{"ingest", file}, 0, "✓ pier.md", ""},
		{[]string{"docs"}, 0, "pier.md", ""},
		{[]string{"docs", "remove", "quay.md"}, 1, `"quay.md"`, "removed"},
		{[]string{"docs", "remove", "pier.md"}, 0, "removed pier.md", ""},
		{[]string{"docs"}, 0, "handbook/", "pier.md"},
		{[]string{"docs", "sample", "off"}, 0, "stays away", ""},
		{[]string{"docs", "sample", "maybe"}, 2, "sample on|off", ""},
	} {
		code, stdout, stderr := runHere(t, "", w.env, step.args...)
		if all := stdout + stderr; code != step.code || !strings.Contains(all, step.says) || step.lack != "" && strings.Contains(all, step.lack) {
			t.Errorf("maru %s: exit %d: %s", strings.Join(step.args, " "), code, all)
		}
	}
}
