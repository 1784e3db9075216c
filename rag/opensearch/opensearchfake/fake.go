// Package opensearchfake is a small OpenSearch for tests: the part of its REST API used by rag/opensearch, as
// documented, and as strict as a real cluster: unknown fields, parameters, settings and queries are errors, searches
// see refreshed writes only, writes count versions.
//
// Its ranking is not a cluster's: nori analysis is approximated by words and syllable pairs, BM25 by word counts.
package opensearchfake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server is a cluster of one node.
type Server struct {
	URL string

	mu       sync.Mutex
	indices  map[string]*index
	noNori   bool
	user     string // user:password; empty disables authentication
	failures []failure
	requests int
}

type failure struct {
	status     int
	retryAfter int
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{indices: map[string]*index{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// WithoutNori removes the Korean analysis plugin.
func (s *Server) WithoutNori() { s.set(func() { s.noNori = true }) }

// Demand requires these credentials from now on.
func (s *Server) Demand(user, password string) { s.set(func() { s.user = user + ":" + password }) }

// Fail answers the next requests with these status codes, such as 429; seconds is the Retry-After header, 0 omits it.
func (s *Server) Fail(seconds int, states ...int) {
	s.set(func() {
		for _, status := range states {
			s.failures = append(s.failures, failure{status, seconds})
		}
	})
}

// Requests is the number of requests received.
func (s *Server) Requests() (n int) {
	s.set(func() { n = s.requests })
	return n
}

func (s *Server) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// fault is an error response.
type fault struct {
	status         int
	kind, reason   string
	causeT, causeR string
}

func bad(kind, format string, args ...any) *fault {
	return &fault{status: http.StatusBadRequest, kind: kind, reason: fmt.Sprintf(format, args...)}
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100<<20)) // http.max_content_length
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if err != nil {
		write(w, http.StatusRequestEntityTooLarge, nil)
		return
	}
	if len(s.failures) > 0 {
		f := s.failures[0]
		s.failures = s.failures[1:]
		if f.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.retryAfter))
		}
		refuse(w, &fault{status: f.status, kind: "circuit_breaking_exception", reason: "too busy"})
		return
	}
	if user, password, _ := r.BasicAuth(); s.user != "" && s.user != user+":"+password {
		w.WriteHeader(http.StatusUnauthorized) // the security plugin answers plain text
		_, _ = io.WriteString(w, "Unauthorized")
		return
	}
	if len(body) > 0 && !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		refuse(w, &fault{status: http.StatusNotAcceptable, kind: "media_type_header_exception", reason: "Content-Type header [" + r.Header.Get("Content-Type") + "] is not supported"})
		return
	}
	status, out, f := s.route(r, body)
	if f != nil {
		refuse(w, f)
		return
	}
	write(w, status, out)
}

func write(w http.ResponseWriter, status int, out any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // the client may be gone
}

func refuse(w http.ResponseWriter, f *fault) {
	e := map[string]any{"type": f.kind, "reason": f.reason, "root_cause": []any{map[string]any{"type": f.kind, "reason": f.reason}}}
	if f.causeT != "" {
		e["caused_by"] = map[string]any{"type": f.causeT, "reason": f.causeR}
	}
	write(w, f.status, map[string]any{"error": e, "status": f.status})
}

func (s *Server) route(r *http.Request, body []byte) (int, any, *fault) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	name := parts[0]
	if len(parts) == 1 && r.Method == http.MethodPut {
		return s.create(name, body)
	}
	x := s.indices[name]
	if x == nil {
		return 0, nil, &fault{status: http.StatusNotFound, kind: "index_not_found_exception", reason: "no such index [" + name + "]"}
	}
	switch {
	case len(parts) == 3 && parts[1] == "_doc" && r.Method == http.MethodPut:
		return x.put(parts[2], r.URL.Query(), body)
	case len(parts) == 3 && parts[1] == "_doc" && r.Method == http.MethodGet:
		return x.get(parts[2], r.URL.Query())
	case len(parts) == 3 && parts[1] == "_doc" && r.Method == http.MethodDelete:
		return x.remove(parts[2], r.URL.Query())
	case len(parts) == 2 && parts[1] == "_mapping" && r.Method == http.MethodPut:
		return x.extend(body)
	case len(parts) == 2 && parts[1] == "_search" && r.Method == http.MethodPost:
		return x.search(r.URL.Query(), body)
	}
	return 0, nil, bad("illegal_argument_exception", "no handler found for uri [%s] and method [%s]", r.URL.Path, r.Method)
}
