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
	fields               map[string]field
	properties, settings object // as they are shown
	loose                bool   // fields that it does not know are guessed
	maxNested            int
	maxInner             int
	knn                  bool
	docs                 map[string]document
	visible              map[string]document // since the last refresh
	seq                  int64
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
	if _, taken := s.aliases[name]; taken {
		return 0, nil, bad("invalid_index_name_exception", "Invalid index name [%s], already exists as alias", name)
	}
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
		Aliases object `json:"aliases"`
	}
	if f := strictly(body, &b, "create index"); f != nil {
		return 0, nil, f
	}
	x := &index{maxNested: 10_000, maxInner: 100, docs: map[string]document{}, visible: map[string]document{}, settings: object{"analysis": b.Settings.Analysis}}
	for key, value := range b.Settings.Index {
		n, ok := value.(float64)
		switch {
		case key == "mapping.nested_objects.limit" && ok:
			x.maxNested = int(n)
		case key == "knn" && !s.missing[KNN]:
			x.knn, _ = value.(bool)
			x.settings["knn"] = fmt.Sprint(value)
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
	x.loose = b.Mappings.Dynamic == nil
	if !x.loose && b.Mappings.Dynamic != "strict" {
		return 0, nil, bad("illegal_argument_exception", "this fake knows strict mappings and default ones alone")
	}
	if x.fields, f = fields(b.Mappings.Properties, analyzers, false); f != nil {
		return 0, nil, f
	}
	x.properties = b.Mappings.Properties
	s.indices[name] = x
	for alias := range b.Aliases {
		s.aliases[alias] = name
	}
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
	nori := !s.missing[Nori]
	tokenizers := map[string]bool{"standard": true, "nori_tokenizer": nori}
	filters := map[string]bool{"lowercase": true, "nori_part_of_speech": nori, "nori_readingform": nori}
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

// check holds a document against the mapping.
func (x *index) check(source object, of map[string]field, at string) *fault {
	for name, value := range source {
		f, ok := of[name]
		if !ok && x.loose {
			continue
		}
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
		if !slices.Contains([]string{"refresh", "require_alias", "if_seq_no", "if_primary_term"}, key) {
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
