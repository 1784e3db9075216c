// Package network holds addresses and networks that an operator names, and tells whether an address is among them, and
// whether it is one of the public internet.
//
// It must not know what they are for.
package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Set is addresses that the operator names: single ones or whole networks,
// each at one port or at all. The zero value holds none.
type Set []one

type one struct {
	prefix netip.Prefix
	port   uint16 // 0: every one
}

// Holds reports whether an address is among them.
func (n Set) Holds(at netip.AddrPort) bool {
	addr := at.Addr().WithZone("").Unmap()
	return slices.ContainsFunc(n, func(x one) bool { return x.prefix.Contains(addr) && (x.port == 0 || x.port == at.Port()) })
}

// String writes them as they are set.
func (n Set) String() string {
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

// Parse reads a list of "10.1.2.3", "10.1.2.3:8080", "[fd00::1]:8080" and
// "10.0.0.0/8".
func Parse(text string) (Set, error) {
	var out Set
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		n, err := parse(entry)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func parse(text string) (one, error) {
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return one{prefix: netip.PrefixFrom(addr, addr.BitLen())}, nil
	}
	if at, err := netip.ParseAddrPort(text); err == nil && at.Addr().Zone() == "" && at.Port() > 0 {
		addr := at.Addr().Unmap()
		return one{prefix: netip.PrefixFrom(addr, addr.BitLen()), port: at.Port()}, nil
	}
	p, err := netip.ParsePrefix(text)
	if err == nil && !p.Addr().Is4In6() {
		return one{prefix: p.Masked()}, nil
	}
	return one{}, fmt.Errorf("%q is neither an address nor a network", text)
}

// special lists the ranges beyond what netip knows that are not the public internet. Source: IANA's registries of
// special-purpose addresses for IPv4 and IPv6.
var special = Prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20",
	"5f00::/16", "fec0::/10",
)

// Public reports whether an address belongs to the public internet. Of the notations of IPv6 that carry an IPv4 address,
// that one counts.
func Public(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	if ip.Is6() {
		b := ip.As16()
		switch {
		case netip.MustParsePrefix("64:ff9b::/96").Contains(ip): // NAT64
			return Public(netip.AddrFrom4([4]byte(b[12:16])))
		case netip.MustParsePrefix("2002::/16").Contains(ip): // 6to4
			return Public(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	return ip.IsValid() && ip.IsGlobalUnicast() && !ip.IsPrivate() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && !Within(ip, special)
}

// Within reports whether an address is in one of the ranges.
func Within(ip netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Prefixes parses ranges. It panics on a text that is none.
func Prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// LinkLocal reports whether one of them is in a link-local network, where clouds give away a machine's keys.
func (n Set) LinkLocal() bool {
	return slices.ContainsFunc(n, func(x one) bool { return x.prefix.Addr().IsLinkLocalUnicast() })
}
