package pgstore_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// proxy is between a store and the server. When armed it lets some more
// writes of the client through, gives the last of them to the server, swallows
// the answer and cuts the connection: the client cannot know what took place.
type proxy struct {
	dir    string
	target func() (net.Conn, error)

	mu    sync.Mutex
	armed bool
	left  int
	cuts  int
	onCut func() // runs between the server's answer and the cut
}

func newProxy(t *testing.T, url string) *proxy {
	t.Helper()
	pc, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{dir: t.TempDir(), target: func() (net.Conn, error) {
		if filepath.IsAbs(pc.Host) {
			return net.Dial("unix", filepath.Join(pc.Host, ".s.PGSQL.5432"))
		}
		return net.Dial("tcp", net.JoinHostPort(pc.Host, fmt.Sprint(pc.Port)))
	}}
	l, err := net.Listen("unix", filepath.Join(p.dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.serve(c) })
		}
	})
	return p
}

func (p *proxy) url() string {
	return "postgres://maru@/postgres?sslmode=disable&pool_max_conns=1&host=" + p.dir
}

// arm cuts the connection after so many writes of the client.
func (p *proxy) arm(after int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.left = true, after
}

// during sets what happens between the server's answer and a cut.
func (p *proxy) during(meanwhile func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onCut = meanwhile
}

// disarm reports whether the connection was cut since arm.
func (p *proxy) disarm() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.armed
	p.armed = false
	return !was
}

// fatal counts a write of the client, and reports whether it is the last.
func (p *proxy) fatal() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.armed {
		return false
	}
	p.left--
	if p.left >= 0 {
		return false
	}
	p.armed = false
	p.cuts++
	return true
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := p.target()
	if err != nil {
		return
	}
	defer server.Close()
	var mu sync.Mutex
	deaf := false // the client hears nothing any more
	done := make(chan struct{})
	answered := make(chan struct{}, 1)
	go func() {
		defer close(done)
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			if err != nil {
				client.Close()
				return
			}
			mu.Lock()
			d := deaf
			mu.Unlock()
			if d {
				answered <- struct{}{}
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if err != nil {
			server.Close()
			<-done
			return
		}
		last := p.fatal()
		if last {
			mu.Lock()
			deaf = true
			mu.Unlock()
		}
		if _, err := server.Write(buf[:n]); err != nil && !errors.Is(err, io.EOF) {
			client.Close()
			server.Close()
			<-done
			return
		}
		if last {
			<-answered
			p.mu.Lock()
			meanwhile := p.onCut
			p.mu.Unlock()
			if meanwhile != nil {
				meanwhile()
			}
			return
		}
	}
}
