package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// errPrivate says that an address is not of the public internet.
var errPrivate = errors.New("refused: the address is not public")

// special lists the ranges that are not the public internet beyond what netip
// knows (IANA special-purpose registries), and those that carry another address.
func special() []netip.Prefix {
	texts := []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	}
	out := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		out[i] = netip.MustParsePrefix(t)
	}
	return out
}

// NewHTTPClient returns the client of http_request. Addresses are checked when
// they are dialled, after names were resolved, so that neither a name nor a
// rebinding server leads inside: they must be public, or one of trusted, which
// the operator names as ip:port.
func NewHTTPClient(trusted ...string) *http.Client {
	ranges := special()
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		if slices.Contains(trusted, address) || public(address, ranges) {
			return nil
		}
		return fmt.Errorf("%w: %s", errPrivate, address)
	}}
	return &http.Client{
		Timeout: requestTime,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: requestTime,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		},
	}
}

func public(address string, ranges []netip.Prefix) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.WithZone("").Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	return !slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// jsonText marks a text as JSON.
func jsonText(s string) json.RawMessage { return json.RawMessage(s) }
