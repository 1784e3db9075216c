package pgvector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/rank"
	"maru/rag/vec"
)

const (
	embedBatch   = 16
	embedTimeout = 2 * time.Minute // per batch, in the background

	releaseTimeout = 2 * time.Second // timeout of the lease's release at shutdown
)

var (
	errVectorCount = errors.New("rag/pgvector: the embedder returned another number of vectors than it was given texts")
	errVectorSize  = errors.New("rag/pgvector: the embedder changed the length of its vectors; give the new model another name")
	errTakenOver   = errors.New("rag/pgvector: another replica's embedding model has taken over; give all replicas the same one")
)

// enrol registers the configured model. The first one serves at once; a later one embeds in the background while the
// previous model serves, if that is still available.
func (x *Index) enrol(ctx context.Context) error {
	return x.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(schemaLock)); err != nil {
			return err
		}
		var learned []byte
		err := tx.QueryRow(ctx, x.in(`INSERT INTO {s}.rag_index_models (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id, learned`), x.cfg.EmbedModel).Scan(&x.model, &learned)
		if err != nil {
			return err
		}
		x.restore(ctx, &x.blend, learned)
		before := model{blend: new(rag.Blend)}
		err = tx.QueryRow(ctx, x.in(`SELECT id, name, learned FROM {s}.rag_index_models WHERE serving`)).Scan(&before.id, &before.name, &learned)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		x.restore(ctx, before.blend, learned)
		if err == nil && before.id != x.model && x.cfg.EmbedOld != nil {
			if before.embed = x.cfg.EmbedOld(before.name); before.embed != nil {
				x.serving.Store(&before)
				return nil
			}
		}
		return x.serve(ctx, tx)
	})
}

// restore takes what was stored about a model. What is damaged is learned again.
func (x *Index) restore(ctx context.Context, b *rag.Blend, learned []byte) {
	if learned == nil {
		return
	}
	if err := json.Unmarshal(learned, b); err != nil {
		x.log.WarnContext(ctx, "index: the state learned from questions is unreadable, learning it again", "err", err)
	}
}

// lessonsKept is the number of questions after which what was learned about a model is stored.
const lessonsKept = 16

// keepLearned stores what was learned about a model, now and then. Replicas learn from different questions to the
// same documents: the newest state stands for all.
func (x *Index) keepLearned(ctx context.Context, m model) {
	n := int64(m.blend.Lessons())
	last := x.lessons.Load()
	if n-last < lessonsKept && n >= last || !x.lessons.CompareAndSwap(last, n) {
		return
	}
	raw, err := json.Marshal(m.blend)
	if err == nil {
		_, err = x.pool.Exec(ctx, x.in(`UPDATE {s}.rag_index_models SET learned = $2 WHERE id = $1`), m.id, raw)
	}
	if err != nil {
		x.log.WarnContext(ctx, "index: store the learned state of the vectors", "model", m.name, "err", err)
	}
}

// serve switches serving to the configured model and drops the vectors of all others.
func (x *Index) serve(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, x.in(`DELETE FROM {s}.rag_index_models WHERE id <> $1 RETURNING id`), x.model)
	if err != nil {
		return err
	}
	gone, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return err
	}
	for _, id := range gone {
		if _, err := tx.Exec(ctx, x.in(fmt.Sprintf(`DROP INDEX IF EXISTS {s}.rag_index_points_hnsw_%d`, id))); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, x.in(`UPDATE {s}.rag_index_models SET serving = true WHERE id = $1`), x.model)
	return err
}

// nudge wakes the background worker.
func (x *Index) nudge() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// embedMissing makes one pass over the passages in key order and embeds, batch by batch, those without a vector. A
// pass without any makes the model serve. Each batch is committed before the next starts. When ctx ends only the
// model call is aborted: statements are short, and returned vectors are paid for.
func (x *Index) embedMissing(ctx context.Context) error {
	db := context.WithoutCancel(ctx)
	at, err := x.changes(db)
	if err != nil || at == x.idle {
		return err
	}
	if err := x.dropUnusedVectors(db); err != nil {
		return err
	}
	done := 0
	last := []byte{}
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		mine, err := x.lease(db)
		if err != nil || !mine {
			return err
		}
		keys, scopes, texts, err := x.missing(db, last)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		if err := x.embedBatch(ctx, keys, texts, scopes); err != nil {
			return err
		}
		done += len(keys)
		last = keys[len(keys)-1]
	}
	if done > 0 {
		x.nudge() // later passages may have sorted before the cursor
		return x.indexPoints(ctx, done)
	}
	if err := x.takeOver(ctx); err != nil {
		return err
	}
	x.idle = at
	return nil
}

// tidyAt is the share of unused vectors at which they are removed: below it they are kept for recurring texts.
const tidyAt = 4

// dropUnusedVectors removes vectors of texts no longer in the index once they exceed one in [tidyAt], at the start of
// the program that embeds. A passage that reappears meanwhile is embedded again.
func (x *Index) dropUnusedVectors(ctx context.Context) error {
	if x.tidied {
		return nil
	}
	if mine, err := x.lease(ctx); err != nil || !mine {
		return err
	}
	const nowhere = `NOT EXISTS (SELECT FROM {s}.rag_index_passages p WHERE p.key = v.key)`
	var all, gone int
	err := x.pool.QueryRow(ctx, x.in(`SELECT count(*), count(*) FILTER (WHERE `+nowhere+`) FROM {s}.rag_index_vectors v WHERE model = $1`), x.model).Scan(&all, &gone)
	if err != nil {
		return err
	}
	if gone > 0 && gone*tidyAt >= all {
		tables := []string{"rag_index_vectors"}
		if x.Extension() {
			tables = append(tables, "rag_index_points")
		}
		for _, table := range tables {
			if _, err := x.pool.Exec(ctx, x.in(`DELETE FROM {s}.`+table+` v WHERE model = $1 AND `+nowhere), x.model); err != nil {
				return err
			}
		}
	}
	x.tidied = true
	return nil
}

// changes returns a counter that every change of the documents increments.
func (x *Index) changes(ctx context.Context) (n int64, err error) {
	err = x.pool.QueryRow(ctx, x.in(`SELECT coalesce(sum(version), 0)::bigint FROM {s}.rag_index_scopes`)).Scan(&n)
	return n, err
}

// lease acquires or renews the exclusive right to embed for the model.
func (x *Index) lease(ctx context.Context) (bool, error) {
	tag, err := x.pool.Exec(ctx, x.in(`UPDATE {s}.rag_index_models SET owner = $2, until = now() + $3::bigint * interval '1 second'
		WHERE id = $1 AND (owner = $2 OR until < now())`), x.model, x.owner, int64(2*embedTimeout/time.Second))
	if err != nil || tag.RowsAffected() == 1 {
		return err == nil, err
	}
	var there bool
	err = x.pool.QueryRow(ctx, x.in(`SELECT EXISTS (SELECT FROM {s}.rag_index_models WHERE id = $1)`), x.model).Scan(&there)
	if err == nil && !there {
		err = errTakenOver
	}
	return false, err
}

// release ends this program's lease, so that the next one need not wait for its expiry.
func (x *Index) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_, err := x.pool.Exec(ctx, x.in(`UPDATE {s}.rag_index_models SET owner = '', until = '-infinity' WHERE id = $1 AND owner = $2`), x.model, x.owner)
	if err != nil {
		x.log.WarnContext(ctx, "index: the lease for embedding runs on", "err", err)
	}
}

// Embedded implements [vec.Covered].
func (x *Index) Embedded(ctx context.Context) (c vec.Coverage, err error) {
	if err := x.usable(ctx); err != nil {
		return c, err
	}
	c.Failed = x.outcome.Err()
	err = x.pool.QueryRow(ctx, x.in(`SELECT count(*) FILTER (WHERE v.key IS NOT NULL), count(*) FROM {s}.rag_index_passages p
		LEFT JOIN {s}.rag_index_vectors v ON v.model = $1 AND v.key = p.key`), x.model).Scan(&c.Have, &c.All)
	if err == nil {
		err = x.pool.QueryRow(ctx, x.in(`SELECT coalesce(max(name), '') FROM {s}.rag_index_models WHERE serving AND id <> $1`), x.model).Scan(&c.Serving)
	}
	return c, err
}

// missing returns passages without a vector after the cursor last, each text once, with the scope of one of its
// documents.
func (x *Index) missing(ctx context.Context, last []byte) (keys [][]byte, scopes, texts []string, err error) {
	rows, err := x.pool.Query(ctx, x.in(`SELECT DISTINCT ON (p.key) p.key, p.record, d.record FROM {s}.rag_index_passages p
		JOIN {s}.rag_index_documents d ON d.id = p.document
		WHERE p.key > $1 AND NOT EXISTS (SELECT FROM {s}.rag_index_vectors v WHERE v.model = $2 AND v.key = p.key)
		ORDER BY p.key LIMIT $3`), last, x.model, embedBatch)
	if err != nil {
		return nil, nil, nil, err
	}
	var key, passage, document []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &passage, &document}, func() error {
		chunk, err := decode[rag.Chunk](passage)
		if err != nil {
			return err
		}
		doc, err := decode[rag.Document](document)
		keys, scopes, texts = append(keys, append([]byte{}, key...)), append(scopes, doc.Scope), append(texts, rank.Text(doc, chunk))
		return err
	})
	return keys, scopes, texts, err
}

func (x *Index) embedBatch(ctx context.Context, keys [][]byte, texts, scopes []string) error {
	timed, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	out, err := x.cfg.Embed(timed, texts, scopes)
	if err != nil {
		return err
	}
	if len(out) != len(texts) {
		return errVectorCount
	}
	raw, points := make([][]byte, len(out)), make([]string, 0, len(out))
	var pointed [][]byte
	size := 0
	for i, floats := range out {
		v := vec.Quantise(floats)
		if v == nil {
			raw[i] = []byte{} // no direction; not embedded again
			continue
		}
		if size == 0 {
			size = len(v.Q)
		}
		if len(v.Q) != size {
			return fmt.Errorf("%w: %d, were %d", errVectorSize, len(v.Q), size)
		}
		raw[i], points, pointed = v.Append(nil), append(points, literal(v)), append(pointed, keys[i])
	}
	db := context.WithoutCancel(ctx)
	return x.tx(db, func(tx pgx.Tx) error {
		if err := x.sized(db, tx, size); err != nil {
			return err
		}
		_, err := tx.Exec(db, x.in(`INSERT INTO {s}.rag_index_vectors (model, key, vector) SELECT $1, k, v FROM unnest($2::bytea[], $3::bytea[]) AS t(k, v) ON CONFLICT DO NOTHING`), x.model, keys, raw)
		if err != nil || !x.Extension() || len(points) == 0 {
			return err
		}
		return x.addPoints(db, tx, pointed, points)
	})
}

func (x *Index) addPoints(ctx context.Context, tx pgx.Tx, keys [][]byte, points []string) error {
	_, err := tx.Exec(ctx, x.in(`INSERT INTO {s}.rag_index_points (model, key, point) SELECT $1, k, p::{v}.vector FROM unnest($2::bytea[], $3::text[]) AS t(k, p) ON CONFLICT DO NOTHING`), x.model, keys, points)
	return err
}

// sized fixes the model's vector size on the first batch.
func (x *Index) sized(ctx context.Context, tx pgx.Tx, size int) error {
	if size == 0 {
		return nil
	}
	var set int
	err := tx.QueryRow(ctx, x.in(`UPDATE {s}.rag_index_models SET size = CASE size WHEN 0 THEN $2 ELSE size END WHERE id = $1 RETURNING size`), x.model, size).Scan(&set)
	if errors.Is(err, pgx.ErrNoRows) {
		return errTakenOver
	}
	if err == nil && set != size {
		err = fmt.Errorf("%w: %d, were %d", errVectorSize, size, set)
	}
	return err
}

// takeOver makes the configured model serve once nothing is missing. It first converts vectors stored without the
// extension.
func (x *Index) takeOver(ctx context.Context) error {
	db := context.WithoutCancel(ctx)
	for more := x.Extension(); more; {
		var err error
		if more, err = x.backfill(db); err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
	}
	if err := x.indexPoints(ctx, 0); err != nil {
		return err
	}
	before := x.serving.Load()
	if before == nil {
		return nil
	}
	if err := x.tx(db, func(tx pgx.Tx) error { return x.serve(db, tx) }); err != nil {
		return fmt.Errorf("let the vectors of %s serve: %w", x.cfg.EmbedModel, err)
	}
	x.serving.Store(nil)
	x.log.InfoContext(ctx, "index: switched to new vectors", "model", x.cfg.EmbedModel, "before", before.name)
	return nil
}

// backfill converts stored vectors to the extension's type, batch by batch.
func (x *Index) backfill(ctx context.Context) (more bool, err error) {
	rows, err := x.pool.Query(ctx, x.in(`SELECT v.key, v.vector FROM {s}.rag_index_vectors v WHERE v.model = $1 AND length(v.vector) > 0
		AND NOT EXISTS (SELECT FROM {s}.rag_index_points p WHERE p.model = v.model AND p.key = v.key) LIMIT 500`), x.model)
	if err != nil {
		return false, err
	}
	var keys [][]byte
	var points []string
	var key, raw []byte
	size := 0
	_, err = pgx.ForEachRow(rows, []any{&key, &raw}, func() error {
		v, err := vec.Read(raw)
		if err != nil {
			return err
		}
		keys, points, size = append(keys, append([]byte{}, key...)), append(points, literal(v)), len(v.Q)
		return nil
	})
	if err != nil || len(keys) == 0 {
		return false, err
	}
	return true, x.tx(ctx, func(tx pgx.Tx) error {
		if err := x.sized(ctx, tx, size); err != nil {
			return err
		}
		return x.addPoints(ctx, tx, keys, points)
	})
}
