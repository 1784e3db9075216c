package slack

import (
	"regexp"
	"strings"

	"maru/phrase/link"
)

// safeURL returns an address as it may be posted, where it leads, and whether a
// click should lead there.
func safeURL(raw string) (u string, to link.Address, ok bool) {
	to, ok = link.Parse(raw)
	if !ok || len(to.Raw) > maxURL {
		return "", link.Address{}, false
	}
	return to.Markdown(), to, true
}

// trusted reports whether a link goes to one of the answer's sources: those may
// keep their label, all others show the host they lead to.
func (w *writer) trusted(raw string) bool { return w.known[strings.TrimSpace(raw)] }

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
		if md, _, ok := safeURL(u); ok {
			safe[md] = true
		}
	}
	for _, u := range webAddress.FindAllString(md, -1) {
		if !safe[u] {
			return true
		}
	}
	return false
}
