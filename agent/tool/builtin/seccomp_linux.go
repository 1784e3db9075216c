package builtin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// forbidden are system calls that a Python program has no business making.
// Namespaces already take most of their power away; this shuts what they leave
// open: sockets of families without namespaces (vsock), memory that no limit
// counts (shared memory, memfd), and the parts of the kernel with the longest
// list of holes.
var forbidden = []uint32{
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN,
	unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG,
	unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SYSLOG, unix.SYS_PERSONALITY,
	unix.SYS_FANOTIFY_INIT, unix.SYS_VHANGUP, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

// architectures maps GOARCH to the constant that the kernel checks against; on
// others the sandbox is not offered.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// instruction is a struct sock_filter.
type instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

// seccompProgram returns the filter in classic BPF: another architecture kills the
// process, a forbidden call fails with EPERM, everything else passes.
func seccompProgram() ([]byte, error) {
	arch, ok := architectures[runtime.GOARCH]
	if !ok {
		return nil, fmt.Errorf("there is no system call filter for %s", runtime.GOARCH)
	}
	const load, equal, atLeast, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	program := []instruction{
		{load, 0, 0, 4}, {equal, 1, 0, arch}, {ret, 0, 0, unix.SECCOMP_RET_KILL_PROCESS}, {load, 0, 0, 0},
		{atLeast, uint8(len(forbidden) + 1), 0, 1 << 30}, //nolint:gosec // G115: under 255; x32 has its calls up there
	}
	for i, call := range forbidden {
		program = append(program, instruction{equal, uint8(len(forbidden) - i), 0, call}) //nolint:gosec // G115: under 255
	}
	program = append(program, instruction{ret, 0, 0, unix.SECCOMP_RET_ALLOW}, instruction{ret, 0, 0, unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	var out bytes.Buffer
	if err := binary.Write(&out, binary.NativeEndian, program); err != nil {
		return nil, fmt.Errorf("encode the system call filter: %w", err)
	}
	return out.Bytes(), nil
}

// seccompFile gives the filter as a pipe that bwrap reads. It fits into the
// pipe's buffer.
func seccompFile() (*os.File, error) {
	program, err := seccompProgram()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the sandbox: %w", err)
	}
	if _, err = w.Write(program); err != nil {
		_ = r.Close()
	}
	_ = w.Close()
	return r, err
}
