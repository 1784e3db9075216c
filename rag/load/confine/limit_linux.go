package confine

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// rlimitData bounds writable memory; RLIMIT_AS would count the address space that the Go runtime reserves and never
// touches.
const rlimitData = 2

// slack is the runtime's mapping beyond the used heap: it grows by 64 MiB at a time.
const slack = 192 << 20

// Bind applies irrevocable limits to this process and ends it at its deadline, even without a parent to kill it.
func Bind(memory int, timeout time.Duration) error {
	seconds := uint64(timeout/time.Second) + 1
	limits := map[int]uint64{
		syscall.RLIMIT_CPU:  2*seconds + 1,
		syscall.RLIMIT_CORE: 0,
	}
	if !RaceDetector { // its shadow memory alone is larger
		limits[rlimitData] = uint64(memory) + slack
	}
	for what, n := range limits {
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	time.AfterFunc(timeout+time.Second, func() { os.Exit(3) })
	return nil
}

// BindFiles forbids this process to write files.
func BindFiles() error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{})
}

// ownGroup makes the child a process group leader, so that the group can be killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
