package discord

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"maru/phrase/fit"
)

// safeURL returns raw as it may be posted and the host that people should know
// they go to. ok is false for whatever a click should not do: other schemes than
// http and https, addresses with a user name in front of the host.
func safeURL(raw string) (u, host string, ok bool) {
	raw = strings.TrimSpace(raw)
	if raw == "" || len(raw) > maxLink || strings.IndexFunc(raw, func(r rune) bool { return r <= ' ' || fit.Hidden(r) }) >= 0 {
		return "", "", false
	}
	p, err := url.Parse(raw)
	if err != nil || p.User != nil {
		return "", "", false
	}
	if s := strings.ToLower(p.Scheme); s != "http" && s != "https" {
		return "", "", false
	}
	name := strings.ToLower(p.Hostname())
	host, err = idna.Lookup.ToASCII(name)
	if err != nil && plainHost.MatchString(name) { // IPv6, and names with underscores
		host, err = name, nil
	}
	if err != nil || host == "" {
		return "", "", false
	}
	return crowd.ReplaceAllString(urlEscaper.Replace(raw), "%40$1"), host, true
}

// urlEscaper encodes what would end an address in Discord's Markdown, or would
// begin something else in it.
var urlEscaper = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "(", "%28", ")", "%29", `"`, "%22",
	"\\", "%5C", "`", "%60", "[", "%5B", "]", "%5D", "*", "%2A", "~", "%7E")

// linkNote returns what a link shows beside its label so that nobody is misled
// about where it leads; "" when the label says it already.
func linkNote(label, raw, host string) string {
	l := strings.ToLower(strings.TrimSpace(label))
	if l == strings.ToLower(raw) || l == host {
		return ""
	}
	return host
}

// looksLikeURL reports whether a label pretends to be an address: Discord does
// not make links of such labels, and people would be misled.
func looksLikeURL(label string) bool {
	l := strings.ToLower(label)
	return strings.Contains(l, "://") || strings.Contains(l, "www.") || strings.Contains(l, "discord.gg/")
}

// plainHost is a host that needs no translation. bare finds web addresses in
// plain words; strange those of schemes that should not become links.
var (
	plainHost = regexp.MustCompile(`^[a-z0-9._:-]{1,253}$`)
	bare      = regexp.MustCompile(`(?i)https?://[^\s<>]+`)
	strange   = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)(://)`)
	trailing  = ".,;:!?)]}*_~|`'\""
)
