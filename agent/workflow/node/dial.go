package node

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"maru/config/network"
)

// ErrPrivate is the error of a request to an address that is not of the public internet.
var ErrPrivate error = privateError{}

type privateError struct{}

// Error implements error.
func (privateError) Error() string { return "refused: the address is not public" }

// Private reports that the address is inside the network.
func (privateError) Private() bool { return true }

// never lists ranges that are refused whatever the operator allows: where clouds give a machine its keys, and ranges
// that carry another address, which could be such a one. Link-local addresses are refused elsewhere.
func never() []netip.Prefix {
	return network.Prefixes(
		"0.0.0.0/8", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::254/128",
		"::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16",
	)
}

// NewHTTPClient returns the client of http_request. Addresses are checked when
// they are dialled, after names were resolved, so that neither a name, a redirect nor
// a rebinding server leads inside: they must be public, or one that the operator
// allows. allowed is asked of addresses that are not public; nil allows none of them.
func NewHTTPClient(allowed func(netip.AddrPort) bool) *http.Client {
	kept := never()
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %s", ErrPrivate, address)
		}
		at = netip.AddrPortFrom(at.Addr().WithZone("").Unmap(), at.Port())
		if reachableAt(at.Addr(), kept) && (network.Public(at.Addr()) || allowed != nil && allowed(at)) {
			return nil
		}
		return fmt.Errorf("%w: %s", ErrPrivate, address)
	}}
	return &http.Client{
		Timeout: requestTime,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: requestTime,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		},
	}
}

// reachableAt reports whether an address may be asked at all.
func reachableAt(ip netip.Addr, kept []netip.Prefix) bool {
	return !ip.IsLinkLocalUnicast() && !ip.IsMulticast() && !ip.IsUnspecified() && !network.Within(ip, kept)
}

// jsonText marks a text as JSON.
func jsonText(s string) json.RawMessage { return json.RawMessage(s) }
