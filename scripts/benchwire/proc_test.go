package benchwire

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tick is the unit of the times in /proc/PID/stat (USER_HZ, 100 on every Linux that Go runs on).
const tick = 10 * time.Millisecond

// stat is what /proc tells of a process.
type stat struct {
	parent    int
	own, gone time.Duration // CPU of the process, and of its children that ended
}

func readStat(pid int) (stat, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(raw)
}

// parseStat reads the fields behind the command, which may contain spaces and parentheses.
func parseStat(raw []byte) (stat, error) {
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 15 {
		return stat{}, fmt.Errorf("stat has %d fields", len(fields))
	}
	n := func(i int) time.Duration {
		v, _ := strconv.Atoi(fields[i]) // the kernel writes numbers
		return time.Duration(v)
	}
	return stat{parent: int(n(1)), own: (n(11) + n(12)) * tick, gone: (n(13) + n(14)) * tick}, nil
}

// cpuOf returns the CPU that a process, its children and their ended siblings have used.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	root, err := readStat(pid)
	if err != nil {
		t.Fatalf("CPU of process %d: %v", pid, err)
	}
	sum := root.own + root.gone
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is sound
	for _, dir := range dirs {
		child, _ := strconv.Atoi(filepath.Base(dir))
		if s, err := readStat(child); err == nil && s.parent == pid {
			sum += s.own
		}
	}
	return sum
}

// memoryOf returns VmRSS and RssAnon of a process in MB.
func memoryOf(t *testing.T, pid int) (rss, anon float64) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatalf("memory of process %d: %v", pid, err)
	}
	return statusMB(string(raw), "VmRSS:"), statusMB(string(raw), "RssAnon:")
}

func statusMB(status, name string) float64 {
	_, rest, _ := strings.Cut(status, name)
	var kb float64
	_, _ = fmt.Sscan(rest, &kb) // 0 where there is none
	return kb / 1024
}

// listener returns the process that listens on a server's Unix socket.
func listener(t *testing.T, raw string) int {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	path := u.Path
	if host := u.Query().Get("host"); host != "" {
		path = filepath.Join(host, ".s.PGSQL.5432")
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fd, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var cred *syscall.Ucred
	var credErr error
	if err := fd.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil || credErr != nil {
		t.Fatal(err, credErr)
	}
	return int(cred.Pid)
}

func TestProcFilesAreRead(t *testing.T) {
	t.Parallel()
	s, err := parseStat([]byte("7 (a b) c) S 3 1 1 0 -1 0 1 2 3 4 150 50 20 10 20 0 9 0 5 0"))
	if want := (stat{parent: 3, own: 2 * time.Second, gone: 300 * time.Millisecond}); err != nil || s != want {
		t.Errorf("stat is %+v, %v; want %+v", s, err, want)
	}
	if _, err := parseStat([]byte("7 (x) S")); err == nil {
		t.Error("a short stat is read")
	}
	status := "Name:\tx\nVmRSS:\t   20480 kB\nRssAnon:\t   10240 kB\n"
	if rss, anon := statusMB(status, "VmRSS:"), statusMB(status, "RssAnon:"); rss != 20 || anon != 10 {
		t.Errorf("memory is %v and %v", rss, anon)
	}
	before := cpuOf(t, os.Getpid())
	for begun := time.Now(); time.Since(begun) < 20*time.Second && cpuOf(t, os.Getpid()) < before+2*tick; {
	}
	if used := cpuOf(t, os.Getpid()) - before; used < 2*tick {
		t.Errorf("this process has used %v", used)
	}
	if rss, anon := memoryOf(t, os.Getpid()); anon <= 0 || rss < anon {
		t.Errorf("memory of this process is %v and %v", rss, anon)
	}
}
