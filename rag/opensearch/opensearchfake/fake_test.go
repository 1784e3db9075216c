package opensearchfake_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"maru/rag/opensearch/opensearchfake"
)

const mapping = `{"mappings": {"dynamic": "strict", "properties": {"scope": {"type": "keyword"}, "n": {"type": "integer"},
	"hidden": {"type": "keyword", "index": false}, "passages": {"type": "nested", "properties": {"text": {"type": "text"}}}}}}`

// TestRefusals sends what a cluster refuses, and what it takes.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := opensearchfake.New(t)
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"no_index_yet", "POST", "/docs/_search", `{"query": {"match_all": {}}}`, 404, "index_not_found_exception"},
		{"bad_name", "PUT", "/Docs", mapping, 400, "invalid_index_name_exception"},
		{"unknown_setting", "PUT", "/docs", `{"settings": {"index": {"speed": 9}}}`, 400, "unknown setting [index.speed]"},
		{"unknown_type", "PUT", "/docs", `{"mappings": {"dynamic": "strict", "properties": {"a": {"type": "string"}}}}`, 400, "No handler for type [string]"},
		{"unknown_parameter", "PUT", "/docs", `{"mappings": {"dynamic": "strict", "properties": {"a": {"type": "keyword", "analyzer": "x"}}}}`, 400, "unknown parameter [analyzer]"},
		{"unknown_analyzer", "PUT", "/docs", `{"mappings": {"dynamic": "strict", "properties": {"a": {"type": "text", "analyzer": "x"}}}}`, 400, "has not been configured"},
		{"good", "PUT", "/docs", mapping, 200, "acknowledged"},
		{"twice", "PUT", "/docs", mapping, 400, "resource_already_exists_exception"},
		{"unknown_field", "PUT", "/docs/_doc/1", `{"colour": "red"}`, 400, "strict_dynamic_mapping_exception"},
		{"unknown_field_inside", "PUT", "/docs/_doc/1", `{"passages": [{"colour": "red"}]}`, 400, "within [passages]"},
		{"no_number", "PUT", "/docs/_doc/1", `{"n": "many"}`, 400, "mapper_parsing_exception"},
		{"immense_term", "PUT", "/docs/_doc/1", `{"scope": "` + strings.Repeat("x", 40_000) + `"}`, 400, "immense term"},
		{"immense_but_not_indexed", "PUT", "/docs/_doc/2", `{"hidden": "` + strings.Repeat("x", 40_000) + `"}`, 201, "created"},
		{"unknown_refresh", "PUT", "/docs/_doc/1?refresh=now", `{}`, 400, "Unknown value for refresh"},
		{"unknown_param", "PUT", "/docs/_doc/1?fresh=true", `{}`, 400, "unrecognized parameter"},
		{"written_unseen", "PUT", "/docs/_doc/1", `{"scope": "a"}`, 201, "created"},
		{"get_sees_it", "GET", "/docs/_doc/1", "", 200, `"found":true`},
		{"search_does_not", "POST", "/docs/_search", `{"query": {"term": {"scope": {"value": "a"}}}}`, 200, `"value":0`},
		{"stale_version", "PUT", "/docs/_doc/1?if_seq_no=0&if_primary_term=1", `{}`, 409, "version_conflict_engine_exception"},
		{"refreshed", "PUT", "/docs/_doc/1?refresh=wait_for", `{"scope": "b"}`, 200, "updated"},
		{"search_sees_it", "POST", "/docs/_search", `{"query": {"term": {"scope": {"value": "b"}}}}`, 200, `"value":1`},
		{"unknown_query", "POST", "/docs/_search", `{"query": {"like": {"scope": "b"}}}`, 400, "unknown query [like]"},
		{"unknown_body", "POST", "/docs/_search", `{"limit": 3, "query": {"match_all": {}}}`, 400, "parse_exception"},
		{"not_indexed", "POST", "/docs/_search", `{"query": {"term": {"hidden": {"value": "b"}}}}`, 400, "not indexed"},
		{"no_nested_path", "POST", "/docs/_search", `{"query": {"nested": {"path": "scope", "score_mode": "max", "query": {"match_all": {}}}}}`, 400, "failed to find nested object"},
		{"too_many", "POST", "/docs/_search", `{"size": 10001, "query": {"match_all": {}}}`, 400, "Result window is too large"},
		{"too_many_inside", "POST", "/docs/_search", `{"query": {"nested": {"path": "passages", "score_mode": "max", "query": {"match_all": {}}, "inner_hits": {"size": 101}}}}`, 400, "Inner result window"},
		{"negative_boost", "POST", "/docs/_search", `{"query": {"constant_score": {"filter": {"match_all": {}}, "boost": -1}}}`, 400, "negative [boost]"},
		{"delete_of_nothing", "DELETE", "/docs/_doc/9", "", 404, "not_found"},
		{"no_such_door", "POST", "/docs/_doc/1/_explain", `{}`, 400, "no handler found"},
	} {
		if status, body := ask(c.method, c.path, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.name, status, body, c.status, c.want)
		}
	}
}
