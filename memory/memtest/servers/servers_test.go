package servers_test

import (
	"net"
	"strings"
	"testing"

	"maru/memory/memtest/servers"
)

// A Redis that is stopped and started again listens at the same place.
func TestServerComesBackAtTheSamePlace(t *testing.T) {
	t.Parallel()
	s := servers.StartRedis(t)
	path := strings.TrimSuffix(strings.TrimPrefix(s.URL, "unix://"), "?db=0")
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
