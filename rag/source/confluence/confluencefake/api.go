package confluencefake

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// spaceID returns the ID that Cloud has for a space, "" if there is none.
func spaceID(key string) string {
	return map[string]string{"OPS": "11", "HR": "12", "~mina": "13"}[key]
}

func spaceType(key string) string {
	if strings.HasPrefix(key, "~") {
		return "personal"
	}
	return "global"
}

func spaceName(key string) string {
	return map[string]string{"OPS": "운영", "HR": "People team", "~mina": "김민아"}[key]
}

// byNumber orders as "sort=id" does.
func byNumber(a, b *Page) int {
	return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
}

// newestFirst orders as "sort=-modified-date" does.
func newestFirst(a, b *Page) int { return cmp.Or(b.modified.Compare(a.modified), byNumber(a, b)) }

func write(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

// cloud answers v2.
func (s *Server) cloud(w http.ResponseWriter, r *http.Request, path string) {
	kind, id, one := strings.Cut(path, "/")
	q := r.URL.Query()
	switch p := s.seen(id); {
	case path == "spaces":
		s.spaces(w, r)
	case path == "pages":
		s.list(w, r)
	case !one || p == nil || p.Folder != (kind == "folders") || kind != "pages" && kind != "folders":
		fault(w, http.StatusNotFound)
	case q.Get("body-format") != "" && q.Get("body-format") != "storage":
		fault(w, http.StatusBadRequest)
	default:
		write(w, s.shown(p, q.Get("body-format") != ""))
	}
}

// spaces answers with the spaces that the account sees.
func (s *Server) spaces(w http.ResponseWriter, r *http.Request) {
	results := []any{}
	for _, key := range []string{"OPS", "HR", "~mina"} {
		if want := r.URL.Query().Get("keys"); !s.closed[key] && (want == "" || want == key) {
			results = append(results, map[string]any{"id": spaceID(key), "key": key, "name": spaceName(key), "type": spaceType(key), "status": "current"})
		}
	}
	write(w, map[string]any{"results": results, "_links": map[string]any{"base": s.URL + "/wiki"}})
}

// shown returns a page as v2 has it.
func (s *Server) shown(p *Page, body bool) map[string]any {
	kind := "page"
	if parent := s.pages[p.Parent]; parent != nil && parent.Folder {
		kind = "folder"
	}
	out := map[string]any{
		"id": p.ID, "status": cmp.Or(p.Status, "current"), "title": p.Title, "spaceId": spaceID(p.Space), "parentId": nil, "parentType": nil,
		"version": map[string]any{"number": p.version, "createdAt": p.modified.Format("2006-01-02T15:04:05.000Z"), "authorId": cmp.Or(p.Editor, "557058:mina")},
		"body":    map[string]any{}, "_links": map[string]any{"webui": "/spaces/" + p.Space + "/pages/" + p.ID + "/" + url.QueryEscape(p.Title)},
	}
	if p.Parent != "" {
		out["parentId"], out["parentType"] = p.Parent, kind
	}
	if body {
		out["body"] = map[string]any{"storage": map[string]any{"value": p.Body, "representation": "storage"}}
	}
	return out
}

// list answers a listing of pages with a cursor after the last of them, whatever changes meanwhile.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, fits := s.bounded(r, 250)
	order := map[string]func(a, b *Page) int{"id": byNumber, "-modified-date": newestFirst}[cmp.Or(q.Get("sort"), "id")]
	if !fits || order == nil || q.Get("status") != "current" {
		fault(w, http.StatusBadRequest)
		return
	}
	list := slices.DeleteFunc(s.all(order), func(p *Page) bool {
		return q.Get("space-id") != "" && !slices.Contains(q["space-id"], spaceID(p.Space))
	})
	if text := q.Get("cursor"); text != "" {
		var after Page
		data, err := base64.RawURLEncoding.DecodeString(text)
		id, at, _ := strings.Cut(string(data), " ")
		nanos, err2 := strconv.ParseInt(at, 10, 64)
		if err != nil || err2 != nil {
			fault(w, http.StatusBadRequest)
			return
		}
		after.ID, after.modified = id, time.Unix(0, nanos)
		list = slices.DeleteFunc(list, func(p *Page) bool { return order(p, &after) <= 0 })
	}
	links := map[string]any{"base": s.URL + "/wiki"}
	if len(list) > limit {
		list = list[:limit]
		last := list[limit-1]
		q.Set("cursor", base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s %d", last.ID, last.modified.UnixNano())))
		links["next"] = "/wiki/api/v2/pages?" + q.Encode()
	}
	results := []any{}
	for _, p := range list {
		results = append(results, s.shown(p, false))
	}
	write(w, map[string]any{"results": results, "_links": links})
}

// cql matches what is searched for.
var cql = regexp.MustCompile(`^type = page(?: and space = "([^"]+)")? and lastmodified > now\("-(\d+)m"\) order by lastmodified desc$`)

// old answers v1.
func (s *Server) old(w http.ResponseWriter, r *http.Request, path string) {
	q := r.URL.Query()
	rest, content := strings.CutPrefix(path, "content/")
	id, restriction, _ := strings.Cut(rest, "/")
	switch p := s.seen(id); {
	case path == "user":
		name, known := s.people[cmp.Or(q.Get("accountId"), q.Get("key"), q.Get("username"))]
		if !known {
			fault(w, http.StatusNotFound)
			return
		}
		write(w, map[string]any{"displayName": name})
	case path == "content":
		if q.Get("type") != "page" || q.Get("status") != "current" || q.Get("spaceKey") != "" && (spaceID(q.Get("spaceKey")) == "" || s.closed[q.Get("spaceKey")]) {
			fault(w, http.StatusNotFound)
			return
		}
		s.page(w, r, slices.DeleteFunc(s.all(byNumber), func(p *Page) bool { return q.Get("spaceKey") != "" && q.Get("spaceKey") != p.Space }))
	case path == "content/search":
		found := cql.FindStringSubmatch(q.Get("cql"))
		if found == nil {
			fault(w, http.StatusBadRequest)
			return
		}
		minutes, _ := strconv.Atoi(found[2])
		from := s.Clock.Add(-time.Duration(minutes) * time.Minute)
		s.page(w, r, slices.DeleteFunc(s.all(newestFirst), func(p *Page) bool { return found[1] != "" && found[1] != p.Space || !p.modified.After(from) }))
	case !content || p == nil || p.Status != "":
		fault(w, http.StatusNotFound)
	case restriction == "restriction/byOperation/read":
		s.restrictions(w, p, q.Get("expand"))
	case restriction == "":
		write(w, s.expanded(p, q.Get("expand")))
	default:
		fault(w, http.StatusNotFound)
	}
}

// page answers with a page of a listing by its offset.
func (s *Server) page(w http.ResponseWriter, r *http.Request, list []*Page) {
	limit, fits := s.bounded(r, 1000)
	start, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("start"), "0"))
	if !fits || err != nil || start < 0 {
		fault(w, http.StatusBadRequest)
		return
	}
	links := map[string]any{"base": s.URL + "/dc", "context": "/dc"}
	list = list[min(start, len(list)):]
	if len(list) > limit {
		list = list[:limit]
		links["next"] = fmt.Sprintf("/rest/api/content?start=%d", start+limit)
	}
	results := []any{}
	for _, p := range list {
		results = append(results, s.expanded(p, r.URL.Query().Get("expand")))
	}
	write(w, map[string]any{"results": results, "start": start, "limit": limit, "size": len(results), "_links": links})
}

// expanded returns a page as v1 has it: with those parts that were asked for.
func (s *Server) expanded(p *Page, expand string) map[string]any {
	asked := strings.Split(expand, ",")
	out := map[string]any{"id": p.ID, "type": "page", "status": cmp.Or(p.Status, "current"), "title": p.Title, "_links": map[string]any{"webui": "/spaces/" + p.Space + "/pages/" + p.ID}}
	if slices.Contains(asked, "version") {
		out["version"] = map[string]any{"number": p.version, "when": p.modified.In(time.FixedZone("KST", 9*3600)).Format("2006-01-02T15:04:05.000-07:00"), "by": map[string]any{"displayName": cmp.Or(s.people[p.Editor], "Deleted user")}}
	}
	if slices.Contains(asked, "space") {
		out["space"] = map[string]any{"key": p.Space, "name": spaceName(p.Space), "type": spaceType(p.Space)}
	}
	if slices.Contains(asked, "ancestors") {
		list := []any{}
		for above := s.pages[p.Parent]; above != nil; above = s.pages[above.Parent] {
			list = append([]any{map[string]any{"id": above.ID, "title": above.Title}}, list...)
		}
		out["ancestors"] = list
	}
	if slices.Contains(asked, "body.storage") {
		out["body"] = map[string]any{"storage": map[string]any{"value": p.Body, "representation": "storage"}}
	}
	return out
}

// restrictions answers with who alone may read a page.
func (s *Server) restrictions(w http.ResponseWriter, p *Page, expand string) {
	out := map[string]any{}
	for _, kind := range []string{"user", "group"} {
		list := []any{}
		if p.Restricted && kind == "group" {
			list = append(list, map[string]any{"type": "group", "name": "board"})
		}
		if slices.Contains(strings.Split(expand, ","), "restrictions."+kind) {
			out[kind] = map[string]any{"results": list, "start": 0, "limit": 200, "size": len(list)}
		}
	}
	write(w, map[string]any{"operation": "read", "restrictions": out})
}
