// Package conn holds what adapters share to call a platform's API over HTTP: connections, errors without secrets, waits. It knows no
// platform.
package conn

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// maxIdle is the number of connections to one host kept for the next requests. Of Go's default of two all others would be dialled again
// for each request wherever HTTP/2 is not spoken, as behind many proxies.
const maxIdle = 64

// Transport returns Go's default transport with more idle connections to one host.
func Transport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // replaced by an embedding program
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = maxIdle
	return t
}

// WithoutURL strips the URL from an error of net/http: it may contain a secret.
func WithoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// Sleep waits for d or until ctx ends, and returns ctx's error then.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
