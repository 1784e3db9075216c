package opensearchfake

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// test evaluates a parsed query on a source: whether it matches, and its score. inner receives the inner hits of its
// nested queries.
type test func(on object, inner map[string]any) (bool, float64)

// parse parses a query strictly; within is the enclosing nested path.
func (x *index) parse(q object, within string) (test, *fault) {
	if len(q) != 1 {
		return nil, bad("parsing_exception", "[query] malformed query, expected one name but found %d", len(q))
	}
	for kind, raw := range q {
		switch kind {
		case "match_all":
			return func(object, map[string]any) (bool, float64) { return true, 1 }, nil
		case "bool":
			return x.boolean(raw, within)
		case "constant_score":
			return x.constant(raw, within)
		case "nested":
			return x.nested(raw, within)
		case "knn":
			return x.neighbours(raw, within)
		case "function_score":
			return random(raw)
		case "exists":
			return exists(raw)
		case "terms", "term", "match", "range":
			return x.leaf(kind, raw, within)
		}
		return nil, bad("parsing_exception", "unknown query [%s]", kind)
	}
	return nil, nil
}

func (x *index) boolean(raw any, within string) (test, *fault) {
	var b struct {
		Filter  []object `json:"filter"`
		Must    []object `json:"must"`
		Should  []object `json:"should"`
		Not     []object `json:"must_not"`
		Minimum int      `json:"minimum_should_match"`
	}
	if f := into(raw, &b, "bool"); f != nil {
		return nil, f
	}
	all := slices.Concat(b.Filter, b.Must, b.Should)
	tests := make([]test, len(all))
	for i, q := range all {
		var f *fault
		if tests[i], f = x.parse(q, within); f != nil {
			return nil, f
		}
	}
	nots := make([]test, len(b.Not))
	for i, q := range b.Not {
		var f *fault
		if nots[i], f = x.parse(q, within); f != nil {
			return nil, f
		}
	}
	return func(on object, inner map[string]any) (bool, float64) {
		score, matched := 0.0, 0
		for _, t := range nots {
			if ok, _ := t(on, inner); ok {
				return false, 0
			}
		}
		for i, t := range tests {
			ok, s := t(on, inner)
			should := i >= len(b.Filter)+len(b.Must)
			if !ok && !should {
				return false, 0
			}
			if ok && i >= len(b.Filter) {
				score += s
			}
			if ok && should {
				matched++
			}
		}
		return matched >= b.Minimum, score
	}, nil
}

func (x *index) constant(raw any, within string) (test, *fault) {
	var c struct {
		Filter object   `json:"filter"`
		Boost  *float64 `json:"boost"`
	}
	if f := into(raw, &c, "constant_score"); f != nil {
		return nil, f
	}
	boost := 1.0
	if c.Boost != nil {
		boost = *c.Boost
	}
	if boost < 0 {
		return nil, bad("illegal_argument_exception", "negative [boost] are not allowed in [constant_score], use a value between 0 and 1 to deboost")
	}
	filter, f := x.parse(c.Filter, within)
	if f != nil {
		return nil, f
	}
	return func(on object, inner map[string]any) (bool, float64) {
		ok, _ := filter(on, inner)
		return ok, boost
	}, nil
}

func (x *index) nested(raw any, within string) (test, *fault) {
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
		return nil, f
	}
	if field, ok := x.fields[n.Path]; !ok || field.kind != "nested" || within != "" {
		return nil, bad("query_shard_exception", "[nested] failed to find nested object under path [%s]", n.Path)
	}
	if n.ScoreMode != "max" {
		return nil, bad("illegal_argument_exception", "this fake knows score_mode max alone, not [%s]", n.ScoreMode)
	}
	in := n.InnerHits
	if in != nil && in.Size > x.maxInner {
		return nil, bad("illegal_argument_exception", "Inner result window is too large, the inner hit definition's [%s] from + size must be less than or equal to: [%d] but was [%d].", n.Path, x.maxInner, in.Size)
	}
	matches, f := x.parse(n.Query, n.Path)
	if f != nil {
		return nil, f
	}
	return func(on object, inner map[string]any) (bool, float64) {
		type scored struct {
			source object
			score  float64
		}
		var found []scored
		for _, o := range objects(on[n.Path]) {
			if ok, s := matches(o, inner); ok {
				found = append(found, scored{o, s})
			}
		}
		if len(found) == 0 {
			return false, 0
		}
		slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		if in != nil {
			hits := []any{}
			for _, s := range found[:min(in.Size, len(found))] {
				source := s.source
				if in.Source != nil {
					source = objects(pick(object{n.Path: []any{source}}, in.Source)[n.Path])[0]
				}
				hits = append(hits, object{"_score": s.score, "_source": source})
			}
			inner[n.Path] = object{"hits": object{"hits": hits}}
		}
		return true, found[0].score
	}, nil
}

// neighbours returns a k-NN query. It finds every vector, not k of them, as does a cluster of one small segment.
func (x *index) neighbours(raw any, within string) (test, *fault) {
	q, _ := raw.(object)
	for name, want := range q {
		var k struct {
			Vector []float64 `json:"vector"`
			K      int       `json:"k"`
			Filter object    `json:"filter"`
		}
		if f := into(want, &k, "knn"); f != nil {
			return nil, f
		}
		f, ok := x.fields[within].nested[strings.TrimPrefix(name, within+".")]
		switch {
		case within == "" || !ok || f.kind != "knn_vector":
			return nil, bad("query_shard_exception", "Field '%s' is not knn_vector type.", name)
		case len(k.Vector) != f.size:
			return nil, bad("query_shard_exception", "Query vector has invalid dimension: %d. Dimension should be: %d", len(k.Vector), f.size)
		case k.K < 1 || k.K > 10_000:
			return nil, bad("illegal_argument_exception", "[knn] requires k to be in the range (0, 10000]")
		}
		if k.Filter != nil { // on the documents, which the outer query filters too
			if _, f := x.parse(k.Filter, ""); f != nil {
				return nil, f
			}
		}
		short := strings.TrimPrefix(name, within+".")
		return func(on object, _ map[string]any) (bool, float64) {
			have := values(on[short])
			if len(have) == 0 {
				return false, 0
			}
			var dot, a, b float64
			for i, v := range have {
				n, _ := v.(float64)
				dot, a, b = dot+n*k.Vector[i], a+n*n, b+k.Vector[i]*k.Vector[i]
			}
			return true, (1 + dot/math.Sqrt(a*b)) / 2
		}, nil
	}
	return nil, bad("parsing_exception", "[knn] query malformed")
}

// random returns a function_score of random_score; all scores are equal here.
func random(raw any) (test, *fault) {
	var r struct {
		Random struct {
			Seed  int    `json:"seed"`
			Field string `json:"field"`
		} `json:"random_score"`
	}
	if f := into(raw, &r, "function_score"); f != nil {
		return nil, f
	}
	return func(object, map[string]any) (bool, float64) { return true, 1 }, nil
}

// exists finds sources that have a field.
func exists(raw any) (test, *fault) {
	var e struct {
		Field string `json:"field"`
	}
	if f := into(raw, &e, "exists"); f != nil {
		return nil, f
	}
	return func(on object, _ map[string]any) (bool, float64) { return len(values(on[e.Field])) > 0, 1 }, nil
}

// leaf compares one field. Fields of nested objects are invisible outside them, and an unmapped one matches nothing.
func (x *index) leaf(kind string, raw any, within string) (test, *fault) {
	q, _ := raw.(object)
	if len(q) != 1 {
		return nil, bad("parsing_exception", "[%s] query doesn't support multiple fields", kind)
	}
	for name, want := range q {
		of, short, inside := x.fields, name, true
		if within != "" {
			of = x.fields[within].nested
			short, inside = strings.CutPrefix(name, within+".")
		}
		f, known := of[short]
		if f.noIndex {
			return nil, bad("query_shard_exception", "failed to create query: Cannot search on field [%s] since it is not indexed.", name)
		}
		compare, fault := parseLeaf(kind, want, f)
		if fault != nil {
			return nil, fault
		}
		return func(on object, _ map[string]any) (bool, float64) {
			if !known || !inside {
				return false, 0
			}
			return compare(values(on[short]))
		}, nil
	}
	return nil, nil
}

func parseLeaf(kind string, want any, f field) (func(have []any) (bool, float64), *fault) {
	switch kind {
	case "terms":
		list, ok := want.([]any)
		if !ok || len(list) > 65_536 {
			return nil, bad("parsing_exception", "[terms] query does not support this value")
		}
		return func(have []any) (bool, float64) {
			return slices.ContainsFunc(have, func(v any) bool { return slices.Contains(list, v) }), 1
		}, nil
	case "term":
		var t struct {
			Value any `json:"value"`
		}
		fault := into(want, &t, kind)
		return func(have []any) (bool, float64) { return slices.Contains(have, t.Value), 1 }, fault
	case "range":
		var r struct {
			From  *float64 `json:"gte"`
			Below *float64 `json:"lt"`
		}
		fault := into(want, &r, kind)
		return func(have []any) (bool, float64) {
			return slices.ContainsFunc(have, func(v any) bool {
				n, ok := v.(float64)
				return ok && (r.From == nil || n >= *r.From) && (r.Below == nil || n < *r.Below)
			}), 1
		}, fault
	}
	return parseMatch(want, f)
}

func parseMatch(want any, f field) (func(have []any) (bool, float64), *fault) {
	var m struct {
		Query string  `json:"query"`
		Boost float64 `json:"boost"`
	}
	if fault := into(want, &m, "match"); fault != nil {
		return nil, fault
	}
	if f.kind != "text" && f.kind != "" {
		return nil, bad("illegal_argument_exception", "this fake matches text alone")
	}
	asked := analyse(m.Query)
	return func(have []any) (bool, float64) {
		words, n := map[string]bool{}, 0
		for _, v := range have {
			s, _ := v.(string)
			for _, w := range analyse(s) {
				words[w] = true
			}
		}
		for _, w := range asked {
			if words[w] {
				n++
			}
		}
		return n > 0, float64(n) * m.Boost
	}, nil
}

// analyse splits a text into lower-case words, and Korean ones into pairs of syllables.
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
