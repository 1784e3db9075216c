package servers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Server is a server process of one test.
type Server struct {
	URL string

	t      testing.TB
	dir    string
	socket string
	port   string // listens here instead, if not empty
	args   []string
	cred   *syscall.Credential
	stop   syscall.Signal // asks for a quick, clean end
	ready  func() bool    // beyond listening; nil if that is enough
	cmd    *exec.Cmd
	log    bytes.Buffer
	watch  *exec.Cmd      // ends the server should the tests die without Stop
	alive  io.WriteCloser // the watched process
}

// StartRedis starts a Redis for this test alone; args are added to its command
// line. It keeps nothing on disk.
func StartRedis(t testing.TB) *Server { return StartRedisWith(t) }

// StartRedisWith starts a Redis with more settings, such as "--maxmemory", "10mb".
func StartRedisWith(t testing.TB, args ...string) *Server {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		missing(t, "redis-server", "run `apt-get install redis-server`, or set MARU_TEST_REDIS_URL")
	}
	s := prepare(t, "redis.sock")
	s.URL = "unix://" + s.socket + "?db=0"
	s.args = append([]string{bin, "--port", "0", "--unixsocket", s.socket, "--save", "", "--appendonly", "no", "--dir", s.dir}, args...)
	s.stop = syscall.SIGKILL // there is nothing to save
	s.Start()
	return s
}

// StartPostgres starts a PostgreSQL for this test alone. It does not sync to
// disk: tests kill processes, not machines. What it committed survives Stop and
// Start.
func StartPostgres(t testing.TB) *Server {
	t.Helper()
	bin := postgresBin()
	if bin == "" {
		missing(t, "PostgreSQL", "run `apt-get install postgresql`, or set MARU_TEST_POSTGRES_URL")
	}
	s := prepare(t, ".s.PGSQL.5432")
	s.cred = unprivileged(t, s.dir)
	data := filepath.Join(s.dir, "data")
	if err := cluster(s.cred, bin, s.dir, data); err != nil {
		t.Fatal(err)
	}
	s.URL = "postgres://maru@/postgres?host=" + s.dir
	s.args = []string{
		filepath.Join(bin, "postgres"), "-D", data, "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "full_page_writes=off", "-c", "max_connections=200", "-c", "shared_buffers=32MB",
	}
	s.stop = syscall.SIGQUIT // at once, without waiting for clients
	s.ready = func() bool {  // it listens before it lets anybody in
		b, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return err == nil && bytes.Contains(b, []byte("ready"))
	}
	s.Start()
	return s
}

// cluster makes the data of a new PostgreSQL: a copy of what initdb makes, which takes four times as long. The original
// stays in the user's cache, one for each version of PostgreSQL.
func cluster(cred *syscall.Credential, bin, dir, data string) error {
	run := func(name string, args ...string) error {
		cmd := exec.Command(name, args...) //nolint:noctx,gosec // local, our own command line
		cmd.Dir = dir
		if cred != nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		return nil
	}
	initdb := func() error {
		return run(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "maru", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	}
	version, err := exec.Command(filepath.Join(bin, "postgres"), "-V").Output() //nolint:noctx,gosec // local, our own command line
	cache, cacheErr := os.UserCacheDir()
	if err != nil || cacheErr != nil {
		return initdb()
	}
	sum := sha256.Sum256(version)
	template := filepath.Join(cache, "maru-test", "postgres-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(template); err != nil {
		if err := initdb(); err != nil {
			return err
		}
		return keep(data, template)
	}
	// As the caller: the server's user may not read the cache.
	if out, err := exec.Command("cp", "-a", template, data).CombinedOutput(); err != nil { //nolint:noctx,gosec // local, our own command line
		return fmt.Errorf("copy %s: %w\n%s", template, err, out)
	}
	return nil
}

// keep copies the data of a server that has not started to template, unless another process was first.
func keep(data, template string) error {
	if err := os.MkdirAll(filepath.Dir(template), 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(template), "new-")
	if err != nil {
		return err
	}
	if out, err := exec.Command("cp", "-a", data, filepath.Join(tmp, "data")).CombinedOutput(); err != nil { //nolint:noctx,gosec // local, our own command line
		return fmt.Errorf("keep %s: %w\n%s", template, err, out)
	}
	_ = os.Rename(filepath.Join(tmp, "data"), template) // it fails if another process was first
	return os.RemoveAll(tmp)
}

// StartOpenSearch starts an OpenSearch node for this test alone, without plugins. What it acknowledged survives Stop and
// Start. It takes 10 s and 200 MB of memory.
func StartOpenSearch(t testing.TB) *Server {
	t.Helper()
	build := os.Getenv("MARU_TEST_OPENSEARCH_BUILD") //nolint:forbidigo // part of the test suite
	if build == "" {
		missing(t, "OpenSearch", "run `eval \"$(scripts/services.sh up)\"`, which needs a JDK and maven")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // local
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	s := prepare(t, "none")
	if err := os.Mkdir(filepath.Join(s.dir, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.URL, s.port = "http://127.0.0.1:"+port, port
	s.args = []string{
		"java", "-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-cp", filepath.Join(build, "classes") + ":" + filepath.Join(build, "lib", "*"), "Server", s.dir, port,
	}
	s.stop = syscall.SIGKILL
	s.Start()
	return s
}

// prepare makes the folder of a server.
func prepare(t testing.TB, socket string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "maru-server-") // short: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, dir: dir, socket: filepath.Join(dir, socket)}
	t.Cleanup(s.remove)
	return s
}

// Start starts the process, again after Stop, and waits until it listens.
func (s *Server) Start() {
	s.t.Helper()
	_ = os.Remove(s.socket) // left over from a killed process
	s.log.Reset()
	cmd := exec.Command(s.args[0], s.args[1:]...) //nolint:noctx,gosec // it ends in Stop; our own command line
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &s.log, &s.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred, Setpgid: true}
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("start %s: %v", s.args[0], err)
	}
	s.cmd = cmd
	s.guard()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(5 * time.Minute); ; <-tick.C {
		network, addr := "unix", s.socket
		if s.port != "" {
			network, addr = "tcp", "127.0.0.1:"+s.port
		}
		if c, err := net.Dial(network, addr); err == nil { //nolint:noctx // local
			_ = c.Close()
			if s.ready == nil || s.ready() {
				return
			}
		}
		if time.Now().After(deadline) {
			s.Stop()
			s.t.Fatalf("%s does not listen:\n%s", s.args[0], s.log.String())
		}
	}
}

// guard starts a process that waits for the end of a pipe which only the test
// process holds open, and then ends the server: a panic or a time-out runs no
// clean-up.
func (s *Server) guard() {
	s.t.Helper()
	const script = `cat >/dev/null; kill -CONT "$1"; kill -"$2" "$1"; sleep 1; rm -rf "$3"`
	s.watch = exec.Command("/bin/sh", "-c", script, "guard", //nolint:noctx,gosec // it ends in Stop; our own command line
		strconv.Itoa(s.cmd.Process.Pid), strconv.Itoa(int(s.stop)), s.dir)
	s.watch.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // survives the signals that end the tests
	pipe, err := s.watch.StdinPipe()
	if err == nil {
		err = s.watch.Start()
	}
	if err != nil {
		s.watch = nil
		s.t.Fatalf("guard the server: %v", err)
	}
	s.alive = pipe
}

// unguard ends the guard before it sees the end of its pipe.
func (s *Server) unguard() {
	if s.watch == nil {
		return
	}
	_ = syscall.Kill(-s.watch.Process.Pid, syscall.SIGKILL)
	_ = s.watch.Wait() // it was killed, and says so
	_ = s.alive.Close()
	s.watch = nil
}

// Stop ends the process and waits for it. Start starts it again; a Redis is
// then empty.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	s.unguard()
	s.signal(syscall.SIGCONT)
	s.signal(s.stop)
	_ = s.cmd.Wait() // it was killed, and says so
	s.cmd = nil
}

// Freeze keeps the process from doing anything; its connections stay open.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw lets it go on.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

// signal reaches the process and its children.
func (s *Server) signal(sig syscall.Signal) {
	if sig == syscall.SIGQUIT { // PostgreSQL passes it on in its own order
		_ = s.cmd.Process.Signal(sig)
		return
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, sig)
}

// remove stops the server and removes its folder.
func (s *Server) remove() {
	s.Stop()
	_ = os.RemoveAll(s.dir)
}

// postgresBin finds the folder of initdb and postgres.
func postgresBin() string {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is sound
	if p, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(p))
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		if _, err := os.Stat(filepath.Join(dirs[i], "initdb")); err == nil {
			return dirs[i]
		}
	}
	return ""
}

// unprivileged returns whom PostgreSQL runs as, since it refuses to run as
// root, and gives that user the folder.
func unprivileged(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 != nil || err2 != nil {
			continue
		}
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	missing(t, "a user to run PostgreSQL as", "it refuses to run as root; add a user postgres")
	return nil
}
