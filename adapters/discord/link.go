package discord

import (
	"regexp"
	"strings"

	"maru/phrase/link"
)

// safeURL returns an address as it may be posted, where it leads, and whether a
// click should lead there. Discord has no links of mail.
func safeURL(raw string) (u string, to link.Address, ok bool) {
	to, ok = link.Parse(raw)
	if !ok || to.Mail || len(to.Raw) > maxLink {
		return "", link.Address{}, false
	}
	return crowd.ReplaceAllString(to.Markdown(), "%40$1"), to, true
}

// looksLikeURL reports whether a label pretends to be an address: Discord does
// not make links of such labels, and people would be misled.
func looksLikeURL(label string) bool {
	l := strings.ToLower(label)
	return strings.Contains(l, "://") || strings.Contains(l, "www.") || strings.Contains(l, "discord.gg/")
}

// bare finds web addresses in plain words, strange those of schemes that should not
// become links.
var (
	bare     = regexp.MustCompile(`(?i)https?://[^\s<>]+`)
	strange  = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)(://)`)
	trailing = ".,;:!?)]}*_~|`'\""
)
