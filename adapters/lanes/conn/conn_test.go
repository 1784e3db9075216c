package conn_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"maru/adapters/lanes/conn"
)

// TestConnectionsAreKept: calls made side by side again use the connections of the calls before.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	const calls = 24
	var dialled atomic.Int64
	var arrived sync.WaitGroup // holds every call until all have a connection of their own
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived.Done()
		arrived.Wait()
		_, _ = io.WriteString(w, "{}")
	}))
	s.Config.ConnState = func(_ net.Conn, now http.ConnState) {
		if now == http.StateNew {
			dialled.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := http.Client{Transport: conn.Transport()}
	t.Cleanup(c.CloseIdleConnections)
	for range 3 {
		arrived.Add(calls)
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				resp, err := c.Get(s.URL)
				if err != nil {
					t.Error(err)
					arrived.Done()
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			})
		}
		all.Wait()
	}
	if n := dialled.Load(); n != calls {
		t.Errorf("%d connections for %d calls at a time", n, calls)
	}
}
