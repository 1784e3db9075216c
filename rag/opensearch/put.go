package opensearch

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"maru/rag"
	"maru/rag/rank"
)

// stored is a document in the cluster; mapping.json describes the fields.
type stored struct {
	ID       string   `json:"id"`
	Scope    string   `json:"scope"`
	Added    int64    `json:"added"` // microseconds since 1970
	Tags     []string `json:"tags,omitempty"`
	Analyser int      `json:"analyser"` // version of the terms; none: from before it was stored
	Record   string   `json:"record"`   // rag.Document as JSON
	Passages []nested `json:"passages,omitempty"`
}

type nested struct {
	ID     string   `json:"id,omitempty"`
	Length int      `json:"length,omitempty"`
	Terms  []string `json:"terms,omitempty"`
	Text   string   `json:"text,omitempty"`
	Record string   `json:"record"` // kept as JSON
}

// kept is a passage's record. Its text is the end of the field text: what is sent of a large document must stay below
// the cluster's limit.
type kept struct {
	rag.Chunk

	Head int `json:"head"` // letters of the field text before the passage's own; records with a text of their own have none
}

// analyser is the version of stored terms: the analyser's, and that of hash.
const analyser = 16*rag.AnalyzerVersion + 1

// keep encodes a passage without its text, and returns the text that is indexed.
func keep(doc rag.Document, c rag.Chunk) (record, text string, err error) {
	text = rank.Text(doc, c)
	k := kept{Chunk: c, Head: utf8.RuneCountInString(text) - utf8.RuneCountInString(c.Text)}
	k.Text = ""
	b, err := json.Marshal(k)
	return string(b), text, err
}

// passage decodes a record with the text that is indexed.
func passage(record, text string) (rag.Chunk, error) {
	k, err := decode[kept](record)
	if err == nil && k.Text == "" {
		if r := []rune(text); k.Head <= len(r) {
			k.Text = string(r[max(k.Head, 0):])
		}
	}
	return k.Chunk, err
}

// hash encodes a term for the cluster: terms hold bytes that are not valid text. Most of what is sent of a document are
// its terms, so it is 48 bits in eight letters.
func hash(term string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(term)) // a hash does not fail
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:6])
}

// Put adds a document or replaces the one with the same ID, as one write.
func (x *Index) Put(ctx context.Context, doc rag.Document, chunks []rag.Chunk) error {
	if err := x.usable(ctx); err != nil {
		return err
	}
	if err := rag.Check(doc, chunks); err != nil {
		return fmt.Errorf("rag/opensearch: put %s: %w", doc.ID, err)
	}
	doc.Chunks = len(chunks)
	body, err := encode(doc, chunks)
	if err == nil {
		err = x.write(ctx, request{method: http.MethodPut, path: []string{"_doc", doc.ID}, body: body})
	}
	if errors.Is(err, errSlow) && x.holds(ctx, doc) {
		err = x.show(ctx)
	}
	if err != nil {
		return fmt.Errorf("rag/opensearch: put %s: %w", doc.ID, err)
	}
	if x.embeds() {
		x.nudge() // it has no vectors yet
	}
	return nil
}

// holds reports whether a write came through whose answer did not.
func (x *Index) holds(ctx context.Context, doc rag.Document) bool {
	g, err := x.get(ctx, []string{doc.Scope}, doc.ID, "id", true)
	if err != nil {
		return false
	}
	record, err := json.Marshal(doc)
	return err == nil && string(record) == g.Source.Record
}

func encode(doc rag.Document, chunks []rag.Chunk) ([]byte, error) {
	record, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	s := stored{ID: doc.ID, Scope: doc.Scope, Added: doc.At.UnixMicro(), Tags: rag.Tags(doc.Tags), Analyser: analyser, Record: string(record)}
	var a rag.Analyzer
	for i, c := range chunks {
		record, text, err := keep(doc, c)
		if err != nil {
			return nil, fmt.Errorf("passage %d: %w", i, err)
		}
		p := nested{ID: c.ID, Text: text, Record: record}
		p.Terms, p.Length = termsOf(&a, doc, c)
		s.Passages = append(s.Passages, p)
	}
	return json.Marshal(s)
}

// termsOf returns a passage's distinct terms, and its length in terms.
func termsOf(a *rag.Analyzer, doc rag.Document, c rag.Chunk) (terms []string, length int) {
	seen := map[string]bool{}
	length = rank.Analyse(a, doc, c, func(term []byte) {
		if h := hash(string(term)); !seen[h] {
			seen[h] = true
			terms = append(terms, h)
		}
	})
	return terms, length
}

// got is the response to a GET of a document.
type got struct {
	Found   bool   `json:"found"`
	SeqNo   int64  `json:"_seq_no"`
	Primary int64  `json:"_primary_term"`
	Source  stored `json:"_source"`
}

// get reads the last written version of a document, refreshed or not; fields restricts it, patient is that of a
// request. A missing or unreadable one is [rag.ErrNotFound].
func (x *Index) get(ctx context.Context, scopes []string, id, fields string, patient bool) (got, error) {
	var g got
	if id == "" || id == "." || id == ".." || len(id) > 512 { // OpenSearch has no such names
		return g, rag.ErrNotFound
	}
	query := url.Values{}
	if fields != "" {
		query.Set("_source_includes", "scope,record,"+fields)
	}
	err := x.do(ctx, request{method: http.MethodGet, path: []string{"_doc", id}, query: query, patient: patient}, &g)
	var refused *Refused
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return g, rag.ErrNotFound
	}
	if err != nil {
		return g, fmt.Errorf("rag/opensearch: read document %s: %w", id, err)
	}
	for _, s := range scopes {
		if g.Found && s == g.Source.Scope {
			return g, nil
		}
	}
	return got{}, rag.ErrNotFound
}

// Delete removes a document and reports whether it existed. It retries after a concurrent write.
func (x *Index) Delete(ctx context.Context, scope, id string) (bool, error) {
	if err := x.usable(ctx); err != nil {
		return false, err
	}
	for range tries {
		g, err := x.get(ctx, []string{scope}, id, "id", true)
		if errors.Is(err, rag.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		query := url.Values{"if_seq_no": {strconv.FormatInt(g.SeqNo, 10)}, "if_primary_term": {strconv.FormatInt(g.Primary, 10)}}
		err = x.write(ctx, request{method: http.MethodDelete, path: []string{"_doc", id}, query: query})
		var refused *Refused
		if errors.As(err, &refused) && (refused.Status == http.StatusConflict || refused.Status == http.StatusNotFound) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("rag/opensearch: delete %s: %w", id, err)
		}
		return true, nil
	}
	return false, fmt.Errorf("rag/opensearch: delete %s: others keep writing it; try again", id)
}
