package opensearch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"maru/rag"
)

// batch is the number of documents per background lookup.
const batch = 20

// renew re-analyses documents of older analyser versions, because terms of another version lose recall. A document
// stays searchable until then. Versions only grow, so that two program versions during an update never undo each
// other; later writes of the older one are found in the next round.
func (x *Index) renew(ctx context.Context) error {
	old := object{"bool": object{"must_not": []object{{"range": object{"analyser": object{"gte": analyser}}}}}}
	n := 0
	var damaged error // the first error: it does not stop the rest
	err := x.each(ctx, old, func(id string, last bool) error {
		err := x.change(ctx, id, last, analyseAgain)
		if errors.Is(err, errDamaged) {
			damaged = cmp.Or(damaged, fmt.Errorf("analyse document %s again: %w", id, err))
			return nil
		}
		n++
		return err
	})
	if n > 0 && err == nil {
		x.cfg.Log.InfoContext(ctx, "index: terms rebuilt for a new analyser", "documents", n, "analyser", analyser)
	}
	return errors.Join(err, damaged)
}

// errDamaged reports a document with an unreadable record.
var errDamaged = errors.New("the record is damaged")

// analyseAgain replaces the terms in the source of a document; vectors stay.
func analyseAgain(_ context.Context, source object) error {
	record, _ := source["record"].(string)
	var doc rag.Document
	if err := json.Unmarshal([]byte(record), &doc); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	var a rag.Analyzer
	passages, _ := source["passages"].([]any)
	for i, p := range passages {
		o, _ := p.(object)
		record, _ := o["record"].(string)
		text, _ := o["text"].(string)
		c, err := passage(record, text)
		if err != nil {
			return fmt.Errorf("%w: of passage %d: %w", errDamaged, i, err)
		}
		if o["record"], o["text"], err = keep(doc, c); err != nil {
			return err
		}
		o["terms"], o["length"] = termsOf(&a, doc, c)
	}
	source["analyser"] = analyser
	return nil
}

// each calls do for every document of a query, batch by batch, and marks the last of each batch.
func (x *Index) each(ctx context.Context, query object, do func(id string, last bool) error) error {
	var after []json.RawMessage
	for {
		body := object{"size": batch, "_source": []string{"id"}, "sort": newestFirst, "query": object{"bool": object{"filter": []object{isDocument, query}}}}
		if after != nil {
			body["search_after"] = after
		}
		a, err := x.search(ctx, body)
		if err != nil || len(a.Hits.Hits) == 0 {
			return err
		}
		for i, h := range a.Hits.Hits {
			if err := do(h.Source.ID, i == len(a.Hits.Hits)-1); err != nil {
				return err
			}
			after = h.Sort
		}
	}
}

// change writes a document's source as modified by edit; after a concurrent write the next round finds it again. With
// seen it asks for a refresh: once per batch, else the next round would repeat it.
func (x *Index) change(ctx context.Context, id string, seen bool, edit func(context.Context, object) error) error {
	var g struct {
		got

		Source object `json:"_source"`
	}
	err := x.do(ctx, request{method: http.MethodGet, path: []string{"_doc", id}}, &g)
	var refused *Refused
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil
	}
	if err == nil {
		err = edit(ctx, g.Source)
	}
	if err != nil {
		return err
	}
	body, err := json.Marshal(g.Source)
	if err != nil {
		return err
	}
	query := url.Values{"if_seq_no": {strconv.FormatInt(g.SeqNo, 10)}, "if_primary_term": {strconv.FormatInt(g.Primary, 10)}}
	if seen {
		query.Set("refresh", "true")
	}
	err = x.do(ctx, request{method: http.MethodPut, path: []string{"_doc", id}, query: query, body: body}, nil)
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return nil
	}
	return err
}
