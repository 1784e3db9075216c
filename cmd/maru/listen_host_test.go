package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestOperatorsListenerKnowsItsHost: a page that points a name of its own at this machine reads
// nothing.
func TestOperatorsListenerKnowsItsHost(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.start()
	for host, want := range map[string]int{"": http.StatusOK, "localhost:9090": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]:9090": http.StatusOK, "evil.example.net": http.StatusMisdirectedRequest, "localhost.evil.example": http.StatusMisdirectedRequest} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.admin+"/metrics", http.NoBody)
		must(t, "request", err)
		if host != "" {
			req.Host = host
		}
		resp, err := http.DefaultClient.Do(req)
		must(t, "ask", err)
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Host %q: %s, want %d", host, resp.Status, want)
		}
	}
	if !strings.Contains(p.operator("/metrics"), "maru_") {
		t.Error("no metrics")
	}
}
