package main

import (
	"strings"
	"testing"
	"time"
)

func TestEveryWorkIsDoneByBoth(t *testing.T) {
	var out strings.Builder
	if err := compare(&out, 1, time.Millisecond, ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")[2:]
	if len(lines) != len(scenarios) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(scenarios), out.String())
	}
	for i, l := range lines {
		if !strings.Contains(l, " × |") && scenarios[i].how != ours1 {
			t.Errorf("no ratio: %s", l)
		}
	}
}
