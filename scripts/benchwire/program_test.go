package benchwire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a bot running as a process of its own.
type process struct {
	pid         int
	addr, admin string // of its listeners
	dir         string // its data

	mu  sync.Mutex
	log []string // the last lines
}

// startProgram starts bin/maru as an operator does: with its own defaults, but free ports.
func startProgram(t *testing.T, env ...string) *process {
	t.Helper()
	return startBinary(t, strings.Split(*program, ",")[0], env...)
}

// startBinary is startProgram with another build.
func startBinary(t *testing.T, bin string, env ...string) *process {
	t.Helper()
	bin, err := filepath.Abs(bin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("%v; make bench-wire builds it", err)
	}
	dir := t.TempDir()
	return start(t, dir, exec.Command(bin, "serve"), append([]string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "DATA_DIR=" + dir, "HTTP_ADDR=127.0.0.1:0", "ADMIN_ADDR=127.0.0.1:0",
		"OPENAI_MODEL=instant", "MARU_WEB_PASSWORD=a-long-password-of-the-bench",
	}, env...))
}

// startBare starts this test binary as a bare bot.
func startBare(t *testing.T, kind string, env ...string) *process {
	t.Helper()
	return start(t, "", exec.Command(os.Args[0]), append([]string{bareEnv + "=" + kind}, env...))
}

func start(t *testing.T, dir string, cmd *exec.Cmd, env []string) *process {
	t.Helper()
	p := &process{dir: dir}
	cmd.Env = env
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.pid = cmd.Process.Pid
	isReady, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		p.follow(stderr, isReady)
		ended <- cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			_ = cmd.Process.Kill()
			t.Errorf("%s does not stop", cmd.Path)
		}
		if t.Failed() {
			p.mu.Lock()
			t.Logf("last lines of %s: %q", cmd.Path, p.log)
			p.mu.Unlock()
		}
	})
	select {
	case <-isReady:
	case err := <-ended:
		t.Fatalf("%s ended before it was ready: %v: %q", cmd.Path, err, p.log)
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s is not ready: %q", cmd.Path, p.log)
	}
	return p
}

// follow reads the log until the process ends.
func (p *process) follow(stderr io.Reader, isReady chan<- struct{}) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.mu.Lock()
		p.log = append(p.log, lines.Text())
		p.log = p.log[max(0, len(p.log)-40):]
		p.mu.Unlock()
		var e struct {
			Msg   string `json:"msg"`
			Addr  string `json:"addr"`
			Admin string `json:"admin_addr"`
		}
		if isReady != nil && json.Unmarshal(lines.Bytes(), &e) == nil && e.Msg == "ready" {
			p.addr, p.admin = e.Addr, e.Admin
			close(isReady)
			isReady = nil
		}
	}
}

// profile writes a profile of the program to a file: "profile?seconds=3", "allocs", "block".
func (p *process) profile(t *testing.T, dir, name, query string) {
	resp, err := http.Get(fmt.Sprintf("http://%s/debug/pprof/%s", p.admin, query))
	if err != nil {
		t.Errorf("profile: %v", err)
		return
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("profile %s: %s %v", name, resp.Status, err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".pprof"), raw, 0o600); err != nil {
		t.Error(err)
	}
}
