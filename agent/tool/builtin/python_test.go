package builtin_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/tool"
	"maru/agent/tool/builtin"
)

// sandbox returns a python tool, or skips where the sandbox is missing.
func sandbox(t *testing.T, box builtin.Sandbox) tool.Tool {
	t.Helper()
	patient := box // whether there is one is not to be told in the time of a test about being stopped
	patient.Timeout = time.Minute
	if err := patient.Probe(t.Context()); err != nil {
		if os.Getenv("MARU_TEST_REQUIRE") == "1" {
			t.Fatalf("the sandbox is required: %v", err)
		}
		t.Skipf("no sandbox here: %v", err)
	}
	return builtin.NewPython(box)
}

// program runs code in the sandbox.
func program(t *testing.T, made tool.Tool, code string) (string, error) {
	t.Helper()
	got, err := invoke(t, made, map[string]string{"code": code}, tool.Call{})
	return got.Text, err
}

func TestPython(t *testing.T) {
	t.Parallel()
	made := sandbox(t, builtin.Sandbox{Timeout: 2 * time.Minute})
	for name, tc := range map[string]struct{ code, want string }{
		"prints":              {"print('안녕', 6*7)", "안녕 42"},
		"last expression":     {"x = [1, 2]\nx + [3]", "[1, 2, 3]"},
		"last call is silent": {"print('once')", "once"},
		"nothing":             {"x = 1", "[no output: print what you want to see]"},
		"standard library":    {"import json, re, math, datetime, statistics, decimal, random, collections\nstatistics.mean([1, 2, 3])", "2"},
		"comprehension scope": {"n = 3\ndef f():\n    return [n * i for i in range(n)]\nf()", "[0, 3, 6]"},
		"main":                {"if __name__ == '__main__':\n    print('main')", "main"},
		"scratch folder":      {"open('a.txt', 'w').write('kept')\nprint(open('/tmp/a.txt').read())", "kept"},
		"exception":           {"def f():\n    return 1/0\nf()", "stderr:\nTraceback (most recent call last):\n  File \"main.py\", line 3, in <module>\n    f()\n  File \"main.py\", line 2, in f\n    return 1/0\n           ~^~\nZeroDivisionError: division by zero\n[exit status 1]"},
		"syntax error":        {"print(", "SyntaxError: '(' was never closed\n[exit status 1]"},
		"exit":                {"import sys\nprint('bye')\nsys.exit(3)", "bye\n[exit status 3]"},
		"standard error":      {"import sys\nprint('warn', file=sys.stderr)", "stderr:\nwarn"},
		"input is empty":      {"import sys\nlen(sys.stdin.read())", "0"},
		"binary output":       {"import sys\nsys.stdout.buffer.write(b'\\xff\\xfe ok')\nNone", "ok"},
		"threads":             {"import threading\nt = threading.Thread(target=print, args=('thread',))\nt.start(); t.join()", "thread"},
		"long output":         {"print('x' * 50000)", "more bytes]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := program(t, made, tc.code)
			if err != nil || !strings.HasSuffix(got, tc.want) {
				t.Errorf("got %.900q, %v, want %q", got, err, tc.want)
			}
		})
	}
}

// TestPythonEscapes tries to get out. Each program prints ESCAPED when it has done what it must not.
func TestPythonEscapes(t *testing.T) {
	t.Parallel()
	made := sandbox(t, builtin.Sandbox{Timeout: 2 * time.Minute, Memory: 192 << 20})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	port := listener.Addr().(*net.TCPAddr).Port
	attempt := func(body string) string {
		return "try:\n    " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n    print('ESCAPED')\nexcept BaseException as e:\n    print('held:', type(e).__name__)"
	}
	for name, code := range map[string]string{
		// Network.
		"tcp to the host":  fmt.Sprintf("import socket\nsocket.create_connection(('127.0.0.1', %d), 2)", port),
		"tcp out":          "import socket\nsocket.create_connection(('1.1.1.1', 53), 2)",
		"udp":              "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))",
		"dns":              "import socket\nsocket.getaddrinfo('example.com', 80)",
		"vsock":            "import socket\nsocket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 1))",
		"netlink":          "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
		"unix socket":      "import socket\nsocket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')",
		"abstract socket":  "import socket\nsocket.socket(socket.AF_UNIX).bind('\\0x')",
		"raw socket":       "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
		"other interfaces": "import os\nassert os.listdir('/sys/class/net')",
		"routes":           "assert len(open('/proc/net/route').readlines()) > 1",
		// Files.
		"password file":    "open('/etc/passwd').read()",
		"a file of ours":   fmt.Sprintf("open(%q).read()", secret),
		"home":             "import os\nos.listdir('/root')",
		"root folder":      "import os\nassert set(os.listdir('/')) - {'dev','lib','lib64','proc','tmp','usr','lib32','libx32'}",
		"climbing":         "open('../../../../../../etc/hostname').read()",
		"through proc":     "open('/proc/1/root/etc/passwd').read()",
		"parent's cwd":     "import os\nos.listdir('/proc/1/cwd/../etc')",
		"parent's fds":     "import os\nfds = [os.readlink('/proc/1/fd/' + f) for f in os.listdir('/proc/1/fd')]\nassert [f for f in fds if not f.startswith(('pipe:', 'anon_inode:', '/dev/null'))]",
		"write to usr":     "open('/usr/x', 'w')",
		"write to root":    "open('/x', 'w')",
		"write to dev":     "open('/dev/x', 'w')",
		"shared memory":    "open('/dev/shm/x', 'w').write('x')",
		"write to proc":    "open('/proc/sys/kernel/hostname', 'w').write('x')",
		"disk devices":     "import os\nassert [d for d in os.listdir('/dev') if d.startswith(('sd', 'vd', 'nvme', 'mem', 'kmsg'))]",
		"make a device":    "import os, stat\nos.mknod('/tmp/d', 0o666 | stat.S_IFBLK, os.makedev(254, 0))\nopen('/tmp/d', 'rb').read(1)",
		"kernel log":       "open('/dev/kmsg').read(1)",
		"leaked fds":       "import os\nfds = set(os.listdir('/proc/self/fd')) - {'0','1','2'}\nfds = [f for f in fds if os.path.exists('/proc/self/fd/' + f)]\nassert fds, 1\nprint([os.readlink('/proc/self/fd/' + f) for f in fds])",
		"run a program":    "import subprocess\nsubprocess.run(['/bin/sh', '-c', 'id'], check=True)",
		"run ourselves":    "import os\nos.execv('/usr/bin/perl', ['perl', '-e', '1'])",
		"big file":         "open('/tmp/big', 'wb').write(b'x' * (9 << 20))",
		"fill the scratch": "for i in range(10):\n    f = open(f'/tmp/{i}', 'wb'); f.write(b'x' * (4 << 20)); f.flush()",
		// Environment and processes.
		"environment":      "import os\nassert set(os.environ) - {'LANG', 'HOME', 'PWD', 'LC_CTYPE', 'LD_LIBRARY_PATH'}",
		"parent's environ": "assert b'=' in open('/proc/1/environ', 'rb').read().replace(b'LANG=', b'').replace(b'HOME=', b'').replace(b'PWD=', b'')",
		"other processes":  "import os\nassert len([p for p in os.listdir('/proc') if p.isdigit()]) > 3",
		"signals out":      "import os\nos.kill(os.getppid() + 2, 9)\nos.kill(-1, 0)\nassert os.getppid() > 1",
		"become root":      "import os\nos.setuid(0)",
		"new namespace":    "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == 0",
		"mount":            "import ctypes\nassert ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0",
		"chroot":           "import os\nos.chroot('/tmp')",
		"ptrace":           "import ctypes\nassert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0",
		"keyring":          "import ctypes\nassert ctypes.CDLL(None).syscall(250, 0, -3, 0) >= 0",
		"memfd":            "import os\nos.memfd_create('x')",
		"raise limits":     "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))",
		"priority":         "import os\nos.nice(-5)",
		"host name":        "import socket\nsocket.sethostname('x')",
		// Bounds.
		"memory":         "x = bytearray(2 << 30)",
		"memory slowly":  "x = []\nwhile True:\n    x.append(bytearray(50 << 20))",
		"many processes": "import os, time\nfor i in range(20):\n    if os.fork() == 0:\n        time.sleep(1)\n        os._exit(0)",
		"many threads":   "import threading, time\nfor i in range(20):\n    threading.Thread(target=time.sleep, args=(1,), daemon=True).start()",
		"many files":     "x = [open('/dev/null') for i in range(200)]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := program(t, made, attempt(code))
			if err != nil || strings.Contains(got, "ESCAPED") || strings.Contains(got, canary) || !strings.Contains(got, "held:") {
				t.Errorf("got %.500q, %v", got, err)
			}
		})
	}
}

func TestPythonIsStopped(t *testing.T) {
	t.Parallel()
	made := sandbox(t, builtin.Sandbox{Timeout: 400 * time.Millisecond, Slots: 4})
	for name, code := range map[string]string{
		"endless loop":        "while True: pass",
		"sleeper":             "import time\ntime.sleep(100)",
		"one long operation":  "x = 9 ** (9 ** 9)",
		"ignores signals":     "import signal\nfor s in (1, 2, 3, 15): signal.signal(s, signal.SIG_IGN)\nwhile True: pass",
		"fork bomb":           "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
		"leaves a child":      "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(100)\nos.wait()",
		"catastrophic regexp": "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := program(t, made, code)
			if err == nil {
				t.Fatal("it was not stopped")
			}
			wrong(t, err, "timeout")
		})
	}
	t.Run("output flood", func(t *testing.T) {
		t.Parallel()
		got, err := program(t, sandbox(t, builtin.Sandbox{Timeout: 2 * time.Minute}), "while True: print('x' * 1000)")
		if err != nil || !strings.HasSuffix(got, "[stopped: it printed without end]") || len(got) > tool.MaxResult {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
	t.Run("error flood", func(t *testing.T) {
		t.Parallel()
		got, err := program(t, sandbox(t, builtin.Sandbox{Timeout: 2 * time.Minute}), "import sys\nwhile True: print('x' * 1000, file=sys.stderr)")
		if err != nil || !strings.Contains(got, "[stopped: it printed without end]") || len(got) > tool.MaxResult {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
}

func TestPythonLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	made := sandbox(t, builtin.Sandbox{Timeout: 2 * time.Minute})
	first, err := program(t, made, "open('/tmp/note', 'w').write('x')\nimport os\nos.listdir('/tmp')")
	if err != nil || !strings.HasSuffix(first, "['note']") {
		t.Fatalf("got %q, %v", first, err)
	}
	if second, err := program(t, made, "import os\nos.listdir('/tmp')"); err != nil || second != "[]" {
		t.Errorf("the next program finds %q, %v", second, err)
	}
}

func TestPythonRunsSideBySide(t *testing.T) {
	t.Parallel()
	made := sandbox(t, builtin.Sandbox{Timeout: 2 * time.Minute, Slots: 2})
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			if got, err := program(t, made, fmt.Sprintf("print(%d)", i)); err != nil || got != fmt.Sprint(i) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wait.Wait()
}

func TestPythonStopsWithItsRun(t *testing.T) {
	t.Parallel()
	made := sandbox(t, builtin.Sandbox{Timeout: 60 * time.Second})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := made.Call(ctx, tool.Call{Arguments: []byte(`{"code":"while True: pass"}`)}); err == nil {
		t.Error("it was not stopped")
	}
}

func TestProbeSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/usr/bin/no-such-python": "", "/usr/bin/env": "",
	} {
		if err := (builtin.Sandbox{Python: path}).Probe(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func BenchmarkPythonStart(b *testing.B) {
	box := builtin.Sandbox{}
	if err := box.Probe(b.Context()); err != nil {
		b.Skip(err)
	}
	made := builtin.NewPython(box)
	for b.Loop() {
		if _, err := made.Call(b.Context(), tool.Call{Arguments: []byte(`{"code":"1"}`)}); err != nil {
			b.Fatal(err)
		}
	}
}
