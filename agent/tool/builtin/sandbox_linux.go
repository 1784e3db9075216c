package builtin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// firstUID is the user of slot 0 when we are root. Each slot has its own, so
// that no program sees or bounds another. The range is one that no
// distribution gives out.
const firstUID = 60600

// Probe reports why programs cannot be sandboxed on this machine, nil if they
// can. It runs one.
func (s Sandbox) Probe(ctx context.Context) error {
	s = s.withDefaults()
	out, err := s.run(ctx, 0, "import os\nprint(6*7, sorted(set(os.listdir('/')) - {'lib32','libx32'}))")
	if err != nil {
		return err
	}
	const want = "42 ['dev', 'lib', 'lib64', 'proc', 'tmp', 'usr']"
	if got := out.text(); got != want && got != strings.Replace(want, " 'lib64',", "", 1) {
		return fmt.Errorf("the sandbox does not answer as it should: %.300s", got)
	}
	return nil
}

// command builds the chain prlimit → bwrap → python.
func (s Sandbox) command() ([]string, error) {
	var path [2]string
	for i, name := range []string{"prlimit", "bwrap"} {
		var err error
		if path[i], err = find(name); err != nil {
			return nil, err
		}
	}
	interpreter, err := filepath.EvalSymlinks(s.Python)
	if err != nil {
		return nil, fmt.Errorf("there is no Python at %s: install python3 or set MARU_PYTHON_PATH", s.Python)
	}
	if !strings.HasPrefix(interpreter, "/usr/") {
		return nil, fmt.Errorf("%s leads to %s, outside /usr: set MARU_PYTHON_PATH to a Python under /usr", s.Python, interpreter)
	}
	args := []string{
		path[0], "--as=" + strconv.FormatInt(s.Memory, 10), "--cpu=" + strconv.Itoa(int(s.Timeout/time.Second)+1),
		"--fsize=" + strconv.Itoa(maxWritten), "--nofile=64", "--core=0",
		path[1], "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
	args = append(args, libraries(interpreter)...)
	args = append(args,
		"--ro-bind", interpreter, interpreter, "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev",
		"--size", strconv.Itoa(maxScratch), "--tmpfs", "/tmp", "--remount-ro", "/", "--chdir", "/tmp", "--clearenv",
		"--setenv", "LANG", "C.UTF-8", "--setenv", "HOME", "/tmp", "--seccomp", "3",
		"--", interpreter, "-I", "-S", "-B", "-c", bootstrap, strconv.Itoa(maxProcesses))
	return args, nil
}

// find looks for a program where the system keeps it before it asks PATH.
func find(name string) (string, error) {
	for _, dir := range []string{"/usr/bin/", "/bin/", "/usr/local/bin/"} {
		if info, err := os.Stat(dir + name); err == nil && info.Mode().IsRegular() {
			return dir + name, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("there is no %s: install it (Debian: apt install bubblewrap util-linux)", name)
}

// libraries shows the interpreter's libraries and nothing else of the system:
// no /etc, no /home, no programs.
func libraries(interpreter string) []string {
	var args []string
	dirs := []string{"/usr/lib", "/usr/lib64", "/lib", "/lib64"}
	if strings.HasPrefix(interpreter, "/usr/local/") {
		dirs = append(dirs, "/usr/local/lib")
		args = append(args, "--setenv", "LD_LIBRARY_PATH", "/usr/local/lib")
	}
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if target, err := os.Readlink(dir); err == nil {
				args = append(args, "--symlink", target, dir)
			}
		default:
			args = append(args, "--ro-bind", dir, dir)
		}
	}
	return args
}

// run executes a program in a slot. The error says that it could not be run or
// had to be stopped; a program that fails by itself is an outcome.
func (s Sandbox) run(ctx context.Context, slot int, code string) (outcome, error) {
	args, err := s.command()
	if err != nil {
		return outcome{}, err
	}
	bounded, cancel := context.WithTimeoutCause(ctx, s.Timeout, errSlow)
	defer cancel()
	var flooded bool
	flood := func() { flooded = true; cancel() }
	stdout, stderr := &window{limit: maxStdout, flood: flood}, &window{limit: maxStderr, tail: true, flood: cancel}
	cmd := exec.CommandContext(bounded, args[0], args[1:]...) //nolint:gosec // G204: the operator's paths and constants
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(code), stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		id := uint32(firstUID + slot) //nolint:gosec // G115: a handful of slots
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: id, Gid: id}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	filter, err := seccompFile()
	if err != nil {
		return outcome{}, err
	}
	defer func() { _ = filter.Close() }()
	cmd.ExtraFiles = []*os.File{filter}
	// What this process inherited, unlike what it opened, would pass through to
	// the program. Where the kernel is too old for it (before 5.11), the fds are
	// those that the operator's supervisor left open.
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	// Pdeathsig follows the thread that forked, so the thread has to stay.
	runtime.LockOSThread()
	err = cmd.Run()
	runtime.UnlockOSThread()
	out := outcome{stdout: stdout.String(), stderr: stderr.String(), exit: cmd.ProcessState.ExitCode(), flooded: flooded || stderr.total > floodLimit}
	return out, s.verdict(ctx, bounded, out, err)
}

// verdict tells a program that ended from one that was stopped or never began.
func (s Sandbox) verdict(ctx, bounded context.Context, out outcome, err error) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case out.flooded:
		return nil
	case errors.Is(context.Cause(bounded), errSlow):
		return errSlow
	case err != nil && !errors.As(err, &exit):
		return fmt.Errorf("start the sandbox: %w", err)
	}
	for _, sign := range []string{"bwrap: ", "prlimit: "} {
		if out.exit != 0 && out.stdout == "" && strings.HasPrefix(out.stderr, sign) {
			return fmt.Errorf("the sandbox does not start: %.300s", out.stderr)
		}
	}
	return nil
}
