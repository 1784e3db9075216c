// Package link decides where a link in an answer may lead people, and what they are
// told of where it does: a model or a document chose the address, and its words may
// say another.
//
// It knows no platform. What a platform takes at most, and which links it shows at
// all, its adapter says.
package link

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"maru/phrase/fit"
)

// Address is where a link leads: a page of the web, or a mailbox.
type Address struct {
	Raw  string // as it was written, without the spaces around it
	Host string // in ASCII, in which no letter looks like another; of mail, the mailbox
	Mail bool

	parsed *url.URL
}

// Parse reads the address of a link. ok is false for whatever a click should not do:
// other schemes than http, https and mailto, a user's name in front of the host, which
// is there to be mistaken for it, and characters that nobody sees.
func Parse(raw string) (a Address, ok bool) {
	raw = strings.TrimSpace(raw)
	if raw == "" || strings.IndexFunc(raw, func(r rune) bool { return r <= ' ' || fit.Hidden(r) }) >= 0 {
		return Address{}, false
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil {
		return Address{}, false
	}
	a = Address{Raw: raw, parsed: u}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		a.Host, ok = asciiHost(u.Hostname())
	case "mailto":
		a.Host, a.Mail = u.Opaque, true
		ok = a.Host != ""
	}
	return a, ok
}

// plainHost is a host that needs no translation although no domain may be called so:
// an address of IPv6, or a name with underscores in a company's own network.
var plainHost = regexp.MustCompile(`^[a-z0-9._:-]{1,253}$`)

func asciiHost(name string) (string, bool) {
	name = strings.ToLower(name)
	host, err := idna.Lookup.ToASCII(name)
	if err != nil && plainHost.MatchString(name) {
		host, err = name, nil
	}
	return host, err == nil && host != ""
}

// markdown encodes what would end an address in the Markdown of chat platforms, or
// would begin something else in it.
var markdown = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "(", "%28", ")", "%29", `"`, "%22",
	"\\", "%5C", "`", "%60", "[", "%5B", "]", "%5D", "*", "%2A", "~", "%7E")

// Markdown is the address as it stands between the brackets of a Markdown link. The
// letters of its host are the ones it was written with.
func (a Address) Markdown() string { return markdown.Replace(a.Raw) }

// Canonical is the address with everything encoded that an address does not hold.
func (a Address) Canonical() string { return a.parsed.String() }

// Note is what a link shows beside its label so that nobody is misled about where it
// leads; "" when the label says it already.
func (a Address) Note(label string) string {
	l, host := strings.ToLower(strings.TrimSpace(label)), strings.ToLower(a.Host)
	switch {
	case l == strings.ToLower(a.Raw), l == host, strings.TrimPrefix(l, "mailto:") == host, strings.HasSuffix(l, "("+host+")"):
		return ""
	case strings.ContainsAny(l, " \t"):
		return a.Host
	}
	if p, err := url.Parse(l); err == nil && (p.Scheme == "http" || p.Scheme == "https") && p.Host == host {
		return ""
	}
	return a.Host
}
