package load_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// peaks tells how much memory the children of a loader held: what the system counts
// for a child after its end holds what its parent had when it was started.
type peaks struct{ pipe *os.File }

// watched returns a command of children that tell at their end what they held.
func watched(t *testing.T) ([]string, peaks) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "peaks") // a pipe: children may write to no file
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pipe.Close() }) // nothing is written after the test
	return []string{os.Args[0], "parse-child", path}, peaks{pipe}
}

// largest returns the memory in KiB of the largest child that came to its end, and how many did.
func (p peaks) largest(t *testing.T) (most, children int) {
	t.Helper()
	if _, err := p.pipe.WriteString("end\n"); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(p.pipe); lines.Scan() && lines.Text() != "end"; children++ {
		var n int
		if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
			t.Fatalf("a child says %q", lines.Text())
		}
		most = max(most, n)
	}
	return most, children
}

// tellPeak is called by a child before it reads anything; what it returns tells what
// the child has held since.
func tellPeak(path string) func() {
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	return func() {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(status)) {
			if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				_, _ = fmt.Fprintln(pipe, strings.Fields(kib)[0]) // the test may be over
			}
		}
	}
}
