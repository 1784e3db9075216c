package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// sqlHeld is a table with a row if the lease is the newest of its thread and was not released. The row stays locked,
// so that no takeover can happen before the transaction ends. An expired lease that nobody took over is still valid.
const sqlHeld = `held AS (SELECT 1 FROM threads WHERE key = @thread AND token = @token AND owner <> '' FOR UPDATE)`

// leaseArgs returns the arguments of sqlHeld.
func leaseArgs(l bot.Lease) named {
	return named{"thread": l.Thread, "token": l.Token}
}

// Claim leases a thread that has work and no live lease. Times are those of the start of the statement, so a
// statement that waited takes over too late rather than too early.
func (s *Store) Claim(ctx context.Context, thread, owner string, ttl time.Duration, but ...string) (bot.Lease, bool, error) {
	if owner == "" || ttl <= 0 {
		return bot.Lease{}, false, errors.New("pgstore: claim needs an owner and a time to live")
	}
	op := newOp()
	l := bot.Lease{Owner: owner}
	err := s.try(ctx, func(ctx context.Context, again bool) error {
		if again { // the previous attempt may have leased one
			err := s.pool.QueryRow(ctx, `SELECT key, token, until FROM threads WHERE op = $1 AND owner = $2`, op, owner).Scan(&l.Thread, &l.Token, &l.Until)
			if !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
		}
		// SKIP LOCKED: the holder of the row is putting, finishing or claiming. A named thread waits for the lock.
		query := `UPDATE threads SET owner = @owner, token = nextval('lease_tokens'), until = now() + @ttl::interval, op = @op
			WHERE key = (SELECT key FROM threads WHERE since IS NOT NULL AND until <= now()
				AND NOT EXISTS (SELECT 1 FROM unnest(@but::text[]) AS but(within) WHERE starts_with(key, within || '/'))
				ORDER BY since LIMIT 1 FOR UPDATE SKIP LOCKED)
			RETURNING key, token, until`
		if thread != "" {
			query = `UPDATE threads SET owner = @owner, token = nextval('lease_tokens'), until = now() + @ttl::interval, op = @op
				WHERE key = @thread AND since IS NOT NULL AND until <= now() RETURNING key, token, until`
		}
		args := named{"owner": owner, "ttl": ttl, "op": op, "thread": thread, "but": but}
		return s.pool.QueryRow(ctx, query, args).Scan(&l.Thread, &l.Token, &l.Until)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return bot.Lease{}, false, nil
	}
	if err != nil {
		return bot.Lease{}, false, fmt.Errorf("pgstore: claim: %w", err)
	}
	return l, true, nil
}

// Take leases a thread and returns its first item, in one round trip.
func (s *Store) Take(ctx context.Context, thread, owner string, ttl time.Duration) (bot.Lease, bot.Item, bool, error) {
	if thread == "" || owner == "" || ttl <= 0 {
		return bot.Lease{}, bot.Item{}, false, errors.New("pgstore: take needs a thread, an owner and a time to live")
	}
	op := newOp()
	var l bot.Lease
	var h handed
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		h, l = handed{}, bot.Lease{}
		b := &pgx.Batch{}
		b.Queue(`SELECT 1 FROM threads WHERE key = $1 AND (until <= now() OR op = $2) FOR UPDATE`, thread, op) // a lease is not waited for
		queueTake(b, named{"owner": owner, "ttl": ttl, "op": op, "thread": thread}, ``, &l, &h)
		return s.batch(ctx, b)
	})
	if err != nil {
		return bot.Lease{}, bot.Item{}, false, fmt.Errorf("pgstore: take: %w", err)
	}
	if l.Token == 0 {
		return bot.Lease{}, bot.Item{}, false, nil
	}
	l.Thread, l.Owner = thread, owner
	it, _ := h.item(thread)
	return l, it, true, nil
}

// queueTake queues the statement that leases a thread under a further condition, and sets the lease with its first item
// if it can be leased. A previous attempt may have been committed: its lease and item are returned again.
func queueTake(b *pgx.Batch, args named, and string, l *bot.Lease, h *handed) {
	b.Queue(`WITH held AS (
		UPDATE threads SET owner = @owner, token = nextval('lease_tokens'), until = now() + @ttl::interval, op = @op
		WHERE key = @thread AND since IS NOT NULL AND (until <= now() OR op = @op AND owner = @owner)`+and+` RETURNING token, until
		), `+sqlNext+` SELECT token, until, next.* FROM held LEFT JOIN next ON true`, args).
		QueryRow(func(r pgx.Row) error {
			err := r.Scan(append([]any{&l.Token, &l.Until}, h.dest()...)...)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		})
}

// Begin commits an item and, if it is fresh and its thread free, leases the thread and returns its first item, in
// one round trip.
func (s *Store) Begin(ctx context.Context, it bot.Item, owner string, ttl time.Duration) (fresh bool, l bot.Lease, first bot.Item, err error) {
	if owner == "" || ttl <= 0 {
		return false, bot.Lease{}, bot.Item{}, errors.New("pgstore: begin needs an owner and a time to live")
	}
	op := newOp()
	args, err := s.putArgs(it, op)
	if err != nil {
		return false, bot.Lease{}, bot.Item{}, fmt.Errorf("pgstore: begin: %w", err)
	}
	args["tell"] = false // the thread's holder finds the item after its own
	var h handed
	err = s.try(ctx, func(ctx context.Context, again bool) error {
		h, l = handed{}, bot.Lease{}
		b := &pgx.Batch{}
		queuePut(b, it, args, again, &fresh)
		queueTake(b, named{"owner": owner, "ttl": ttl, "op": op, "thread": it.Thread, "id": it.ID}, ` AND EXISTS (SELECT 1 FROM items WHERE id = @id AND op = @op)`, &l, &h)
		return s.batch(ctx, b)
	})
	if err != nil {
		return false, bot.Lease{}, bot.Item{}, fmt.Errorf("pgstore: begin: %w", err)
	}
	if l.Token != 0 {
		l.Thread, l.Owner = it.Thread, owner
		first, _ = h.item(it.Thread)
	}
	return fresh, l, first, nil
}

// Renew extends a lease.
func (s *Store) Renew(ctx context.Context, l bot.Lease, ttl time.Duration) (bot.Lease, error) {
	if ttl <= 0 {
		return l, errors.New("pgstore: renew needs a time to live")
	}
	if _, ended := s.freed.Load(l.Token); ended { // its worker has nothing left to do: its next call is Next or Release
		return l, nil
	}
	next := l
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		err := s.pool.QueryRow(ctx, `UPDATE threads SET until = now() + $3::interval WHERE key = $1 AND token = $2 AND owner <> '' RETURNING until`,
			l.Thread, l.Token, ttl).Scan(&next.Until)
		if errors.Is(err, pgx.ErrNoRows) {
			return bot.ErrFenced
		}
		return err
	})
	if err != nil {
		return l, fmt.Errorf("pgstore: renew: %w", err)
	}
	return next, nil
}

// Release ends a lease. It is idempotent.
func (s *Store) Release(ctx context.Context, l bot.Lease) error {
	if _, ended := s.freed.LoadAndDelete(l.Token); ended {
		return nil
	}
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, `UPDATE threads SET owner = '', until = '-infinity' WHERE key = $1 AND token = $2`, l.Thread, l.Token)
		if err == nil && tag.RowsAffected() == 0 {
			return bot.ErrFenced
		}
		return err
	})
	return wrap("release", err)
}
