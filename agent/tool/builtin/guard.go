package builtin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"maru/config/network"
)

// errPrivate says that an address is not of the public internet.
var errPrivate = errors.New("refused: the address is not public")

// onlyPublic is a net.Dialer.Control: it looks at the address that is dialled
// in the end, so that neither a name nor a rebinding server can lead inside.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errPrivate, address)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !network.Public(ip) {
		return errPrivate
	}
	return nil
}

// proxyFunc chooses a proxy for a request, as http.ProxyFromEnvironment does.
type proxyFunc func(*http.Request) (*url.URL, error)

// newHTTPClient returns a client for one service. Only the addresses that the
// operator has named may be private: those of trusted, and the proxy for it.
// Everything else, such as where a redirect leads, must be public.
func newHTTPClient(base string, trusted bool, proxy proxyFunc) *http.Client {
	allowed := map[string]bool{}
	if u, err := url.Parse(base); err == nil {
		allowed[hostPort(u)] = trusted
		if proxy != nil {
			if via, err := proxy(&http.Request{URL: u}); err == nil && via != nil {
				allowed[hostPort(via)] = true
			}
		}
	}
	plain := &net.Dialer{Timeout: 10 * time.Second}
	guarded := &net.Dialer{Timeout: 10 * time.Second, Control: onlyPublic}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: proxy,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if allowed[address] {
					return plain.DialContext(ctx, network, address)
				}
				return guarded.DialContext(ctx, network, address)
			},
			TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 20 * time.Second,
			MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		},
		CheckRedirect: sameHost,
	}
}

// hostPort names where a URL is dialled.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// sameHost follows at most three redirects, and none that leaves the host or
// gives up TLS: keys travel with the request.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > 3 || req.URL.Hostname() != first.Hostname() || (first.Scheme == "https" && req.URL.Scheme != "https") {
		return errors.New("refused: a redirect to another place")
	}
	return nil
}
