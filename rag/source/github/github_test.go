package github_test

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
	"maru/rag/source/github"
	"maru/rag/source/github/githubfake"
	"maru/rag/source/sourcetest"
)

// config reads a fake's repository at a time.
func config(s *githubfake.Server, now time.Time) github.Config {
	return github.Config{URL: s.Repository(), Token: "t-1", Client: http.DefaultClient, Agent: "Maru/test", MaxBytes: 64 << 10, Now: func() time.Time { return now }}
}

func open(t *testing.T, c github.Config) *github.Repository {
	t.Helper()
	r, err := github.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// monday returns the time of the first looks.
func monday() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

// look lists everything from a cursor, with a repository of its own for every part, as after kills.
func look(t *testing.T, c github.Config, cursor string) (items map[string]source.Item, last source.Page) {
	t.Helper()
	return sourcetest.Look(t, func() source.Source { return open(t, c) }, cursor, nil)
}

// TestIssuesListed: every issue is listed once a day and changed ones at every look, without pull requests; also those
// that were imported in one second.
func TestIssuesListed(t *testing.T) {
	t.Parallel()
	s := githubfake.New(t, "t-1")
	s.Import(1, 350)
	for n := 350; n < 480; n++ {
		s.Set(n, fmt.Sprint("Issue ", n), "")
	}
	s.Pull(480)
	c := config(s, monday())
	items, last := look(t, c, "")
	if len(items) != 479 || !last.Complete {
		t.Errorf("%d issues, complete: %v", len(items), last.Complete)
	}
	if it := items[s.Page(7)]; it.URL != s.Page(7) || it.Title != "Issue 7" || !it.Trusted {
		t.Errorf("%+v", it)
	}
	before := items[s.Page(5)].Version
	s.Comment(5, "It is fixed.")
	s.Set(481, "Another", "")
	s.Asked()
	items, last = look(t, c, last.Cursor)
	if got := slices.Sorted(maps.Keys(items)); !slices.Contains(got, s.Page(5)) || !slices.Contains(got, s.Page(481)) || len(got) > 3 || last.Complete || items[s.Page(5)].Version == before {
		t.Errorf("%v, complete: %v", got, last.Complete)
	}
	if asked, _ := s.Asked(); len(asked) != 1 {
		t.Errorf("asked %q", asked)
	}
	s.Late(482)
	if items, last = look(t, c, last.Cursor); items[s.Page(482)].Title != "Late" {
		t.Errorf("an issue that was left out: %v", items)
	}
	s.Answer(9, http.StatusGone)
	tuesday := config(s, monday().Add(24*time.Hour))
	if items, last = look(t, tuesday, last.Cursor); len(items) != 480 || !last.Complete || items[s.Page(9)].ID != "" {
		t.Errorf("the next day: %d issues, complete: %v", len(items), last.Complete)
	}
	if items, last = look(t, c, "{broken"); len(items) != 480 || !last.Complete {
		t.Errorf("with a broken cursor: %d issues, complete: %v", len(items), last.Complete)
	}
}

// TestIssuesChangeWhileListed: an issue that changes during a listing displaces no other.
func TestIssuesChangeWhileListed(t *testing.T) {
	t.Parallel()
	s := githubfake.New(t, "t-1")
	for n := range 300 {
		s.Set(n+1, "Issue", "")
	}
	r := open(t, config(s, monday()))
	seen := map[string]bool{}
	for page := (source.Page{More: true}); page.More; {
		var err error
		if page, err = r.List(t.Context(), page.Cursor); err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			seen[it.ID] = true
		}
		if len(seen) < 300 {
			s.Set(len(seen)/100, "Changed", "")
			s.Answer(len(seen)/100+10, http.StatusGone)
		}
	}
	for n := range 300 {
		if !seen[s.Page(n+1)] {
			t.Errorf("issue %d is not listed", n+1)
		}
	}
}

// TestIssueText: an issue becomes one text with all of its comments, and is not read again while it is the same.
func TestIssueText(t *testing.T) {
	t.Parallel()
	s := githubfake.New(t, "t-1")
	s.Set(12, "프린터가\nout of paper", "3층 프린터에 종이가 없어요.")
	var many []string
	for n := range 230 {
		many = append(many, fmt.Sprintf("Comment number %d.", n))
	}
	s.Comment(12, many...)
	r := open(t, config(s, monday()))
	got, err := r.Fetch(t.Context(), source.Item{ID: s.Page(12)}, "")
	if err != nil {
		t.Fatal(err)
	}
	text := string(got.Data)
	for _, want := range []string{"# 프린터가 out of paper (#12)\n", "State: closed (not planned). Opened by ghost on 2026-01-05. Labels: office.", "종이가 없어요.", "## Comment by mina on 2026-01-05\n\nComment number 0.", "Comment number 229."} {
		if !strings.Contains(text, want) {
			t.Errorf("without %q: %.400s", want, text)
		}
	}
	if got.Name != "issue-12.md" || strings.Count(text, "## Comment by") != 230 || got.Modified.IsZero() {
		t.Errorf("%s, %d comments, %v", got.Name, strings.Count(text, "## Comment by"), got.Modified)
	}
	if _, err := r.Fetch(t.Context(), source.Item{ID: s.Page(12)}, got.Validators); !errors.Is(err, source.ErrUnchanged) {
		t.Errorf("unchanged: %v", err)
	}
	s.Comment(12, strings.Repeat("long ", 20000))
	var fault *source.Fault
	if _, err := r.Fetch(t.Context(), source.Item{ID: s.Page(12)}, got.Validators); !errors.As(err, &fault) || fault.Key != "source.too_large" || !fault.Permanent {
		t.Errorf("too large: %v", err)
	}
}

// TestIssuesRefused: what GitHub refuses is told with its reason, and removes nothing that may still be there.
func TestIssuesRefused(t *testing.T) {
	t.Parallel()
	reset := fmt.Sprint("X-RateLimit-Reset: ", monday().Add(20*time.Minute).Unix())
	for name, c := range map[string]struct {
		do         func(*githubfake.Server)
		list, item string        // sentence of the catalogue, or an error
		wait       time.Duration // asked for
	}{
		"revoked token":    {do: func(s *githubfake.Server) { s.Demand("t-2") }, list: "source.git_refused", item: "source.git_refused"},
		"no rights":        {do: func(s *githubfake.Server) { s.Refuse(403, "{}") }, list: "source.git_refused", item: "source.git_refused"},
		"repository gone":  {do: func(s *githubfake.Server) { s.Refuse(404, "{}"); s.Refuse(404, "{}") }, list: "source.no_such_repository", item: "source.no_such_repository"},
		"repository moved": {do: func(s *githubfake.Server) { s.Refuse(301, "{}"); s.Refuse(301, "{}") }, list: "source.repository_moved", item: "source.repository_moved"},
		"no issues":        {do: func(s *githubfake.Server) { s.Refuse(410, "{}"); s.Refuse(410, "{}") }, list: "source.no_issues", item: "source.no_issues"},
		"issue deleted":    {do: func(s *githubfake.Server) { s.Answer(1, 410) }, item: "gone"},
		"issue moved":      {do: func(s *githubfake.Server) { s.Answer(1, 301) }, item: "gone"},
		"issue not there":  {do: func(s *githubfake.Server) { s.Answer(1, 404) }, item: "gone"},
		"down":             {do: func(s *githubfake.Server) { s.Refuse(502, "") }, list: "source.status", item: "source.status"},
		"not JSON":         {do: func(s *githubfake.Server) { s.Refuse(200, "<html>") }, list: "source.bad_answer", item: "source.bad_answer"},
		"nothing":          {do: func(s *githubfake.Server) { s.Refuse(200, `[{"number": 1}]`) }, list: "source.bad_answer", item: "source.bad_answer"},
		"empty":            {do: func(s *githubfake.Server) { s.Refuse(200, "") }, list: "source.bad_answer", item: "source.bad_answer"},
		"too many":         {do: func(s *githubfake.Server) { s.Refuse(429, "", "Retry-After: 7") }, wait: 7 * time.Second},
		"too fast":         {do: func(s *githubfake.Server) { s.Refuse(403, "{}", "Retry-After: 30") }, wait: 30 * time.Second},
		"used up":          {do: func(s *githubfake.Server) { s.Refuse(403, "{}", "X-RateLimit-Remaining: 0", reset) }, wait: 20 * time.Minute},
		"without a time":   {do: func(s *githubfake.Server) { s.Refuse(429, "") }, wait: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, door := range []string{"list", "item"} {
				s := githubfake.New(t, "t-1")
				s.Set(1, "One", "")
				r := open(t, config(s, monday()))
				c.do(s)
				want, err := c.list, error(nil)
				if door == "list" {
					_, err = r.List(t.Context(), "")
				} else {
					want = c.item
					_, err = r.Fetch(t.Context(), source.Item{ID: s.Page(1)}, "")
				}
				sourcetest.Check(t, door, err, want, c.wait, "t-1")
			}
		})
	}
}

// TestIssuesStayAtTheirHost: a token goes to no other host.
func TestIssuesStayAtTheirHost(t *testing.T) {
	t.Parallel()
	other := githubfake.New(t, "t-1")
	s := githubfake.New(t, "t-1")
	s.Set(1, "One", "")
	s.Comment(1, "first")
	r := open(t, config(s, monday()))
	s.Refuse(301, "", "Location: "+other.URL+"/api/v3/repos/team/app/issues")
	if _, err := r.List(t.Context(), ""); err == nil {
		t.Error("followed a redirect")
	}
	s.Refuse(200, "[]", `Link: <`+other.URL+`/api/v3/repos/team/app/issues?page=2>; rel="next"`)
	if page, err := r.List(t.Context(), ""); err != nil || page.More {
		t.Errorf("%+v, %v", page, err)
	}
	if asked, _ := other.Asked(); len(asked) != 0 {
		t.Errorf("asked another host: %q", asked)
	}
}

// TestRepositoryAddresses: an address is that of a repository, or a sentence says what it must be.
func TestRepositoryAddresses(t *testing.T) {
	t.Parallel()
	sourcetest.Addresses(t, func(address string) error {
		_, err := github.New(github.Config{URL: address, Client: http.DefaultClient, Now: time.Now})
		return err
	}, map[string]string{
		"https://github.com/team/app": "", "https://github.com/team/app.git": "", "https://github.com/team/app/": "", "https://ghe.example.com/팀/app": "",
		"": "source.bad_url", "team/app": "source.bad_url", "ssh://git@github.com/team/app": "source.bad_url", "https://": "source.bad_url",
		"https://github.com/team": "source.no_repository", "https://github.com/team/app/issues": "source.no_repository", "https://github.com/": "source.no_repository", "https://github.com/team/.git": "source.no_repository",
	})
}
