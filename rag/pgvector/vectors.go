package pgvector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/rank"
	"maru/rag/vec"
)

// queryTimeout bounds embedding one question; then keywords answer alone.
const queryTimeout = 5 * time.Second

// model is a serving embedding model.
type model struct {
	id    int32
	name  string
	embed rag.Embed
	blend *rag.Blend
}

// asked is a question embedded by a model.
type asked struct {
	by model
	v  *vec.Vector
}

// embedQuestion embeds with the serving model, or with the configured one if the previous is unavailable; nil if both
// time out: then keywords answer alone.
func (x *Index) embedQuestion(ctx context.Context, q rag.Query) *asked {
	if x.cfg.Embed == nil {
		return nil
	}
	ctx, cancel := q.Waiting(ctx, 2*queryTimeout)
	defer cancel()
	own := model{x.model, x.cfg.EmbedModel, x.cfg.Embed, &x.blend}
	if serving := x.serving.Load(); serving != nil && serving.id != own.id {
		if v := x.embedBy(ctx, *serving, q); v != nil {
			return &asked{*serving, v}
		}
	}
	if v := x.embedBy(ctx, own, q); v != nil {
		return &asked{own, v}
	}
	return nil
}

func (x *Index) embedBy(ctx context.Context, m model, q rag.Query) *vec.Vector {
	ctx, cancel := q.Waiting(ctx, queryTimeout)
	defer cancel()
	out, err := m.embed(ctx, []string{q.Text}, nil)
	if err == nil && len(out) != 1 {
		err = errVectorCount
	}
	if q.Hurried(err) {
		return nil
	}
	if x.outcome.Asked(err) {
		x.nudge()
	}
	if err != nil {
		x.log.WarnContext(ctx, "index: embed question", "model", m.name, "err", err)
		return nil
	}
	return vec.Quantise(out[0])
}

// compare finds the nearest vectors, exactly or by HNSW.
func (x *Index) compare(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked, passages int) (field, error) {
	size, indexed, err := x.state(ctx, tx, a.by.id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return field{}, nil // no vectors yet, or another replica's model has taken over
	case err == nil && size != len(a.v.Q):
		x.outcome.Asked(fmt.Errorf("%w: %d, were %d", errVectorSize, len(a.v.Q), size))
		return field{}, nil
	case err != nil:
		return field{}, err
	case !x.Extension():
		return x.scan(ctx, tx, question, a)
	case passages <= x.cfg.ExactUpTo || !indexed || !x.indexable(size):
		return x.exact(ctx, tx, question, a)
	default:
		return x.approximate(ctx, tx, question, a, passages)
	}
}

// field is the cosine distribution of a question over all vectors of the scopes, regardless of filters, and the
// nearest that pass them.
type field struct {
	rag.Cosines

	best []point
}

type point struct {
	number int64
	cosine float64
}

// exact compares every vector of the scopes in the database.
func (x *Index) exact(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked) (field, error) {
	where, args := demands(question.Query, []any{literal(a.v), a.by.id, question.Query.Scopes, question.Want()})
	rows, err := tx.Query(ctx, x.in(`WITH near AS MATERIALIZED (
			SELECT p.number, p.document, 1 - (v.point OPERATOR({v}.<=>) $1::{v}.vector) AS cosine
			FROM {s}.rag_index_passages p JOIN {s}.rag_index_points v ON v.model = $2 AND v.key = p.key WHERE p.scope = ANY($3)),
		field AS (SELECT count(*) AS n, avg(cosine) AS mean, stddev_pop(cosine) AS deviation FROM near)
		SELECT p.number, p.cosine, f.n, f.mean, f.deviation FROM near p, field f WHERE true`+where+` ORDER BY p.cosine DESC, p.number LIMIT $4`), args...)
	if err != nil {
		return field{}, err
	}
	var f field
	var p point
	_, err = pgx.ForEachRow(rows, []any{&p.number, &p.cosine, &f.N, &f.Mean, &f.Deviation}, func() error {
		f.best = append(f.best, p)
		return nil
	})
	return f, err
}

// scan compares every vector of the scopes in this process.
func (x *Index) scan(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked) (field, error) {
	where, args := demands(question.Query, []any{a.by.id, question.Query.Scopes})
	rows, err := tx.Query(ctx, x.in(`SELECT p.number, v.vector, (true`+where+`) FROM {s}.rag_index_passages p
		JOIN {s}.rag_index_vectors v ON v.model = $1 AND v.key = p.key WHERE p.scope = ANY($2) AND length(v.vector) > 0`), args...)
	if err != nil {
		return field{}, err
	}
	var f field
	var sum, squares float64
	var number int64
	var raw []byte
	var passes bool
	_, err = pgx.ForEachRow(rows, []any{&number, &raw, &passes}, func() error {
		v, err := vec.Read(raw)
		if err != nil {
			return err
		}
		cosine := v.Dot(a.v)
		f.N++
		sum += cosine
		squares += cosine * cosine
		if passes {
			f.keep(point{number, cosine}, question.Want())
		}
		return nil
	})
	if err != nil || f.N == 0 {
		return f, err
	}
	f.Mean = sum / float64(f.N)
	f.Deviation = math.Sqrt(max(0, squares/float64(f.N)-f.Mean*f.Mean))
	return f, nil
}

// keep adds a point to the top k.
func (f *field) keep(p point, want int) {
	if len(f.best) == want && p.cosine <= f.best[want-1].cosine {
		return
	}
	at, _ := slices.BinarySearchFunc(f.best, p, func(a, b point) int {
		if a.cosine >= b.cosine {
			return -1
		}
		return 1
	})
	f.best = slices.Insert(f.best, at, p)
	f.best = f.best[:min(len(f.best), want)]
}

// literal formats a vector for pgvector.
func literal(v *vec.Vector) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, x := range v.Floats() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatFloat(float64(x), 'g', -1, 32))
	}
	b.WriteByte(']')
	return b.String()
}
