// Package conn holds the HTTP connections to a platform's API. It knows no platform.
package conn

import "net/http"

// maxIdle is the number of connections to one host kept for the next requests. Of Go's default of two all others would be dialled anew
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
