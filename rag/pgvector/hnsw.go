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

// sampled is how many vectors a cosine is judged by where not all are compared.
const sampled = 2000

// findFeatures looks what the extension can: an HNSW index is of use only if its scan goes
// on until enough passages pass the scopes and the filter (0.8), vectors of half the precision
// came with 0.7. The literal loads the library, and with it the setting.
func (x *Index) findFeatures(ctx context.Context) error {
	if !x.Extension() {
		return nil
	}
	var one string
	err := x.pool.QueryRow(ctx, x.in(`SELECT '[1]'::{v}.vector::text, current_setting('hnsw.iterative_scan', true) IS NOT NULL, to_regtype('{v}.halfvec') IS NOT NULL`)).Scan(&one, &x.iterates, &x.halves)
	if err == nil && !x.iterates {
		x.log.InfoContext(ctx, "index: the pgvector extension has no iterative scans", "fix", "update it to 0.8 or newer for search among many vectors by HNSW; until then they are compared one by one")
	}
	return err
}

// indexable reports whether vectors of this size can have an HNSW index.
func (x *Index) indexable(size int) bool {
	return x.iterates && (size <= hnswFloats || x.halves && size <= hnswHalves)
}

// kind is the type by which an HNSW index keeps vectors of a size.
func (x *Index) kind(size int) string {
	if size > hnswFloats {
		return fmt.Sprintf("{v}.halfvec(%d)", size)
	}
	return fmt.Sprintf("{v}.vector(%d)", size)
}

// settled is the part of all vectors that may come in a pass while the index is made: where
// more come, somebody adds a library, and the rest of it is waited for.
const settled = 10

// indexPoints makes the model's HNSW index once there are more vectors than are compared
// one by one: of all that are there at once, which takes a sixth of the time that they take one
// after another. fresh is how many came in the pass before. Until the index stands they are compared
// one by one. The advisory lock keeps programs from making it twice; a program that ends meanwhile
// leaves it to the next.
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

// indexLock is the advisory lock under which an HNSW index is made.
const indexLock = schemaLock + 1

// keepLease holds the lease through work that may take longer than it lasts, until
// the function that it returns is called.
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

// state reads the size of a model's vectors, 0 if there are none, and whether they have an HNSW index.
func (x *Index) state(ctx context.Context, db querier, model int32) (size int, indexed bool, err error) {
	name := fmt.Sprintf("%s.rag_index_points_hnsw_%d", x.schema, model)
	err = db.QueryRow(ctx, x.in(`SELECT size, to_regclass($2::text) IS NOT NULL FROM {s}.rag_index_models WHERE id = $1`), model, name).Scan(&size, &indexed)
	return size, indexed, err
}

// querier is what a pool and a transaction have.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// approximate finds the nearest among more vectors than are compared one by one. Where a filter
// leaves few, these are compared; else the HNSW index is asked, and if it gives up before enough of
// what it met are of the scopes and pass the filter, all are compared after all. The field
// is judged by a sample: keys are hashes, so that those below a bound are one.
func (x *Index) approximate(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked, passages int) (field, error) {
	f := field{n: passages}
	bound := binary.BigEndian.AppendUint32(nil, uint32(min(math.MaxUint32, math.MaxUint32*float64(sampled)/float64(passages))))
	err := tx.QueryRow(ctx, x.in(`SELECT coalesce(avg(c), 0), coalesce(stddev_pop(c), 0) FROM (
			SELECT 1 - (v.point OPERATOR({v}.<=>) $1::{v}.vector) AS c FROM {s}.rag_index_passages p
			JOIN {s}.rag_index_points v ON v.model = $2 AND v.key = p.key WHERE p.scope = ANY($3) AND p.key < $4) s`),
		literal(a.v), a.by.id, question.Query.Scopes, bound).Scan(&f.mean, &f.deviation)
	if err != nil {
		return f, err
	}
	left := passages
	if narrows(question.Query) {
		if left, err = x.left(ctx, tx, question.Query); err != nil {
			return f, err
		}
	}
	if left <= x.cfg.ExactUpTo {
		f.best, err = x.among(ctx, tx, question, a)
		return f, err
	}
	if f.best, err = x.walk(ctx, tx, question, a); err == nil && len(f.best) < question.Want() {
		f.best, err = x.among(ctx, tx, question, a)
	}
	return f, err
}

// narrows reports whether a query leaves documents of its scopes out.
func narrows(q rag.Query) bool { return len(q.Documents) > 0 || !q.Filter().Any() }

// left counts the passages that a query leaves, as far as they may be compared one by one and one more.
func (x *Index) left(ctx context.Context, tx pgx.Tx, q rag.Query) (n int, err error) {
	documents, args := x.documents(q, []any{x.cfg.ExactUpTo + 1})
	err = tx.QueryRow(ctx, x.in(documents+` SELECT count(*) FROM (SELECT FROM wanted w JOIN {s}.rag_index_passages p ON p.document = w.id LIMIT $1) s`), args...).Scan(&n)
	return n, err
}

// among compares the vectors of all passages that a query leaves, document by document.
func (x *Index) among(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked) ([]point, error) {
	documents, args := x.documents(question.Query, []any{literal(a.v), a.by.id, question.Want()})
	rows, err := tx.Query(ctx, x.in(documents+` SELECT p.number, 1 - (v.point OPERATOR({v}.<=>) $1::{v}.vector) AS cosine
		FROM wanted w JOIN {s}.rag_index_passages p ON p.document = w.id JOIN {s}.rag_index_points v ON v.model = $2 AND v.key = p.key
		ORDER BY cosine DESC, p.number LIMIT $3`), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, toPoint)
}

// documents names those that a query leaves as "wanted". They are listed first: a planner
// that knows nothing of filters may else look at every passage for its document.
func (x *Index) documents(q rag.Query, args []any) (string, []any) {
	args = append(args, q.Scopes)
	scopes := len(args)
	where, args := ofDocument(q, args)
	return fmt.Sprintf(`WITH wanted AS MATERIALIZED (SELECT d.id FROM {s}.rag_index_documents d WHERE d.scope = ANY($%d)%s)`, scopes, where), args
}

// breadth is how many vectors a walk keeps in view (hnsw.ef_search): see rag/README.md.
const breadth = 400

// walk asks the HNSW index: its order, not a sort of everything, and on until enough are found.
func (x *Index) walk(ctx context.Context, tx pgx.Tx, question *rank.Question, a *asked) ([]point, error) {
	set := fmt.Sprintf(`SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.ef_search = %d`, min(max(question.Want(), breadth), 1000))
	if _, err := tx.Exec(ctx, set, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	kind := x.kind(len(a.v.Q))
	where, args := demands(question.Query, []any{literal(a.v), question.Query.Scopes, question.Want()})
	// OFFSET 0 has each vector's passages looked up by their key: joined with all that pass, the
	// index's order would be held against every one of them.
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
