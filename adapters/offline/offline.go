// Package offline passes HTTP requests to a handler without a network, so that tests with a
// fake platform can control the time of calls in progress. It depends on nothing of ours.
package offline

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
)

// To returns a transport that answers requests with h. A request outlives its cancelled
// caller, like one that has reached a server; a handler that hijacks the connection ends it
// without a response.
func To(h http.Handler) http.RoundTripper { return transport{h} }

type transport struct{ h http.Handler }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(context.WithoutCancel(r.Context()))
	in.RequestURI = r.URL.RequestURI()
	if in.Body == nil {
		in.Body = http.NoBody
	}
	w := &writer{ResponseRecorder: httptest.NewRecorder()}
	t.h.ServeHTTP(w, in)
	if w.cut {
		return nil, &net.OpError{Op: "read", Err: net.ErrClosed}
	}
	return w.Result(), nil
}

// writer is a response writer that can be cut off like a connection.
type writer struct {
	*httptest.ResponseRecorder
	cut bool
}

// Hijack implements [http.Hijacker] for faults that end the connection.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.cut = true
	here, there := net.Pipe()
	_ = there.Close() // nobody reads the other end; closing a pipe cannot fail
	return here, nil, nil
}
