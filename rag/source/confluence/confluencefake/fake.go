// Package confluencefake is the part of Confluence's REST APIs that lists and reads pages, on loopback, for tests: Cloud
// below /wiki (v2, and v1 for restrictions and people), Data Center below /dc (v1). It is built from
// https://developer.atlassian.com/cloud/confluence/rest and answers as strictly as that says: it refuses another account,
// parameters that the API has not, and pages that are in the trash or the archive.
package confluencefake

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/rag/source/rest/restfake"
)

// Server is a Confluence with two spaces, OPS and HR, and a personal one.
type Server struct {
	*httptest.Server
	restfake.Desk

	pages  map[string]*Page
	people map[string]string // names by account ID, user key and user name
	user   string
	closed map[string]bool // spaces that the account may not see any more
}

// Page is a page, or a folder.
type Page struct {
	ID, Title, Space, Parent, Body string

	Folder     bool
	Status     string // "" is current
	Restricted bool   // for one group
	Editor     string // account ID or user key

	version  int
	modified time.Time
}

// New starts a server whose account has an e-mail address and a token.
func New(t *testing.T, user, token string) *Server {
	t.Helper()
	s := &Server{
		pages: map[string]*Page{}, people: map[string]string{"557058:mina": "김민아", "ff80:jun": "박준"}, closed: map[string]bool{},
		Desk: restfake.Desk{Clock: restfake.Long(), Token: token, Most: 250}, user: user,
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Cloud returns where people open a space of Cloud, or the site for "".
func (s *Server) Cloud(key string) string { return s.at("/wiki", key) }

// Center returns where people open a space of the Data Center, or the site for "".
func (s *Server) Center(key string) string { return s.at("/dc", key) }

func (s *Server) at(context, key string) string {
	if key == "" {
		return s.URL + context
	}
	return s.URL + context + "/spaces/" + key
}

// Address returns where a page is for good, below /wiki or /dc.
func (s *Server) Address(context, id string) string {
	return s.URL + context + "/pages/viewpage.action?pageId=" + id
}

// Put makes or edits a page, a minute after the last change. One without a space is in OPS.
func (s *Server) Put(p Page) {
	s.Lock()
	defer s.Unlock()
	if old := s.pages[p.ID]; old != nil {
		p.version = old.version
	}
	if p.Space == "" {
		p.Space = "OPS"
	}
	s.Clock = s.Clock.Add(time.Minute)
	p.version, p.modified = p.version+1, s.Clock
	s.pages[p.ID] = &p
}

// Change changes a page without an edit, as a move, a deletion and restrictions do.
func (s *Server) Change(id string, do func(*Page)) {
	s.Lock()
	defer s.Unlock()
	do(s.pages[id])
}

// Hide hides a space from the account, or shows it again.
func (s *Server) Hide(key string, hidden bool) {
	s.Lock()
	defer s.Unlock()
	s.closed[key] = hidden
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	user, password, basic := r.BasicAuth()
	ofCloud, isCloud := strings.CutPrefix(r.URL.Path, "/wiki/")
	ofCenter, isCenter := strings.CutPrefix(r.URL.Path, "/dc/")
	switch {
	case s.Refused(w, r):
	case r.Method != http.MethodGet || r.Header.Get("Accept") != "application/json":
		fault(w, http.StatusNotAcceptable)
	case isCloud && (!basic || user != s.user || password != s.Token), isCenter && r.Header.Get("Authorization") != "Bearer "+s.Token:
		fault(w, http.StatusUnauthorized)
	case isCloud && strings.HasPrefix(ofCloud, "api/v2/"):
		s.cloud(w, r, strings.TrimPrefix(ofCloud, "api/v2/"))
	case isCloud && strings.HasPrefix(ofCloud, "rest/api/content/") && !strings.Contains(ofCloud, "/restriction/"):
		fault(w, http.StatusGone) // v1 has no pages any more
	case isCloud:
		s.old(w, r, strings.TrimPrefix(ofCloud, "rest/api/"))
	case isCenter:
		s.old(w, r, strings.TrimPrefix(ofCenter, "rest/api/"))
	default:
		fault(w, http.StatusNotFound)
	}
}

func fault(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"errors": [{"status": %d}], "message": %q}`, status, http.StatusText(status))
}

// seen returns the page that the account may see, nil if there is none.
func (s *Server) seen(id string) *Page {
	if p := s.pages[id]; p != nil && !s.closed[p.Space] {
		return p
	}
	return nil
}

// all returns current pages that the account may see, in an order.
func (s *Server) all(order func(a, b *Page) int) (list []*Page) {
	for _, p := range s.pages {
		if s.seen(p.ID) != nil && p.Status == "" && !p.Folder {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, order)
	return list
}

// bounded reads a parameter "limit".
func (s *Server) bounded(r *http.Request, most int) (int, bool) {
	text := r.URL.Query().Get("limit")
	n, err := strconv.Atoi(text)
	if text == "" {
		n, err = 25, nil
	}
	return min(n, s.Most), err == nil && n > 0 && n <= most
}
