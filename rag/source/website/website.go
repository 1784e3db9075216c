// Package website reads the pages of a website as a [source.Source]: those that its sitemaps name or, without one, those to
// which its first page leads. It obeys robots.txt, asks with the validators of the answer before, and stays on the host and
// below the folder where it begins.
//
// It trusts the client that it is given to refuse addresses inside (see [Config]) and reads no page: links are found by one
// pass over the tags, and texts are extracted in the child of [maru/rag/load].
package website

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"maru/rag/source"
	"maru/rag/source/rest"
)

// Config is what a Site is made of.
type Config struct {
	URL      string       // of its first page, or of a sitemap
	Client   *http.Client // checks the addresses that it dials
	Agent    string       // of requests, such as "Maru/1.2"; robots.txt knows it as "maru"
	MaxBytes int64        // of one page
	MaxItems int          // pages that a listing names at most
}

// Site is a website.
type Site struct {
	cfg     Config
	start   *url.URL
	prefix  string // path below which pages belong to the site
	client  *rest.Client
	robots  *robots                    // nil: not read yet
	queries map[string]map[string]bool // of addresses, by path
	last    time.Time                  // of the last request
}

var _ source.Source = (*Site)(nil)

// New returns a website.
func New(c Config) (*Site, error) {
	u, err := rest.ParseURL(c.URL, false)
	if err != nil {
		return nil, err
	}
	tidy(u)
	s := &Site{cfg: c, client: rest.New(c.Client, c.Agent), start: u, prefix: u.Path[:strings.LastIndex(u.Path, "/")+1], queries: map[string]map[string]bool{}}
	if isMap(u.Path) {
		s.prefix = "/"
	}
	return s, nil
}

// isMap reports whether a path is that of a sitemap, which a feed is, too.
func isMap(path string) bool {
	path = strings.TrimSuffix(path, ".gz")
	return strings.HasSuffix(path, ".xml") || strings.HasSuffix(path, ".rss") || strings.HasSuffix(path, ".atom") || strings.HasSuffix(path, "/sitemap.txt")
}

// position is where a listing stands.
type position struct {
	Maps  []string `json:"maps"`            // sitemaps that are still to be read
	Read  int      `json:"read"`            // sitemaps that were
	Found int      `json:"found"`           // pages of the site that they named
	Other int      `json:"other"`           // pages of the host that they named beside them
	Loose int      `json:"loose,omitempty"` // the first so many may be missing: guesses, and what robots.txt names
	Part  bool     `json:"part,omitempty"`  // a feed, which names the newest pages alone, was read, or a sitemap was missing
}

// List implements [source.Source]. A call reads one sitemap.
func (s *Site) List(ctx context.Context, cursor string) (source.Page, error) {
	if err := s.rules(ctx); err != nil {
		return source.Page{}, err
	}
	var at position
	if cursor == "" {
		at = s.maps()
	} else if err := json.Unmarshal([]byte(cursor), &at); err != nil {
		at = s.maps() // of another version of the program: the listing begins again
	}
	if len(at.Maps) == 0 {
		return s.crawl()
	}
	m, err := s.readMap(ctx, at.Maps[0])
	if gone := isGone(err); err != nil && !(at.Loose > 0 && missing(err)) {
		if gone {
			err = &source.Fault{Key: "source.no_sitemap", Args: []any{at.Maps[0]}, Err: err}
		}
		return source.Page{}, err
	}
	at.Maps, at.Read, at.Loose, at.Part = append(at.Maps[1:], m.maps...), at.Read+1, max(0, at.Loose-1), at.Part || m.feed || err != nil
	if at.Read+len(at.Maps) > maxMaps {
		at.Maps = at.Maps[:max(0, maxMaps-at.Read)]
	}
	at.Found, at.Other = at.Found+len(m.items), at.Other+m.other
	if len(at.Maps) == 0 && at.Found == 0 && (err != nil || at.Other > 0) {
		return s.crawl() // the sitemap is not there, or is one of the rest of the host
	}
	if len(at.Maps) == 0 {
		return source.Page{Items: m.items, Complete: true, Confirm: at.Part}, nil
	}
	next, err := json.Marshal(at)
	return source.Page{Items: m.items, Cursor: string(next), More: true}, err
}

// missing reports whether an error says that there is no sitemap at an address: none at all, one that is refused, or what a site
// answers for every address. A sitemap that cannot be reached or is broken is not missing.
func missing(err error) bool {
	fault, ok := errors.AsType[*source.Fault](err)
	return isGone(err) || errors.Is(err, errNoMap) || ok && fault.Permanent && (fault.Key == "source.status" || fault.Key == "source.closed")
}

// maps returns the sitemaps that robots.txt names, or the usual one.
func (s *Site) maps() position {
	if isMap(s.start.Path) {
		return position{Maps: []string{s.start.String()}}
	}
	var own []string
	for _, m := range s.robots.maps {
		if u, err := s.start.Parse(m); err == nil && strings.EqualFold(u.Host, s.start.Host) {
			own = append(own, u.String())
		}
	}
	if len(own) > 0 {
		return position{Maps: own, Loose: len(own)}
	}
	return position{Maps: []string{s.at("/sitemap.xml")}, Loose: 1}
}

// at returns an address of the host.
func (s *Site) at(path string) string {
	return (&url.URL{Scheme: s.start.Scheme, Host: s.start.Host, Path: path}).String()
}

// crawl returns the listing of a site without a sitemap: its first page, from which the others are found.
func (s *Site) crawl() (source.Page, error) {
	if !s.robots.allow(s.start) {
		return source.Page{}, &source.Fault{Key: "source.robots", Args: []any{s.start.String()}}
	}
	id := s.start.String()
	return source.Page{Items: []source.Item{{ID: id, URL: id, Root: true}}, Recheck: true}, nil
}

// validators are what a server wants to see again.
type validators struct {
	Tag      string `json:"tag,omitempty"`
	Modified string `json:"modified,omitempty"`
}

// Fetch implements [source.Source].
func (s *Site) Fetch(ctx context.Context, it source.Item, known string) (source.Content, error) {
	if err := s.rules(ctx); err != nil {
		return source.Content{}, err
	}
	u, err := url.Parse(it.ID)
	if err != nil {
		return source.Content{}, source.ErrGone
	}
	if !s.robots.allow(u) || !s.holds(u) {
		return source.Content{}, source.ErrGone
	}
	follows := it.Root || it.Depth > 0 // there is no sitemap
	var v validators
	_ = json.Unmarshal([]byte(known), &v) // "" has none
	a, err := s.get(ctx, u, v)
	for hops := 0; err == nil && a.to != nil; hops++ {
		switch {
		case !s.holds(a.to):
			return source.Content{}, &source.Fault{Key: "source.leads_away", Args: []any{it.ID, s.shown(a.to)}, Permanent: true}
		case follows:
			return source.Content{Skip: true, Links: s.items([]*url.URL{a.to})}, nil
		case hops == maxHops:
			return source.Content{}, &source.Fault{Key: "source.redirects", Args: []any{it.ID}, Permanent: true}
		}
		a, err = s.get(ctx, a.to, validators{})
	}
	if err != nil {
		return source.Content{}, err
	}
	return s.content(u, a, follows)
}

// shown returns the address to which a page leads without what may be a key: its query, the parameters of its path, and on another
// host all but the first part of the path.
func (s *Site) shown(u *url.URL) string {
	to, _, _ := strings.Cut(u.Path, ";")
	if first, _, more := strings.Cut(strings.TrimPrefix(to, "/"), "/"); more && u.Host != s.start.Host {
		to = "/" + first
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: to}).String()
}

// content makes an item's content of an answer.
func (s *Site) content(u *url.URL, a answer, follows bool) (source.Content, error) {
	kept, err := json.Marshal(validators{a.header.Get("ETag"), a.header.Get("Last-Modified")})
	if err != nil {
		return source.Content{}, err
	}
	c := source.Content{Data: a.data, Validators: string(kept)}
	if at, err := http.ParseTime(a.header.Get("Last-Modified")); err == nil {
		c.Modified = at
	}
	ext := extensionOf(a.header.Get("Content-Type"), u.Path)
	base := path.Base(u.Path)
	if base == "/" || base == "." {
		base = u.Hostname()
	}
	c.Name = strings.TrimSuffix(base, path.Ext(base)) + ext
	c.Skip = ext == ""
	tag := strings.ToLower(a.header.Get("X-Robots-Tag"))
	if ext != pageExtension {
		if noIndex(tag) {
			return source.Content{}, source.ErrGone
		}
		return c, nil
	}
	found := scan(a.data, u)
	if found.robots += "," + tag; follows && !strings.Contains(found.robots, "nofollow") && !strings.Contains(found.robots, "none") {
		c.Links = s.items(found.links)
	}
	c.Skip = noIndex(found.robots)
	return c, nil
}

// noIndex reports whether a page does not want to be found.
func noIndex(words string) bool {
	return strings.Contains(words, "noindex") || strings.Contains(words, "none")
}
