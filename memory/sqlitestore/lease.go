package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"maru/bot"
)

// tokens issues fencing tokens from memory. The file stores an upper bound of all tokens issued, from which a
// restart continues.
type tokens struct {
	mu        sync.Mutex
	next, end int64
}

const (
	tokenBlock = 1 << 20 // tokens reserved in the file at a time
	tokenSpare = 1 << 12 // remaining tokens at which more are reserved
)

// take returns a token greater than all before. Only a write may call it, so that tokens grow in the order of the
// leases.
func (k *tokens) take() (int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == k.end {
		return 0, errors.New("no fencing tokens left")
	}
	k.next++
	return k.next - 1, nil
}

// low reports whether to reserve more tokens.
func (k *tokens) low() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.end-k.next < tokenSpare
}

// grant adds a reserved block and drops the rest of the previous one.
func (k *tokens) grant(next, end int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if next >= k.end {
		k.next, k.end = next, end
	}
}

// stock reserves tokens if few are left. They are issued only after their reservation is committed.
func (s *Store) stock(ctx context.Context) error {
	if !s.tokens.low() {
		return nil
	}
	var from int64
	err := s.write.run(ctx, func(t *tx) error {
		if err := t.get(`SELECT next FROM tokens`, nil, &from); err != nil {
			return err
		}
		_, err := t.exec(`UPDATE tokens SET next = ?`, from+tokenBlock)
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlitestore: reserve fencing tokens: %w", err)
	}
	s.tokens.grant(from, from+tokenBlock)
	return nil
}

// Claim leases a thread that has work and no live lease.
func (s *Store) Claim(ctx context.Context, thread, owner string, ttl time.Duration, but ...string) (bot.Lease, bool, error) {
	if owner == "" || ttl <= 0 {
		return bot.Lease{}, false, errors.New("sqlitestore: claim needs an owner and a time to live")
	}
	if thread == "" { // a read is cheap compared to the writer, and usually finds nothing
		if _, err := one(ctx, s, scanText, sqlWaiting, micros(s.cfg.Now()), list(but)); errors.Is(err, bot.ErrNotFound) {
			return bot.Lease{}, false, nil
		} else if err != nil {
			return bot.Lease{}, false, fmt.Errorf("sqlitestore: claim: %w", err)
		}
	}
	if err := s.stock(ctx); err != nil {
		return bot.Lease{}, false, err
	}
	var l bot.Lease
	err := s.write.run(ctx, func(t *tx) (err error) {
		l, err = s.claim(t, thread, owner, ttl, but)
		return err
	})
	if err != nil {
		return bot.Lease{}, false, fmt.Errorf("sqlitestore: claim: %w", err)
	}
	return l, l.Token != 0, nil
}

// Take leases a thread and returns its first item.
func (s *Store) Take(ctx context.Context, thread, owner string, ttl time.Duration) (bot.Lease, bot.Item, bool, error) {
	if thread == "" || owner == "" || ttl <= 0 {
		return bot.Lease{}, bot.Item{}, false, errors.New("sqlitestore: take needs a thread, an owner and a time to live")
	}
	if err := s.stock(ctx); err != nil {
		return bot.Lease{}, bot.Item{}, false, err
	}
	var l bot.Lease
	var it bot.Item
	err := s.write.run(ctx, func(t *tx) (err error) {
		it = bot.Item{}
		if l, err = s.claim(t, thread, owner, ttl, nil); err != nil || l.Token == 0 {
			return err
		}
		it, err = next(t, l)
		return err
	})
	if err != nil {
		return bot.Lease{}, bot.Item{}, false, fmt.Errorf("sqlitestore: take: %w", err)
	}
	return l, it, l.Token != 0, nil
}

// Begin commits an item and, if it is fresh and its thread free, leases the thread and returns its first item, in
// one transaction.
func (s *Store) Begin(ctx context.Context, it bot.Item, owner string, ttl time.Duration) (fresh bool, l bot.Lease, first bot.Item, err error) {
	if owner == "" || ttl <= 0 {
		return false, bot.Lease{}, bot.Item{}, errors.New("sqlitestore: begin needs an owner and a time to live")
	}
	if err := s.stock(ctx); err != nil {
		return false, bot.Lease{}, bot.Item{}, err
	}
	err = s.write.run(ctx, func(t *tx) (err error) {
		l, first = bot.Lease{}, bot.Item{}
		if fresh, err = put(t, it, s.cfg.Now()); err != nil || !fresh {
			return err
		}
		if l, err = s.claim(t, it.Thread, owner, ttl, nil); err != nil || l.Token == 0 {
			return err
		}
		first, err = next(t, l)
		return err
	})
	if err != nil {
		return false, bot.Lease{}, bot.Item{}, fmt.Errorf("sqlitestore: begin: %w", err)
	}
	return fresh, l, first, nil
}

// claim leases the named thread or, with "", the one whose item has waited longest, except those in but. The token
// is 0 if there is none.
func (s *Store) claim(t *tx, thread, owner string, ttl time.Duration, but []string) (bot.Lease, error) {
	now := s.cfg.Now()
	if thread == "" {
		if err := t.get(sqlWaiting, []any{micros(now), list(but)}, &thread); errors.Is(err, sql.ErrNoRows) {
			return bot.Lease{}, nil
		} else if err != nil {
			return bot.Lease{}, err
		}
	}
	token, err := s.tokens.take()
	if err != nil {
		return bot.Lease{}, err
	}
	until := now.Add(ttl)
	n, err := t.exec(`UPDATE threads SET owner = ?, token = ?, until = ? WHERE key = ? AND since IS NOT NULL AND until <= ?`,
		owner, token, micros(until), thread, micros(now))
	if err != nil || n == 0 {
		return bot.Lease{}, err
	}
	return bot.Lease{Thread: thread, Owner: owner, Token: token, Until: until}, nil
}

// sqlWaiting finds the thread whose item has waited longest, except some channels and workspaces.
const sqlWaiting = `SELECT key FROM threads WHERE since IS NOT NULL AND until <= ?
	AND NOT EXISTS (SELECT 1 FROM json_each(?) AS but WHERE substr(threads.key, 1, length(but.value) + 1) = but.value || '/')
	ORDER BY since LIMIT 1`

// scanText reads one text column.
func scanText(r scanner) (string, error) {
	var v string
	err := r.Scan(&v)
	return v, err
}

// Renew extends a lease.
func (s *Store) Renew(ctx context.Context, l bot.Lease, ttl time.Duration) (bot.Lease, error) {
	if ttl <= 0 {
		return l, errors.New("sqlitestore: renew needs a time to live")
	}
	next := l
	err := s.write.run(ctx, func(t *tx) error {
		next.Until = s.cfg.Now().Add(ttl)
		n, err := t.exec(`UPDATE threads SET until = ? WHERE key = ? AND token = ? AND owner <> ''`, micros(next.Until), l.Thread, l.Token)
		if err == nil && n == 0 {
			return bot.ErrFenced
		}
		return err
	})
	if err != nil {
		return l, fmt.Errorf("sqlitestore: renew: %w", err)
	}
	return next, nil
}

// Release ends a lease. It is idempotent.
func (s *Store) Release(ctx context.Context, l bot.Lease) error {
	if err := s.write.run(ctx, func(t *tx) error { return release(t, l) }); err != nil {
		return fmt.Errorf("sqlitestore: release: %w", err)
	}
	return nil
}

func release(t *tx, l bot.Lease) error {
	n, err := t.exec(`UPDATE threads SET owner = '', until = 0 WHERE key = ? AND token = ?`, l.Thread, l.Token)
	if err == nil && n == 0 {
		return bot.ErrFenced
	}
	return err
}

// sqlHeld finds the thread of a lease if it is the newest one and was not released.
const sqlHeld = `SELECT 1 FROM threads WHERE key = ? AND token = ? AND owner <> ''`

// held returns bot.ErrFenced unless l is the newest lease of its thread and was not released. An expired lease that
// nobody took over is still valid.
func held(t *tx, l bot.Lease) error {
	var one int
	err := t.get(sqlHeld, []any{l.Thread, l.Token}, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return bot.ErrFenced
	}
	return err
}
