package longterm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// rule defines one kind of memory. L is its lesson, T its folded value.
type rule[L, T any] struct {
	kind  Kind
	clean func(L) (L, error)               // validates a lesson for storage
	key   func(l L, session string) string // lessons with the same key form one record
	fold  func([]told[L]) (T, sum)
}

// told is a lesson with its time.
type told[L any] struct {
	Lesson  L
	Session string
	At      time.Time
}

// sum holds the fields common to every fold.
type sum struct {
	text    string  // text to find the record by
	raw     float64 // confidence before weighting by samples
	samples int
}

// Hit is a search result.
type Hit[T any] struct {
	Record     Record
	Data       T
	Relevance  float64 // to the query, 0..1
	Confidence float64
	Score      float64 // the order of hits: relevance, confidence and recency
}

// manager is the shared implementation of the typed managers.
type manager[L, T any] struct {
	m    *Memory
	rule rule[L, T]
}

// Search returns the records relevant to query, best first: at most limit hits, 5 if limit is 0. Irrelevant records
// are omitted.
func (g manager[L, T]) Search(ctx context.Context, o Owner, query string, limit int) ([]Hit[T], error) {
	limit = cmp.Or(max(limit, 0), 5)
	found, err := g.m.search(ctx, o, []Kind{g.rule.kind}, query)
	if err != nil {
		return nil, err
	}
	return decodeHits[T](found[:min(len(found), limit)])
}

// All returns everything of this kind that may be used here, newest first.
func (g manager[L, T]) All(ctx context.Context, o Owner) ([]Hit[T], error) {
	found, err := g.m.all(ctx, o, []Kind{g.rule.kind})
	if err != nil {
		return nil, err
	}
	return decodeHits[T](found)
}

// Consolidate stores a session's lesson: it joins the record with the same key, and is idempotent per session. The
// error of an invalid lesson is ErrLesson.
func (g manager[L, T]) Consolidate(ctx context.Context, o Owner, session string, at time.Time, l L) error {
	_, err := g.consolidate(ctx, o, session, at, l)
	return err
}

func (g manager[L, T]) consolidate(ctx context.Context, o Owner, session string, at time.Time, l L) (added bool, err error) {
	if o.absent() {
		return false, nil
	}
	l, err = g.rule.clean(l)
	if err != nil {
		return false, fmt.Errorf("%w: %s: %w", ErrLesson, g.rule.kind, err)
	}
	data, err := json.Marshal(l)
	if err != nil {
		return false, fmt.Errorf("%w: %s: %w", ErrLesson, g.rule.kind, err)
	}
	r := recordOf(o, g.rule.kind, g.rule.key(l, session))
	note := Note{Session: session, At: at.UTC().Truncate(time.Microsecond), Message: o.Message, Data: data}
	vector, err := g.vector(ctx, r, note)
	if err != nil {
		return false, err
	}
	added, err = g.m.store.Learn(ctx, r, note, func(r Record, notes []Note) (Record, error) {
		r, err := g.fold(r, notes)
		if err == nil && vector != nil {
			r.Vector = vector
		}
		return r, err
	})
	if err != nil {
		return false, fmt.Errorf("learn %s: %w", g.rule.kind, err)
	}
	return added, nil
}

// Lesson packs l for agent.Result.Lessons.
func (g manager[L, T]) Lesson(l L) (Lesson, error) {
	data, err := json.Marshal(l)
	if err != nil {
		return Lesson{}, fmt.Errorf("longterm: encode %s: %w", g.rule.kind, err)
	}
	return Lesson{Kind: string(g.rule.kind), Data: data}, nil
}

// vector embeds the record's text outside of the store's transaction. It uses the newest note's text, since the text
// of a record hardly changes.
func (g manager[L, T]) vector(ctx context.Context, r Record, n Note) ([]float32, error) {
	if g.m.embed == nil {
		return nil, nil
	}
	r, err := g.fold(r, []Note{n})
	if err != nil || r.Text == "" {
		return nil, err
	}
	v, err := g.m.embed(ctx, []string{r.Text}, false)
	if err != nil {
		return nil, fmt.Errorf("embed %s: %w", g.rule.kind, err)
	}
	if len(v) != 1 {
		return nil, fmt.Errorf("embed %s: got %d vectors for one text", g.rule.kind, len(v))
	}
	return v[0], nil
}

// learn is Consolidate for a lesson in JSON.
func (g manager[L, T]) learn(ctx context.Context, o Owner, session string, at time.Time, data json.RawMessage) (bool, error) {
	var l L
	if err := strict(data, &l); err != nil {
		return false, fmt.Errorf("%w: %s: %w", ErrLesson, g.rule.kind, err)
	}
	return g.consolidate(ctx, o, session, at, l)
}

// fold computes a record from its notes.
func (g manager[L, T]) fold(r Record, notes []Note) (Record, error) {
	lessons := make([]told[L], 0, len(notes))
	for _, n := range notes {
		var l L
		if err := json.Unmarshal(n.Data, &l); err != nil { // notes of older programs may lack fields
			return r, fmt.Errorf("longterm: note of %s: %w", g.rule.kind, err)
		}
		lessons = append(lessons, told[L]{l, n.Session, n.At})
	}
	data, s := g.rule.fold(lessons)
	raw, err := json.Marshal(data)
	if err != nil {
		return r, fmt.Errorf("longterm: record of %s: %w", g.rule.kind, err)
	}
	r.Data, r.Text, r.Raw, r.Samples = raw, s.text, unit(s.raw), s.samples
	r.Terms = terms(s.text)
	return r, nil
}

func decodeHits[T any](found []match) ([]Hit[T], error) {
	hits := make([]Hit[T], 0, len(found))
	for _, f := range found {
		h := Hit[T]{Record: f.record, Relevance: f.relevance, Confidence: f.record.Confidence(), Score: f.score}
		if err := json.Unmarshal(f.record.Data, &h.Data); err != nil {
			return nil, fmt.Errorf("longterm: record %s: %w", f.record.ID, err)
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// strict decodes a single JSON value without unknown fields.
func strict(data json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
