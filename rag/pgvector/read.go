package pgvector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"maru/rag"
)

// decode reads a record of the tables.
func decode[T any](record []byte) (out T, err error) {
	if err := json.Unmarshal(record, &out); err != nil {
		return out, fmt.Errorf("rag/pgvector: a record is damaged: %w", err)
	}
	return out, nil
}

func collect[T any](rows pgx.Rows, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (out T, err error) {
		var record []byte
		if err := r.Scan(&record); err != nil {
			return out, err
		}
		return decode[T](record)
	})
}

// Documents lists the documents of scopes, newest first.
func (x *Index) Documents(ctx context.Context, scopes []string) ([]rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	docs, err := collect[rag.Document](x.pool.Query(ctx, x.in(`SELECT record FROM {s}.rag_index_documents WHERE scope = ANY($1) ORDER BY added DESC, id`), none(scopes)))
	if err != nil {
		return nil, fmt.Errorf("rag/pgvector: list documents: %w", err)
	}
	return docs, nil
}

// Some implements [rag.Sampler].
func (x *Index) Some(ctx context.Context, scopes []string, limit int) (docs []rag.Document, total int, err error) {
	if err := x.usable(ctx); err != nil {
		return nil, 0, err
	}
	err = x.snapshot(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, x.in(`SELECT count(*) FROM {s}.rag_index_documents WHERE scope = ANY($1)`), none(scopes)).Scan(&total); err != nil {
			return err
		}
		docs, err = collect[rag.Document](tx.Query(ctx, x.in(`SELECT record FROM {s}.rag_index_documents WHERE scope = ANY($1) ORDER BY added DESC, id LIMIT $2`), none(scopes), max(limit, 0)))
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("rag/pgvector: name documents: %w", err)
	}
	return docs, total, nil
}

// Scopes implements [rag.Scoper].
func (x *Index) Scopes(ctx context.Context) ([]string, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	rows, err := x.pool.Query(ctx, x.in(`SELECT scope FROM {s}.rag_index_documents GROUP BY scope ORDER BY scope COLLATE "C"`))
	if err != nil {
		return nil, fmt.Errorf("rag/pgvector: name scopes: %w", err)
	}
	scopes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("rag/pgvector: name scopes: %w", err)
	}
	return scopes, nil
}

// Document returns one document if it is in one of scopes, else [rag.ErrNotFound].
func (x *Index) Document(ctx context.Context, scopes []string, id string) (rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return rag.Document{}, err
	}
	var record []byte
	err := x.pool.QueryRow(ctx, x.in(`SELECT record FROM {s}.rag_index_documents WHERE id = $1 AND scope = ANY($2)`), id, none(scopes)).Scan(&record)
	if err != nil {
		return rag.Document{}, missing("document "+id, err)
	}
	return decode[rag.Document](record)
}

// missing maps no row to [rag.ErrNotFound].
func missing(what string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return rag.ErrNotFound
	}
	return fmt.Errorf("rag/pgvector: read %s: %w", what, err)
}

// Chunk returns one passage with its document if it is in one of scopes.
func (x *Index) Chunk(ctx context.Context, scopes []string, id string) (chunk rag.Chunk, doc rag.Document, err error) {
	if err := x.usable(ctx); err != nil {
		return chunk, doc, err
	}
	i := strings.LastIndexByte(id, '#')
	if i < 0 || strings.ContainsRune(id, 0) { // PostgreSQL has no such text
		return chunk, doc, rag.ErrNotFound
	}
	var passage, document []byte
	err = x.pool.QueryRow(ctx, x.in(`SELECT p.record, d.record FROM {s}.rag_index_passages p JOIN {s}.rag_index_documents d ON d.id = p.document
		WHERE p.document = $1 AND p.id = $2 AND d.scope = ANY($3)`), id[:i], id, none(scopes)).Scan(&passage, &document)
	if err != nil {
		return chunk, doc, missing("passage "+id, err)
	}
	if chunk, err = decode[rag.Chunk](passage); err != nil {
		return chunk, doc, err
	}
	doc, err = decode[rag.Document](document)
	return chunk, doc, err
}

// Passages returns the passages [from, to) of a document in one of scopes.
func (x *Index) Passages(ctx context.Context, scopes []string, document string, from, to int) (chunks []rag.Chunk, doc rag.Document, err error) {
	if err := x.usable(ctx); err != nil {
		return nil, doc, err
	}
	err = x.snapshot(ctx, func(tx pgx.Tx) error {
		var record []byte
		err := tx.QueryRow(ctx, x.in(`SELECT record FROM {s}.rag_index_documents WHERE id = $1 AND scope = ANY($2)`), document, none(scopes)).Scan(&record)
		if err != nil {
			return missing("document "+document, err)
		}
		if doc, err = decode[rag.Document](record); err != nil {
			return err
		}
		from, to := max(from, 0), min(to, doc.Chunks)
		chunks, err = collect[rag.Chunk](tx.Query(ctx, x.in(`SELECT record FROM {s}.rag_index_passages WHERE document = $1 AND position >= $2 AND position < $3 ORDER BY position`), document, from, to))
		return err
	})
	if errors.Is(err, rag.ErrNotFound) {
		return nil, rag.Document{}, rag.ErrNotFound
	}
	if err != nil {
		return nil, doc, fmt.Errorf("rag/pgvector: passages of %s: %w", document, err)
	}
	return chunks, doc, nil
}
