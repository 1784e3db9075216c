package source_test

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"

	"maru/agent/workflow/node"
	"maru/rag/source"
)

// TestUnansweredTellsInsideFromSilent: an address that the client of sources refuses needs the operator, not patience.
func TestUnansweredTellsInsideFromSilent(t *testing.T) {
	t.Parallel()
	for want, allowed := range map[string]bool{"source.inside": false, "source.no_answer": true} {
		client := node.NewHTTPClient(func(netip.AddrPort) bool { return allowed })
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			t.Fatal("somebody answered")
		}
		if f := source.Unanswered("intranet", err); f.Key != want || !errors.Is(f, err) {
			t.Errorf("allowed %v: %s, %v", allowed, f.Key, f)
		}
	}
}
