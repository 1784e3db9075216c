package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFileWhoseIDIsTakenIsToldEverywhere: a program that serves leaves out a file with the id of
// a built-in agent or of a file before it; whoever asks beforehand learns the same.
func TestAFileWhoseIDIsTakenIsToldEverywhere(t *testing.T) {
	t.Parallel()
	unraced(t)
	data := t.TempDir()
	dir := filepath.Join(data, "workflows")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	file := func(dir, name, id string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Replace(asking, `"asking"`, `"`+id+`"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first, second, built := file(dir, "a.json", "asking"), file(dir, "b.json", "asking"), file(dir, "c.json", "guide")
	draft := file(t.TempDir(), "d.json", "guide")
	env := []string{"DATA_DIR=" + data, "MARU_HANDBOOK=false", "MARU_PYTHON=off"}
	for _, c := range []struct {
		args  []string
		code  int
		want  []string
		never string
	}{
		{[]string{"workflow", "validate", first}, exitOK, []string{first + ": ok"}, "already"},
		{[]string{"workflow", "validate", second}, exitFailed, []string{second + `:1:8: /id: "asking" is the id of a.json already (choose another id)`}, ": ok"},
		{[]string{"workflow", "validate", built}, exitFailed, []string{built + `:1:8: /id: "guide" is a built-in agent (choose another id)`}, ": ok"},
		{[]string{"workflow", "validate", draft}, exitOK, []string{`warning: "guide" is a built-in agent`, draft + ": ok"}, "already"},
		{[]string{"workflow", "list"}, exitOK, []string{"✗ " + second, "✗ " + built}, "✗ " + first},
		{[]string{"doctor"}, exitFailed, []string{second + " cannot serve", built + " cannot serve"}, first + " cannot"},
	} {
		code, out, errs := runHere(t, "", env, c.args...)
		if code != c.code || c.never != "" && strings.Contains(out, c.never) {
			t.Errorf("%v: code %d\n%s%s", c.args, code, out, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: %q is not in:\n%s", c.args, want, out)
			}
		}
	}
}

// TestAToolThatNothingOffersIsWarnedOf: one that lacks a key or is of a configured MCP server may
// be there when the workflow runs; a misspelt one will not.
func TestAToolThatNothingOffersIsWarnedOf(t *testing.T) {
	t.Parallel()
	unraced(t)
	settings := filepath.Join(t.TempDir(), "maru.yaml")
	if err := os.WriteFile(settings, []byte("mcp:\n  - name: jira\n    command: /bin/true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, warning := range map[string]string{
		`calculator", "arguments": {"expression": "1"}, "result": "text`: "", "web_search": "", "jira_find": "",
		"calculator": "the tool needs the argument expression",
		"calculater": `no tool has the name "calculater" (did you mean calculator?)`,
		"wiki_find":  `no tool has the name "wiki_find" (`,
	} {
		file := definitionFile(t, strings.Replace(asking, `"set_state", "config": {"set": {"final_answer": "sent {{input}}"}}`,
			`"tool_call", "config": {"tool": "`+tool+`", "output": "final_answer"}`, 1))
		code, out, errs := runHere(t, "", []string{"MARU_CONFIG=" + settings}, "workflow", "validate", file)
		if code != exitOK || !strings.Contains(out, file+": ok") || !strings.Contains(out, warning) || strings.Contains(out, "warning") != (warning != "") {
			t.Errorf("%s: code %d\n%s%s", tool, code, out, errs)
		}
		if warning != "" && !strings.Contains(out, file+":4:") {
			t.Errorf("%s: the place is not told:\n%s", tool, out)
		}
	}
}
