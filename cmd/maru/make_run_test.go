package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// compiler stands for Go: it "builds" a program that prints its arguments, ends with the status it is told, or
// waits for an interrupt and tidies up. While the file stale is missing there is nothing to compile.
const compiler = `#!/bin/sh
case "$*" in
*" -n "*) if [ -e stale ]; then echo 'mkdir -p $WORK/b001/'; else echo touch bin/maru; fi; exit ;;
esac
mkdir -p bin
cat >bin/maru <<'END'
#!/bin/sh
echo "arguments: $*"
case "$1" in
fail) exit 3 ;;
wait)
	trap 'echo tidied; exit 0' INT
	echo waiting
	while :; do sleep 0.05; done ;;
esac
END
chmod +x bin/maru
`

// makeRun is `make run` with that compiler in a folder of its own.
func makeRun(t *testing.T, dir, args string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	file, err := filepath.Abs(filepath.Join("..", "..", "Makefile"))
	must(t, "find the Makefile", err)
	fake := filepath.Join(dir, "compiler")
	must(t, "write the compiler", os.WriteFile(fake, []byte(compiler), 0o700)) //nolint:gosec // it is executed
	cmd := exec.Command("make", "--no-print-directory", "-f", file, "-C", dir, "run", "GO="+fake, "ARGS="+args)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	return cmd
}

// TestMakeRunSaysWhenItCompiles: the first time and after a change, and not when the program stands.
func TestMakeRunSaysWhenItCompiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args string) (string, error) {
		out, err := makeRun(t, dir, args).CombinedOutput()
		return string(out), err
	}
	for _, c := range []struct {
		name, args string
		stale      bool
		compiles   bool
		fails      bool
	}{
		{name: "first", args: "serve --x 'a b'", compiles: true},
		{name: "again", args: "serve --x 'a b'"},
		{name: "after_a_change", args: "serve --x 'a b'", stale: true, compiles: true},
		{name: "failure", args: "fail", fails: true},
	} {
		if c.stale {
			must(t, "change", os.WriteFile(filepath.Join(dir, "stale"), nil, 0o600))
		} else if err := os.Remove(filepath.Join(dir, "stale")); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		out, err := run(c.args)
		if got := strings.HasPrefix(out, "Compiling Maru"); got != c.compiles || (err != nil) != c.fails {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
		if want := "arguments: " + strings.ReplaceAll(c.args, "'", ""); !strings.Contains(out, want) {
			t.Errorf("%s: the program does not get %q:\n%s", c.name, want, out)
		}
	}
}

// TestMakeRunPassesAnInterruptOn: Ctrl-C reaches make and the program; make waits until the program has tidied up.
func TestMakeRunPassesAnInterruptOn(t *testing.T) {
	t.Parallel()
	cmd := makeRun(t, t.TempDir(), "wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a terminal gives each command a process group
	var out bytes.Buffer
	lines := make(chan struct{}, 1)
	cmd.Stdout = writerFunc(func(p []byte) (int, error) {
		if bytes.Contains(p, []byte("waiting")) {
			lines <- struct{}{}
		}
		return out.Write(p)
	})
	must(t, "start", cmd.Start())
	select {
	case <-lines:
	case <-time.After(atMost):
		t.Fatal("the program does not start")
	}
	must(t, "interrupt", syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	_ = cmd.Wait() // make was interrupted, and says so
	if !strings.Contains(out.String(), "tidied") {
		t.Errorf("make is over before the program is: %s", out.String())
	}
}

// writerFunc is a function that writes.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
