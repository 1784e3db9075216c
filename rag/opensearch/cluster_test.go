package opensearch_test

import (
	"net/http"
	"testing"
	"time"

	"maru/memory/memtest/servers"
	"maru/rag/opensearch"
	"maru/rag/opensearch/opensearchfake"
)

// cluster is the cluster of a test: the fake, or an index of its own on the real node.
type cluster struct {
	url  string
	name string // of the index
	fake *opensearchfake.Server
}

func (c cluster) config() opensearch.Config {
	return opensearch.Config{URL: c.url, Name: c.name, Poll: 50 * time.Millisecond}
}

// index returns the address of the index.
func (c cluster) index() string { return c.url + "/" + c.name }

func (c cluster) open(t *testing.T) *opensearch.Index {
	t.Helper()
	return openWith(t, c.config())
}

func openWith(t *testing.T, cfg opensearch.Config) *opensearch.Index {
	t.Helper()
	x, err := opensearch.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func fake(t *testing.T) cluster {
	t.Helper()
	s := opensearchfake.New(t)
	return cluster{s.URL, "maru-documents", s}
}

// slots bound the tests that use the real server at once. It makes indexes one after another, a few seconds each on a
// busy machine, and an index waits half a minute to be made.
var slots = make(chan struct{}, 3)

// real returns a new index name in the real server, of which a test takes one. The race detector's short run leaves it
// out: it sees nothing of another process.
func real(t *testing.T) cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("the fake does for a short run")
	}
	slots <- struct{}{}
	t.Cleanup(func() { <-slots })
	c := cluster{url: servers.OpenSearch(t), name: servers.Name()}
	t.Cleanup(func() { c.drop(t) })
	return c
}

// drop deletes the index, as an operator may.
func (c cluster) drop(t *testing.T) {
	t.Helper()
	if c.fake != nil {
		c.fake.Drop(c.name)
		return
	}
	req, err := http.NewRequest(http.MethodDelete, c.index(), http.NoBody) //nolint:noctx // also after the test's own end
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

// onBoth runs a test on the fake and on a real server.
func onBoth(t *testing.T, test func(t *testing.T, c cluster)) {
	t.Helper()
	for name, start := range map[string]func(*testing.T) cluster{"fake": fake, "real": real} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t))
		})
	}
}
