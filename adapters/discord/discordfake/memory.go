package discordfake

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
)

// Transport reaches the REST API without a network, so that a test can let time
// fly while calls are under way.
func (f *Fake) Transport() http.RoundTripper { return direct{f.server.Handler} }

type direct struct{ h http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := &directWriter{ResponseRecorder: httptest.NewRecorder()}
	in := r.Clone(context.WithoutCancel(r.Context()))
	if in.Body == nil {
		in.Body = http.NoBody
	}
	d.h.ServeHTTP(w, in)
	if w.cut {
		return nil, &net.OpError{Op: "read", Err: net.ErrClosed}
	}
	return w.Result(), nil
}

// directWriter can be cut off as a connection can.
type directWriter struct {
	*httptest.ResponseRecorder
	cut bool
}

// Hijack implements [http.Hijacker] for faults that end the connection.
func (w *directWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.cut = true
	here, there := net.Pipe()
	_ = there.Close() // nobody is at the other end; closing a pipe cannot fail
	return here, nil, nil
}
