package pgvector

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/rank"
)

// pgvector's own limits of an HNSW index, in values of a vector and of one of half the precision.
const hnswFloats, hnswHalves = 2000, 4000

// sampled is the sample size of the cosine distribution where not all vectors are compared.
const sampled = 2000

// settled is the maximum share of new vectors per pass at which the index is built: above it a bulk load is running,
// and its end is awaited.
const settled = 10

// indexPoints builds the model's HNSW index once there are more vectors than an exact scan should compare: a bulk
// build takes a sixth of the time of single inserts. fresh is the number of vectors added in the pass before. Until
// then scans are exact. The advisory lock prevents duplicate builds; if its holder exits, the next program builds.
func (x *Index) indexPoints(ctx context.Context, fresh int) error {
	if !x.Extension() {
		return nil
	}
	size, indexed, err := x.state(ctx, x.pool, x.model)
	if err != nil || indexed || size == 0 || !x.indexable(size) {
		return err
	}
	var points int
	err = x.pool.QueryRow(ctx, x.in(`SELECT count(*) FROM {s}.rag_index_points WHERE model = $1`), x.model).Scan(&points)
	if err != nil || points <= max(x.cfg.ExactUpTo, settled*fresh) {
		return err
	}
	ops := "vector_cosine_ops"
	if size > hnswFloats {
		ops = "halfvec_cosine_ops"
	}
	defer x.keepLease(ctx)()
	start := time.Now()
	err = x.tx(ctx, func(tx pgx.Tx) error {
		script := fmt.Sprintf(`SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(%[4]d);
			CREATE INDEX IF NOT EXISTS rag_index_points_hnsw_%[1]d ON {s}.rag_index_points USING hnsw ((point::%[2]s) {v}.%[3]s) WHERE model = %[1]d`,
			x.model, x.kind(size), ops, int64(indexLock))
		_, err := tx.Exec(ctx, x.in(script), pgx.QueryExecModeSimpleProtocol)
		return err
	})
	if err != nil {
		return fmt.Errorf("make the HNSW index: %w", err)
	}
	x.log.InfoContext(ctx, "index: HNSW made", "model", x.cfg.EmbedModel, "took", time.Since(start).Round(time.Millisecond))
	return nil
}

// indexLock is the advisory lock of HNSW builds.
const indexLock = schemaLock + 1

// keepLease renews the lease during long work until its result is called.
func (x *Index) keepLease(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(embedTimeout / 2)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if _, err := x.lease(ctx); err != nil && ctx.Err() == nil {
				x.log.WarnContext(ctx, "index: the lease for embedding was not extended", "err", err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// querier is the common interface of a pool and a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// approximate finds the nearest vectors where an exact scan of all is too slow. If a filter leaves few, it compares
// these; else it asks the HNSW index, and if that ends before enough results match scopes and filter, it scans all
// after all. The cosine distribution comes from a sample: keys are hashes, so those below a bound are a random one.
func (x *Index) approximate(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked, passages int) (field, error) {
	f := field{Cosines: rag.Cosines{N: passages}}
	bound := binary.BigEndian.AppendUint32(nil, uint32(min(math.MaxUint32, math.MaxUint32*float64(sampled)/float64(passages))))
	err := tx.QueryRow(ctx, x.in(`SELECT coalesce(avg(c), 0), coalesce(stddev_pop(c), 0) FROM (
			SELECT 1 - (v.point OPERATOR({v}.<=>) $1::{v}.vector) AS c FROM {s}.rag_index_passages p
			JOIN {s}.rag_index_points v ON v.model = $2 AND v.key = p.key WHERE p.scope = ANY($3) AND p.key < $4) s`),
		literal(a.v), a.by.id, question.Query.Scopes, bound).Scan(&f.Mean, &f.Deviation)
	if err != nil {
		return f, err
	}
	left := passages
	if narrows(question.Query) {
		if left, err = x.countMatching(ctx, tx, question.Query); err != nil {
			return f, err
		}
	}
	if left <= x.cfg.ExactUpTo {
		f.best, err = x.compareMatching(ctx, tx, question, a)
		return f, err
	}
	if f.best, err = x.walk(ctx, tx, question, a); err == nil && len(f.best) < question.Want() {
		f.best, err = x.compareMatching(ctx, tx, question, a)
	}
	return f, err
}

// narrows reports whether a query filters documents within its scopes.
func narrows(q rag.Query) bool { return len(q.Documents) > 0 || !q.Filter().Any() }

// countMatching counts the passages that pass a query's filter, up to one more than the exact limit.
func (x *Index) countMatching(ctx context.Context, tx pgx.Tx, q rag.Query) (n int, err error) {
	documents, args := x.documents(q, []any{x.cfg.ExactUpTo + 1})
	err = tx.QueryRow(ctx, x.in(documents+` SELECT count(*) FROM (SELECT FROM wanted w JOIN {s}.rag_index_passages p ON p.document = w.id LIMIT $1) s`), args...).Scan(&n)
	return n, err
}

// compareMatching compares the vectors of all passages that pass the filter, document by document.
func (x *Index) compareMatching(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked) ([]point, error) {
	documents, args := x.documents(question.Query, []any{literal(a.v), a.by.id, question.Want()})
	rows, err := tx.Query(ctx, x.in(documents+` SELECT p.number, 1 - (v.point OPERATOR({v}.<=>) $1::{v}.vector) AS cosine
		FROM wanted w JOIN {s}.rag_index_passages p ON p.document = w.id JOIN {s}.rag_index_points v ON v.model = $2 AND v.key = p.key
		ORDER BY cosine DESC, p.number LIMIT $3`), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, toPoint)
}

// documents returns the matching documents as the CTE "wanted". Materialising them first keeps a planner without
// filter statistics from checking every passage.
func (x *Index) documents(q rag.Query, args []any) (string, []any) {
	args = append(args, q.Scopes)
	scopes := len(args)
	where, args := ofDocument(q, args)
	return fmt.Sprintf(`WITH wanted AS MATERIALIZED (SELECT d.id FROM {s}.rag_index_documents d WHERE d.scope = ANY($%d)%s)`, scopes, where), args
}

// breadth is the search width of HNSW (hnsw.ef_search): see rag/README.md.
const breadth = 400

// walk scans the HNSW index in its order, without a sort of everything, until enough are found.
func (x *Index) walk(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked) ([]point, error) {
	set := fmt.Sprintf(`SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = %d`, min(max(question.Want(), breadth), 1000))
	if _, err := tx.Exec(ctx, set, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	kind := x.kind(len(a.v.Q))
	where, args := demands(question.Query, []any{literal(a.v), question.Query.Scopes, question.Want()})
	// OFFSET 0 is an optimisation fence: each vector's passages are looked up by key instead of joining every
	// matching passage.
	rows, err := tx.Query(ctx, x.in(fmt.Sprintf(`SELECT p.number, 1 - (v.point::%[1]s OPERATOR({v}.<=>) $1::%[1]s)
		FROM {s}.rag_index_points v, LATERAL (SELECT p.number FROM {s}.rag_index_passages p WHERE p.key = v.key AND p.scope = ANY($2)%[3]s OFFSET 0) p
		WHERE v.model = %[2]d ORDER BY v.point::%[1]s OPERATOR({v}.<=>) $1::%[1]s LIMIT $3`, kind, a.by.id, where)), args...)
	if err != nil {
		return nil, err
	}
	near, err := pgx.CollectRows(rows, toPoint)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `SET LOCAL enable_sort = on`)
	return near, err
}

func toPoint(r pgx.CollectableRow) (p point, err error) {
	err = r.Scan(&p.number, &p.cosine)
	return p, err
}
