package local

import (
	"cmp"
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"time"

	"maru/rag"
)

const (
	embedBatch   = 64
	embedTimeout = 2 * time.Minute // of one batch, in the background
	queryTimeout = 5 * time.Second // of one question; then keywords answer alone
	retryFirst   = 2 * time.Second
	retryLast    = 5 * time.Minute
)

// vec is a unit vector in bytes: value i is scale*q[i].
type vec struct {
	scale float32
	q     []int8
}

func quantise(v []float32) *vec {
	var norm, top float64
	for _, x := range v {
		norm += float64(x) * float64(x)
		top = max(top, math.Abs(float64(x)))
	}
	if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil
	}
	out := &vec{scale: float32(top / 127 / math.Sqrt(norm)), q: make([]int8, len(v))}
	for i, x := range v {
		out.q[i] = int8(math.Round(float64(x) / top * 127))
	}
	return out
}

func (v *vec) dot(w *vec) float64 {
	a, b := v.q, w.q
	if len(a) != len(b) {
		return 0
	}
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += int32(x[0]) * int32(y[0])
		s1 += int32(x[1]) * int32(y[1])
		s2 += int32(x[2]) * int32(y[2])
		s3 += int32(x[3]) * int32(y[3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return float64(s0+s1+s2+s3) * float64(v.scale) * float64(w.scale)
}

type vecKey [16]byte

func keyOf(text string) vecKey {
	sum := sha256.Sum256([]byte(text))
	return vecKey(sum[:16])
}

// attach gives the passages of a segment the vectors that are known already.
func (x *Index) attach(seg *segment) {
	if x.vecs == nil {
		return
	}
	seg.vecs = x.vecs.slots(seg.chunks)
	x.eachChunk(seg, func(c int, text string) bool {
		if v := x.vecs.get(keyOf(text)); v != nil {
			seg.vecs[c].Store(v)
		}
		return true
	})
}

// eachChunk gives the searched text of each passage until f says stop. A
// damaged record is skipped: searching it reports the fault.
func (x *Index) eachChunk(seg *segment, f func(c int, text string) bool) {
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
			if !f(c, indexed(doc, chunk)) {
				return
			}
		}
	}
}

// embedLoop gives vectors to passages that have none, until ctx ends. A model
// that is away is asked again, less and less often; a new document asks at once.
func (x *Index) embedLoop(ctx context.Context) {
	wait := retryFirst
	for {
		err := x.embedMissing(ctx)
		if ctx.Err() != nil {
			return
		}
		var retry <-chan time.Time // never, unless the model failed
		stop := func() bool { return false }
		if err != nil {
			x.log.Warn("index_embedding_failed", "err", err, "retry_in", wait.String())
			t := time.NewTimer(wait)
			retry, stop, wait = t.C, t.Stop, min(2*wait, retryLast)
		} else {
			wait = retryFirst
		}
		select {
		case <-ctx.Done():
		case <-retry:
		case <-x.wakeVec:
		}
		stop()
	}
}

// embedMissing embeds, batch by batch, what has no vector.
func (x *Index) embedMissing(ctx context.Context) error {
	for _, v := range x.snap.Load().views {
		var slots []int
		var texts []string
		var err error
		flush := func() bool {
			if len(texts) > 0 {
				err = x.embedBatch(ctx, v.seg, slots, texts)
				slots, texts = nil, nil
			}
			return err == nil
		}
		x.eachChunk(v.seg, func(c int, text string) bool {
			if v.seg.vecs[c].Load() != nil || bit(v.deadChunks, c) {
				return true
			}
			if known := x.vecs.get(keyOf(text)); known != nil {
				v.seg.vecs[c].Store(known)
				return true
			}
			slots, texts = append(slots, c), append(texts, text)
			return len(texts) < embedBatch || flush()
		})
		if err == nil {
			flush()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) embedBatch(ctx context.Context, seg *segment, slots []int, texts []string) error {
	ctx, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	out, err := x.cfg.Embed(ctx, texts)
	if err != nil {
		return err
	}
	if len(out) != len(texts) {
		return errVectorCount
	}
	for i, raw := range out {
		v := quantise(raw)
		if v == nil {
			continue
		}
		if err := x.vecs.add(keyOf(texts[i]), v); err != nil {
			return err
		}
		seg.vecs[slots[i]].Store(v)
	}
	return x.vecs.sync()
}

// similar is a passage with its cosine to the question.
type similar struct {
	area   int
	chunk  uint32
	cosine float64
}

// nearest scans every vector that the query may read. It returns the best and
// the mean, the deviation and the number of all, by which [rag.VectorGate] judges.
func nearest(areas []area, q *vec, want int) (best []similar, mean, deviation float64, n int) {
	var sum, squares float64
	for i, a := range areas {
		seg := a.v.seg
		if seg.vecs == nil {
			continue
		}
		for _, sp := range a.scored {
			for c := sp.from; c < sp.to; c++ {
				v := seg.vecs[c].Load()
				if v == nil || bit(a.hidden, int(c)) {
					continue
				}
				cos := v.dot(q)
				n++
				sum += cos
				squares += cos * cos
				if len(best) < want || cos > best[len(best)-1].cosine {
					best = insert(best, similar{i, c, cos}, want)
				}
			}
		}
	}
	if n == 0 {
		return nil, 0, 0, 0
	}
	mean = sum / float64(n)
	return best, mean, math.Sqrt(max(0, squares/float64(n)-mean*mean)), n
}

func insert(best []similar, s similar, want int) []similar {
	at, _ := slices.BinarySearchFunc(best, s, func(a, b similar) int { return cmp.Compare(b.cosine, a.cosine) })
	best = slices.Insert(best, at, s)
	return best[:min(len(best), want)]
}

// fuse lets vectors speak, where there are any. When the model does not answer
// in time the keywords answer alone.
func (x *Index) fuse(ctx context.Context, s *scorer, e evidence, q rag.Query, list []found) []found {
	if x.vecs == nil {
		return list
	}
	asked, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	out, err := x.cfg.Embed(asked, []string{q.Text})
	if err != nil || len(out) != 1 {
		x.log.Warn("index_query_not_embedded", "err", err)
		return list
	}
	qv := quantise(out[0])
	if qv == nil {
		return list
	}
	best, mean, deviation, n := nearest(s.areas, qv, s.want)
	keys := map[candidate]int{}
	var lexical, vectors []int
	for i, f := range list {
		keys[candidate{area: f.area, chunk: f.chunk}] = i
		lexical = append(lexical, i)
	}
	gates := map[int]float64{}
	for _, b := range best {
		gate := rag.VectorGate(b.cosine, mean, deviation, n)
		if gate == 0 {
			break
		}
		at := candidate{area: b.area, chunk: b.chunk}
		k, ok := keys[at]
		if !ok {
			k = len(list)
			list = append(list, e.judge(at))
		}
		gates[k], vectors = gate, append(vectors, k)
	}
	order := rag.Fuse(lexical, func(k int) float64 { return list[k].confidence }, vectors, func(k int) float64 { return gates[k] })
	fused := make([]found, len(order))
	for i, k := range order {
		fused[i] = list[k]
		fused[i].confidence = 1 - (1-list[k].confidence)*(1-gates[k])
	}
	return fused
}
