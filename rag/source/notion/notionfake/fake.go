// Package notionfake is the part of Notion's API that finds and reads pages, on loopback, for tests. It is built from
// https://developers.notion.com/reference and answers as strictly as that says: it refuses another token, another version,
// bodies and parameters that the API has not, and pages that are not shared.
package notionfake

import (
	"cmp"
	"encoding/json"
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

// Server is a Notion with one workspace.
type Server struct {
	*httptest.Server
	restfake.Desk

	pages   map[string]*Page
	blocks  map[string][]map[string]any // in a page or block
	parents map[string]string           // of blocks
	people  map[string]string
}

// Page is a page or a database.
type Page struct {
	ID, Title, Parent string // IDs have 32 letters; a page without a parent is the workspace's

	Database   bool
	Properties map[string]any // beside the title
	Blocks     []Block
	Trashed    bool
	Hidden     bool // the search leaves it out
	Private    bool // it is not shared

	edited time.Time
}

// Block is a block: a type with what is in it, and blocks in it.
type Block struct {
	Type    string
	Content map[string]any
	Inner   []Block
}

// New starts a server that lets a token in.
func New(t *testing.T, token string) *Server {
	t.Helper()
	s := &Server{
		pages: map[string]*Page{}, blocks: map[string][]map[string]any{}, parents: map[string]string{}, people: map[string]string{"u-mina": "김민아"},
		Desk: restfake.Desk{Clock: restfake.Long(), Token: token, Most: 100},
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ID returns the ID of page number n.
func ID(n int) string { return fmt.Sprintf("%032x", n) }

// Address returns where a page is for good.
func (s *Server) Address(id string) string { return s.URL + "/" + id }

// Text returns a block of a type with a text.
func Text(kind, text string, inner ...Block) Block {
	return Block{kind, map[string]any{"rich_text": Rich(text)}, inner}
}

// Rich is rich text in two parts.
func Rich(text string) []map[string]any {
	half := len([]rune(text)) / 2
	var out []map[string]any
	for _, part := range []string{string([]rune(text)[:half]), string([]rune(text)[half:])} {
		if part != "" {
			out = append(out, map[string]any{"type": "text", "text": map[string]any{"content": part}, "annotations": map[string]any{"bold": true}, "plain_text": part, "href": nil})
		}
	}
	return out
}

// Put makes or edits a page, a minute after the last change.
func (s *Server) Put(p Page) {
	s.Lock()
	defer s.Unlock()
	s.Clock = s.Clock.Add(time.Minute)
	p.edited = s.Clock
	s.pages[p.ID] = &p
	s.fill(p.ID, p.Blocks)
}

// fill gives blocks IDs.
func (s *Server) fill(in string, list []Block) {
	s.blocks[in] = nil
	for _, b := range list {
		id := fmt.Sprintf("b%031x", len(s.parents))
		s.parents[id] = in
		s.blocks[in] = append(s.blocks[in], map[string]any{"object": "block", "id": id, "type": b.Type, b.Type: b.Content, "has_children": len(b.Inner) > 0})
		s.fill(id, b.Inner)
	}
}

// Change changes a page without an edit, as a move and the trash do.
func (s *Server) Change(id string, do func(*Page)) {
	s.Lock()
	defer s.Unlock()
	do(s.pages[id])
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	kind, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	id, children, _ := strings.Cut(strings.ReplaceAll(id, "-", ""), "/")
	p := s.pages[id]
	seen := p != nil && !p.Private
	switch {
	case s.Refused(w, r):
	case r.Header.Get("Authorization") != "Bearer "+s.Token:
		fault(w, http.StatusUnauthorized, "unauthorized")
	case r.Header.Get("Notion-Version") != "2025-09-03":
		fault(w, http.StatusBadRequest, "missing_version")
	case r.Method == http.MethodPost && kind == "search":
		s.search(w, r)
	case r.Method != http.MethodGet:
		fault(w, http.StatusBadRequest, "invalid_request_url")
	case kind == "users" && s.people[r.URL.Path[len("/v1/users/"):]] != "":
		write(w, map[string]any{"object": "user", "id": id, "name": s.people[r.URL.Path[len("/v1/users/"):]]})
	case kind == "pages" && children == "" && seen && !p.Database, kind == "databases" && seen && p.Database:
		write(w, s.shown(p))
	case kind == "blocks" && children == "children" && (seen || s.parents[id] != ""):
		s.listed(w, r, s.blocks[id])
	case kind == "blocks" && children == "" && s.parents[id] != "":
		write(w, map[string]any{"object": "block", "id": id, "type": "toggle", "parent": s.parent(s.parents[id])})
	default:
		fault(w, http.StatusNotFound, "object_not_found")
	}
}

func write(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func fault(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	write(w, map[string]any{"object": "error", "status": status, "code": code})
}

// dashed returns an ID as the API has it.
func dashed(id string) string {
	if len(id) != 32 {
		return id
	}
	return id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
}

// parent says what something is in.
func (s *Server) parent(id string) map[string]any {
	switch p := s.pages[id]; {
	case id == "":
		return map[string]any{"type": "workspace", "workspace": true}
	case p == nil:
		return map[string]any{"type": "block_id", "block_id": dashed(id)}
	case p.Database:
		return map[string]any{"type": "data_source_id", "data_source_id": "5" + dashed(id)[1:], "database_id": dashed(id)}
	}
	return map[string]any{"type": "page_id", "page_id": dashed(id)}
}

// shown returns a page or database as the API has it.
func (s *Server) shown(p *Page) map[string]any {
	out := map[string]any{
		"object": "page", "id": dashed(p.ID), "url": s.URL + "/" + strings.ReplaceAll(p.Title, " ", "-") + "-" + p.ID, "archived": p.Trashed, "in_trash": p.Trashed,
		"last_edited_time": p.edited.Format("2006-01-02T15:04:00.000Z"), "last_edited_by": map[string]any{"object": "user", "id": "u-mina"}, "parent": s.parent(p.Parent),
	}
	if p.Database {
		out["object"], out["title"], out["data_sources"] = "database", Rich(p.Title), []any{}
		return out
	}
	all := map[string]any{"이름": map[string]any{"id": "title", "type": "title", "title": Rich(p.Title)}}
	for name, v := range p.Properties {
		all[name] = v
	}
	out["properties"] = all
	return out
}

// search answers with pages by when they were last edited; a cursor goes on after the last of them.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Filter struct{ Property, Value string }      `json:"filter"`
		Sort   struct{ Timestamp, Direction string } `json:"sort"`
		Cursor string                                `json:"start_cursor"`
		Size   int                                   `json:"page_size"`
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	sign := 0
	if err := d.Decode(&q); err == nil {
		sign = map[string]int{"ascending": 1, "descending": -1}[q.Sort.Direction]
	}
	at, id, _ := strings.Cut(q.Cursor, "-")
	nanos, err := strconv.ParseInt(cmp.Or(at, "0"), 10, 64)
	if sign == 0 || q.Filter.Property != "object" || q.Filter.Value != "page" || q.Sort.Timestamp != "last_edited_time" || q.Size < 1 || q.Size > 100 || err != nil {
		fault(w, http.StatusBadRequest, "validation_error")
		return
	}
	order := func(a, b *Page) int { return sign * cmp.Or(a.edited.Compare(b.edited), cmp.Compare(a.ID, b.ID)) }
	var found []*Page
	for _, p := range s.pages {
		after := q.Cursor == "" || order(p, &Page{ID: id, edited: time.Unix(0, nanos)}) > 0
		if after && !p.Database && !p.Trashed && !p.Hidden && !p.Private {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, order)
	out := map[string]any{"object": "list", "results": []any{}, "has_more": false, "next_cursor": nil}
	if size := min(q.Size, s.Most); len(found) > size {
		found = found[:size]
		last := found[size-1]
		out["has_more"], out["next_cursor"] = true, fmt.Sprintf("%d-%s", last.edited.UnixNano(), last.ID)
	}
	results := []any{}
	for _, p := range found {
		results = append(results, s.shown(p))
	}
	out["results"] = results
	write(w, out)
}

// listed answers with blocks.
func (s *Server) listed(w http.ResponseWriter, r *http.Request, list []map[string]any) {
	size, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("page_size"), "100"))
	from, err2 := strconv.Atoi(cmp.Or(r.URL.Query().Get("start_cursor"), "0"))
	if err != nil || err2 != nil || size < 1 || size > 100 || from > len(list) {
		fault(w, http.StatusBadRequest, "validation_error")
		return
	}
	to := min(from+min(size, s.Most), len(list))
	out := map[string]any{"object": "list", "type": "block", "results": list[from:to], "has_more": to < len(list), "next_cursor": nil}
	if len(list) == 0 {
		out["results"] = []any{}
	}
	if to < len(list) {
		out["next_cursor"] = strconv.Itoa(to)
	}
	write(w, out)
}
