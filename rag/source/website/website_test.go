package website

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"maru/rag/source"
)

// TestPagesThatAreNotOpen: where a page leads outside of the source, or wants a sign-in, its fault says so; what may be
// a key in the address to which it leads is not told.
func TestPagesThatAreNotOpen(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/docs/moved":
			http.Redirect(w, r, "/sign-in/now;id=secret?key=secret", http.StatusFound)
		case "/docs/away":
			http.Redirect(w, r, "https://login.example/callback/secret/x;id=secret", http.StatusFound)
		case "/docs/401", "/docs/403":
			w.WriteHeader(map[bool]int{true: http.StatusUnauthorized, false: http.StatusForbidden}[strings.HasSuffix(r.URL.Path, "401")])
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	for path, want := range map[string]string{
		"moved": "source.leads_away [" + web.URL + "/docs/moved " + web.URL + "/sign-in/now]",
		"away":  "source.leads_away [" + web.URL + "/docs/away https://login.example/callback]",
		"401":   "source.closed [" + web.URL + "/docs/401 401]",
		"403":   "source.closed [" + web.URL + "/docs/403 403]",
	} {
		s, err := New(Config{URL: web.URL + "/docs/", Client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, Agent: "maru", MaxBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Fetch(t.Context(), source.Item{ID: web.URL + "/docs/" + path, Depth: 1}, "")
		fault, ok := errors.AsType[*source.Fault](err)
		if !ok || !fault.Permanent || fmt.Sprint(fault.Key, " ", fault.Args) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	const text = "\ufeffUser-Agent: *\nDisallow: /all\nCrawl-delay: 2\n\nUser-agent: googlebot\nUser-agent: MARU # us\nDisallow: /a/\nAllow: /a/b\nDisallow: /*.php$\nDisallow: /q?x=*&y\nDisallow:\n" +
		"Sitemap: https://docs.example.com/s.xml\nUser-agent: maru-other\nDisallow: /\n"
	r := parseRobots(strings.NewReader(text))
	for path, want := range map[string]bool{
		"/": true, "/all": true, "/a/": false, "/a/x": false, "/a/b": true, "/a/bc": true, "/x.php": false, "/x.php5": true, "/q?x=1&y=2": false, "/q?x=1": true, "/A/": true,
	} {
		u, err := url.Parse("https://docs.example.com" + path)
		if err != nil {
			t.Fatal(err)
		}
		if r.allow(u) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	if r.delay != 0 || len(r.maps) != 1 {
		t.Errorf("%+v", r)
	}
	if all := parseRobots(strings.NewReader("User-agent: *\nCrawl-delay: 2\nDisallow: /\n")); all.delay.Seconds() != 2 || all.allow(&url.URL{Path: "/x"}) {
		t.Errorf("%+v", all)
	}
	if none := parseRobots(strings.NewReader("<html>Not found</html>")); !none.allow(&url.URL{Path: "/x"}) {
		t.Error("a page that is no robots.txt forbids something")
	}
}

// TestHostileRobots: patterns of a stranger, up to the largest file that is read, cost linear time. With backtracking, or
// as a regular expression for each rule, this test would not end.
func TestHostileRobots(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("a", 100_000)
	for name, c := range map[string]struct {
		rule, path string
		allowed    bool
	}{
		"many_stars":         {"/" + strings.Repeat("a*", 100) + "b", long, true},
		"many_stars_to_end":  {"/" + strings.Repeat("*a", 100_000) + "$", long + "b", true},
		"stars_alone":        {"/" + strings.Repeat("*", maxRobots-100), long, false},
		"stars_that_match":   {"/" + strings.Repeat("a*", 50_000), long, false},
		"two_ends_overlap":   {"/ab*ab$", "/ab", true},
		"two_ends_meet":      {"/ab*ab$", "/abab", false},
		"end_takes_the_last": {"/*.pdf$", "/a.pdf.pdf", false},
		"syntax_is_text":     {"/(a+)+[b]", "/(a+)+[b]c", false},
		"dollar_inside":      {"/a$b", "/a$bc", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := parseRobots(strings.NewReader("User-agent: *\nDisallow: " + c.rule + "\n"))
			for range 50 {
				if r.allow(&url.URL{Path: c.path, RawPath: c.path}) != c.allowed {
					t.Fatalf("allowed: %v", !c.allowed)
				}
			}
		})
	}
	many := parseRobots(strings.NewReader("User-agent: *\n" + strings.Repeat("Disallow: /a*a*a*a*a*a*a*a*a*b\n", maxRobots/32)))
	if len(many.rules) != maxRules || !many.allow(&url.URL{Path: long[:2000]}) {
		t.Errorf("%d rules", len(many.rules))
	}
}

func TestSitemapsOfAnyShape(t *testing.T) {
	t.Parallel()
	site := &Site{start: &url.URL{Scheme: "https", Host: "docs.example.com", Path: "/"}, prefix: "/", robots: &robots{}, cfg: Config{MaxItems: 10}}
	for name, c := range map[string]struct {
		text  string
		items int
		maps  int
		fails bool
	}{
		"pages":          {`<urlset><url><loc> https://docs.example.com/a#x </loc><lastmod>2026-01-02</lastmod></url><url><loc>https://docs.example.com/a</loc></url><url><loc>/b</loc></url></urlset>`, 2, 0, false},
		"other schemes":  {`<urlset><url><loc>http://docs.example.com/a</loc></url><url><loc>ftp://docs.example.com/a</loc></url><url><loc>javascript:x</loc></url></urlset>`, 1, 0, false},
		"an index":       {`<sitemapindex><sitemap><loc>https://docs.example.com/s1.xml</loc></sitemap></sitemapindex>`, 0, 1, false},
		"namespaces":     {`<s:urlset xmlns:s="x"><s:url><s:loc>https://docs.example.com/a</s:loc></s:url></s:urlset>`, 1, 0, false},
		"rss":            {`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Blog</title><link>https://docs.example.com/</link><atom:link href="https://docs.example.com/feed.xml" rel="self"/><item><title>A</title><link>https://docs.example.com/a</link></item><item><link>https://docs.example.com/b</link><pubDate>Tue, 01 Dec 2026 09:00:00 GMT</pubDate></item></channel></rss>`, 2, 0, false},
		"rss 1.0":        {`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="x"><link>https://docs.example.com/a</link></item></rdf:RDF>`, 1, 0, false},
		"atom":           {`<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://docs.example.com/" rel="self"/><entry><link rel="replies" href="https://docs.example.com/a#comments"/><link rel="alternate" href="https://docs.example.com/a"/><updated>2026-11-30T09:00:00Z</updated></entry></feed>`, 1, 0, false},
		"plain":          {"\ufeffhttps://docs.example.com/a\r\nhttps://docs.example.com/b\n\nhttps://elsewhere.example.com/c\nnonsense\n", 2, 0, false},
		"words":          {"Not found", 0, 0, true},
		"html 5":         {"<!doctype html><html lang=en><head><meta charset=utf-8><title>App</title>", 0, 0, true},
		"nothing":        {``, 0, 0, true},
		"a page":         {`<html><body>x</body></html>`, 0, 0, true},
		"cut off":        {`<urlset><url><loc>https://docs.example.com/a</loc>`, 0, 0, true},
		"entities":       {`<!DOCTYPE x [<!ENTITY a "aaaa">]><urlset><url><loc>https://docs.example.com/&a;</loc></url></urlset>`, 1, 0, false},
		"html entities":  {`<rss><channel><item><title>A&nbsp;B &amp C</title><link>https://docs.example.com/a?x=1&y=2</link></item></channel></rss>`, 1, 0, false},
		"euc-kr":         {`<?xml version="1.0" encoding="euc-kr"?><rss><channel><item><title>` + "\xb0\xf8\xc1\xf6" + `</title><link>https://docs.example.com/a</link></item></channel></rss>`, 1, 0, false},
		"wrong encoding": {`<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>https://docs.example.com/a</loc></url></urlset>`, 1, 0, false},
		"permanent link": {`<rss><channel><item><guid isPermaLink="true">https://docs.example.com/a</guid></item><item><guid isPermaLink="false">https://docs.example.com/b</guid></item><item><guid>7</guid></item></channel></rss>`, 1, 0, false},
		"a long line":    {"https://docs.example.com/a\n" + strings.Repeat("x", 70_000) + "\nhttps://docs.example.com/b", 2, 0, false},
		"too many pages": {`<urlset>` + strings.Repeat(`<url><loc>https://docs.example.com/a</loc></url>`, 5) + `</urlset>`, 1, 0, false},
	} {
		m, err := site.parseMap(strings.NewReader(c.text))
		if (err != nil) != c.fails || len(m.items) != c.items || len(m.maps) != c.maps {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(`<base href="//x"><a href="../a?b#c" rel=nofollow><meta name=robots content=none><a href=" javascript:x ">`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		u := &url.URL{Scheme: "https", Host: "docs.example.com", Path: "/docs/"}
		s := &Site{start: u, prefix: "/docs/", robots: &robots{}, queries: map[string]map[string]bool{}}
		for _, it := range s.items(scan(data, u).links) {
			if !strings.HasPrefix(it.ID, "https://docs.example.com/docs/") {
				panic("leads outside: " + it.ID)
			}
		}
	})
}
