// Package githubfake is the part of GitHub's REST API that lists and reads issues, on loopback, for tests. It is built from
// https://docs.github.com/rest/issues and answers as strictly as that says: it refuses requests without a User-Agent, with
// another token, or with parameters that the API has not. Its addresses are those of a GitHub Enterprise Server.
package githubfake

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/rag/source/rest/restfake"
)

// Server is a GitHub with one repository.
type Server struct {
	*httptest.Server
	restfake.Desk

	issues map[int]*issue
	same   int
}

// issue is an issue or a pull request.
type issue struct {
	title, body  string
	pull         bool
	created, mod time.Time
	comments     []string
	status       int // answered for it, 0 for its content
}

// Path is the repository's path.
const Path = "/team/app"

// New starts a server without issues that lets in who has a token, everybody if it is "".
func New(t *testing.T, token string) *Server {
	t.Helper()
	s := &Server{issues: map[int]*issue{}, Desk: restfake.Desk{Clock: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), Token: token}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Repository returns where people open the repository.
func (s *Server) Repository() string { return s.URL + Path }

// Page returns where people open an issue.
func (s *Server) Page(number int) string { return fmt.Sprintf("%s/issues/%d", s.Repository(), number) }

// Set opens or edits an issue, an hour after the last change.
func (s *Server) Set(number int, title, body string) {
	s.with(time.Hour, number, func(i *issue) { i.title, i.body = title, body })
}

// Import opens issues in the same second, as an import does.
func (s *Server) Import(from, to int) {
	for n := from; n < to; n++ {
		s.with(0, n, func(i *issue) {
			i.title, i.body = fmt.Sprintf("Issue %d", n), fmt.Sprintf("The printer in room %d is out of paper.", 1000+n)
		})
	}
}

// Late opens an issue half a minute before the last change, as an answer of a server that was behind had left it out.
func (s *Server) Late(number int) {
	s.Lock()
	defer s.Unlock()
	at := s.Clock.Add(-30 * time.Second)
	s.issues[number] = &issue{title: "Late", created: at, mod: at}
}

// Pull opens a pull request.
func (s *Server) Pull(number int) {
	s.with(time.Hour, number, func(i *issue) { i.title, i.pull = "A change", true })
}

// Comment adds comments to an issue.
func (s *Server) Comment(number int, words ...string) {
	s.with(time.Hour, number, func(i *issue) { i.comments = append(i.comments, words...) })
}

// Answer makes an issue answer with a status; it is not listed then. 0 brings it back.
func (s *Server) Answer(number, status int) {
	s.Lock()
	defer s.Unlock()
	s.issues[number].status = status
}

func (s *Server) with(later time.Duration, number int, do func(*issue)) {
	s.Lock()
	defer s.Unlock()
	s.Clock = s.Clock.Add(later)
	i := s.issues[number]
	if i == nil {
		i = &issue{created: s.Clock}
		s.issues[number] = i
	}
	do(i)
	i.mod = s.Clock
}

// Asked returns the paths and queries of requests since the last call, and how many were told that nothing changed.
func (s *Server) Asked() (list []string, same int) {
	list = s.Desk.Asked()
	s.Lock()
	defer s.Unlock()
	same, s.same = s.same, 0
	return list, same
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	const api = "/api/v3/repos" + Path
	rest, ours := strings.CutPrefix(r.URL.Path, api)
	switch {
	case s.Refused(w, r):
	case r.Method != http.MethodGet, r.Header.Get("User-Agent") == "", r.Header.Get("Accept") != "application/vnd.github+json", r.Header.Get("X-Github-Api-Version") != "2022-11-28":
		message(w, http.StatusBadRequest, "Bad request")
	case r.Header.Get("Authorization") != "" && r.Header.Get("Authorization") != "Bearer "+s.Token:
		message(w, http.StatusUnauthorized, "Bad credentials")
	case !ours || s.Token != "" && r.Header.Get("Authorization") == "": // what nobody may know of
		message(w, http.StatusNotFound, "Not Found")
	case rest == "/issues":
		s.list(w, r)
	default:
		s.one(w, r, strings.TrimPrefix(rest, "/issues/"))
	}
}

func message(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"message": %q}`, text)
}

// list answers a listing; since is inclusive.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	since, err := time.Parse(time.RFC3339, cmp.Or(q.Get("since"), "1970-01-01T00:00:00Z"))
	if err != nil || q.Get("state") != "all" || q.Get("sort") != "updated" || q.Get("direction") != "asc" {
		message(w, http.StatusUnprocessableEntity, "Validation Failed")
		return
	}
	var numbers []int
	for n, i := range s.issues {
		if i.status == 0 && !i.mod.Before(since) {
			numbers = append(numbers, n)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int {
		return cmp.Or(s.issues[a].mod.Compare(s.issues[b].mod), cmp.Compare(a, b))
	})
	out := []map[string]any{}
	for _, n := range paged(w, r, numbers) {
		out = append(out, s.shown(n))
	}
	_ = json.NewEncoder(w).Encode(out)
}

// shown returns an issue as the API has it.
func (s *Server) shown(n int) map[string]any {
	i := s.issues[n]
	out := map[string]any{
		"number": n, "title": i.title, "body": i.body, "html_url": s.Page(n), "state": "closed", "state_reason": "not_planned", "user": nil,
		"labels": []any{map[string]any{"name": "office"}}, "created_at": i.created, "updated_at": i.mod, "comments": len(i.comments),
	}
	if i.body == "" {
		out["body"] = nil
	}
	if i.pull {
		out["pull_request"] = map[string]any{"url": s.URL}
	}
	return out
}

// paged cuts a page out of a list and links to the next one.
func paged[T any](w http.ResponseWriter, r *http.Request, list []T) []T {
	q := r.URL.Query()
	per, err := strconv.Atoi(q.Get("per_page"))
	if err != nil || per < 1 || per > 100 {
		per = 30
	}
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	from := min((page-1)*per, len(list))
	to := min(from+per, len(list))
	if to < len(list) {
		q.Set("page", strconv.Itoa(page+1))
		next := url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawQuery: q.Encode()}
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next", <%s>; rel="last"`, &next, &next))
	}
	return list[from:to]
}

// one answers with an issue or its comments.
func (s *Server) one(w http.ResponseWriter, r *http.Request, rest string) {
	number, more, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(number)
	i := s.issues[n]
	switch {
	case err != nil || i == nil || more != "" && more != "comments":
		message(w, http.StatusNotFound, "Not Found")
		return
	case i.status != 0:
		w.Header().Set("Location", s.URL+"/api/v3/repos/other/place/issues/1")
		message(w, i.status, "This issue was deleted")
		return
	}
	var out any = s.shown(n)
	if more != "" {
		list := []map[string]any{}
		for _, c := range paged(w, r, i.comments) {
			list = append(list, map[string]any{"body": c, "user": map[string]any{"login": "mina"}, "created_at": i.mod})
		}
		out = list
	}
	data, _ := json.Marshal(out)
	tag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(data))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		s.same++
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(data)
}
