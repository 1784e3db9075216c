package pgvector

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"maru/rag"
)

// renew re-analyses documents of older analyser versions, because terms of another version lose recall. Each document
// is one transaction and stays searchable until then. Versions only grow, so that two program versions during an
// update never undo each other; later writes of the older one are found in the next round.
func (x *Index) renew(ctx context.Context) error {
	db := context.WithoutCancel(ctx) // statements are short
	// The minimum is read from the end of an index. Without statistics the planner underestimates the search below
	// even if nothing matches, and reads the whole table in each round.
	var old bool
	err := x.pool.QueryRow(db, x.in(`SELECT coalesce(min(analyser) < $1, false) FROM {s}.rag_index_passages`), rag.AnalyzerVersion).Scan(&old)
	if err != nil || !old {
		return err
	}
	passages, id := 0, "" // in document order: restarting each time would read the whole table each time
	var failed error      // the first error: a damaged document does not stop the rest
	for ctx.Err() == nil {
		err := x.pool.QueryRow(db, x.in(`SELECT document FROM {s}.rag_index_passages WHERE analyser < $1 AND document > $2 ORDER BY document LIMIT 1`), rag.AnalyzerVersion, id).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			break
		}
		if err != nil {
			return fmt.Errorf("look for older terms: %w", err)
		}
		n := 0
		err = x.tx(db, func(tx pgx.Tx) error {
			n, err = x.analyseAgain(db, tx, id)
			return err
		})
		if err != nil {
			failed = cmp.Or(failed, fmt.Errorf("analyse document %s again: %w", id, err))
			continue
		}
		passages += n
	}
	if passages > 0 {
		x.log.InfoContext(ctx, "index: terms rebuilt for a new analyser", "passages", passages, "analyser", rag.AnalyzerVersion)
	}
	return failed
}

// analyseAgain rewrites a document with current terms and returns its number of passages; none if another program was
// faster. Texts, and so vectors, stay.
func (x *Index) analyseAgain(ctx context.Context, tx pgx.Tx, id string) (int, error) {
	var record []byte
	err := tx.QueryRow(ctx, x.in(`SELECT record FROM {s}.rag_index_documents WHERE id = $1 FOR UPDATE`), id).Scan(&record)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil // deleted, with its passages
	}
	if err != nil {
		return 0, err
	}
	var old bool
	err = tx.QueryRow(ctx, x.in(`SELECT EXISTS (SELECT FROM {s}.rag_index_passages WHERE document = $1 AND analyser < $2)`), id, rag.AnalyzerVersion).Scan(&old)
	if err != nil || !old {
		return 0, err
	}
	doc, err := decode[rag.Document](record)
	if err != nil {
		return 0, err
	}
	chunks, err := collect[rag.Chunk](tx.Query(ctx, x.in(`SELECT record FROM {s}.rag_index_passages WHERE document = $1 ORDER BY position`), id))
	if err != nil {
		return 0, err
	}
	rows, err := analyse(doc, chunks)
	if err != nil {
		return 0, err
	}
	return len(rows), x.put(ctx, tx, doc, record, rows)
}
