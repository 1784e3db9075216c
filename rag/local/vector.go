package local

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"maru/rag"
	"maru/rag/rank"
	"maru/rag/vec"
)

const (
	embedBatch   = 16
	embedTimeout = 2 * time.Minute // per batch, in the background
	queryTimeout = 5 * time.Second // per question; then only keywords count
	lessonsKept  = 16              // questions between saves of the learned state
)

// attach assigns known vectors to a segment's passages and returns the key of each text.
func (x *Index) attach(seg *segment) (keys []textKey) {
	if x.vecs == nil {
		return nil
	}
	seg.vecs, keys = make(slots, seg.chunks), make([]textKey, seg.chunks)
	old := x.old.Load()
	var before slots
	if old != nil {
		before = make(slots, seg.chunks)
	}
	x.eachChunk(seg, func(c int, _, text string) bool {
		k := keyOf(text)
		keys[c] = k
		if v := x.vecs.get(k); v != nil {
			seg.vecs[c].Store(v)
		}
		if old == nil {
			return true
		}
		if v := old.get(k); v != nil {
			before[c].Store(v)
		}
		return true
	})
	if old != nil {
		seg.oldVecs.Store(&before)
	}
	return keys
}

// eachChunk calls f with the scope and searched text of each passage until it returns false. Damaged records are
// skipped: a search reports them.
func (x *Index) eachChunk(seg *segment, f func(c int, scope, text string) bool) {
	for d := range seg.docs {
		doc, err := seg.document(d)
		if err != nil {
			continue
		}
		for c := seg.chunkStart(d); c < seg.chunkStart(d+1); c++ {
			chunk, err := seg.chunk(c, doc.ID)
			if err != nil {
				continue
			}
			if !f(c, doc.Scope, rank.Text(doc, chunk)) {
				return
			}
		}
	}
}

// EmbedNow embeds every passage before it returns, for evaluations of hybrid search. Without an embedder it does
// nothing; the error is the model's.
func (x *Index) EmbedNow(ctx context.Context) error {
	if err := x.usable(ctx); err != nil || x.cfg.Embed == nil {
		return err
	}
	return x.embedMissing(ctx)
}

// Embedded implements [vec.Covered].
func (x *Index) Embedded(ctx context.Context) (c vec.Coverage, err error) {
	if err := x.usable(ctx); err != nil {
		return c, err
	}
	c.Failed = x.outcome.Err()
	if old := x.old.Load(); old != nil {
		c.Serving = old.model
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	for _, v := range snap.views {
		for i := range v.seg.chunks {
			if bit(v.deadChunks, i) {
				continue
			}
			if c.All++; v.seg.vecs != nil && v.seg.vecs[i].Load() != nil {
				c.Have++
			}
		}
	}
	return c, nil
}

// embedMissing embeds, batch by batch, the passages without a vector of the configured model. When none is missing,
// that model starts to serve.
func (x *Index) embedMissing(ctx context.Context) error {
	x.embedding.Lock()
	defer x.embedding.Unlock()
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	for _, v := range snap.views {
		if err := x.embedSegment(ctx, v); err != nil {
			return err
		}
	}
	return x.takeOver()
}

// missing are passages of one segment without vectors.
type missing struct {
	at            []int
	scopes, texts []string
}

// embedSegment embeds the missing vectors of a segment.
func (x *Index) embedSegment(ctx context.Context, v *view) error {
	var m missing
	var err error
	flush := func() bool {
		if m = x.undeleted(v, m); len(m.texts) > 0 {
			err = x.embedBatch(ctx, v.seg, m)
		}
		m = missing{}
		return err == nil
	}
	x.eachChunk(v.seg, func(c int, scope, text string) bool {
		if v.seg.vecs[c].Load() != nil || bit(v.deadChunks, c) {
			return true
		}
		if known := x.vecs.get(keyOf(text)); known != nil {
			v.seg.vecs[c].Store(known)
			return true
		}
		m.at, m.scopes, m.texts = append(m.at, c), append(m.scopes, scope), append(m.texts, text)
		return len(m.texts) < embedBatch || flush()
	})
	if err == nil {
		flush()
	}
	return err
}

// undeleted drops passages deleted or replaced since the view was published: embedding an index takes hours, and
// deleted text must not reach a model. A merge may have moved the rest meanwhile.
func (x *Index) undeleted(v *view, m missing) (left missing) {
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	for i, c := range m.at {
		d := v.seg.docOf(c)
		now, at, lives := snap.find(m.scopes[i:i+1], v.seg.docID(d))
		if !lives || !bytes.Equal(now.seg.docRecord(at), v.seg.docRecord(d)) {
			continue
		}
		left.at, left.scopes, left.texts = append(left.at, c), append(left.scopes, m.scopes[i]), append(left.texts, m.texts[i])
	}
	return left
}

func (x *Index) embedBatch(ctx context.Context, seg *segment, m missing) error {
	ctx, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	out, err := x.cfg.Embed(ctx, m.texts, m.scopes)
	if err != nil {
		return err
	}
	if len(out) != len(m.texts) {
		return errVectorCount
	}
	list := make([]keyed, len(out))
	for i, raw := range out {
		v := vec.Quantise(raw)
		if v == nil {
			v = &vec.Vector{} // no direction; not embedded again
		}
		list[i] = keyed{keyOf(m.texts[i]), v}
	}
	if err := x.vecs.add(list); err != nil {
		return err
	}
	for i, k := range list {
		seg.vecs[m.at[i]].Store(k.vec)
	}
	return nil
}

// similar is a passage with its cosine to the question.
type similar struct {
	area   int
	chunk  uint32
	cosine float64
}

// nearest scans every vector of the scopes. It returns the best that pass the query's filter, and the mean, deviation
// and number of all: a filter must not change a cosine's meaning.
func nearest(areas []area, of func(*segment) slots, q *vec.Vector, want int) (best []similar, all rag.Cosines) {
	var sum, squares float64
	n := 0
	for i, a := range areas {
		vectors := of(a.v.seg)
		if vectors == nil {
			continue
		}
		scored := a.scored
		for _, sp := range a.scopes {
			for c := sp.from; c < sp.to; c++ {
				v := vectors[c].Load()
				if v == nil || len(v.Q) == 0 || bit(a.v.deadChunks, int(c)) {
					continue
				}
				cos := v.Dot(q)
				n++
				sum += cos
				squares += cos * cos
				if len(best) == want && cos <= best[want-1].cosine {
					continue
				}
				for len(scored) > 0 && scored[0].to <= c {
					scored = scored[1:]
				}
				if len(scored) > 0 && scored[0].from <= c && !bit(a.hidden, int(c)) {
					best = insert(best, similar{i, c, cos}, want)
				}
			}
		}
	}
	if n == 0 {
		return nil, rag.Cosines{}
	}
	mean := sum / float64(n)
	return best, rag.Cosines{Mean: mean, Deviation: math.Sqrt(max(0, squares/float64(n)-mean*mean)), N: n}
}

func insert(best []similar, s similar, want int) []similar {
	at, _ := slices.BinarySearchFunc(best, s, func(a, b similar) int { return cmp.Compare(b.cosine, a.cosine) })
	best = slices.Insert(best, at, s)
	return best[:min(len(best), want)]
}

// question embeds the question for the serving vectors and returns their store. If the previous model fails, the new
// one's vectors serve as far as they exist; if that times out too, the result is nil and the keywords answer alone.
func (x *Index) question(ctx context.Context, q rag.Query) (*vec.Vector, *vecStore, func(*segment) slots) {
	ctx, cancel := q.Waiting(ctx, 2*queryTimeout)
	defer cancel()
	if old := x.old.Load(); old != nil {
		if v := x.embedQuestion(ctx, old, q); v != nil {
			return v, old, func(s *segment) slots {
				if before := s.oldVecs.Load(); before != nil {
					return *before
				}
				return nil
			}
		}
	}
	return x.embedQuestion(ctx, x.vecs, q), x.vecs, func(s *segment) slots { return s.vecs }
}

func (x *Index) embedQuestion(ctx context.Context, by *vecStore, q rag.Query) *vec.Vector {
	ctx, cancel := q.Waiting(ctx, queryTimeout)
	defer cancel()
	out, err := by.embed(ctx, []string{q.Text}, nil)
	if err == nil && len(out) != 1 {
		err = errVectorCount
	}
	if err == nil {
		err = by.fits(len(out[0]))
	}
	if q.Hurried(err) {
		return nil
	}
	if x.outcome.Asked(err) {
		nudge(x.wakeVec)
	}
	if err != nil {
		x.log.WarnContext(ctx, "index: embed question", "model", by.model, "err", err)
		return nil
	}
	return vec.Quantise(out[0])
}

// fuse merges vector hits, if any.
func (x *Index) fuse(ctx context.Context, s *scorer, e evidence, q rag.Query, list []found) []found {
	if x.vecs == nil {
		return list
	}
	qv, by, of := x.question(ctx, q)
	if qv == nil {
		return list
	}
	best, all := nearest(s.areas, of, qv, s.want)
	at := map[candidate]int{}
	judged := make([]rag.Judged, len(list), len(list)+len(best))
	for i, f := range list {
		at[candidate{area: f.area, chunk: f.chunk}] = i
		judged[i] = rag.Judged{Score: float64(f.score), Confidence: f.confidence}
	}
	for _, b := range best {
		c := candidate{area: b.area, chunk: b.chunk}
		k, ok := at[c]
		if !ok {
			k, list = len(list), append(list, e.judge(c))
			judged = append(judged, rag.Judged{Confidence: list[k].confidence})
		}
		judged[k].Near, judged[k].Cosine = true, b.cosine
	}
	order, confidence := by.blend.Fuse(judged, all, !q.Exam)
	if err := by.saveLearned(lessonsKept); err != nil {
		x.log.WarnContext(ctx, "index: store the learned state of the vectors", "model", by.model, "err", err)
	}
	fused := make([]found, len(order))
	for i, k := range order {
		fused[i] = list[k]
		fused[i].confidence = confidence[k]
	}
	return fused
}
