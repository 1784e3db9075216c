package config

import (
	"fmt"
	"net/netip"
	"strings"
)

// Networks are addresses that the operator names: single ones or whole networks,
// each at one port or at all. The zero value holds none.
type Networks []network

type network struct {
	prefix netip.Prefix
	port   uint16 // 0: every one
}

// Holds reports whether an address is among them.
func (n Networks) Holds(at netip.AddrPort) bool {
	addr := at.Addr().WithZone("").Unmap()
	for _, x := range n {
		if x.prefix.Contains(addr) && (x.port == 0 || x.port == at.Port()) {
			return true
		}
	}
	return false
}

// String writes them as they are set.
func (n Networks) String() string {
	out := make([]string, len(n))
	for i, x := range n {
		switch {
		case x.port > 0:
			out[i] = netip.AddrPortFrom(x.prefix.Addr(), x.port).String()
		case x.prefix.IsSingleIP():
			out[i] = x.prefix.Addr().String()
		default:
			out[i] = x.prefix.String()
		}
	}
	return strings.Join(out, ",")
}

// parseNetworks reads a list of "10.1.2.3", "10.1.2.3:8080", "[fd00::1]:8080" and
// "10.0.0.0/8".
func parseNetworks(text string) (Networks, error) {
	var out Networks
	for _, one := range list(text) {
		n, err := parseNetwork(one)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func parseNetwork(text string) (network, error) {
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return network{prefix: netip.PrefixFrom(addr, addr.BitLen())}, nil
	}
	if at, err := netip.ParseAddrPort(text); err == nil && at.Addr().Zone() == "" && at.Port() > 0 {
		addr := at.Addr().Unmap()
		return network{prefix: netip.PrefixFrom(addr, addr.BitLen()), port: at.Port()}, nil
	}
	p, err := netip.ParsePrefix(text)
	if err == nil && !p.Addr().Is4In6() {
		return network{prefix: p.Masked()}, nil
	}
	return network{}, fmt.Errorf("%q is no address or network", text)
}

// innerNetwork is the rule of one entry of Networks.
func innerNetwork(value string) (string, string) {
	n, err := parseNetwork(value)
	switch {
	case err != nil:
		return "names " + quote(value), "use addresses such as 10.1.2.3, 10.1.2.3:8080 or 10.0.0.0/8: a name may lead anywhere, so what it resolves to is what counts"
	case n.prefix.Addr().IsLinkLocalUnicast():
		return "names " + quote(value), "take it out: clouds give away a machine's keys at link-local addresses, and they are never asked"
	}
	return "", ""
}
