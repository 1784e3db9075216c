package slackfake

import (
	"net/http"

	"maru/adapters/offline"
)

// Transport reaches the fake without a network, so that tests can stop or advance fake time during calls.
func (s *Server) Transport() http.RoundTripper { return offline.To(s.mux) }
