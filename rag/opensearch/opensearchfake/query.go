package opensearchfake

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// eval holds one document against a query.
type eval struct {
	x     *index
	top   object
	inner map[string]any
}

// run evaluates a query on a source; within is the nested path it is in.
func (e *eval) run(q object, on object, within string) (bool, float64, *fault) {
	if len(q) != 1 {
		return false, 0, bad("parsing_exception", "[query] malformed query, expected one name but found %d", len(q))
	}
	for kind, raw := range q {
		switch kind {
		case "match_all":
			return true, 1, nil
		case "bool":
			return e.boolean(raw, on, within)
		case "constant_score":
			return e.constant(raw, on, within)
		case "nested":
			return e.nested(raw, on, within)
		case "terms", "term", "match", "range":
			return e.leaf(kind, raw, on, within)
		}
		return false, 0, bad("parsing_exception", "unknown query [%s]", kind)
	}
	return false, 0, nil
}

func (e *eval) boolean(raw any, on object, within string) (bool, float64, *fault) {
	var b struct {
		Filter  []object `json:"filter"`
		Must    []object `json:"must"`
		Should  []object `json:"should"`
		Minimum int      `json:"minimum_should_match"`
	}
	if f := into(raw, &b, "bool"); f != nil {
		return false, 0, f
	}
	if len(b.Filter)+len(b.Must)+len(b.Should) > 1024 {
		return false, 0, bad("too_many_nested_clauses", "maxClauseCount is set to 1024")
	}
	all, score, matched := true, 0.0, 0
	for i, q := range slices.Concat(b.Filter, b.Must, b.Should) {
		ok, s, f := e.run(q, on, within)
		if f != nil {
			return false, 0, f
		}
		switch {
		case i < len(b.Filter):
			all = all && ok
		case i < len(b.Filter)+len(b.Must):
			all = all && ok
			score += s
		case ok:
			matched++
			score += s
		}
	}
	return all && matched >= b.Minimum, score, nil
}

func (e *eval) constant(raw any, on object, within string) (bool, float64, *fault) {
	var c struct {
		Filter object   `json:"filter"`
		Boost  *float64 `json:"boost"`
	}
	if f := into(raw, &c, "constant_score"); f != nil {
		return false, 0, f
	}
	boost := 1.0
	if c.Boost != nil {
		boost = *c.Boost
	}
	if boost < 0 {
		return false, 0, bad("illegal_argument_exception", "negative [boost] are not allowed in [constant_score], use a value between 0 and 1 to deboost")
	}
	ok, _, f := e.run(c.Filter, on, within)
	return ok, boost, f
}

func (e *eval) nested(raw any, on object, within string) (bool, float64, *fault) {
	var n struct {
		Path      string `json:"path"`
		ScoreMode string `json:"score_mode"`
		Query     object `json:"query"`
		InnerHits *struct {
			Size   int      `json:"size"`
			Source []string `json:"_source"`
		} `json:"inner_hits"`
	}
	if f := into(raw, &n, "nested"); f != nil {
		return false, 0, f
	}
	if field, ok := e.x.fields[n.Path]; !ok || field.kind != "nested" || within != "" {
		return false, 0, bad("query_shard_exception", "[nested] failed to find nested object under path [%s]", n.Path)
	}
	if n.ScoreMode != "max" {
		return false, 0, bad("illegal_argument_exception", "this fake knows score_mode max alone, not [%s]", n.ScoreMode)
	}
	type scored struct {
		source object
		score  float64
	}
	var found []scored
	list := objects(on[n.Path])
	if len(list) == 0 {
		list = []object{nil} // parsed all the same
	}
	for _, o := range list {
		ok, s, f := e.run(n.Query, o, n.Path)
		if f != nil {
			return false, 0, f
		}
		if ok && o != nil {
			found = append(found, scored{o, s})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	if in := n.InnerHits; in != nil {
		if in.Size > e.x.maxInner {
			return false, 0, bad("illegal_argument_exception", "Inner result window is too large, the inner hit definition's [%s] from + size must be less than or equal to: [%d] but was [%d].", n.Path, e.x.maxInner, in.Size)
		}
		hits := []any{}
		for _, s := range found[:min(in.Size, len(found))] {
			source := s.source
			if in.Source != nil {
				source, _ = objects(pick(object{n.Path: []any{source}}, in.Source)[n.Path])[0], true
			}
			hits = append(hits, object{"_score": s.score, "_source": source})
		}
		e.inner[n.Path] = object{"hits": object{"hits": hits}}
	}
	if len(found) == 0 {
		return false, 0, nil
	}
	return true, found[0].score, nil
}

// leaf compares one field. A field of nested objects is not found outside of
// them, and one that no mapping has matches nothing.
func (e *eval) leaf(kind string, raw any, on object, within string) (bool, float64, *fault) {
	q, _ := raw.(object)
	if len(q) != 1 {
		return false, 0, bad("parsing_exception", "[%s] query doesn't support multiple fields", kind)
	}
	for name, want := range q {
		of, short := e.x.fields, name
		if within != "" {
			rest, ok := strings.CutPrefix(name, within+".")
			if !ok {
				return false, 0, nil
			}
			of, short = e.x.fields[within].nested, rest
		}
		f, ok := of[short]
		if !ok {
			return false, 0, nil
		}
		if f.noIndex {
			return false, 0, bad("query_shard_exception", "failed to create query: Cannot search on field [%s] since it is not indexed.", name)
		}
		return compareLeaf(kind, want, f, values(on[short]))
	}
	return false, 0, nil
}

func compareLeaf(kind string, want any, f field, have []any) (bool, float64, *fault) {
	switch kind {
	case "terms":
		list, ok := want.([]any)
		if !ok || len(list) > 65_536 {
			return false, 0, bad("parsing_exception", "[terms] query does not support this value")
		}
		return slices.ContainsFunc(have, func(v any) bool { return slices.Contains(list, v) }), 1, nil
	case "term":
		var t struct {
			Value any `json:"value"`
		}
		fault := into(want, &t, kind)
		return slices.Contains(have, t.Value), 1, fault
	case "range":
		var r struct {
			From  *float64 `json:"gte"`
			Below *float64 `json:"lt"`
		}
		fault := into(want, &r, kind)
		return slices.ContainsFunc(have, func(v any) bool {
			n, ok := v.(float64)
			return ok && (r.From == nil || n >= *r.From) && (r.Below == nil || n < *r.Below)
		}), 1, fault
	}
	var m struct {
		Query string  `json:"query"`
		Boost float64 `json:"boost"`
	}
	if fault := into(want, &m, kind); fault != nil {
		return false, 0, fault
	}
	if f.kind != "text" {
		return false, 0, bad("illegal_argument_exception", "this fake matches text alone")
	}
	words, n := map[string]bool{}, 0
	for _, v := range have {
		s, _ := v.(string)
		for _, w := range analyse(s) {
			words[w] = true
		}
	}
	for _, w := range analyse(m.Query) {
		if words[w] {
			n++
		}
	}
	return n > 0, float64(n) * m.Boost, nil
}

// analyse cuts a text into words in small letters, and Korean ones into pairs of syllables.
func analyse(text string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out = append(out, w)
		if r := []rune(w); unicode.Is(unicode.Hangul, r[0]) {
			for i := 0; i+2 <= len(r); i++ {
				out = append(out, string(r[i:i+2]))
			}
		}
	}
	return out
}
