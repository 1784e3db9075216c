package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/agent/graph"
)

// Append adds records to one log.
func (s *Store) Append(ctx context.Context, fence int64, records ...graph.Record) error {
	if len(records) == 0 {
		return nil
	}
	first := records[0]
	for i, r := range records {
		if r.Thread != first.Thread || r.NS != first.NS || r.Seq != first.Seq+int64(i) {
			return fmt.Errorf("sqlitestore: append to %s: records are not consecutive in one log", first.Thread)
		}
	}
	err := s.write.run(ctx, func(t *tx) error {
		high, err := admit(t, first, fence)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(records, 8) {
			var args []any
			for _, r := range some {
				args = append(args, r.Thread, r.NS, r.Seq, string(r.Kind), r.Step, r.Turn, r.Plan, nanos(r.At), high, blob(r.Body))
			}
			n, err := t.exec(`INSERT INTO log (thread, ns, seq, kind, step, turn, plan, at, fence, body) SELECT * FROM (VALUES `+rows(10, len(some))+`)
				WHERE ? = 0 OR ? >= coalesce((SELECT token FROM threads WHERE key = ?), 0)`, append(args, fence, fence, conversation(first.Thread))...)
			if err != nil {
				return err
			}
			if n == 0 {
				return graph.ErrFenced
			}
		}
		t.ended(logName{first.Thread, first.NS}, logEnd{records[len(records)-1].Seq, high})
		return nil
	})
	if err != nil {
		return fmt.Errorf("sqlitestore: append to %s: %w", first.Thread, err)
	}
	return nil
}

// conversation returns the thread key of a log: the log's name up to the "#" before the agent's name.
func conversation(log string) string {
	if i := strings.LastIndexByte(log, '#'); i >= 0 {
		return log[:i]
	}
	return log
}

// admit checks that first continues the log, and returns the highest fencing token seen there. The token of the conversation's
// lease is compared as the records are written.
func admit(t *tx, first graph.Record, fence int64) (int64, error) {
	var head, high int64
	if end, ok := t.end(logName{first.Thread, first.NS}); ok {
		head, high = end.seq, end.fence
	} else if err := t.get(`SELECT seq, fence FROM log WHERE thread = ? AND ns = ? ORDER BY seq DESC LIMIT 1`,
		[]any{first.Thread, first.NS}, &head, &high); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	if fence != 0 && fence < high {
		return 0, graph.ErrFenced
	}
	if first.Seq == head+1 {
		return max(high, fence), nil
	}
	var lease int64 // a writer that was fenced is told so first
	if err := t.get(`SELECT coalesce((SELECT token FROM threads WHERE key = ?), 0)`, []any{conversation(first.Thread)}, &lease); err != nil {
		return 0, err
	}
	switch {
	case fence != 0 && fence < lease:
		return 0, graph.ErrFenced
	case first.Seq <= head:
		return 0, graph.ErrConflict
	}
	return 0, fmt.Errorf("record %d would leave a gap after %d", first.Seq, head)
}

const logColumns = `thread, ns, seq, kind, step, turn, plan, at, body`

// scanRecord reads the columns of a record.
func scanRecord(r scanner) (graph.Record, error) {
	var v graph.Record
	var kind string
	var at int64
	var body []byte
	err := r.Scan(&v.Thread, &v.NS, &v.Seq, &kind, &v.Step, &v.Turn, &v.Plan, &at, &body)
	v.Kind, v.At, v.Body = graph.RecordKind(kind), fromNanos(at), body
	return v, err
}

// Load returns the newest snapshot and the records after it.
func (s *Store) Load(ctx context.Context, thread, ns string) ([]graph.Record, error) {
	return all(ctx, s, "load "+thread, scanRecord, `SELECT `+logColumns+` FROM log WHERE thread = ? AND ns = ? AND seq >= coalesce(
		(SELECT max(seq) FROM log WHERE thread = ? AND ns = ? AND kind = 'snapshot'), 0) ORDER BY seq`, thread, ns, thread, ns)
}

// Head returns the Seq of the newest record.
func (s *Store) Head(ctx context.Context, thread, ns string) (int64, error) {
	if end, ok := s.write.heads.get(logName{thread, ns}); ok {
		return end.seq, ctx.Err()
	}
	scan := func(r scanner) (n int64, err error) { return n, r.Scan(&n) }
	n, err := one(ctx, s, scan, `SELECT coalesce(max(seq), 0) FROM log WHERE thread = ? AND ns = ?`, thread, ns)
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: head of %s: %w", thread, err)
	}
	return n, nil
}

// History returns a range of a log.
func (s *Store) History(ctx context.Context, thread, ns string, from, to int64, limit int) ([]graph.Record, error) {
	if limit <= 0 {
		limit = -1
	}
	return all(ctx, s, "history of "+thread, scanRecord, `SELECT `+logColumns+` FROM log WHERE thread = ? AND ns = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT 0 + ?`,
		thread, ns, from, to, limit)
}

// Prune removes the records below the newest snapshot, except the last keep records.
func (s *Store) Prune(ctx context.Context, thread, ns string, keep int) error {
	_, err := s.change(ctx, "prune "+thread, `DELETE FROM log WHERE thread = ? AND ns = ? AND seq < (
		SELECT max(seq) FROM log WHERE thread = ? AND ns = ? AND kind = 'snapshot') - ?`, thread, ns, thread, ns, max(keep, 0))
	return err
}

// Delete removes the logs of a thread.
func (s *Store) Delete(ctx context.Context, thread string) error {
	_, err := s.change(ctx, "delete the log of "+thread, `DELETE FROM log WHERE thread = ?`, thread)
	return err
}

// DropNamespace removes the log of a namespace and of those below it.
func (s *Store) DropNamespace(ctx context.Context, thread, ns string) error {
	_, err := s.change(ctx, "drop a namespace of "+thread, `DELETE FROM log WHERE thread = ? AND (ns = ? OR ns >= ? AND ns < ?)`,
		thread, ns, ns+"/", ns+"0") // "0" follows "/"
	return err
}
