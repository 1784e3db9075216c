package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/bot"
	"maru/cmd/maru/checkup"
)

// TestDoctorTellsOfBrokenWorkflows: whether the file's last version serves, where
// the first fault stands, and that all is well again.
func TestDoctorTellsOfBrokenWorkflows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "announce.json")
	var team *autonomous.Folder
	open := func() {
		t.Helper()
		var err error
		team, err = autonomous.Open(autonomous.Config{Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})}, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	open()
	if found := checkup.Workflows(team); len(found) != 0 {
		t.Errorf("without workflows: %+v", found)
	}
	broken := strings.Replace(announcement, `"target": "yes"`, `"target": "yse"`, 1)
	for _, step := range []struct {
		text, want string
		serving    int
		restart    bool
	}{
		{announcement, "", 1, false},
		{broken, "announce.json is broken and serves as it was before: /edges/1/target, line 12, column 64: no node has the id", 1, false},
		{announcement, "", 1, false},
		{broken, "announce.json is broken and does not serve: /edges/1/target", 0, true},
	} {
		write(t, file, step.text)
		if step.restart {
			open()
		} else if _, err := team.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		f := checkup.Workflows(team)[0]
		switch {
		case f.N != step.serving:
			t.Errorf("%d serve, want %d", f.N, step.serving)
		case step.want == "" && f.Err != nil:
			t.Error(f.Err)
		case step.want != "" && (!errors.Is(f.Err, bot.ErrLimited) || !strings.Contains(f.Err.Error(), step.want)):
			t.Errorf("%v, want %q", f.Err, step.want)
		}
	}
}
