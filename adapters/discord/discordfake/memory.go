package discordfake

import (
	"net/http"

	"maru/adapters/offline"
)

// Transport reaches the REST API without a network, so that a test can let time
// fly while calls are under way.
func (f *Fake) Transport() http.RoundTripper { return offline.To(f.server.Handler) }
