package opensearchfake

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// request is the body of a search.
type request struct {
	Size        *int             `json:"size"`
	Source      []string         `json:"_source"`
	Query       object           `json:"query"`
	Sort        []map[string]any `json:"sort"`
	SearchAfter []any            `json:"search_after"`
	TrackTotal  any              `json:"track_total_hits"`
	Aggs        map[string]struct {
		Nested struct {
			Path string `json:"path"`
		} `json:"nested"`
		Aggs map[string]struct {
			Sum *struct {
				Field string `json:"field"`
			} `json:"sum"`
			Terms *struct {
				Field   string   `json:"field"`
				Include []string `json:"include"`
				Size    int      `json:"size"`
			} `json:"terms"`
		} `json:"aggs"`
	} `json:"aggs"`
}

type match struct {
	doc   document
	score float64
	inner map[string]any
	sort  []any
}

func (x *index) search(params url.Values, body []byte) (int, any, *fault) {
	var r request
	if f := strictly(body, &r, "search"); f != nil {
		return 0, nil, f
	}
	if len(params) > 0 {
		return 0, nil, bad("illegal_argument_exception", "request [/_search] contains unrecognized parameter")
	}
	size := 10
	if r.Size != nil {
		size = *r.Size
	}
	if size < 0 || size > 10_000 {
		return 0, nil, bad("illegal_argument_exception", "Result window is too large, from + size must be less than or equal to: [10000] but was [%d].", size)
	}
	if clauses(r.Query) > maxClauses {
		return 0, nil, &fault{http.StatusBadRequest, "search_phase_execution_exception", "all shards failed", "query_shard_exception", "failed to create query: maxClauseCount is set to 1024"}
	}
	matches, f := x.parse(r.Query, "") // a query is parsed even without documents
	if f != nil {
		return 0, nil, f
	}
	var found []match
	for _, d := range x.visible {
		inner := map[string]any{}
		if ok, score := matches(d.source, inner); ok {
			found = append(found, match{doc: d, score: score, inner: inner})
		}
	}
	total := len(found)
	aggs, f := x.aggregate(r, found)
	if f != nil {
		return 0, nil, f
	}
	if found, f = x.order(r, found); f != nil {
		return 0, nil, f
	}
	hits := []any{}
	for _, m := range found[:min(size, len(found))] {
		h := object{"_id": m.doc.id, "_score": m.score, "_source": m.doc.source}
		if r.Source != nil {
			h["_source"] = pick(m.doc.source, r.Source)
		}
		if len(m.inner) > 0 {
			h["inner_hits"] = m.inner
		}
		if len(r.Sort) > 0 {
			h["sort"], h["_score"] = m.sort, nil
		}
		hits = append(hits, h)
	}
	out := object{"took": 1, "timed_out": false, "_shards": object{"total": 1, "successful": 1, "failed": 0}, "hits": object{"total": object{"value": total, "relation": "eq"}, "hits": hits}}
	if aggs != nil {
		out["aggregations"] = aggs
	}
	return http.StatusOK, out, nil
}

const maxClauses = 1024

// clauses counts the leaves of a query; each word of a match is one.
func clauses(q any) (n int) {
	switch q := q.(type) {
	case []any:
		for _, v := range q {
			n += clauses(v)
		}
	case object:
		for name, v := range q {
			switch name {
			case "term", "terms", "range", "exists", "match_all", "knn":
				n++
			case "match":
				o, _ := v.(object)
				for _, on := range o {
					m, _ := on.(object)
					text, _ := m["query"].(string)
					n += len(analyse(text))
				}
			default:
				n += clauses(v)
			}
		}
	}
	return n
}

// order sorts by score, or by the requested fields, after the last page.
func (x *index) order(r request, found []match) ([]match, *fault) {
	if len(r.Sort) == 0 {
		slices.SortFunc(found, func(a, b match) int {
			return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.doc.id, b.doc.id))
		})
		return found, nil
	}
	var names []string
	var down []bool
	for _, s := range r.Sort {
		for name, way := range s {
			if f, ok := x.fields[name]; !ok || f.kind == "text" || f.noIndex {
				return nil, bad("query_shard_exception", "No mapping found for [%s] in order to sort on", name)
			}
			names, down = append(names, name), append(down, way == "desc")
		}
	}
	if r.SearchAfter != nil && len(r.SearchAfter) != len(names) {
		return nil, bad("illegal_argument_exception", "search_after has %d value(s) but sort has %d.", len(r.SearchAfter), len(names))
	}
	compare := func(a, b []any) int {
		for i := range names {
			c := compareValues(a[i], b[i])
			if down[i] {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
	var out []match
	for _, m := range found {
		for _, n := range names {
			m.sort = append(m.sort, m.doc.source[n])
		}
		if r.SearchAfter == nil || compare(m.sort, r.SearchAfter) > 0 {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b match) int { return compare(a.sort, b.sort) })
	return out, nil
}

func compareValues(a, b any) int {
	x, ok := a.(float64)
	y, also := b.(float64)
	if ok && also {
		return cmp.Compare(x, y)
	}
	s, _ := a.(string)
	t, _ := b.(string)
	return strings.Compare(s, t)
}

// aggregate counts over the nested passages of the hits.
func (x *index) aggregate(r request, found []match) (object, *fault) {
	if r.Aggs == nil {
		return nil, nil
	}
	out := object{}
	for name, a := range r.Aggs {
		f, ok := x.fields[a.Nested.Path]
		if !ok || f.kind != "nested" {
			return nil, bad("illegal_argument_exception", "[nested] nested path [%s] is not nested", a.Nested.Path)
		}
		var inner []object
		for _, m := range found {
			inner = append(inner, objects(m.doc.source[a.Nested.Path])...)
		}
		result := object{"doc_count": len(inner)}
		for sub, s := range a.Aggs {
			switch {
			case s.Sum != nil:
				sum := 0.0
				for _, o := range inner {
					n, _ := o[strings.TrimPrefix(s.Sum.Field, a.Nested.Path+".")].(float64)
					sum += n
				}
				result[sub] = object{"value": sum}
			case s.Terms != nil && len(s.Terms.Include) <= 65_536 && s.Terms.Size > 0:
				result[sub] = object{"buckets": buckets(inner, strings.TrimPrefix(s.Terms.Field, a.Nested.Path+"."), s.Terms.Include, s.Terms.Size)}
			default:
				return nil, bad("parsing_exception", "Missing or wrong definition for aggregation [%s]", sub)
			}
		}
		out[name] = result
	}
	return out, nil
}

func buckets(inner []object, name string, include []string, size int) []any {
	counts := map[string]int{}
	for _, v := range include {
		counts[v] = 0
	}
	for _, o := range inner {
		for _, v := range values(o[name]) {
			if s, ok := v.(string); ok {
				if _, wanted := counts[s]; wanted {
					counts[s]++
				}
			}
		}
	}
	out := []any{}
	for _, v := range include {
		if counts[v] > 0 {
			out = append(out, object{"key": v, "doc_count": counts[v]})
		}
	}
	return out[:min(size, len(out))]
}

func values(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	if v == nil {
		return nil
	}
	return []any{v}
}

func objects(v any) (out []object) {
	for _, e := range values(v) {
		if o, ok := e.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

// into decodes a part of a query strictly.
func into(raw any, out any, kind string) *fault {
	b, err := json.Marshal(raw)
	if err != nil {
		return bad("parsing_exception", "[%s] %v", kind, err)
	}
	if f := strictly(b, out, "["+kind+"] query"); f != nil {
		f.kind = "parsing_exception"
		return f
	}
	return nil
}
