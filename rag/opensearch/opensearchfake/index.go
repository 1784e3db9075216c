package opensearchfake

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type object = map[string]any

// index holds documents as written and as visible to searches.
type index struct {
	fields    map[string]field
	maxNested int
	maxInner  int
	knn       bool
	docs      map[string]document
	visible   map[string]document // since the last refresh
	seq       int64
}

type document struct {
	id     string
	seq    int64
	source object
}

// field is a mapping's field.
type field struct {
	kind     string
	noIndex  bool
	analyzer string
	size     int // of a vector
	nested   map[string]field
}

// kinds are the field types with their parameters.
var kinds = map[string][]string{
	"keyword": {"type", "index", "doc_values", "ignore_above"},
	"long":    {"type", "index", "doc_values"},
	"integer": {"type", "index", "doc_values"},
	"text":    {"type", "analyzer", "index"},
	"nested":  {"type", "dynamic", "properties"},

	"knn_vector": {"type", "dimension", "method"},
}

func (s *Server) create(name string, body []byte) (int, any, *fault) {
	if s.indices[name] != nil {
		return 0, nil, bad("resource_already_exists_exception", "index [%s/fake] already exists", name)
	}
	if name != strings.ToLower(name) || strings.ContainsAny(name, `\/*?"<>| ,#:`) || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "-") {
		return 0, nil, bad("invalid_index_name_exception", "Invalid index name [%s]", name)
	}
	var b struct {
		Settings struct {
			Index    map[string]any            `json:"index"`
			Analysis map[string]map[string]any `json:"analysis"`
		} `json:"settings"`
		Mappings struct {
			Dynamic    any    `json:"dynamic"`
			Properties object `json:"properties"`
		} `json:"mappings"`
	}
	if f := strictly(body, &b, "create index"); f != nil {
		return 0, nil, f
	}
	x := &index{maxNested: 10_000, maxInner: 100, docs: map[string]document{}, visible: map[string]document{}}
	for key, value := range b.Settings.Index {
		n, ok := value.(float64)
		switch {
		case key == "mapping.nested_objects.limit" && ok:
			x.maxNested = int(n)
		case key == "knn":
			x.knn, _ = value.(bool)
		case key == "max_inner_result_window" && ok:
			x.maxInner = int(n)
		default:
			return 0, nil, bad("illegal_argument_exception", "unknown setting [index.%s] please check that any required plugins are installed", key)
		}
	}
	analyzers, f := s.analyzers(b.Settings.Analysis)
	if f != nil {
		return 0, nil, f
	}
	if b.Mappings.Dynamic != "strict" {
		return 0, nil, bad("illegal_argument_exception", "this fake knows strict mappings alone")
	}
	if x.fields, f = fields(b.Mappings.Properties, analyzers, false); f != nil {
		return 0, nil, f
	}
	s.indices[name] = x
	return http.StatusOK, object{"acknowledged": true, "shards_acknowledged": true, "index": name}, nil
}

// strictly decodes a body and rejects unknown fields.
func strictly(body []byte, into any, what string) *fault {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return bad("parse_exception", "%s: %v", what, err)
	}
	return nil
}

// analyzers checks the analysis settings and returns the names that they make.
func (s *Server) analyzers(analysis map[string]map[string]any) (map[string]bool, *fault) {
	known := map[string]bool{"standard": true}
	tokenizers := map[string]bool{"standard": true, "nori_tokenizer": !s.noNori}
	filters := map[string]bool{"lowercase": true, "nori_part_of_speech": !s.noNori, "nori_readingform": !s.noNori}
	for section, entries := range analysis {
		if section != "analyzer" {
			return nil, bad("illegal_argument_exception", "unknown setting [index.analysis.%s]", section)
		}
		for name, raw := range entries {
			a, _ := raw.(object)
			if t, _ := a["tokenizer"].(string); !tokenizers[t] {
				return nil, bad("illegal_argument_exception", "Custom Analyzer [%s] failed to find tokenizer under name [%s]", name, t)
			}
			list, _ := a["filter"].([]any)
			for _, f := range list {
				if n, _ := f.(string); !filters[n] {
					return nil, bad("illegal_argument_exception", "Custom Analyzer [%s] failed to find filter under name [%s]", name, n)
				}
			}
			known[name] = true
		}
	}
	return known, nil
}

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
	return http.StatusOK, object{"acknowledged": true}, nil
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

// check holds a document against the mapping.
func (x *index) check(source object, of map[string]field, at string) *fault {
	for name, value := range source {
		f, ok := of[name]
		if !ok {
			return bad("strict_dynamic_mapping_exception", "mapping set to strict, dynamic introduction of [%s] within [%s] is not allowed", name, at)
		}
		list, many := value.([]any)
		if f.kind == "knn_vector" && len(list) != f.size {
			return bad("mapper_parsing_exception", "Vector dimension mismatch. Expected: %d, Given: %d", f.size, len(list))
		}
		if !many {
			list = []any{value}
		}
		if f.kind == "nested" && len(list) > x.maxNested {
			return bad("illegal_argument_exception", "The number of nested documents has exceeded the allowed limit of [%d].", x.maxNested)
		}
		for _, v := range list {
			if fault := x.checkValue(v, f, name); fault != nil {
				return fault
			}
		}
	}
	return nil
}

func (x *index) checkValue(v any, f field, name string) *fault {
	wrong := func() *fault {
		return &fault{http.StatusBadRequest, "mapper_parsing_exception", fmt.Sprintf("failed to parse field [%s] of type [%s]", name, f.kind), "illegal_argument_exception", fmt.Sprintf("For input: %.40v", v)}
	}
	switch f.kind {
	case "knn_vector":
		if _, ok := v.(float64); !ok {
			return wrong()
		}
	case "nested":
		o, ok := v.(object)
		if !ok {
			return wrong()
		}
		return x.check(o, f.nested, name)
	case "keyword", "text":
		s, ok := v.(string)
		if !ok {
			return wrong()
		}
		if f.kind == "keyword" && !f.noIndex && len(s) > 32766 {
			return bad("illegal_argument_exception", "Document contains at least one immense term in field=\"%s\"", name)
		}
	default:
		n, ok := v.(float64)
		if !ok || n != math.Trunc(n) || f.kind == "integer" && math.Abs(n) > math.MaxInt32 {
			return wrong()
		}
	}
	return nil
}

// versions reads the parameters of a write and checks its expected version.
func (x *index) versions(id string, params url.Values) *fault {
	for key := range params {
		if key != "refresh" && key != "if_seq_no" && key != "if_primary_term" {
			return bad("illegal_argument_exception", "request contains unrecognized parameter: [%s]", key)
		}
	}
	switch params.Get("refresh") {
	case "", "true", "false", "wait_for":
	default:
		return bad("illegal_argument_exception", "Unknown value for refresh: [%s].", params.Get("refresh"))
	}
	if params.Has("if_seq_no") != params.Has("if_primary_term") {
		return bad("action_request_validation_exception", "ifSeqNo and ifPrimaryTerm must be given together")
	}
	if !params.Has("if_seq_no") {
		return nil
	}
	want, err := strconv.ParseInt(params.Get("if_seq_no"), 10, 64)
	d, ok := x.docs[id]
	if err != nil || !ok || d.seq != want || params.Get("if_primary_term") != "1" {
		return &fault{status: http.StatusConflict, kind: "version_conflict_engine_exception", reason: fmt.Sprintf("[%s]: version conflict, required seqNo [%d]", id, want)}
	}
	return nil
}

func (x *index) put(id string, params url.Values, body []byte) (int, any, *fault) {
	var source object
	if err := json.Unmarshal(body, &source); err != nil {
		return 0, nil, bad("mapper_parsing_exception", "failed to parse: %v", err)
	}
	if len(id) > 512 {
		return 0, nil, bad("action_request_validation_exception", "id is too long, must be no longer than 512 bytes")
	}
	if f := x.versions(id, params); f != nil {
		return 0, nil, f
	}
	if f := x.check(source, x.fields, "_doc"); f != nil {
		return 0, nil, f
	}
	x.seq++
	_, there := x.docs[id]
	x.docs[id] = document{id, x.seq, source}
	x.refresh(params.Get("refresh"))
	status, result := http.StatusCreated, "created"
	if there {
		status, result = http.StatusOK, "updated"
	}
	return status, object{"_id": id, "result": result, "_seq_no": x.seq, "_primary_term": 1}, nil
}

// refresh makes writes visible to searches if the writer requested it.
func (x *index) refresh(how string) {
	if how != "true" && how != "wait_for" {
		return
	}
	x.visible = make(map[string]document, len(x.docs))
	for id, d := range x.docs {
		x.visible[id] = d
	}
}

func (x *index) get(id string, params url.Values) (int, any, *fault) {
	d, ok := x.docs[id]
	if !ok {
		return http.StatusNotFound, object{"_id": id, "found": false}, nil
	}
	for key := range params {
		if key != "_source_includes" {
			return 0, nil, bad("illegal_argument_exception", "request contains unrecognized parameter: [%s]", key)
		}
	}
	source := d.source
	if list := params.Get("_source_includes"); list != "" {
		source = pick(source, strings.Split(list, ","))
	}
	return http.StatusOK, object{"_id": id, "found": true, "_seq_no": d.seq, "_primary_term": 1, "_source": source}, nil
}

// pick leaves the named fields of a source; a.b is b within a.
func pick(source object, names []string) object {
	out := object{}
	for key, value := range source {
		var inner []string
		for _, n := range names {
			switch head, rest, deep := strings.Cut(n, "."); {
			case n == key:
				out[key] = value
			case deep && head == key:
				inner = append(inner, rest)
			}
		}
		if list, ok := value.([]any); ok && len(inner) > 0 {
			var picked []any
			for _, v := range list {
				if o, ok := v.(object); ok {
					picked = append(picked, pick(o, inner))
				}
			}
			out[key] = picked
		}
	}
	return out
}

func (x *index) remove(id string, params url.Values) (int, any, *fault) {
	if _, ok := x.docs[id]; !ok && !params.Has("if_seq_no") {
		return http.StatusNotFound, object{"_id": id, "result": "not_found"}, nil
	}
	if f := x.versions(id, params); f != nil {
		return 0, nil, f
	}
	delete(x.docs, id)
	x.seq++
	x.refresh(params.Get("refresh"))
	return http.StatusOK, object{"_id": id, "result": "deleted"}, nil
}
