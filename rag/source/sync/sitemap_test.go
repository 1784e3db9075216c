package sync_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestSitesWithoutASitemap have something else where one is looked for, or name one that is not there: the site's links are followed. Feeds
// and plain lists are sitemaps, too.
func TestSitesWithoutASitemap(t *testing.T) {
	t.Parallel()
	const front = `<!doctype html><html lang=en><head><title>Front</title></head><body><main><h1>Front</h1><p>The front page has some words.</p><a href="/guide">Guide</a></main></body></html>`
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	text := func(format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprintf(w, format, "http://"+r.Host)
		}
	}
	feed := text(`<rss version="2.0"><channel><item><link>%[1]s/guide</link></item><item><link>%[1]s/news</link></item></channel></rss>`)
	list := text("%[1]s/guide\n%[1]s/news\n")
	for name, c := range map[string]struct {
		start string
		serve map[string]http.HandlerFunc
		want  int
	}{
		"app_answers_everything": {"/", map[string]http.HandlerFunc{"/": text(front)}, 2},
		"refused":                {"/", map[string]http.HandlerFunc{"/sitemap.xml": status(http.StatusForbidden)}, 2},
		"leads_to_a_sign_in": {"/", map[string]http.HandlerFunc{"/sitemap.xml": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.example.com/", http.StatusFound)
		}}, 2},
		"leads_in_a_circle": {"/", map[string]http.HandlerFunc{"/sitemap.xml": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/sitemap.xml", http.StatusFound)
		}}, 2},
		"named_but_missing":  {"/", map[string]http.HandlerFunc{"/robots.txt": text("Sitemap: %[1]s/old.xml\n")}, 2},
		"one_of_two_missing": {"/", map[string]http.HandlerFunc{"/robots.txt": text("Sitemap: %[1]s/old.xml\nSitemap: %[1]s/new.txt\n"), "/new.txt": list}, 2},
		"names_a_feed":       {"/", map[string]http.HandlerFunc{"/robots.txt": text("Sitemap: %[1]s/feed\n"), "/feed": feed}, 2},
		"a_feed_is_given":    {"/feed.xml", map[string]http.HandlerFunc{"/feed.xml": feed}, 2},
		"broken":             {"/", map[string]http.HandlerFunc{"/sitemap.xml": text(`<urlset><url><loc>%[1]s/guide</loc>`)}, 0},
		"given_but_missing":  {"/sitemap.xml", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page := map[string]string{"/": front, "/guide": "<html><body><main><h1>Guide</h1><p>How to begin.</p></main></body></html>", "/news": "<html><body><main><h1>News</h1><p>What is new.</p></main></body></html>"}[r.URL.Path]
				switch h := c.serve[r.URL.Path]; {
				case h != nil && (page == "" || r.URL.Path != "/"):
					h(w, r)
				case page != "":
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					fmt.Fprint(w, page)
				case c.serve["/"] != nil: // a program in the browser finds its page itself
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, front)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(s.Close)
			w := newWorld(t, row("docs", s.URL+c.start))
			r := w.look()
			if n := len(w.docs(s.URL)); n != c.want || (r.Progress.Why != nil) != (c.want == 0) {
				t.Errorf("%d documents, want %d; %v", n, c.want, r.Progress.Why.In("en"))
			}
		})
	}
}

// TestOneOfTwoSitemapsIsRefused: pages that only a refused sitemap names stay as long as they are there.
func TestOneOfTwoSitemapsIsRefused(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]http.HandlerFunc{
		"forbidden":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"gone":        http.NotFound,
		"maintenance": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><body>Maintenance</body></html>") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var refused atomic.Bool
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				list := func(pages ...string) {
					for _, p := range pages {
						fmt.Fprintf(w, "http://%s%s\n", r.Host, p)
					}
				}
				switch path := r.URL.Path; {
				case path == "/robots.txt":
					fmt.Fprint(w, "Sitemap: /a.txt\nSitemap: /b.txt\n")
				case path == "/a.txt":
					list("/p1")
				case path == "/b.txt" && refused.Load():
					refuse(w, r)
				case path == "/b.txt":
					list("/p2", "/p3")
				case path == "/p1" || path == "/p2" || path == "/p3" && !refused.Load():
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprintf(w, "<html><body><main><h1>Page %[1]s</h1><p>Words of %[1]s.</p></main></body></html>", path)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(s.Close)
			w := newWorld(t, row("docs", s.URL+"/"))
			w.look()
			before := len(w.docs(s.URL))
			refused.Store(true) // and /p3 has gone
			w.look()
			if after := len(w.docs(s.URL)); before != 3 || after != 2 {
				t.Errorf("%d documents, then %d, want 3 and 2", before, after)
			}
		})
	}
}
