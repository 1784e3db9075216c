package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"
)

const (
	lessonsKept  = 16 // questions after which what was learned about the model is stored
	closeTimeout = 3 * time.Second
)

// learnedID returns the OpenSearch document of what was learned about the vectors of a model. It has no scope, so that no
// question, list or count of documents finds it, and holds the lessons in the field record.
func (v *vectors) learnedID() string { return "learned-" + v.model }

// recall reads what was learned before, by any replica. What is missing or damaged is learned again.
func (x *Index) recall(ctx context.Context) {
	if !x.embeds() {
		return
	}
	var g got
	err := x.do(ctx, request{method: http.MethodGet, path: []string{"_doc", x.vectors.learnedID()}}, &g)
	var refused *Refused
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return
	}
	if err == nil {
		err = json.Unmarshal([]byte(g.Source.Record), &x.blend)
	}
	if err != nil {
		x.cfg.Log.WarnContext(ctx, "index: the state learned from questions is unreadable, learning it again", "err", err)
		return
	}
	x.lessons.Store(int64(x.blend.Lessons()))
}

// keepLearned stores what was learned once it is more than a number of lessons newer than what is stored. The last of
// the replicas wins: they learn from different questions to the same model.
func (x *Index) keepLearned(ctx context.Context, beyond int64) {
	n, last := int64(x.blend.Lessons()), x.lessons.Load()
	if n-last < beyond && n >= last || !x.lessons.CompareAndSwap(last, n) {
		return
	}
	record, err := json.Marshal(&x.blend)
	if err == nil {
		var body []byte
		if body, err = json.Marshal(object{"id": x.vectors.learnedID(), "record": string(record)}); err == nil {
			err = x.do(ctx, request{method: http.MethodPut, path: []string{"_doc", x.vectors.learnedID()}, query: url.Values{}, body: body}, nil)
		}
	}
	if err != nil {
		x.cfg.Log.WarnContext(ctx, "index: store the learned state of the vectors", "err", err)
	}
}
