package confine

import (
	"os/exec"
	"syscall"
	"time"
)

// rlimitData bounds writable memory; RLIMIT_AS would count the address space that the Go runtime reserves and never
// touches.
const rlimitData = 2

// slack is the runtime's mapping beyond the used heap: it grows by 64 MiB at a time.
const slack = 192 << 20

// Bind bounds the memory of this process, irrevocably.
func Bind(memory int) error {
	limits := map[int]uint64{syscall.RLIMIT_CORE: 0}
	if !RaceDetector { // its shadow memory alone is larger
		limits[rlimitData] = uint64(memory) + slack
	}
	for what, n := range limits {
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	return nil
}

// bindCPU bounds the CPU time of this process until timeout.
func bindCPU(timeout time.Duration) error {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return err
	}
	limit.Cur = min(limit.Max, uint64(used.Utime.Sec+used.Stime.Sec)+2*(uint64(timeout/time.Second)+1)+1)
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &limit)
}

// BindFiles forbids this process to write files.
func BindFiles() error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{})
}

// ownGroup makes the child a process group leader, so that the group can be killed.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
