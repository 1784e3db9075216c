package sqlitestore

import (
	"context"

	"maru/bot"
)

// putArtifacts adds the files of an outcome; existing ones stay.
func putArtifacts(t *tx, thread string, files []bot.Artifact) error {
	for _, f := range files {
		if _, err := t.exec(`INSERT INTO artifacts (run, n, thread, name, mime, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run, n) DO NOTHING`,
			f.Run, f.N, thread, f.Name, f.MIME, append([]byte{}, f.Data...)); err != nil {
			return err
		}
	}
	return nil
}

// KeepFiles replaces the files of a run from number from on, under the lease of its thread.
func (s *Store) KeepFiles(ctx context.Context, l bot.Lease, run string, from int, files []bot.Artifact) error {
	err := s.write.run(ctx, func(t *tx) error {
		if err := held(t, l); err != nil {
			return err
		}
		if _, err := t.exec(`DELETE FROM artifacts WHERE run = ? AND thread = ? AND n >= ?`, run, l.Thread, from); err != nil {
			return err
		}
		return putArtifacts(t, l.Thread, files)
	})
	return wrap("keep files", err)
}

// Artifacts lists the files of a thread or, with a run, of that run, without their contents.
func (s *Store) Artifacts(ctx context.Context, thread, run string) ([]bot.Artifact, error) {
	scan := func(r scanner) (f bot.Artifact, err error) {
		err = r.Scan(&f.Run, &f.N, &f.Thread, &f.Name, &f.MIME, &f.Size)
		return f, err
	}
	return all(ctx, s, "artifacts", scan, `SELECT run, n, thread, name, mime, length(data) FROM artifacts
		WHERE thread = ? AND (? = '' OR run = ?) ORDER BY run, n`, thread, run, run)
}

// Artifact returns a file of a run.
func (s *Store) Artifact(ctx context.Context, run string, n int) (bot.Artifact, error) {
	scan := func(r scanner) (f bot.Artifact, err error) {
		err = r.Scan(&f.Run, &f.N, &f.Thread, &f.Name, &f.MIME, &f.Size, &f.Data)
		return f, err
	}
	f, err := one(ctx, s, scan, `SELECT run, n, thread, name, mime, length(data), data FROM artifacts WHERE run = ? AND n = ?`, run, n)
	return f, wrap("artifact", err)
}
