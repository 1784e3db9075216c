// Package link validates the links of an answer and derives the note that shows their target:
// a model or document chose the URL, and the label may claim another.
//
// It knows no platform. Adapters add the platform's limits and link types.
package link

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// Address is a link's target: a web page or a mailbox.
type Address struct {
	Raw  string // as written, trimmed
	Host string // in ASCII, against homographs; for mail, the mailbox
	Mail bool

	parsed *url.URL
}

// Parse parses a link's URL. ok is false for unsafe ones: schemes other than http, https and
// mailto, a user name before the host, which imitates a host, and invisible characters.
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

// plainHost matches hosts that need no IDNA conversion although they are not valid domains: an
// IPv6 address, or an internal name with underscores.
var plainHost = pattern.New(`^[a-z0-9._:-]{1,253}$`)

func asciiHost(name string) (string, bool) {
	name = strings.ToLower(name)
	host, err := idna.Lookup.ToASCII(name)
	if err != nil && plainHost.MatchString(name) {
		host, err = name, nil
	}
	return host, err == nil && host != ""
}

// markdown percent-encodes characters that would end a URL, or begin other markup, in the
// Markdown of chat platforms.
var markdown = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "(", "%28", ")", "%29", `"`, "%22",
	"\\", "%5C", "`", "%60", "[", "%5B", "]", "%5D", "*", "%2A", "~", "%7E")

// Markdown returns the URL for a Markdown link, with the host as written.
func (a Address) Markdown() string { return markdown.Replace(a.Raw) }

// Canonical returns the URL, fully percent-encoded.
func (a Address) Canonical() string { return a.parsed.String() }

// Note returns the text beside a link's label that reveals its target; "" when the label
// already shows it.
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
