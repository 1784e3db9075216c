package opensearchfake

import (
	"encoding/json"
	"net/http"
	"slices"
)

func fields(properties object, analyzers map[string]bool, inside bool) (map[string]field, *fault) {
	out := map[string]field{}
	for name, raw := range properties {
		p, _ := raw.(object)
		kind, _ := p["type"].(string)
		allowed, ok := kinds[kind]
		if !ok || kind == "nested" && inside {
			return nil, bad("mapper_parsing_exception", "No handler for type [%s] declared on field [%s]", kind, name)
		}
		for key := range p {
			if !slices.Contains(allowed, key) {
				return nil, bad("mapper_parsing_exception", "unknown parameter [%s] on mapper [%s] of type [%s]", key, name, kind)
			}
		}
		f := field{kind: kind, noIndex: p["index"] == false}
		f.analyzer, _ = p["analyzer"].(string)
		if f.analyzer != "" && !analyzers[f.analyzer] {
			return nil, bad("mapper_parsing_exception", "analyzer [%s] has not been configured in mappings", f.analyzer)
		}
		if kind == "knn_vector" {
			n, _ := p["dimension"].(float64)
			if f.size = int(n); f.size < 1 || f.size > 16_000 {
				return nil, bad("mapper_parsing_exception", "Dimension value must be from 1 to 16000 for vector: %s", name)
			}
			m, _ := p["method"].(object)
			if m["name"] != "hnsw" || m["engine"] != "lucene" || m["space_type"] != "cosinesimil" {
				return nil, bad("mapper_parsing_exception", "this fake knows hnsw of lucene with cosinesimil alone")
			}
		}
		if kind == "nested" {
			inner, _ := p["properties"].(object)
			var bad *fault
			if f.nested, bad = fields(inner, analyzers, true); bad != nil {
				return nil, bad
			}
		}
		out[name] = f
	}
	return out, nil
}

// extend adds fields to the mapping; one that is there must stay as it is.
func (x *index) extend(body []byte) (int, any, *fault) {
	var b struct {
		Properties object `json:"properties"`
	}
	if f := strictly(body, &b, "put mapping"); f != nil {
		return 0, nil, f
	}
	added, f := fields(b.Properties, map[string]bool{"standard": true}, false)
	if f != nil {
		return 0, nil, f
	}
	if f := merge(x.fields, added, x.knn); f != nil {
		return 0, nil, f
	}
	show(x.properties, b.Properties)
	return http.StatusOK, object{"acknowledged": true}, nil
}

// show adds properties to those that are shown.
func show(into, added object) {
	for name, p := range added {
		have, _ := into[name].(object)
		more, _ := p.(object)
		inner, nested := more["properties"].(object)
		if shown, ok := have["properties"].(object); ok && nested {
			show(shown, inner)
			continue
		}
		into[name] = p
	}
}

func merge(into, added map[string]field, knn bool) *fault {
	for name, f := range added {
		old, there := into[name]
		switch {
		case f.kind == "knn_vector" && !knn:
			return bad("illegal_argument_exception", "this fake wants index.knn for the vectors of [%s]", name)
		case !there:
			into[name] = f
		case old.kind != f.kind || old.size != f.size:
			return bad("illegal_argument_exception", "Mapper for [%s] conflicts with existing mapper", name)
		case f.kind == "nested":
			if fault := merge(old.nested, f.nested, knn); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// guessed returns an index that a write made: its fields are guessed from the first document.
func guessed(body []byte) *index {
	x := &index{loose: true, fields: map[string]field{}, properties: object{}, settings: object{}, docs: map[string]document{}, visible: map[string]document{}}
	var source object
	_ = json.Unmarshal(body, &source) // the write itself tells
	for name, value := range source {
		kind := "text"
		switch value.(type) {
		case float64:
			kind = "long"
		case []any:
			kind = "object"
		}
		x.properties[name], x.fields[name] = object{"type": kind}, field{kind: kind}
	}
	return x
}
