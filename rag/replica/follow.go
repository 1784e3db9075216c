package replica

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/rag"
)

// position is this replica's cursor in a log. It is stored in the local index itself, as a document of a reserved
// scope, so that a lost or restored index takes its cursor along. A cursor that lags (after kill -9) only repeats
// changes, which are idempotent.
type position struct {
	log    string
	number int64
	name   string // this replica's id in the log
}

const (
	ownScope   = "\x00replica"
	ownID      = "\x00position"
	batch      = 50 // documents applied per batch
	retryFirst = 200 * time.Millisecond
	retryLast  = 30 * time.Second
)

// Scopes implements [rag.Scoper], without the scope of the position.
func (x *Index) Scopes(ctx context.Context) ([]string, error) {
	scopes, err := x.Local.Scopes(ctx)
	return slices.DeleteFunc(scopes, func(s string) bool { return s == ownScope }), err
}

// readPosition reads the local index's cursor. If it belongs to another log, or to one restored to an earlier time,
// it is reset and the replicated documents are removed: the missing changes' numbers may be reused. The caller holds
// follow.
func (x *Index) readPosition(ctx context.Context) error {
	var id string
	if err := x.pool.QueryRow(ctx, `SELECT id FROM rag_log`).Scan(&id); err != nil {
		return err
	}
	doc, err := x.Local.Document(ctx, []string{ownScope}, ownID)
	if errors.Is(err, rag.ErrNotFound) {
		x.at = position{log: id, name: rand.Text()}
		return nil
	}
	if err != nil {
		return err
	}
	log, number, _ := strings.Cut(doc.Title, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	x.at = position{log: id, number: n, name: cmp.Or(doc.Origin, rand.Text())}
	if log == id && err == nil {
		if doc.Origin == "" { // written by a program without replica names
			return x.storePosition(ctx, nil)
		}
		known, err := x.recordedCursor(ctx)
		if err != nil || known >= n {
			return err
		}
		x.log.WarnContext(ctx, "the database was restored to an older state, reading its documents again", "number", known, "was", n)
	}
	x.at.number = 0
	return x.forget(ctx, strings.Fields(doc.Source))
}

// recordedCursor returns this replica's cursor as recorded in the log's database.
func (x *Index) recordedCursor(ctx context.Context) (number int64, err error) {
	err = x.pool.QueryRow(ctx, `SELECT coalesce(max(number), 0) FROM rag_followers WHERE id = $1`, x.at.name).Scan(&number)
	return number, err
}

// recordCursor records this replica's next cursor there, and drops replicas silent for long: one that returns after
// all reads everything again. A copy of this replica's folder may be further.
func (x *Index) recordCursor(ctx context.Context, number int64) error {
	_, err := x.pool.Exec(ctx, `INSERT INTO rag_followers (id, number) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET number = greatest(rag_followers.number, excluded.number), at = now()`, x.at.name, number)
	if err == nil {
		_, err = x.pool.Exec(ctx, `DELETE FROM rag_followers WHERE at < now() - interval '90 days' AND id <> $1`, x.at.name)
	}
	return err
}

// lockAndReadPosition is [Index.readPosition] for callers without follow.
func (x *Index) lockAndReadPosition(ctx context.Context) error {
	x.follow.Lock()
	defer x.follow.Unlock()
	return x.readPosition(ctx)
}

// forget removes every document of the scopes from the local index: their database is no longer followed.
func (x *Index) forget(ctx context.Context, quoted []string) error {
	for _, q := range quoted {
		scope, err := strconv.Unquote(q)
		if err != nil {
			return fmt.Errorf("scope %s: %w", q, err)
		}
		docs, err := x.Local.Documents(ctx, []string{scope})
		if err != nil {
			return err
		}
		for _, d := range docs {
			if _, err := x.Local.Delete(ctx, scope, d.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// change is one row of the log.
type change struct {
	id     string
	number int64
	scope  string
	meta   []byte // nil: deleted
	body   []byte
}

// catchUp applies every committed change.
func (x *Index) catchUp(ctx context.Context) error {
	x.follow.Lock()
	defer x.follow.Unlock()
	for {
		rows, err := x.pool.Query(ctx, `SELECT id, number, scope, document, chunks FROM rag_documents WHERE number > $1 ORDER BY number LIMIT $2`, x.at.number, batch)
		if err != nil {
			return err
		}
		changes, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (c change, err error) {
			return c, r.Scan(&c.id, &c.number, &c.scope, &c.meta, &c.body)
		})
		if err != nil {
			return err
		}
		if len(changes) == 0 {
			return nil
		}
		if err := x.apply(ctx, changes); err != nil {
			return err
		}
	}
}

// apply applies changes to the local index and then stores the cursor.
func (x *Index) apply(ctx context.Context, changes []change) error {
	var puts []Entry
	for _, c := range changes {
		if c.meta == nil {
			if err := x.removeDocument(ctx, c); err != nil {
				return fmt.Errorf("delete %s: %w", c.id, err)
			}
			continue
		}
		var e Entry
		if err := json.Unmarshal(c.meta, &e.Document); err != nil {
			return fmt.Errorf("read document %s: %w", c.id, err)
		}
		chunks, err := unpack(c.body)
		if err != nil {
			return fmt.Errorf("read passages of %s: %w", c.id, err)
		}
		e.Chunks = chunks
		puts = append(puts, e)
	}
	if err := x.putAll(ctx, puts); err != nil {
		return err
	}
	return x.storePosition(ctx, changes)
}

// removeDocument removes a document from its last scope in the log or, if this replica missed its move there, from
// its local scope.
func (x *Index) removeDocument(ctx context.Context, c change) error {
	gone, err := x.Local.Delete(ctx, c.scope, c.id)
	if err != nil || gone {
		return err
	}
	scopes, err := x.Local.Scopes(ctx)
	if err != nil {
		return err
	}
	doc, err := x.Local.Document(ctx, scopes, c.id)
	if errors.Is(err, rag.ErrNotFound) {
		return nil
	}
	if err == nil {
		_, err = x.Local.Delete(ctx, doc.Scope, c.id)
	}
	return err
}

func (x *Index) putAll(ctx context.Context, puts []Entry) error {
	if len(puts) == 0 {
		return nil
	}
	if x.cfg.PutAll != nil {
		return x.cfg.PutAll(ctx, puts)
	}
	for _, e := range puts {
		if err := x.Local.Put(ctx, e.Document, e.Chunks); err != nil {
			return fmt.Errorf("put %s: %w", e.Document.ID, err)
		}
	}
	return nil
}

// storePosition stores the cursor, and the scopes that the log has touched here.
func (x *Index) storePosition(ctx context.Context, changes []change) error {
	old, err := x.Local.Document(ctx, []string{ownScope}, ownID)
	if err != nil && !errors.Is(err, rag.ErrNotFound) {
		return err
	}
	scopes := strings.Fields(old.Source)
	if log, _, _ := strings.Cut(old.Title, " "); log != x.at.log {
		scopes = nil
	}
	for _, c := range changes {
		if q := strings.ReplaceAll(strconv.Quote(c.scope), " ", `\x20`); !slices.Contains(scopes, q) {
			scopes = append(scopes, q)
		}
	}
	at := x.at
	if len(changes) > 0 {
		at.number = changes[len(changes)-1].number
	}
	if err := x.recordCursor(ctx, at.number); err != nil {
		return fmt.Errorf("tell the position: %w", err)
	}
	own := rag.Document{ID: ownID, Scope: ownScope, Title: fmt.Sprintf("%s %d", at.log, at.number), Source: strings.Join(scopes, " "), Origin: at.name}
	if err := x.Local.Put(ctx, own, nil); err != nil {
		return fmt.Errorf("note the position: %w", err)
	}
	x.at = at
	return nil
}

// followLoop applies other replicas' commits until ctx ends: on notification, and every Poll as a fallback. It
// reconnects with backoff, reset once it follows again.
func (x *Index) followLoop(ctx context.Context) {
	wait := retryFirst
	for ctx.Err() == nil {
		followed, err := x.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		if followed {
			wait = retryFirst
		}
		x.log.WarnContext(ctx, "documents are not followed", "err", err, "wait", wait.String())
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		t.Stop()
		wait = min(2*wait, retryLast)
	}
}

// listen follows over one connection until it fails; followed reports that it worked for a while.
func (x *Index) listen(ctx context.Context) (followed bool, err error) {
	conn, err := x.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	// A connection with LISTEN must not return to the pool.
	own := conn.Hijack()
	defer func() { _ = own.Close(context.WithoutCancel(ctx)) }()
	if _, err := own.Exec(ctx, `LISTEN `+pgx.Identifier{x.channel()}.Sanitize()); err != nil {
		return false, err
	}
	if err := x.lockAndReadPosition(ctx); err != nil { // the database may have been restored meanwhile
		return false, err
	}
	for {
		if err := x.catchUp(ctx); err != nil {
			return followed, err
		}
		followed = true
		timed, cancel := context.WithTimeout(ctx, x.cfg.Poll)
		_, err := own.WaitForNotification(timed)
		cancel()
		if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return followed, err
		}
	}
}
