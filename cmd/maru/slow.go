package main

import (
	"net/http"
	"time"
)

// bodyTime bounds the arrival of a request's body: platform endpoints are public, and authentication needs the whole
// body. Slower routes, such as uploads, set a deadline of their own.
const bodyTime = 30 * time.Second

// punctual gives the bodies of requests limit to arrive. It is no time for the answer,
// which may be a stream or be worked on for long: net/http lifts the deadline when the
// body has ended. A server's ReadTimeout would hold for uploads as well.
func punctual(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit)) // a connection that is gone has no body either
		}
		h.ServeHTTP(w, r)
	})
}
