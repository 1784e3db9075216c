package confluence_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/rag/source"
	"maru/rag/source/confluence"
	"maru/rag/source/confluence/confluencefake"
	"maru/rag/source/sourcetest"
)

const mail = "bot@example.com"

// edition is Cloud or a Data Center.
type edition struct {
	name, context string
	config        func(s *confluencefake.Server, key string) confluence.Config
}

func editions() []edition {
	config := func(s *confluencefake.Server, url, user string) confluence.Config {
		return confluence.Config{URL: url, User: user, Token: "t-1", Client: http.DefaultClient, Agent: "Maru/test", MaxBytes: 64 << 10, Now: s.Now}
	}
	return []edition{
		{"cloud", "/wiki", func(s *confluencefake.Server, key string) confluence.Config { return config(s, s.Cloud(key), mail) }},
		{"data center", "/dc", func(s *confluencefake.Server, key string) confluence.Config { return config(s, s.Center(key), "") }},
	}
}

// each runs a test on both.
func each(t *testing.T, test func(t *testing.T, e edition, s *confluencefake.Server)) {
	t.Helper()
	for _, e := range editions() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			test(t, e, confluencefake.New(t, mail, "t-1"))
		})
	}
}

func open(t *testing.T, c confluence.Config) *confluence.Wiki {
	t.Helper()
	w, err := confluence.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// look lists everything from a cursor, with a source of its own for every part, as after kills.
func look(t *testing.T, c confluence.Config, cursor string, between func()) (items map[string]source.Item, last source.Page) {
	t.Helper()
	return sourcetest.Look(t, func() source.Source { return open(t, c) }, cursor, between)
}

func title(n int) string { return fmt.Sprintf("런북 %d", n) }

// TestPagesListed: all pages are listed once an hour and changed ones at every look, though pages change and go while they
// are listed; a move is a change.
func TestPagesListed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, e edition, s *confluencefake.Server) {
		s.AtOnce(20)
		for n := range 300 {
			s.Put(confluencefake.Page{ID: fmt.Sprint(100 + n), Title: title(n), Body: "<p>x</p>"})
		}
		s.Put(confluencefake.Page{ID: "9000", Title: "휴가", Space: "HR"})
		s.Put(confluencefake.Page{ID: "9001", Title: "mine", Space: "~mina"})
		s.Put(confluencefake.Page{ID: "9002", Title: "trash", Status: "trashed"})
		c := e.config(s, "OPS")
		next := 0
		items, last := look(t, c, "", func() {
			next++
			s.Put(confluencefake.Page{ID: fmt.Sprint(380 - 10*next), Title: "edited", Body: "<p>y</p>"})
		})
		for n := range 300 {
			if items[s.Address(e.context, fmt.Sprint(100+n))].ID == "" {
				t.Errorf("page %d is not listed", 100+n)
			}
		}
		if !last.Complete || !last.Confirm || items[s.Address(e.context, "9000")].ID != "" || items[s.Address(e.context, "9002")].ID != "" {
			t.Errorf("%d items, complete: %v", len(items), last.Complete)
		}
		if it := items[s.Address(e.context, "107")]; it.Title != title(7) || !strings.HasPrefix(it.URL, s.URL+e.context+"/spaces/OPS/pages/107") || it.Trusted || it.Modified.IsZero() {
			t.Errorf("%+v", it)
		}
		before := items[s.Address(e.context, "107")].Version
		s.Pass(10 * time.Minute)
		s.Put(confluencefake.Page{ID: "107", Title: title(7), Body: "<p>new</p>"})
		s.Put(confluencefake.Page{ID: "9100", Title: "fresh"})
		s.Asked()
		items, last = look(t, c, last.Cursor, nil)
		if items[s.Address(e.context, "107")].Version == before || items[s.Address(e.context, "9100")].ID == "" || len(items) > 40 || last.Complete {
			t.Errorf("changed: %d items, %+v, complete: %v", len(items), slices.Sorted(maps.Keys(items)), last.Complete)
		}
		if asked := s.Asked(); len(asked) > 8 {
			t.Errorf("%d requests for two changes: %q", len(asked), asked)
		}
		s.Pass(time.Hour)
		before = items[s.Address(e.context, "107")].Version
		s.Change("107", func(p *confluencefake.Page) { p.Parent = "108" })
		s.Change("109", func(p *confluencefake.Page) { p.Status = "archived" })
		items, last = look(t, c, last.Cursor, nil)
		if len(items) != 300 || !last.Complete || items[s.Address(e.context, "107")].Version == before {
			t.Errorf("after an hour: %d items, complete: %v", len(items), last.Complete)
		}
		all, _ := look(t, e.config(s, ""), "", nil)
		if len(all) != 301 || all[s.Address(e.context, "9000")].ID == "" || all[s.Address(e.context, "9001")].ID != "" {
			t.Errorf("the site has %d pages", len(all))
		}
	})
}

// TestSmallSpaceListedWhole: a small space is listed whole at every look, so that what is deleted goes at once.
func TestSmallSpaceListedWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, e edition, s *confluencefake.Server) {
		s.Put(confluencefake.Page{ID: "1", Title: "one"})
		s.Put(confluencefake.Page{ID: "2", Title: "two"})
		c := e.config(s, "OPS")
		_, last := look(t, c, "", nil)
		s.Change("2", func(p *confluencefake.Page) { p.Status = "trashed" })
		if items, last := look(t, c, last.Cursor, nil); len(items) != 1 || !last.Complete {
			t.Errorf("%+v, complete: %v", items, last.Complete)
		}
	})
}

// TestRestrictedPages: what only some may read is no document, by itself or below such a page, and neither is what cannot
// be asked for.
func TestRestrictedPages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, e edition, s *confluencefake.Server) {
		body := "<p>급여표</p>"
		s.Put(confluencefake.Page{ID: "1", Title: "open", Body: body})
		s.Put(confluencefake.Page{ID: "2", Title: "closed", Body: body, Restricted: true})
		s.Put(confluencefake.Page{ID: "3", Title: "below", Body: body, Parent: "2"})
		s.Put(confluencefake.Page{ID: "4", Title: "far below", Body: body, Parent: "3"})
		fetch := func(c confluence.Config, id string) error {
			_, err := open(t, c).Fetch(t.Context(), source.Item{ID: s.Address(e.context, id)}, "")
			return err
		}
		c := e.config(s, "OPS")
		if err := fetch(c, "1"); err != nil {
			t.Error(err)
		}
		for _, id := range []string{"2", "3", "4"} {
			if err := fetch(c, id); !errors.Is(err, source.ErrRestricted) {
				t.Errorf("page %s: %v", id, err)
			}
		}
		included := c
		included.Include = true
		if err := fetch(included, "4"); err != nil {
			t.Error(err)
		}
		s.Change("2", func(p *confluencefake.Page) { p.Restricted = false })
		if err := fetch(c, "4"); err != nil {
			t.Error(err)
		}
		var fault *source.Fault
		for _, status := range []int{403, 404, 410} {
			refused := open(t, c)
			s.Put(confluencefake.Page{ID: "5", Title: "alone", Body: body})
			if e.context == "/wiki" {
				if _, err := refused.List(t.Context(), ""); err != nil { // the space is known
					t.Fatal(err)
				}
			}
			s.RefuseAt("/restriction/", status, "{}")
			if _, err := refused.Fetch(t.Context(), source.Item{ID: s.Address(e.context, "5")}, ""); !errors.Is(err, source.ErrRestricted) {
				t.Errorf("restrictions that answer %d: %v", status, err)
			}
		}
		s.RefuseAt("/restriction/", 500, "{}")
		if err := fetch(c, "1"); !errors.As(err, &fault) || fault.Key != "source.status" {
			t.Errorf("restrictions that answer 500: %v", err)
		}
	})
}

// TestFolders: a folder above a page is part of its place; one that cannot be asked for leaves it restricted.
func TestFolders(t *testing.T) {
	t.Parallel()
	s := confluencefake.New(t, mail, "t-1")
	s.Put(confluencefake.Page{ID: "1", Title: "런북 모음", Folder: true})
	s.Put(confluencefake.Page{ID: "2", Title: "VPN", Parent: "1", Body: "<p>4.2</p>"})
	s.Put(confluencefake.Page{ID: "3", Title: "orphan", Parent: "777", Body: "<p>4.3</p>"})
	c := editions()[0].config(s, "OPS")
	got, err := open(t, c).Fetch(t.Context(), source.Item{ID: s.Address("/wiki", "2")}, "")
	if err != nil || !strings.Contains(string(got.Data), "<h1>운영 › 런북 모음</h1>") {
		t.Errorf("%s, %v", got.Data, err)
	}
	if _, err := open(t, c).Fetch(t.Context(), source.Item{ID: s.Address("/wiki", "3")}, ""); !errors.Is(err, source.ErrRestricted) {
		t.Errorf("below an unknown page: %v", err)
	}
	c.Include = true
	if _, err := open(t, c).Fetch(t.Context(), source.Item{ID: s.Address("/wiki", "3")}, ""); err != nil {
		t.Error(err)
	}
}

// TestFaults: what goes wrong is told, and never takes documents with it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do         func(*confluencefake.Server)
		list, item string
		wait       time.Duration
	}{
		"token revoked":  {do: func(s *confluencefake.Server) { s.Demand("other") }, list: "source.token_refused", item: "source.token_refused"},
		"space hidden":   {do: func(s *confluencefake.Server) { s.Hide("OPS", true) }, list: "source.no_such_space", item: "source.no_such_space"},
		"forbidden":      {do: func(s *confluencefake.Server) { s.Refuse(403, "{}"); s.Refuse(403, "{}") }, list: "source.token_lacks_rights", item: "source.token_lacks_rights"},
		"moved":          {do: func(s *confluencefake.Server) { s.Refuse(302, "", "Location: https://login.example.com/") }, list: "source.site_moved", item: "source.status"},
		"page trashed":   {do: func(s *confluencefake.Server) { s.Change("1", func(p *confluencefake.Page) { p.Status = "trashed" }) }, item: "gone"},
		"page archived":  {do: func(s *confluencefake.Server) { s.Change("1", func(p *confluencefake.Page) { p.Status = "archived" }) }, item: "gone"},
		"page elsewhere": {do: func(s *confluencefake.Server) { s.Change("1", func(p *confluencefake.Page) { p.Space = "HR" }) }, item: "gone"},
		"page a draft":   {do: func(s *confluencefake.Server) { s.Change("1", func(p *confluencefake.Page) { p.Status = "draft" }) }, item: "gone"},
		"down":           {do: func(s *confluencefake.Server) { s.Refuse(502, "") }, list: "source.status", item: "source.status"},
		"not JSON":       {do: func(s *confluencefake.Server) { s.Refuse(200, "<html>") }, list: "source.bad_answer", item: "source.bad_answer"},
		"empty":          {do: func(s *confluencefake.Server) { s.Refuse(200, "") }, list: "source.bad_answer", item: "source.bad_answer"},
		"too many":       {do: func(s *confluencefake.Server) { s.Refuse(429, "", "Retry-After: 7") }, wait: 7 * time.Second},
		"busy":           {do: func(s *confluencefake.Server) { s.Refuse(503, "", "Retry-After: 30") }, wait: 30 * time.Second},
		"without a time": {do: func(s *confluencefake.Server) { s.Refuse(429, "") }, wait: time.Minute},
		"until a moment": {do: func(s *confluencefake.Server) {
			s.Refuse(429, "", "X-RateLimit-Reset: "+s.Now().Add(20*time.Minute).Format("2006-01-02T15:04Z"))
		}, wait: 20 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, e := range editions() {
				for _, door := range []string{"list", "item"} {
					s := confluencefake.New(t, mail, "t-1")
					s.Put(confluencefake.Page{ID: "1", Title: "One", Body: "<p>one</p>"})
					s.Put(confluencefake.Page{ID: "2", Title: "Two", Body: "<p>two</p>"})
					w := open(t, e.config(s, "OPS"))
					c.do(s)
					want, err := c.list, error(nil)
					if door == "list" {
						_, err = w.List(t.Context(), "")
					} else {
						want = c.item
						_, err = w.Fetch(t.Context(), source.Item{ID: s.Address(e.context, "1")}, "")
					}
					sourcetest.Check(t, e.name+", "+door, err, want, c.wait, "t-1")
				}
			}
		})
	}
}

// TestStaysAtItsHost: the token goes to no other host, whatever redirects and links say.
func TestStaysAtItsHost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, e edition, s *confluencefake.Server) {
		other := confluencefake.New(t, mail, "t-1")
		s.Put(confluencefake.Page{ID: "1", Title: "One", Body: "<p>one</p>"})
		w := open(t, e.config(s, "OPS"))
		s.Refuse(301, "", "Location: "+other.URL+e.context+"/api/v2/pages")
		if _, err := w.List(t.Context(), ""); err == nil {
			t.Error("followed a redirect")
		}
		if page, err := w.List(t.Context(), ""); err != nil || len(page.Items) != 1 {
			t.Errorf("%+v, %v", page, err)
		}
		if asked := other.Asked(); len(asked) != 0 {
			t.Errorf("asked another host: %q", asked)
		}
	})
}

// TestAddresses: an address is that of a space or a site, or a sentence says what it must be.
func TestAddresses(t *testing.T) {
	t.Parallel()
	sourcetest.Addresses(t, func(address string) error {
		_, err := confluence.New(confluence.Config{URL: address, Client: http.DefaultClient, Now: time.Now})
		return err
	}, map[string]string{
		"https://team.atlassian.net/wiki/spaces/OPS": "", "https://team.atlassian.net/wiki/spaces/OPS/overview": "", "https://team.atlassian.net/wiki": "", "https://team.atlassian.net/": "",
		"https://wiki.example.com/display/OPS": "", "https://example.com/confluence/spaces/viewspace.action?key=OPS": "", "https://wiki.example.com": "", "http://127.0.0.1:8090/spaces/OPS": "", "http://[::1]/spaces/OPS": "", "http://localhost/spaces/OPS": "",
		"": "source.bad_url", "team/app": "source.bad_url", "ssh://example.com/x": "source.bad_url", "https://": "source.bad_url",
		"http://wiki.example.com/spaces/OPS": "source.not_https", "http://10.0.0.1/spaces/OPS": "source.not_https",
		"https://team.atlassian.net/wiki/spaces/OPS/pages/123/Title": "source.no_space", "https://team.atlassian.net/wiki/spaces/": "source.no_space", "https://wiki.example.com/spaces/viewspace.action": "source.no_space", "https://wiki.example.com/a/b/c": "source.no_space",
	})
}
