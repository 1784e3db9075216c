package opensearch

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

//go:embed mapping.json
var mapping []byte

// newFields are the fields of mapping.json missing from older indexes.
const newFields = `{"properties": {"analyser": {"type": "integer"}}}`

// writeSuffix makes the alias under which documents are written.
const writeSuffix = "-write"

// layout is how the index in the cluster is made.
type layout struct {
	write   string // the name that documents are written under
	alias   bool   // it is an alias: a write to a deleted index fails, instead of making one with guessed fields
	words   bool   // Korean is analysed by nori
	vectors bool   // vectors can be stored
}

// errForeign reports an index of another program.
var errForeign = errors.New("another index has this name, without the fields of documents; set MARU_INDEX_NAME to a free name")

// lacks returns what the index does without, each with its remedy.
func (l layout) lacks() (list []string) {
	const again = " on every node, delete the index and add the documents again"
	if !l.vectors {
		list = append(list, "it keeps no vectors, because the plugin opensearch-knn was missing when it was made; run bin/opensearch-plugin install opensearch-knn"+again)
	}
	if !l.words {
		list = append(list, "Korean is split by the standard analysis, because the plugin analysis-nori was missing when it was made; run bin/opensearch-plugin install analysis-nori"+again)
	}
	return list
}

// Lacks returns what the index does without, each with its remedy.
func (x *Index) Lacks() []string { return x.layout.Load().lacks() }

// make reads the layout of the index, and creates it if it is missing. It needs no right to create one that is there.
func (x *Index) make(ctx context.Context) error {
	x.making.Lock()
	defer x.making.Unlock()
	l, err := x.look(ctx)
	if is(err, "index_not_found_exception") {
		if err := x.create(ctx); err != nil {
			return err
		}
		l, err = x.look(ctx)
	}
	if err != nil {
		return err
	}
	for _, what := range l.lacks() {
		x.cfg.Log.WarnContext(ctx, "index: "+what, "index", x.cfg.Name)
	}
	x.layout.Store(&l)
	if x.vectors != nil {
		x.vectors.size.Store(0) // their field is made again
	}
	return nil
}

// create makes the index with what the cluster has: vectors with k-NN, Korean words with nori.
func (x *Index) create(ctx context.Context) error {
	body := object{}
	if err := json.Unmarshal(mapping, &body); err != nil {
		return err
	}
	body["aliases"] = object{x.cfg.Name + writeSuffix: object{}}
	settings, _ := body["settings"].(object)
	// The cluster names one missing plugin at a time.
	without := map[string]func(){
		"index.knn": func() {
			index, _ := settings["index"].(object)
			delete(index, "knn")
		},
		"nori": func() {
			settings["analysis"] = object{"analyzer": object{"maru": object{"type": "custom", "tokenizer": "standard", "filter": []string{"lowercase"}}}}
		},
	}
	for {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		err = x.client.do(ctx, request{method: http.MethodPut, path: []string{x.cfg.Name}, body: raw}, nil)
		if is(err, "resource_already_exists_exception") { // by another replica
			return nil
		}
		var refused *Refused
		if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			return err
		}
		found := false
		for what, drop := range without {
			if strings.Contains(refused.Reason, what) {
				found = true
				drop()
				delete(without, what)
			}
		}
		if !found {
			return err
		}
	}
}

// described is an index as the cluster describes it.
type described struct {
	Aliases  map[string]json.RawMessage `json:"aliases"`
	Mappings struct {
		Properties map[string]property `json:"properties"`
	} `json:"mappings"`
	Settings struct {
		Index struct {
			KNN      string `json:"knn"` // "true"
			Analysis struct {
				Analyzer map[string]struct {
					Tokenizer string `json:"tokenizer"`
				} `json:"analyzer"`
			} `json:"analysis"`
		} `json:"index"`
	} `json:"settings"`
}

type property struct {
	Type       string              `json:"type"`
	Properties map[string]property `json:"properties"`
}

// isOurs reports whether the index has the fields of documents.
func (d described) isOurs() bool {
	p := d.Mappings.Properties
	in := p["passages"]
	return p["id"].Type == "keyword" && p["scope"].Type == "keyword" && p["record"].Type == "keyword" &&
		in.Type == "nested" && in.Properties["terms"].Type == "keyword" && in.Properties["text"].Type == "text"
}

// look reads the layout of the index that is there, and brings an older one up to date. An alias of one index will do.
func (x *Index) look(ctx context.Context) (layout, error) {
	found := map[string]described{}
	err := x.client.do(ctx, request{method: http.MethodGet, path: []string{x.cfg.Name}}, &found)
	if forbids(err) { // a user who may read and write documents alone: a question tells whether they are ours
		const ask = `{"size": 0, "query": {"nested": {"path": "passages", "score_mode": "max", "query": {"match_all": {}}}}}`
		err = x.client.do(ctx, request{method: http.MethodPost, path: []string{x.cfg.Name, "_search"}, body: []byte(ask)}, nil)
		return layout{write: x.cfg.Name, words: true, vectors: true}, err
	}
	if err != nil {
		return layout{}, err
	}
	if len(found) != 1 {
		return layout{}, fmt.Errorf("it is an alias of %d indexes, and wants one", len(found))
	}
	for name, d := range found {
		if !d.isOurs() {
			return layout{}, errForeign
		}
		if _, ok := d.Mappings.Properties["analyser"]; !ok {
			if err := x.client.do(ctx, request{method: http.MethodPut, path: []string{name, "_mapping"}, body: []byte(newFields)}, nil); err != nil {
				return layout{}, err
			}
		}
		index := d.Settings.Index
		l := layout{write: x.cfg.Name, alias: name != x.cfg.Name, vectors: index.KNN == "true", words: index.Analysis.Analyzer["maru"].Tokenizer == "nori_tokenizer"}
		if !l.alias {
			l.write, l.alias = x.writeAlias(ctx, name, d)
		}
		return l, nil
	}
	return layout{}, nil
}

// writeAlias returns the alias to write under, made for an older index; the index itself where this user may make none.
func (x *Index) writeAlias(ctx context.Context, name string, d described) (write string, alias bool) {
	write = name + writeSuffix
	if _, ok := d.Aliases[write]; ok {
		return write, true
	}
	if err := x.client.do(ctx, request{method: http.MethodPut, path: []string{name, "_alias", write}}, nil); err != nil {
		x.cfg.Log.InfoContext(ctx, "index: written without an alias", "index", name, "err", err)
		return name, false
	}
	return write, true
}

// do sends a request about the index. An index that was deleted meanwhile is made again first.
func (x *Index) do(ctx context.Context, r request, out any) error {
	err := x.sendTo(ctx, r, out)
	if !is(err, "index_not_found_exception") {
		return err
	}
	x.cfg.Log.WarnContext(ctx, "index: it is gone, and made again; add the documents again", "index", x.cfg.Name)
	if err := x.make(ctx); err != nil {
		return fmt.Errorf("make the index %s again: %w", x.cfg.Name, err)
	}
	return x.sendTo(ctx, r, out)
}

// sendTo sends a request with a path within the index.
func (x *Index) sendTo(ctx context.Context, r request, out any) error {
	name := x.cfg.Name
	if l := x.layout.Load(); r.method != http.MethodGet && r.path[0] == "_doc" {
		name = l.write
		if r.method == http.MethodPut && l.alias { // each has a query
			r.query.Set("require_alias", "true")
		}
	}
	r.path = append([]string{name}, r.path...)
	return x.client.do(ctx, r, out)
}
