package pgstore

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/agent/graph"
)

// conversation returns the thread key of a log: the log's name up to the "#" before the agent's name.
func conversation(log string) string {
	if i := strings.LastIndexByte(log, '#'); i >= 0 {
		return log[:i]
	}
	return log
}

// sqlAppend appends records if the log ends just before them and neither the conversation's lease nor the log has a
// newer fencing token. It returns the values it compared.
const sqlAppend = `WITH lease AS (SELECT token FROM threads WHERE key = @key FOR SHARE),
	last AS (SELECT seq, fence FROM log WHERE thread = @thread AND ns = @ns ORDER BY seq DESC LIMIT 1),
	known AS (SELECT coalesce((SELECT seq FROM last), 0) AS head, coalesce((SELECT fence FROM last), 0) AS high, coalesce((SELECT token FROM lease), 0) AS token),
	added AS (
		INSERT INTO log (thread, ns, seq, kind, step, turn, plan, at, fence, body)
		SELECT @thread, @ns, r.seq, r.kind, r.step, r.turn, r.plan, r.at, greatest(high, @fence::bigint), r.body
		FROM known, unnest(@seqs::bigint[], @kinds::text[], @steps::int[], @turns::text[], @plans::text[], @ats::bigint[], @bodies::bytea[])
			AS r (seq, kind, step, turn, plan, at, body)
		WHERE head = @first::bigint - 1 AND (@fence::bigint = 0 OR @fence::bigint >= greatest(high, token)) RETURNING 1)
	SELECT head, greatest(high, token), (SELECT count(*) FROM added) FROM known`

// Append adds records to one log.
func (s *Store) Append(ctx context.Context, fence int64, records ...graph.Record) error {
	if len(records) == 0 {
		return nil
	}
	first := records[0]
	args, err := appendArgs(fence, records)
	if err != nil {
		return err
	}
	err = s.try(ctx, func(ctx context.Context, again bool) error {
		var head, high, added int64
		err := s.pool.QueryRow(ctx, sqlAppend, args).Scan(&head, &high, &added)
		switch {
		case err == nil && added > 0:
			return nil
		case isUnique(err), err == nil && first.Seq <= head:
			if again { // the previous attempt may have been committed
				return s.confirm(ctx, records)
			}
			return graph.ErrConflict
		case err != nil:
			return err
		case fence != 0 && fence < high:
			return graph.ErrFenced
		}
		return fmt.Errorf("record %d would leave a gap after %d", first.Seq, head)
	})
	if err != nil {
		return fmt.Errorf("pgstore: append to %s: %w", first.Thread, err)
	}
	return nil
}

// appendArgs turns records into columns.
func appendArgs(fence int64, records []graph.Record) (named, error) {
	first := records[0]
	n := len(records)
	seqs, ats, steps := make([]int64, n), make([]int64, n), make([]int32, n)
	kinds, turns, plans, bodies := make([]string, n), make([]string, n), make([]string, n), make([][]byte, n)
	for i, r := range records {
		if r.Thread != first.Thread || r.NS != first.NS || r.Seq != first.Seq+int64(i) {
			return nil, fmt.Errorf("pgstore: append to %s: records are not consecutive in one log", first.Thread)
		}
		seqs[i], kinds[i], steps[i] = r.Seq, string(r.Kind), int32(r.Step) //nolint:gosec // steps are limited to far less
		turns[i], plans[i], bodies[i] = r.Turn, r.Plan, r.Body
		if !r.At.IsZero() {
			ats[i] = r.At.UnixNano()
		}
	}
	return named{
		"key": conversation(first.Thread), "thread": first.Thread, "ns": first.NS, "first": first.Seq, "fence": fence, "seqs": seqs, "kinds": kinds, "steps": steps,
		"turns": turns, "plans": plans, "ats": ats, "bodies": bodies,
	}, nil
}

// confirm tells records written by an earlier attempt from those of another writer.
func (s *Store) confirm(ctx context.Context, records []graph.Record) error {
	first, last := records[0], records[len(records)-1]
	rows, err := s.pool.Query(ctx, sqlHistory, first.Thread, first.NS, first.Seq, last.Seq, nil)
	if err != nil {
		return err
	}
	stored, err := pgx.CollectRows(rows, scanRecord)
	if err != nil {
		return err
	}
	if len(stored) != len(records) {
		return graph.ErrConflict
	}
	for i, r := range stored {
		w := records[i]
		if r.Kind != w.Kind || r.Turn != w.Turn || r.Step != w.Step || !r.At.Equal(w.At) || !bytes.Equal(r.Body, w.Body) {
			return graph.ErrConflict
		}
	}
	return nil
}

const (
	logColumns = `thread, ns, seq, kind, step, turn, plan, at, body`
	sqlHistory = `SELECT ` + logColumns + ` FROM log WHERE thread = $1 AND ns = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq LIMIT $5`
)

// scanRecord reads the columns of a record.
func scanRecord(r pgx.CollectableRow) (graph.Record, error) {
	var v graph.Record
	var at int64
	var body []byte
	err := r.Scan(&v.Thread, &v.NS, &v.Seq, &v.Kind, &v.Step, &v.Turn, &v.Plan, &at, &body)
	v.Body = body
	if at != 0 {
		v.At = time.Unix(0, at).UTC()
	}
	return v, err
}

// Load returns the newest snapshot and the records after it.
func (s *Store) Load(ctx context.Context, thread, ns string) ([]graph.Record, error) {
	list, err := all(ctx, s, scanRecord, `SELECT `+logColumns+` FROM log WHERE thread = $1 AND ns = $2 AND seq >= coalesce(
		(SELECT max(seq) FROM log WHERE thread = $1 AND ns = $2 AND kind = 'snapshot'), 0) ORDER BY seq`, thread, ns)
	if err != nil {
		return nil, fmt.Errorf("pgstore: load %s: %w", thread, err)
	}
	return list, nil
}

// Head returns the Seq of the newest record.
func (s *Store) Head(ctx context.Context, thread, ns string) (int64, error) {
	n, err := one(ctx, s, pgx.RowTo[int64], `SELECT coalesce(max(seq), 0) FROM log WHERE thread = $1 AND ns = $2`, thread, ns)
	if err != nil {
		return 0, fmt.Errorf("pgstore: head of %s: %w", thread, err)
	}
	return n, nil
}

// History returns a range of a log.
func (s *Store) History(ctx context.Context, thread, ns string, from, to int64, limit int) ([]graph.Record, error) {
	var atMost *int // LIMIT NULL means no limit
	if limit > 0 {
		atMost = &limit
	}
	list, err := all(ctx, s, scanRecord, sqlHistory, thread, ns, from, to, atMost)
	if err != nil {
		return nil, fmt.Errorf("pgstore: history of %s: %w", thread, err)
	}
	return list, nil
}

// Prune removes the records below the newest snapshot, except the last keep records.
func (s *Store) Prune(ctx context.Context, thread, ns string, keep int) error {
	return s.exec(ctx, "prune "+thread, `DELETE FROM log WHERE thread = $1 AND ns = $2 AND seq < (
		SELECT max(seq) FROM log WHERE thread = $1 AND ns = $2 AND kind = 'snapshot') - $3::bigint`, thread, ns, int64(max(keep, 0)))
}

// Delete removes the logs of a thread.
func (s *Store) Delete(ctx context.Context, thread string) error {
	return s.exec(ctx, "delete the log of "+thread, `DELETE FROM log WHERE thread = $1`, thread)
}

// DropNamespace removes the log of a namespace and of those below it.
func (s *Store) DropNamespace(ctx context.Context, thread, ns string) error {
	return s.exec(ctx, "drop a namespace of "+thread, `DELETE FROM log WHERE thread = $1 AND (ns = $2 OR starts_with(ns, $2 || '/'))`, thread, ns)
}
