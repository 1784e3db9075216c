package website

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"maru/rag/source"
)

const (
	maxLinks   = 2000 // of one page
	maxQueries = 20   // addresses that differ in their query alone: calendars and filters have no end
	maxAddress = 2000 // bytes
	maxSame    = 2    // times a folder may be in a path: some sites lead from a/b to a/b/a/b
)

// scanned is what one pass over the tags of a page finds.
type scanned struct {
	links  []*url.URL
	robots string // what its meta tags tell robots
}

// scan finds the links of a page without building a tree.
func scan(data []byte, at *url.URL) scanned {
	var out scanned
	base := at
	z := html.NewTokenizer(bytes.NewReader(data))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		switch t.DataAtom {
		case atom.Base:
			if u, err := at.Parse(attribute(t, "href")); err == nil {
				base = u
			}
		case atom.Meta:
			if name := strings.ToLower(attribute(t, "name")); name == "robots" || name == product {
				out.robots += "," + strings.ToLower(attribute(t, "content"))
			}
		case atom.A:
			href := strings.TrimSpace(attribute(t, "href"))
			if href == "" || len(out.links) == maxLinks || slices.Contains(strings.Fields(strings.ToLower(attribute(t, "rel"))), "nofollow") {
				continue
			}
			if u, err := base.Parse(href); err == nil {
				out.links = append(out.links, u)
			}
		}
	}
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// tidy gives one address one form.
func tidy(u *url.URL) *url.URL {
	u.Fragment, u.RawFragment, u.User = "", "", nil
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		u.Host = u.Hostname()
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u
}

// own returns the form in which the site has an address, nil if it is of another place, or of what is no document.
func (s *Site) own(u *url.URL) *url.URL {
	if u.Scheme != "http" && u.Scheme != "https" || len(u.String()) > maxAddress {
		return nil
	}
	u = tidy(u)
	u.Scheme = s.start.Scheme
	if !s.holds(u) || !s.robots.allow(u) || mediaFile(u.Path) {
		return nil
	}
	return u
}

// holds reports whether an address belongs to the site.
func (s *Site) holds(u *url.URL) bool {
	return u.Scheme == s.start.Scheme && u.Host == s.start.Host && strings.HasPrefix(u.Path, s.prefix) && !strings.Contains(u.Path, "/../")
}

// items returns the pages to which links lead, each once.
func (s *Site) items(links []*url.URL) []source.Item {
	seen := map[string]bool{}
	var out []source.Item
	for _, u := range links {
		if u = s.own(u); u == nil || seen[u.String()] || endless(u.Path) {
			continue
		}
		id := u.String()
		seen[id] = true
		if u.RawQuery != "" && !s.another(u) {
			continue
		}
		out = append(out, source.Item{ID: id, URL: id})
	}
	return out
}

// another reports whether an address may be one more of those that differ in their query alone.
func (s *Site) another(u *url.URL) bool {
	known := s.queries[u.Path]
	if known == nil {
		known = map[string]bool{}
		s.queries[u.Path] = known
	}
	if len(known) < maxQueries {
		known[u.RawQuery] = true
	}
	return known[u.RawQuery]
}

// endless reports whether a path repeats itself.
func endless(p string) bool {
	count := map[string]int{}
	for _, part := range strings.Split(strings.Trim(p, "/"), "/") {
		if count[part]++; count[part] > maxSame {
			return true
		}
	}
	return false
}

// mediaFile reports whether a path is surely that of no document.
func mediaFile(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".css", ".js", ".mjs", ".json", ".xml", ".rss", ".atom", ".woff", ".woff2", ".ttf", ".mp3", ".mp4", ".webm", ".mov",
		".zip", ".gz", ".tgz", ".tar", ".7z", ".exe", ".dmg", ".deb", ".rpm", ".iso", ".map":
		return true
	}
	return false
}
