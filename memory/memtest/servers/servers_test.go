package servers_test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"maru/memory/memtest/servers"
)

// A Redis that is stopped and started again listens at the same place.
func TestServerComesBackAtTheSamePlace(t *testing.T) {
	t.Parallel()
	s := servers.StartRedis(t)
	path := socketOf(s)
	for range 2 {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		s.Stop()
		if _, err := net.Dial("unix", path); err == nil {
			t.Fatal("a stopped server answers")
		}
		s.Start()
	}
}

func TestPostgresStarts(t *testing.T) {
	t.Parallel()
	if url := servers.Postgres(t); !strings.HasPrefix(url, "postgres") {
		t.Errorf("url %q", url)
	}
}

// Every PostgreSQL of a test is another one, the first that is made on a machine too.
func TestPostgresOfATestIsItsOwn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("no psql: apt-get install postgresql-client")
	}
	const child = "MARU_SERVERS_CACHE"
	if os.Getenv(child) == "" { // with an empty cache
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1", "XDG_CACHE_HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	for range 3 {
		url := servers.StartPostgres(t).URL
		out, err := exec.CommandContext(t.Context(), psql, "-v", "ON_ERROR_STOP=1", "-c", "CREATE TABLE only_here (id int)", url).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// A test process that dies without clean-up takes its server with it.
func TestServerOfADeadTestProcessEnds(t *testing.T) {
	t.Parallel()
	const child = "MARU_SERVERS_CHILD"
	if os.Getenv(child) != "" {
		os.Stdout.WriteString("socket " + socketOf(servers.StartRedis(t)) + "\n")
		<-t.Context().Done() // until it is killed
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := ""
	for lines := bufio.NewScanner(out); path == "" && lines.Scan(); {
		path, _ = strings.CutPrefix(lines.Text(), "socket ")
		if !strings.HasPrefix(path, "/") {
			path = ""
		}
	}
	if path == "" {
		t.Skip("the child has no redis-server")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := net.Dial("unix", path)
		if err != nil {
			return
		}
		c.Close()
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the server is still there")
		}
	}
}

func socketOf(s *servers.Server) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.URL, "unix://"), "?db=0")
}
