package discordfake

import (
	"net/http"

	"maru/adapters/offline"
)

// Transport reaches the REST API without a network, so that tests can advance fake time during calls.
func (f *Fake) Transport() http.RoundTripper { return offline.To(f.server.Handler) }
