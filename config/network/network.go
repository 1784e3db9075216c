// Package network holds addresses and networks that an operator names, and tells whether an address is among them.
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

// LinkLocal reports whether one of them is in a link-local network, where clouds give away a machine's keys.
func (n Set) LinkLocal() bool {
	return slices.ContainsFunc(n, func(x one) bool { return x.prefix.Addr().IsLinkLocalUnicast() })
}
