package sync_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	gosync "sync"
	"testing"
)

// page is a page of a site.
type page struct {
	text   string
	status int    // 0: OK
	after  string // Retry-After
	to     string // where it redirects to
	mime   string // default HTML
	links  []string
	edited int
}

// site is a website that counts what it is asked.
type site struct {
	*httptest.Server

	mu      gosync.Mutex
	pages   map[string]*page
	robots  string
	mapped  bool // it has sitemaps: an index with two, one of them packed
	mods    bool // its sitemaps tell when pages changed
	down    bool
	asked   map[string]int
	same    int // answers 304
	fails   map[string]int
	refused map[string]int // of these paths so many requests are told to come later
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{pages: map[string]*page{}, asked: map[string]int{}, fails: map[string]int{}, refused: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) set(path string, p page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.pages[path]; old != nil {
		p.edited = old.edited + 1
	}
	s.pages[path] = &p
}

func (s *site) remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pages, path)
}

func (s *site) with(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// requests returns how often a path was asked for, of all without one.
func (s *site) requests(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, c := range s.asked {
		if path == "" || p == path {
			n += c
		}
	}
	return n
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := r.URL.RequestURI()
	s.asked[path]++
	switch {
	case s.down:
		w.WriteHeader(http.StatusBadGateway)
	case path == "/robots.txt" && s.robots != "":
		fmt.Fprint(w, s.robots)
	case s.mapped && path == "/sitemap.xml":
		fmt.Fprintf(w, `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
			<sitemap><loc>%s/even.xml</loc></sitemap><sitemap><loc>%s/odd.xml.gz</loc></sitemap></sitemapindex>`, s.URL, s.URL)
	case s.mapped && path == "/even.xml":
		_, _ = w.Write(s.urls(0))
	case s.mapped && path == "/odd.xml.gz":
		z := gzip.NewWriter(w)
		_, _ = z.Write(s.urls(1))
		_ = z.Close()
	case s.fails[path] > 0:
		s.fails[path]--
		w.WriteHeader(http.StatusInternalServerError)
	case s.refused[path] > 0:
		s.refused[path]--
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	default:
		s.serve(w, r, path)
	}
}

// urls returns a sitemap of every other page.
func (s *site) urls(rest int) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	i := 0
	var paths []string
	for p := range s.pages {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		if i++; i%2 != rest {
			continue
		}
		mod := ""
		if s.mods {
			mod = fmt.Sprintf("<lastmod>2026-01-%02dT00:00:00Z</lastmod>", 1+s.pages[p].edited)
		}
		fmt.Fprintf(&b, "<url><loc>%s%s</loc>%s</url>", s.URL, p, mod)
	}
	b.WriteString("<url><loc>https://elsewhere.example.com/x</loc></url></urlset>")
	return b.Bytes()
}

func (s *site) serve(w http.ResponseWriter, r *http.Request, path string) {
	p := s.pages[path]
	if strings.HasPrefix(path, "/loop/") { // leads deeper and deeper
		p = &page{text: "a page that loops", links: []string{path + "on/", fmt.Sprintf("/loop/?n=%d", len(path)+len(s.asked))}}
	}
	if p == nil {
		http.NotFound(w, r)
		return
	}
	tag := fmt.Sprintf(`"%s-%d"`, path, p.edited)
	switch {
	case p.to != "":
		http.Redirect(w, r, p.to, http.StatusFound)
		return
	case p.status != 0:
		w.Header().Set("Retry-After", p.after)
		w.WriteHeader(p.status)
		return
	case r.Header.Get("If-None-Match") == tag:
		s.same++
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("ETag", tag)
	if p.mime != "" {
		w.Header().Set("Content-Type", p.mime)
		fmt.Fprint(w, p.text)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<html><head><title>Page %s</title></head><body><nav>", path)
	for _, l := range p.links {
		fmt.Fprintf(w, `<a href="%s">x</a>`, l)
	}
	fmt.Fprintf(w, "</nav><main><h1>Page %s</h1><p>%s</p></main></body></html>", path, p.text)
}
