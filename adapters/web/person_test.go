package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// person is a browser: it keeps cookies and knows the page's token.
type person struct {
	t      *testing.T
	c      *console
	client *http.Client
	token  string
}

func (c *console) person(t *testing.T) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, c: c, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	p.reload()
	return p
}

var tokenForm = regexp.MustCompile(`name="csrf" content="([0-9a-f]+)"`)

func (p *person) reload() {
	p.t.Helper()
	if m := tokenForm.FindStringSubmatch(p.get("/login").body); m != nil {
		p.token = m[1]
		return
	}
	m := tokenForm.FindStringSubmatch(p.get("/").body)
	if m == nil {
		p.t.Fatal("the page has no token")
	}
	p.token = m[1]
}

// answer is a response that has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

// code returns the code of an API error.
func (a answer) code() string {
	var e struct{ Error struct{ Code, Text string } }
	_ = json.Unmarshal([]byte(a.body), &e)
	return e.Error.Code
}

func (p *person) get(path string) answer { p.t.Helper(); return p.do(p.request("GET", path, "")) }

func (p *person) request(method, path, body string) *http.Request {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.c.URL+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	} else if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if method != "GET" {
		r.Header.Set("X-CSRF-Token", p.token)
		r.Header.Set("Origin", p.c.URL)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return r
}

func (p *person) do(r *http.Request) answer {
	p.t.Helper()
	if r.Host != mustURL(p.t, p.c.URL).Host { // the jar would send none
		for _, c := range p.client.Jar.Cookies(mustURL(p.t, p.c.URL)) {
			r.AddCookie(c)
		}
	}
	res, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

func (p *person) post(path, body string) answer {
	p.t.Helper()
	return p.do(p.request("POST", path, body))
}

const message = "/api/threads/t1/messages"

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func (p *person) upload(name, content, query string) answer {
	p.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.WriteString(part, content); err != nil {
		p.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		p.t.Fatal(err)
	}
	r := p.request("POST", "/api/documents"+query, b.String())
	r.Header.Set("Content-Type", w.FormDataContentType())
	return p.do(r)
}
