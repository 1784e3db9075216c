package builtin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/agent/tool"
	"maru/agent/tool/builtin"
)

// TestPythonDiesWithUs kills the process that started a program and looks for
// what it left running.
func TestPythonDiesWithUs(t *testing.T) {
	t.Parallel()
	box := builtin.Sandbox{Timeout: time.Minute}
	if os.Getenv("MARU_TEST_VICTIM") == "1" { // the process that is killed
		_, _ = builtin.NewPython(box).Call(t.Context(), tool.Call{Arguments: []byte(`{"code":"import os, time\nos.fork()\ntime.sleep(60)"}`)})
		return
	}
	sandbox(t, box)
	victim := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPythonDiesWithUs$")
	victim.Env = append(os.Environ(), "MARU_TEST_VICTIM=1")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var family []string
	until(t, "the program to start", func() bool {
		family = descendants(fmt.Sprint(victim.Process.Pid))
		return len(family) >= 4 // bwrap, its init, the program and its child
	})
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	until(t, "the program to die", func() bool {
		for _, pid := range family {
			if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
				return false
			}
		}
		return true
	})
}

// until polls for a state of other processes, for which there is no event.
func until(t *testing.T, what string, reached func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * time.Minute)
	for !reached() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// descendants lists the processes below one.
func descendants(root string) []string {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[string][]string{}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) > 1 {
			children[fields[1]] = append(children[fields[1]], filepath.Base(filepath.Dir(path)))
		}
	}
	var out []string
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		out = append(out, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return out
}
