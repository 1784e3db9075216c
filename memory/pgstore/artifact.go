package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// sqlPutFiles adds files where its last table has a row; existing ones stay.
const sqlPutFiles = `INSERT INTO artifacts (run, n, thread, name, mime, data)
	SELECT f.run, f.n, @thread, f.name, f.mime, f.data
	FROM unnest(@f_runs::text[], @f_ns::int[], @f_names::text[], @f_mimes::text[], @f_data::bytea[]) AS f(run, n, name, mime, data), `

// artifactArgs are the arguments of sqlPutFiles.
func artifactArgs(args named, files []bot.Artifact) {
	count := len(files)
	runs, ns := make([]string, count), make([]int32, count)
	names, kinds, data := make([]string, count), make([]string, count), make([][]byte, count)
	for i, f := range files {
		runs[i], ns[i], names[i], kinds[i], data[i] = f.Run, int32(f.N), clean(f.Name), clean(f.MIME), f.Data //nolint:gosec // G115: a run makes few files
		if data[i] == nil {
			data[i] = []byte{}
		}
	}
	args["f_runs"], args["f_ns"], args["f_names"], args["f_mimes"], args["f_data"] = runs, ns, names, kinds, data
}

// KeepFiles replaces the files of a run from number from on, under the lease of its thread.
func (s *Store) KeepFiles(ctx context.Context, l bot.Lease, run string, from int, files []bot.Artifact) error {
	args := leaseArgs(l)
	args["run"], args["from"] = run, from
	artifactArgs(args, files)
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		var held bool
		b := &pgx.Batch{}
		b.Queue(`WITH `+sqlHeld+` DELETE FROM artifacts USING held WHERE run = @run AND thread = @thread AND n >= @from`, args)
		b.Queue(`WITH `+sqlHeld+`, files AS (`+sqlPutFiles+`held ON CONFLICT (run, n) DO NOTHING) SELECT EXISTS (SELECT 1 FROM held)`, args).QueryRow(func(r pgx.Row) error {
			return r.Scan(&held)
		})
		if err := s.batch(ctx, b); err != nil {
			return err
		}
		if !held {
			return bot.ErrFenced
		}
		return nil
	})
	return wrap("keep files", err)
}

// Artifacts lists the files of a thread or, with a run, of that run, without their contents.
func (s *Store) Artifacts(ctx context.Context, thread, run string) ([]bot.Artifact, error) {
	scan := func(r pgx.CollectableRow) (f bot.Artifact, err error) {
		err = r.Scan(&f.Run, &f.N, &f.Thread, &f.Name, &f.MIME, &f.Size)
		return f, err
	}
	list, err := all(ctx, s, scan, `SELECT run, n, thread, name, mime, length(data) FROM artifacts
		WHERE thread = $1 AND ($2 = '' OR run = $2) ORDER BY run, n`, thread, run)
	return list, wrap("artifacts", err)
}

// Artifact returns a file of a run.
func (s *Store) Artifact(ctx context.Context, run string, n int) (bot.Artifact, error) {
	scan := func(r pgx.CollectableRow) (f bot.Artifact, err error) {
		err = r.Scan(&f.Run, &f.N, &f.Thread, &f.Name, &f.MIME, &f.Size, &f.Data)
		return f, err
	}
	f, err := one(ctx, s, scan, `SELECT run, n, thread, name, mime, length(data), data FROM artifacts WHERE run = $1 AND n = $2`, run, n)
	return f, wrap("artifact", err)
}
