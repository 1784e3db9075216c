package confine

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// rlimitData counts what a process can write to; RLIMIT_AS would count the
// address space that the Go runtime reserves and never touches.
const rlimitData = 2

// slack is what the runtime maps beyond the heap it uses: it grows by 64 MiB at a time.
const slack = 192 << 20

// Bind puts this process under limits it cannot lift, and ends it when its time is over
// even if nobody is left to kill it.
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

// BindFiles lets this process write to no file from here on.
func BindFiles() error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{})
}

// ownGroup makes the child the leader of a process group that is killed as one.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
