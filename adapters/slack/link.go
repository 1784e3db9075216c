package slack

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/idna"

	"maru/phrase/fit"
)

// safeURL returns u as it may be posted and the host that people should know
// they go to. ok is false for whatever a click should not do: other schemes than
// http, https and mailto, addresses with a user name in front of the host.
func safeURL(raw string) (u, host string, ok bool) {
	raw = strings.TrimSpace(raw)
	if raw == "" || len(raw) > maxURL || strings.IndexFunc(raw, func(r rune) bool { return r <= ' ' || fit.Hidden(r) }) >= 0 {
		return "", "", false
	}
	p, err := url.Parse(raw)
	if err != nil {
		return "", "", false
	}
	switch strings.ToLower(p.Scheme) {
	case "mailto":
		addr := first(p.Opaque, p.Path)
		return urlEscaper.Replace(raw), addr, addr != ""
	case "http", "https":
	default:
		return "", "", false
	}
	name := strings.ToLower(p.Hostname())
	host, err = idna.Lookup.ToASCII(name)
	if err != nil && plainHost.MatchString(name) { // names in a company's own network have underscores
		host, err = name, nil
	}
	if err != nil || host == "" || p.User != nil {
		return "", "", false
	}
	return urlEscaper.Replace(raw), host, true
}

// plainHost is a host that needs no translation.
var plainHost = regexp.MustCompile(`^[a-z0-9._-]{1,253}$`)

// urlEscaper encodes what would end an address in Markdown or in a Slack token.
var urlEscaper = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "(", "%28", ")", "%29", `"`, "%22", "\\", "%5C", "`", "%60", "[", "%5B", "]", "%5D", "*", "%2A", "~", "%7E")

// trusted reports whether a link goes to one of the answer's sources: those may
// keep their label, all others show the host they lead to.
func (w *writer) trusted(raw string) bool { return w.known[strings.TrimSpace(raw)] }

// linkNote returns what a link shows beside its label so that nobody is misled
// about where it leads; "" when the label says it already.
func linkNote(label, raw, host string) string {
	l := strings.ToLower(strings.TrimSpace(label))
	shown := host
	host = strings.ToLower(host)
	if l == strings.ToLower(raw) || strings.TrimPrefix(l, "mailto:") == host || strings.HasSuffix(l, "("+host+")") || l == host {
		return ""
	}
	if p, err := url.Parse(l); err == nil && (p.Scheme == "http" || p.Scheme == "https") && p.Host == host && !strings.ContainsAny(l, " \t") {
		return ""
	}
	return shown
}

// strange finds addresses of schemes that should not become links where an app
// looks for addresses in plain words.
var (
	strange  = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*):(//|[^\s/:])`)
	userInfo = regexp.MustCompile(`(?i)\b(https?):(//[^\s/?#]*@)`)
	odd      = map[string]bool{"javascript": true, "data": true, "vbscript": true, "file": true, "tel": true, "sms": true}
)

// defang makes addresses in plain words that are not web addresses unclickable.
func defang(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	s = userInfo.ReplaceAllString(s, "$1:"+breaker+"$2")
	return strange.ReplaceAllStringFunc(s, func(m string) string {
		scheme, rest, _ := strings.Cut(m, ":")
		switch low := strings.ToLower(scheme); {
		case low == "http" || low == "https" || low == "mailto":
			return m
		case strings.HasPrefix(rest, "//") || odd[low]:
			return scheme + ":" + breaker + rest
		}
		return m
	})
}

var webAddress = regexp.MustCompile(`(?i)https?://[^\s<>()\[\]"'` + "`" + `]+`)

// leadsAway reports whether Markdown that is about to be streamed holds an
// address that is not one of the answer's sources. The methods of streams cannot
// turn previews off, and a preview fetches without a click.
func leadsAway(md string, known map[string]bool) bool {
	if !strings.Contains(md, "://") {
		return false
	}
	safe := make(map[string]bool, len(known))
	for u := range known {
		safe[urlEscaper.Replace(u)] = true
	}
	for _, u := range webAddress.FindAllString(md, -1) {
		if !safe[u] {
			return true
		}
	}
	return false
}
