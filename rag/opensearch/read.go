package opensearch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"maru/rag"
)

func decode[T any](record string) (out T, err error) {
	if err := json.Unmarshal([]byte(record), &out); err != nil {
		return out, fmt.Errorf("rag/opensearch: a record is damaged: %w", err)
	}
	return out, nil
}

// object is a piece of the query language.
type object = map[string]any

// answer is a search response.
type answer struct {
	TimedOut bool `json:"timed_out"`
	Shards   struct {
		Failed int `json:"failed"`
	} `json:"_shards"`
	Hits struct {
		Total struct {
			Value int `json:"value"`
		} `json:"total"`
		Hits []hit `json:"hits"`
	} `json:"hits"`
	Aggregations struct {
		Passages struct {
			Count  int `json:"doc_count"`
			Length struct {
				Value float64 `json:"value"`
			} `json:"length"`
			Terms struct {
				Buckets []struct {
					Key   string `json:"key"`
					Count int    `json:"doc_count"`
				} `json:"buckets"`
			} `json:"terms"`
		} `json:"passages"`
	} `json:"aggregations"`
}

type hit struct {
	Source stored            `json:"_source"`
	Sort   []json.RawMessage `json:"sort"`
	Inner  struct {
		Passages struct {
			Hits struct {
				Hits []struct {
					Score  float64                    `json:"_score"`
					Source map[string]json.RawMessage `json:"_source"`
				} `json:"hits"`
			} `json:"hits"`
		} `json:"passages"`
	} `json:"inner_hits"`
}

// search runs a search. A response of only some shards is an error, because partial results look complete.
func (x *Index) search(ctx context.Context, body object) (answer, error) {
	var a answer
	b, err := json.Marshal(body)
	if err != nil {
		return a, err
	}
	if err := x.do(ctx, request{method: http.MethodPost, path: []string{"_search"}, body: b}, &a); err != nil {
		return a, err
	}
	if a.TimedOut || a.Shards.Failed > 0 {
		return a, fmt.Errorf("OpenSearch answered for a part of the index (%d shards failed)", a.Shards.Failed)
	}
	return a, nil
}

// page is the page size of document listings; OpenSearch allows 10,000.
const page = 1000

// Documents lists the documents of scopes, newest first.
func (x *Index) Documents(ctx context.Context, scopes []string) ([]rag.Document, error) {
	if err := x.usable(ctx); err != nil || len(scopes) == 0 {
		return nil, err
	}
	var docs []rag.Document
	var after []json.RawMessage
	for {
		body := object{"size": page, "_source": []string{"record"}, "query": inScopes(scopes), "sort": newestFirst}
		if after != nil {
			body["search_after"] = after
		}
		a, err := x.search(ctx, body)
		if err != nil {
			return nil, fmt.Errorf("rag/opensearch: list documents: %w", err)
		}
		for _, h := range a.Hits.Hits {
			doc, err := decode[rag.Document](h.Source.Record)
			if err != nil {
				return nil, err
			}
			docs, after = append(docs, doc), h.Sort
		}
		if len(a.Hits.Hits) < page {
			return docs, nil
		}
	}
}

var newestFirst = []object{{"added": "desc"}, {"id": "asc"}}

// isDocument finds the documents of people: what was learned about vectors has no scope.
var isDocument = object{"exists": object{"field": "scope"}}

func inScopes(scopes []string) object {
	return object{"bool": object{"filter": []object{{"terms": object{"scope": scopes}}}}}
}

// Some implements [rag.Sampler].
func (x *Index) Some(ctx context.Context, scopes []string, limit int) (docs []rag.Document, total int, err error) {
	if err := x.usable(ctx); err != nil || len(scopes) == 0 {
		return nil, 0, err
	}
	a, err := x.search(ctx, object{
		"size": min(max(limit, 0), page), "_source": []string{"record"}, "query": inScopes(scopes), "sort": newestFirst, "track_total_hits": true,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("rag/opensearch: name documents: %w", err)
	}
	for _, h := range a.Hits.Hits {
		doc, err := decode[rag.Document](h.Source.Record)
		if err != nil {
			return nil, 0, err
		}
		docs = append(docs, doc)
	}
	return docs, a.Hits.Total.Value, nil
}

// Scopes implements [rag.Scoper]: each query returns the first scope after the previous one.
func (x *Index) Scopes(ctx context.Context) (scopes []string, err error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	body := object{"size": 1, "_source": []string{"scope"}, "query": isDocument, "sort": []object{{"scope": "asc"}}}
	for {
		a, err := x.search(ctx, body)
		if err != nil {
			return nil, fmt.Errorf("rag/opensearch: name scopes: %w", err)
		}
		if len(a.Hits.Hits) == 0 {
			return scopes, nil
		}
		scopes, body["search_after"] = append(scopes, a.Hits.Hits[0].Source.Scope), a.Hits.Hits[0].Sort
	}
}

// Document returns one document if it is in one of scopes, else [rag.ErrNotFound]. It waits as a write does: whoever
// adds documents looks up first.
func (x *Index) Document(ctx context.Context, scopes []string, id string) (rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return rag.Document{}, err
	}
	g, err := x.get(ctx, scopes, id, "id", true)
	if err != nil {
		return rag.Document{}, err
	}
	return decode[rag.Document](g.Source.Record)
}

// Chunk returns one passage with its document if it is in one of scopes.
func (x *Index) Chunk(ctx context.Context, scopes []string, id string) (rag.Chunk, rag.Document, error) {
	i := strings.LastIndexByte(id, '#')
	if i < 0 {
		return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
	}
	chunks, doc, err := x.Passages(ctx, scopes, id[:i], 0, 1<<30)
	if err != nil {
		return rag.Chunk{}, rag.Document{}, err
	}
	for _, c := range chunks {
		if c.ID == id {
			return c, doc, nil
		}
	}
	return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
}

// Passages returns the passages [from, to) of a document in one of scopes.
func (x *Index) Passages(ctx context.Context, scopes []string, document string, from, to int) ([]rag.Chunk, rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return nil, rag.Document{}, err
	}
	g, err := x.get(ctx, scopes, document, "passages.record,passages.text", false)
	if err != nil {
		return nil, rag.Document{}, err
	}
	doc, err := decode[rag.Document](g.Source.Record)
	if err != nil {
		return nil, rag.Document{}, err
	}
	var chunks []rag.Chunk
	for i := max(from, 0); i < min(to, len(g.Source.Passages)); i++ {
		c, err := passage(g.Source.Passages[i].Record, g.Source.Passages[i].Text)
		if err != nil {
			return nil, rag.Document{}, err
		}
		chunks = append(chunks, c)
	}
	return chunks, doc, nil
}
