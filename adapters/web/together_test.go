package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/web"
)

// together lets the first n reads of a note go on only once all n were made.
func together(note string, n int) func(string) {
	var mu sync.Mutex
	all := make(chan struct{})
	return func(key string) {
		mu.Lock()
		if !strings.HasPrefix(key, note) || n == 0 {
			mu.Unlock()
			return
		}
		if n--; n == 0 {
			close(all)
		}
		mu.Unlock()
		<-all
	}
}

// TestSignOutsOfReplicas: people sign out on several replicas at once, and every session is over on each of them.
func TestSignOutsOfReplicas(t *testing.T) {
	t.Parallel()
	const n = 6
	e, clock := newEcho(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	cfg := func(c *web.Config) {
		c.Key, c.Login, c.Now = "k1", "correct horse", func() time.Time { return clock }
	}
	var people []*person
	var copies [][]*http.Cookie
	for range n {
		c := startWith(t, e, cfg)
		p := c.person(t)
		if got := p.post("/login", url.Values{"password": {"correct horse"}, "csrf": {p.token}}.Encode()); got.status != 303 {
			t.Fatalf("sign in: %d", got.status)
		}
		p.reload()
		people, copies = append(people, p), append(copies, p.client.Jar.Cookies(mustURL(t, c.URL)))
	}
	e.mu.Lock()
	e.meet = together("web/signed_out", n)
	e.mu.Unlock()
	var all sync.WaitGroup
	for _, p := range people {
		all.Go(func() {
			if got := p.post("/logout", "csrf="+p.token); got.status != 303 {
				t.Errorf("sign out: %d", got.status)
			}
		})
	}
	all.Wait()
	next := startWith(t, e, cfg)
	for i, cookies := range copies {
		r, err := http.NewRequestWithContext(t.Context(), "GET", next.URL+"/api/threads", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range cookies {
			r.AddCookie(k)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 401 {
			t.Errorf("session %d after its sign-out: %d", i, res.StatusCode)
		}
	}
}

// TestRefusedOnReplicas: files are refused on several replicas at once, and each is listed.
func TestRefusedOnReplicas(t *testing.T) {
	t.Parallel()
	const n = 6
	e := newEcho()
	var people []*person
	for range n {
		people = append(people, startWith(t, e).person(t))
	}
	e.mu.Lock()
	e.meet = together("web/refused/", n)
	e.mu.Unlock()
	var all sync.WaitGroup
	for i, p := range people {
		all.Go(func() {
			r := p.request("POST", fmt.Sprintf("/api/documents?name=tool%d.exe", i), "x")
			r.Header.Set("Content-Type", "text/plain")
			if got := p.do(r); got.status != http.StatusUnprocessableEntity {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	all.Wait()
	page := people[0].get("/documents").body
	for i := range n {
		if name := fmt.Sprintf("tool%d.exe", i); !strings.Contains(page, name) {
			t.Errorf("%s is not listed", name)
		}
	}
}
