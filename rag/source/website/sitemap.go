package website

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"maru/rag/source"
)

const (
	maxMaps    = 1000     // sitemaps of a site
	maxMapSize = 50 << 20 // bytes of one, unpacked: the limit of the protocol
	maxInMap   = 50_000   // addresses of one: the limit of the protocol
)

// sitemap is what one has.
type sitemap struct {
	items []source.Item // pages of the site
	maps  []string      // other sitemaps
	other int           // pages of the host that are not of the site
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
			return answer{}, badMap(u.String(), errors.New("it is on another host"))
		}
		a, err := s.request(ctx, u, validators{}, maxMapSize)
		if err != nil || a.to == nil {
			return a, err
		}
		u = a.to
	}
	return answer{}, badMap(u.String(), errors.New("too many redirects"))
}

// entry is an url of a urlset, or a sitemap of an index.
type entry struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
}

func (s *Site) parseMap(r io.Reader) (m sitemap, err error) {
	d := xml.NewDecoder(r)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the protocol knows UTF-8 alone
	root, seen := "", map[string]bool{}
	for n := 0; n < maxInMap; {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
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
			if root = name; root != "urlset" && root != "sitemapindex" {
				return sitemap{}, errors.New("it is no sitemap: it begins with " + root)
			}
			continue
		}
		if name != "url" && name != "sitemap" {
			continue
		}
		n++
		var one entry
		if err := d.DecodeElement(&one, &e); err != nil {
			return sitemap{}, err
		}
		u, err := s.start.Parse(strings.TrimSpace(one.Loc))
		if err != nil || one.Loc == "" {
			continue
		}
		if name == "sitemap" {
			m.maps = append(m.maps, u.String())
			continue
		}
		here := strings.EqualFold(u.Host, s.start.Host)
		if u = s.own(u); u == nil && here {
			m.other++
		}
		if u == nil || seen[u.String()] || len(m.items) > s.cfg.MaxItems {
			continue
		}
		seen[u.String()] = true
		m.items = append(m.items, source.Item{ID: u.String(), URL: u.String(), Version: strings.TrimSpace(one.LastMod), Modified: day(one.LastMod)})
	}
	if root == "" {
		return sitemap{}, errors.New("it is no sitemap: it is empty")
	}
	return m, nil
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
