package main

import (
	"net/http"
	"time"
)

// bodyTime limits the arrival of a request's body: platform endpoints are public, and authentication needs the
// whole body. Slower routes, such as uploads, set their own deadline.
const bodyTime = 30 * time.Second

// punctual limits the arrival of request bodies. The response may take longer, as a stream does: net/http lifts
// the deadline when the body has ended. A server's ReadTimeout would apply to uploads as well.
func punctual(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit)) // a connection that is gone has no body either
		}
		h.ServeHTTP(w, r)
	})
}
