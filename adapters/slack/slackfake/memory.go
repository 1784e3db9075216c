package slackfake

import (
	"net/http"

	"maru/adapters/offline"
)

// Transport reaches the fake without a network, so that a test can let time
// stand still or fly while calls are under way.
func (s *Server) Transport() http.RoundTripper { return offline.To(s.mux) }
