// Package offline carries HTTP requests to a handler without a network, so that tests
// on a fake platform can let time stand still or fly while calls are under way. It
// knows no platform and nothing of ours.
package offline

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
)

// To returns a transport whose requests h answers. A request lives on when its caller
// is gone, as one that has reached a server does; a handler that hijacks the
// connection ends it without an answer.
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

// writer can be cut off as a connection can.
type writer struct {
	*httptest.ResponseRecorder
	cut bool
}

// Hijack implements [http.Hijacker] for faults that end the connection.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.cut = true
	here, there := net.Pipe()
	_ = there.Close() // nobody is at the other end; closing a pipe cannot fail
	return here, nil, nil
}
