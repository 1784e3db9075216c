package website

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html/charset"

	"maru/rag/source"
)

const (
	maxMaps    = 1000     // sitemaps of a site
	maxMapSize = 50 << 20 // bytes of one, unpacked: the limit of the protocol
	maxInMap   = 50_000   // addresses of one: the limit of the protocol
)

// errNoMap reports that an address has something else than a sitemap: a page that a site answers for every address, say.
var errNoMap = errors.New("it is no sitemap")

// sitemap is what one has.
type sitemap struct {
	items []source.Item // pages of the site
	maps  []string      // other sitemaps
	other int           // pages of the host that are not of the site
	feed  bool          // it names the newest pages alone
}

// readMap reads a sitemap.
func (s *Site) readMap(ctx context.Context, address string) (sitemap, error) {
	u, err := url.Parse(address)
	if err != nil {
		return sitemap{}, source.ErrGone
	}
	a, err := s.getMap(ctx, u)
	if err != nil {
		return sitemap{}, err
	}
	var r io.Reader = bytes.NewReader(a.data)
	if bytes.HasPrefix(a.data, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(r); err != nil {
			return sitemap{}, badMap(address, err)
		}
	}
	m, err := s.parseMap(io.LimitReader(r, maxMapSize))
	if err != nil {
		return sitemap{}, badMap(address, err)
	}
	return m, nil
}

func badMap(address string, err error) error {
	return &source.Fault{Key: "source.bad_sitemap", Args: []any{address}, Err: err}
}

// getMap asks for a sitemap, over redirects within the host.
func (s *Site) getMap(ctx context.Context, u *url.URL) (answer, error) {
	for range maxHops {
		if !strings.EqualFold(u.Host, s.start.Host) {
			return answer{}, badMap(u.String(), fmt.Errorf("%w: it leads to another host", errNoMap))
		}
		a, err := s.request(ctx, u, validators{}, maxMapSize)
		if err != nil || a.to == nil {
			return a, err
		}
		u = a.to
	}
	return answer{}, badMap(u.String(), fmt.Errorf("%w: too many redirects", errNoMap))
}

// entry is an url of a urlset, a sitemap of an index, or a post of a feed.
type entry struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
	Updated string `xml:"updated"`
	GUID    struct {
		Text string `xml:",chardata"`
		Link string `xml:"isPermaLink,attr"`
	} `xml:"guid"`
	Links []struct {
		Text string `xml:",chardata"`
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
	} `xml:"link"`
}

// address returns the URL of an entry, "" if it has none.
func (e entry) address() string {
	if e.Loc != "" {
		return strings.TrimSpace(e.Loc)
	}
	for _, l := range e.Links {
		if at := strings.TrimSpace(l.Text + l.Href); at != "" && (l.Rel == "" || l.Rel == "alternate") {
			return at
		}
	}
	if e.GUID.Link != "false" && strings.Contains(e.GUID.Text, "://") {
		return strings.TrimSpace(e.GUID.Text)
	}
	return ""
}

// roots are the elements with which sitemaps begin, and the names of their entries. The protocol allows feeds as sitemaps
// (https://www.sitemaps.org/protocol.html#otherformats): RSS 2.0, RSS 1.0 and Atom.
var roots = map[string][]string{"urlset": {"url"}, "sitemapindex": {"sitemap"}, "rss": {"item"}, "RDF": {"item"}, "feed": {"entry"}}

func (s *Site) parseMap(r io.Reader) (m sitemap, err error) {
	text := bufio.NewReader(r)
	if start, _ := text.Peek(512); plainMap(start) {
		return s.parsePlain(text)
	}
	d := xml.NewDecoder(text)
	d.Strict, d.Entity, d.CharsetReader = false, xml.HTMLEntity, decoded // feeds are written like web pages
	root, seen := "", map[string]bool{}
	for n := 0; n < maxInMap; {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && root == "" {
			return sitemap{}, fmt.Errorf("%w: %w", errNoMap, err)
		}
		if err != nil {
			return sitemap{}, err
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		name := e.Name.Local
		if root == "" {
			if root = name; roots[root] == nil {
				return sitemap{}, fmt.Errorf("%w: it begins with %s", errNoMap, root)
			}
			m.feed = root != "urlset" && root != "sitemapindex"
			continue
		}
		if !slices.Contains(roots[root], name) {
			continue
		}
		n++
		var one entry
		if err := d.DecodeElement(&one, &e); err != nil {
			return sitemap{}, err
		}
		at := one.address()
		u, err := s.start.Parse(at)
		if err != nil || at == "" {
			continue
		}
		if name == "sitemap" {
			m.maps = append(m.maps, u.String())
			continue
		}
		s.name(&m, seen, u, strings.TrimSpace(one.LastMod+one.Updated))
	}
	if root == "" {
		return sitemap{}, fmt.Errorf("%w: it is empty", errNoMap)
	}
	return m, nil
}

// decoded reads a text in an encoding that it declares. One that can be read so far is no UTF-16, whatever it says.
func decoded(label string, in io.Reader) (io.Reader, error) {
	if r, err := charset.NewReaderLabel(label, in); err == nil && !strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return r, nil
	}
	return in, nil
}

// name adds an address that a sitemap names.
func (s *Site) name(m *sitemap, seen map[string]bool, u *url.URL, version string) {
	here := strings.EqualFold(u.Host, s.start.Host)
	if u = s.own(u); u == nil && here {
		m.other++
	}
	if u == nil || seen[u.String()] || len(m.items) > s.cfg.MaxItems {
		return
	}
	seen[u.String()] = true
	m.items = append(m.items, source.Item{ID: u.String(), URL: u.String(), Version: version, Modified: day(version)})
}

// plainMap reports whether a sitemap is a text with an address on every line, by its beginning.
func plainMap(start []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(start, []byte("\ufeff")), []byte("\n"))
	u, err := url.Parse(string(bytes.TrimSpace(line)))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// parsePlain reads a sitemap that is a text.
func (s *Site) parsePlain(r io.Reader) (m sitemap, err error) {
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxMapSize)
	for n := 0; n < maxInMap && lines.Scan(); n++ {
		at := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if u, err := url.Parse(at); err == nil && u.Host != "" {
			s.name(&m, seen, u, "")
		}
	}
	return m, lines.Err()
}

// day reads a W3C date.
func day(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return at
		}
	}
	return time.Time{}
}
