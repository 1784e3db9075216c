package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"maru/memory/sqlitestore/blank"
)

// ErrClosed reports that the store was closed.
var ErrClosed = errors.New("sqlitestore: the store is closed")

// maxBatch limits the operations of one transaction.
const maxBatch = 256

// op is a queued operation. do may run twice, if another operation of its batch failed, and must set its results
// anew each time.
type op struct {
	do   func(*tx) error
	err  error
	done chan bool // true: finished; false: lead the next batch
}

// writer serialises all writes by group commit without a goroutine: the first caller that finds no leader leads and
// commits its own operation with all waiting ones; then it hands the lead to the first later caller. So a lone write
// costs no goroutine switch, and concurrent writers share one commit.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*statement // used by the leader only

	tails  *tails
	heads  *heads
	blanks blank.Cache

	crowded bool // the last batch had several operations; used by the leader only

	commits atomic.Int64 // since the file was opened

	mu      sync.Mutex
	waiting []*op
	leading bool
	closed  bool
	idle    *sync.Cond // on mu: signalled when there is no leader
}

func newWriter(conn *sql.Conn) *writer {
	w := &writer{conn: conn, stmts: map[string]*statement{}, tails: &tails{}, heads: &heads{of: map[logName]logEnd{}}}
	w.idle = sync.NewCond(&w.mu)
	return w
}

// run performs one operation and returns when it is committed. After an error nothing was written. ctx applies
// until the operation starts; then run waits for the outcome, which is near and would otherwise be unknown.
func (w *writer) run(ctx context.Context, do func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &op{do: do, done: make(chan bool, 1)}
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	w.waiting = append(w.waiting, o)
	if !w.leading {
		w.leading = true
		w.mu.Unlock()
		w.lead()
		return o.err
	}
	w.mu.Unlock()
	return w.await(ctx, o)
}

// await waits until the operation is done or its caller becomes the leader.
func (w *writer) await(ctx context.Context, o *op) error {
	select {
	case finished := <-o.done:
		if !finished {
			w.lead()
		}
		return o.err
	case <-ctx.Done():
	}
	if w.withdraw(o) {
		return ctx.Err()
	}
	if finished := <-o.done; !finished {
		w.lead()
	}
	return o.err
}

// withdraw removes an operation that has not started. The first in the queue stays, since it may have been made
// the leader.
func (w *writer) withdraw(o *op) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, p := range w.waiting {
		if p == o && i > 0 {
			w.waiting = append(w.waiting[:i], w.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// lead commits one batch, starting with the caller's operation, and hands on the lead. While several write at once it first
// lets other goroutines run, so that those about to write join the batch. A lone writer would only change its thread.
func (w *writer) lead() {
	if w.crowded {
		runtime.Gosched()
	}
	w.mu.Lock()
	n := min(len(w.waiting), maxBatch)
	w.crowded = n > 1
	batch := append([]*op(nil), w.waiting[:n]...)
	w.waiting = append(w.waiting[:0], w.waiting[n:]...)
	w.mu.Unlock()

	w.commit(batch)
	for _, o := range batch[1:] {
		o.done <- true
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) > 0 {
		w.waiting[0].done <- false
		return
	}
	w.leading = false
	w.idle.Broadcast()
}

// commit runs a batch in one transaction. If an operation fails after it wrote, each one is repeated in its own
// transaction, so that the error affects only its caller.
func (w *writer) commit(batch []*op) {
	spoiled, err := w.try(batch)
	if spoiled && len(batch) > 1 {
		for _, o := range batch {
			if spoiled, err := w.try([]*op{o}); err != nil && !spoiled {
				o.err = err
			}
		}
		return
	}
	if err != nil && !spoiled {
		for _, o := range batch {
			o.err = err
		}
	}
}

// try runs a transaction. spoiled means that an operation failed after it wrote, so nothing is committed; the
// operation holds its own error. Any other error concerns the whole batch.
func (w *writer) try(batch []*op) (spoiled bool, err error) {
	t := &tx{w: w}
	if _, err := t.exec("BEGIN IMMEDIATE"); err != nil {
		return false, fmt.Errorf("sqlitestore: begin: %w", err)
	}
	for _, o := range batch {
		t.wrote = false
		if o.err = guarded(o.do, t); o.err != nil && t.wrote {
			return true, w.rollback(t, nil)
		}
	}
	if _, err := t.exec("COMMIT"); err != nil {
		return false, w.rollback(t, fmt.Errorf("sqlitestore: commit: %w", err))
	}
	w.commits.Add(1)
	w.tails.committed(t.changes)
	w.heads.committed(t)
	if t.fills {
		w.blanks.Clear()
	}
	return false, nil
}

// rollback undoes the transaction. It ignores a failed rollback if SQLite had already rolled back.
func (w *writer) rollback(t *tx, err error) error {
	_, _ = t.exec("ROLLBACK")
	return err
}

// guarded converts a panic in an operation to an error, so that the leader survives.
func guarded(do func(*tx) error, t *tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			t.wrote, err = true, fmt.Errorf("sqlitestore: panic in a write: %v", p)
		}
	}()
	return do(t)
}

// close rejects new operations and waits for running ones.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	for w.leading {
		w.idle.Wait()
	}
	w.mu.Unlock()
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// tx is the transaction that an operation sees. Its statements have no ctx: a started operation is completed.
type tx struct {
	w       *writer
	wrote   bool
	changes []entryChange
	ends    map[logName]logEnd // of the logs that it appended to
	cut     bool               // it deletes records of logs
	fills   bool               // it adds memories or notes
}

// statement is a prepared statement.
type statement struct {
	*sql.Stmt

	changesEntries, cutsLogs, fillsBlanks bool
}

// stmt returns the prepared form of a query.
func (t *tx) stmt(query string) (*statement, error) {
	if s := t.w.stmts[query]; s != nil {
		return s, nil
	}
	// Without the caller's ctx, which the statement outlives.
	s, err := t.w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: prepare: %w", err)
	}
	st := &statement{s, changesEntries(query), strings.Contains(query, "DELETE FROM log"), strings.Contains(query, "INTO memories ") || strings.Contains(query, "INTO notes ")}
	t.w.stmts[query] = st
	return st, nil
}

// exec runs a statement and returns the number of rows changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	s, err := t.stmt(query)
	if err != nil {
		return 0, err
	}
	if s.changesEntries {
		t.changes = append(t.changes, entryChange{})
	}
	if s.cutsLogs {
		t.cut, t.ends = true, nil
	}
	t.fills = t.fills || s.fillsBlanks
	return t.apply(s, args...)
}

// add runs a statement that adds an entry, and tells the tails of transcripts if it did.
func (t *tx) add(c entryChange, query string, args ...any) error {
	s, err := t.stmt(query)
	if err != nil {
		return err
	}
	n, err := t.apply(s, args...)
	if n > 0 {
		t.changes = append(t.changes, c)
	}
	return err
}

func (t *tx) apply(s *statement, args ...any) (int64, error) {
	res, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		t.wrote = true // perhaps in part
		return 0, full(err)
	}
	n, err := res.RowsAffected()
	t.wrote = t.wrote || n > 0
	return n, err
}

// get reads one row; sql.ErrNoRows if there is none.
func (t *tx) get(query string, args []any, dest ...any) error {
	s, err := t.stmt(query)
	if err != nil {
		return err
	}
	return s.QueryRowContext(context.Background(), args...).Scan(dest...)
}

// each calls scan for each row.
func (t *tx) each(scan func(scanner) error, query string, args ...any) (err error) {
	s, err := t.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
