package slackfake

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
)

// Transport reaches the fake without a network, so that a test can let time
// stand still or fly while calls are under way.
func (s *Server) Transport() http.RoundTripper { return direct{s.mux} }

type direct struct{ h http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := &directWriter{ResponseRecorder: httptest.NewRecorder()}
	in := r.Clone(context.WithoutCancel(r.Context()))
	in.RequestURI = r.URL.RequestURI()
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

// cutter is what a fault that drops the connection asks a response writer for.
type cutter interface{ cutOff() }

func (w *directWriter) cutOff() { w.cut = true }
