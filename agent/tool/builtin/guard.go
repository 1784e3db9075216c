package builtin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"
)

// errPrivate says that an address is not of the public internet.
var errPrivate = errors.New("refused: the address is not public")

// special lists the ranges that are not the public internet beyond what netip
// knows by itself (IANA special-purpose registries).
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20",
	"5f00::/16", "fec0::/10",
)

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// isPublic reports whether an address belongs to the public internet, looking
// through the notations of IPv6 that carry an IPv4 address.
func isPublic(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	if ip.Is6() {
		b := ip.As16()
		switch {
		case netip.MustParsePrefix("64:ff9b::/96").Contains(ip): // NAT64
			return isPublic(netip.AddrFrom4([4]byte(b[12:16])))
		case netip.MustParsePrefix("2002::/16").Contains(ip): // 6to4
			return isPublic(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	return ip.IsValid() && ip.IsGlobalUnicast() && !ip.IsPrivate() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() &&
		!slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// onlyPublic is a net.Dialer.Control: it looks at the address that is dialled
// in the end, so that neither a name nor a rebinding server can lead inside.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errPrivate, address)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !isPublic(ip) {
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
