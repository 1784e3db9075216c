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
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server is a cluster of one node.
type Server struct {
	URL string

	mu        sync.Mutex
	indices   map[string]*index
	aliases   map[string]string // the index of each
	missing   map[string]bool   // plugins
	readWrite bool              // this user may read and write documents alone
	user      string            // user:password; empty disables authentication
	failures  []failure
	pressure  int            // bytes of writes that the node's memory takes at once; 0: any
	requests  map[string]int // by door, such as _search; "" counts all
}

type failure struct {
	status     int
	retryAfter int
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{indices: map[string]*index{}, aliases: map[string]string{}, missing: map[string]bool{}, requests: map[string]int{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// The plugins of [Server.Without].
const (
	Nori = "analysis-nori"
	KNN  = "opensearch-knn"
)

// Without removes plugins.
func (s *Server) Without(plugins ...string) {
	s.set(func() {
		for _, p := range plugins {
			s.missing[p] = true
		}
	})
}

// ReadWriteOnly leaves the user the rights to read and write documents: no look at an index, no new one, no refresh.
func (s *Server) ReadWriteOnly() { s.set(func() { s.readWrite = true }) }

// Drop deletes an index with its aliases, as an operator does.
func (s *Server) Drop(name string) {
	s.set(func() { s.drop(name) })
}

func (s *Server) drop(name string) {
	delete(s.indices, name)
	maps.DeleteFunc(s.aliases, func(_, of string) bool { return of == name })
}

// Indexes returns the names of all indexes.
func (s *Server) Indexes() (names []string) {
	s.set(func() { names = slices.Sorted(maps.Keys(s.indices)) })
	return names
}

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

// Heap sets the bytes of writes that a node takes at once, a tenth of its heap.
func (s *Server) Heap(tenth int) { s.set(func() { s.pressure = tenth }) }

// Recover ends what [Server.Fail] began.
func (s *Server) Recover() { s.set(func() { s.failures = nil }) }

// Requests returns the number of requests received at a door, such as "_search"; of all for "".
func (s *Server) Requests(door string) (n int) {
	s.set(func() { n = s.requests[door] })
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
	s.requests[""]++
	if parts := strings.Split(r.URL.Path, "/"); len(parts) > 2 {
		s.requests[parts[2]]++
	}
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
	if s.pressure > 0 && len(body) > s.pressure {
		refuse(w, &fault{status: http.StatusTooManyRequests, kind: "rejected_execution_exception", reason: fmt.Sprintf("rejected execution of coordinating operation [coordinating_and_primary_bytes=0, replica_bytes=0, all_bytes=0, coordinating_operation_bytes=%d, max_coordinating_and_primary_bytes=%d]", len(body), s.pressure)})
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
	if f.kind == "" { // some errors are a plain sentence
		write(w, f.status, map[string]any{"error": f.reason})
		return
	}
	e := map[string]any{"type": f.kind, "reason": f.reason, "root_cause": []any{map[string]any{"type": f.kind, "reason": f.reason}}}
	if f.causeT != "" {
		e["caused_by"] = map[string]any{"type": f.causeT, "reason": f.causeR}
	}
	write(w, f.status, map[string]any{"error": e, "status": f.status})
}

func (s *Server) route(r *http.Request, body []byte) (int, any, *fault) {
	parts := strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/")
	for i, p := range parts {
		parts[i], _ = url.PathUnescape(p) // the server has checked it
	}
	name, door := parts[0], r.Method
	if len(parts) > 1 && !strings.HasPrefix(parts[1], "_") {
		return 0, nil, noHandler(r)
	}
	if len(parts) > 1 {
		door += " " + parts[1]
	}
	if s.readWrite && (len(parts) == 1 || door == "POST _refresh" || door == "PUT _mapping" || door == "PUT _alias") {
		return 0, nil, &fault{status: http.StatusForbidden, kind: "security_exception", reason: "no permissions for [indices:admin]"}
	}
	if len(parts) == 1 && r.Method == http.MethodPut {
		return s.create(name, body)
	}
	of, isAlias := s.aliases[name]
	if !isAlias {
		of = name
	}
	writes := len(parts) == 3 && door == "PUT _doc"
	if writes && r.URL.Query().Get("require_alias") == "true" && !isAlias {
		return 0, nil, &fault{status: http.StatusNotFound, kind: "index_not_found_exception", reason: "no such index [" + name + "] and [require_alias] request flag is [true] and [" + name + "] is not an alias"}
	}
	if writes && s.indices[of] == nil { // action.auto_create_index
		s.indices[of] = guessed(body)
	}
	x := s.indices[of]
	if x == nil {
		return 0, nil, &fault{status: http.StatusNotFound, kind: "index_not_found_exception", reason: "no such index [" + name + "]"}
	}
	if len(parts) == 3 {
		switch door {
		case "PUT _doc":
			return x.put(parts[2], r.URL.Query(), body)
		case "GET _doc":
			return x.get(parts[2], r.URL.Query())
		case "DELETE _doc":
			return x.remove(parts[2], r.URL.Query())
		case "PUT _alias":
			s.aliases[parts[2]] = of
			return http.StatusOK, object{"acknowledged": true}, nil
		}
	}
	switch {
	case door == http.MethodDelete && !isAlias:
		s.drop(of)
		return http.StatusOK, object{"acknowledged": true}, nil
	case door == http.MethodGet:
		return http.StatusOK, object{of: s.describe(of, x)}, nil
	case len(parts) == 2 && door == "PUT _mapping":
		return x.extend(body)
	case len(parts) == 2 && door == "POST _search":
		return x.search(r.URL.Query(), body)
	case len(parts) == 2 && door == "POST _refresh":
		x.refresh("true")
		return http.StatusOK, object{"_shards": object{"total": 1, "successful": 1, "failed": 0}}, nil
	}
	return 0, nil, noHandler(r)
}

func noHandler(r *http.Request) *fault {
	return &fault{status: http.StatusBadRequest, reason: fmt.Sprintf("no handler found for uri [%s] and method [%s]", r.URL.EscapedPath(), r.Method)}
}

// describe returns an index as the cluster shows it: settings are strings.
func (s *Server) describe(name string, x *index) object {
	aliases := object{}
	for alias, of := range s.aliases {
		if of == name {
			aliases[alias] = object{}
		}
	}
	return object{"aliases": aliases, "mappings": object{"properties": x.properties}, "settings": object{"index": x.settings}}
}
