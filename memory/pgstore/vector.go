package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// addVectors adds a vector column to memories if the server has pgvector, and returns the schema of its type. It
// returns "" if pgvector is missing and this role may not install it; search then uses keywords.
func addVectors(ctx context.Context, conn *pgx.Conn) (string, error) {
	schema, err := vectorSchema(ctx, conn)
	if err != nil || schema == "" {
		return "", err
	}
	var missing bool
	if err := conn.QueryRow(ctx, columnIsMissing("memories", "embedding")).Scan(&missing); err != nil {
		return "", fmt.Errorf("pgstore: look for the column of vectors: %w", err)
	}
	if !missing {
		return schema, nil
	}
	if _, err := conn.Exec(ctx, `ALTER TABLE memories ADD COLUMN IF NOT EXISTS embedding `+schema+`.vector`); err != nil {
		return "", fmt.Errorf("pgstore: add the column of vectors: %w", err)
	}
	return schema, nil
}

// vectorSchema finds pgvector, and installs it if possible.
func vectorSchema(ctx context.Context, conn *pgx.Conn) (string, error) {
	const where = `SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`
	var schema string
	err := conn.QueryRow(ctx, where).Scan(&schema)
	if errors.Is(err, pgx.ErrNoRows) {
		var available bool
		if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')`).Scan(&available); err != nil || !available {
			return "", err
		}
		// In a schema that outlives Maru's, since an extension belongs to the database.
		_, err = conn.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS vector SCHEMA public`)
		pg, _ := errors.AsType[*pgconn.PgError](err)
		switch {
		case pg != nil && (pg.Code == "42501" || pg.Code == "3F000"): // no permission, or no schema public
			return "", nil
		case err == nil, isUnique(err): // installed, possibly by another program at the same time
			err = conn.QueryRow(ctx, where).Scan(&schema)
		}
	}
	if err != nil {
		return "", fmt.Errorf("pgstore: look for pgvector: %w", err)
	}
	return pgx.Identifier{schema}.Sanitize(), nil
}

// parseVector parses pgvector's text format.
func parseVector(s string) ([]float32, error) {
	s = strings.Trim(s, "[]")
	if s == "" {
		return nil, nil
	}
	parts := strings.Split(s, ",")
	v := make([]float32, len(parts))
	for i, p := range parts {
		x, err := strconv.ParseFloat(p, 32)
		if err != nil {
			return nil, fmt.Errorf("pgstore: read a vector: %w", err)
		}
		v[i] = float32(x)
	}
	return v, nil
}
