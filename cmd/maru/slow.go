package main

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// bodyTime is how long a request's body may take to arrive: strangers reach the doors
// of the platforms, and who they are is known from the whole body alone. What takes
// longer, as an upload does, has a deadline of its own.
const bodyTime = 30 * time.Second

// punctual gives the bodies of requests limit to arrive. It is no time for the answer,
// which may be a stream or be worked on for long: once the body is there it ends.
func punctual(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			c := http.NewResponseController(w)
			if c.SetReadDeadline(time.Now().Add(limit)) == nil {
				r.Body = &punctualBody{ReadCloser: r.Body, c: c}
			}
		}
		h.ServeHTTP(w, r)
	})
}

// punctualBody lifts its connection's deadline when it has ended.
type punctualBody struct {
	io.ReadCloser

	c *http.ResponseController
}

// Read implements io.Reader.
func (b *punctualBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if late := b.c.SetReadDeadline(time.Time{}); late != nil {
			return n, late
		}
	}
	return n, err
}
