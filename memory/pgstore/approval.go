package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

const approvalColumns = `id, kind, thread, run, interrupt, digest, payload, allowed, needs, agreed, ref, state, decision, decider, created, expires, due, decided`

// scanApproval reads the columns of an approval.
func scanApproval(r pgx.CollectableRow) (bot.Approval, error) {
	var a bot.Approval
	var payload, agreed, ref, decision []byte
	var expires, due, decided *time.Time
	if err := r.Scan(&a.ID, &a.Kind, &a.Thread, &a.Run, &a.Interrupt, &a.Digest, &payload, &a.Allowed, &a.Needs, &agreed, &ref, &a.State,
		&decision, &a.By, &a.Created, &expires, &due, &decided); err != nil {
		return bot.Approval{}, err
	}
	a.Payload, a.Decision = payload, decision
	a.Created, a.Expires, a.Due, a.Decided = a.Created.UTC(), when(expires), when(due), when(decided)
	if err := errors.Join(json.Unmarshal(agreed, &a.Agreed), json.Unmarshal(ref, &a.Ref)); err != nil {
		return bot.Approval{}, fmt.Errorf("decode approval %s: %w", a.ID, err)
	}
	return a, nil
}

// CreateApproval stores a question to people under the thread's lease. It is idempotent.
func (s *Store) CreateApproval(ctx context.Context, l bot.Lease, a bot.Approval) error {
	if a.ID == "" {
		return errors.New("pgstore: create approval: it has no id")
	}
	ref, err := json.Marshal(a.Ref)
	if err != nil {
		return fmt.Errorf("pgstore: create approval: %w", err)
	}
	args := leaseArgs(l)
	args["id"], args["kind"], args["run"], args["interrupt"], args["digest"] = a.ID, a.Kind, a.Run, a.Interrupt, a.Digest
	args["payload"], args["allowed"], args["ref"] = []byte(a.Payload), append([]string{}, a.Allowed...), string(ref)
	args["created"], args["expires"], args["due"], args["needs"] = stamp(a.Created), stamp(a.Expires), stamp(a.Due), a.Needs
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		var held bool
		err := s.pool.QueryRow(ctx, `WITH `+sqlHeld+`, made AS (
				INSERT INTO approvals (id, kind, thread, run, interrupt, digest, payload, allowed, needs, ref, state, created, expires, due)
				SELECT @id, @kind, @thread, @run, @interrupt, @digest, @payload::bytea, @allowed::text[], @needs::int, @ref::json, 'pending',
					coalesce(@created::timestamptz, now()), @expires::timestamptz, @due::timestamptz FROM held ON CONFLICT (id) DO NOTHING
			) SELECT EXISTS (SELECT 1 FROM held)`, args).Scan(&held)
		if err == nil && !held {
			return bot.ErrFenced
		}
		return err
	})
	return wrap("create approval", err)
}

// ApprovalByID returns an approval.
func (s *Store) ApprovalByID(ctx context.Context, id string) (bot.Approval, error) {
	a, err := one(ctx, s, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE id = $1`, id)
	return a, wrap("approval", err)
}

// PostedApproval stores the message that has the buttons.
func (s *Store) PostedApproval(ctx context.Context, id string, ref bot.Ref, due time.Time) error {
	raw, err := json.Marshal(ref)
	if err != nil {
		return fmt.Errorf("pgstore: posted approval: %w", err)
	}
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, `UPDATE approvals SET ref = $2, due = $3 WHERE id = $1`, id, string(raw), stamp(due))
		if err == nil && tag.RowsAffected() == 0 {
			return bot.ErrNotFound
		}
		return err
	})
	return wrap("posted approval", err)
}

// Decide applies a vote; the first decision wins. The row is locked while the vote is applied, and the vote and its
// effects are one transaction. The op in the row lets a retry after a lost reply recognise its own write.
func (s *Store) Decide(ctx context.Context, v bot.Vote) (bot.Approval, error) {
	a, err := s.ApprovalByID(ctx, v.Approval)
	if err == nil && a.State != bot.ApprovalPending { // most late votes need no lock
		err = bot.ErrDecided
	}
	if err != nil {
		return a, fmt.Errorf("pgstore: decide: %w", err)
	}
	op := newOp()
	var lost error
	err = s.try(ctx, func(ctx context.Context, again bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			var err error
			a, lost, err = s.vote(ctx, tx, v, op, again)
			return err
		})
	})
	if err = errors.Join(err, lost); err != nil {
		return a, fmt.Errorf("pgstore: decide: %w", err)
	}
	return a, nil
}

// vote applies a vote within a transaction. lost is the reason why it does not count.
func (s *Store) vote(ctx context.Context, tx pgx.Tx, v bot.Vote, op string, again bool) (a bot.Approval, lost, err error) {
	rows, err := tx.Query(ctx, `SELECT `+approvalColumns+` FROM approvals WHERE id = $1 FOR UPDATE`, v.Approval)
	if err != nil {
		return a, nil, err
	}
	if a, err = pgx.CollectExactlyOneRow(rows, scanApproval); errors.Is(err, pgx.ErrNoRows) {
		return a, nil, bot.ErrNotFound
	} else if err != nil {
		return a, nil, err
	}
	var now time.Time
	var last string
	if err := tx.QueryRow(ctx, `SELECT clock_timestamp(), op FROM approvals WHERE id = $1`, a.ID).Scan(&now, &last); err != nil {
		return a, nil, err
	}
	if again && last == op { // committed by the previous attempt
		return a, nil, nil
	}
	if lost = a.Vote(v, now.UTC()); lost != nil {
		return a, lost, nil
	}
	agreed, err := json.Marshal(a.Agreed)
	if err != nil {
		return a, nil, err
	}
	if _, err := tx.Exec(ctx, `UPDATE approvals SET state = $2, agreed = $3, decision = $4, decider = $5, decided = $6, op = $7 WHERE id = $1`,
		a.ID, string(a.State), string(agreed), []byte(a.Decision), a.By, stamp(a.Decided), op); err != nil {
		return a, nil, err
	}
	if a.State != bot.ApprovalDecided || v.Follow == nil {
		return a, nil, nil
	}
	args, err := s.putArgs(*v.Follow, op)
	if err == nil {
		_, err = tx.Exec(ctx, `WITH cond AS (SELECT 1)`+sqlPut, args)
	}
	return a, nil, err
}

// CloseApproval expires or revokes a pending approval. It is idempotent for the same state; other final states
// return bot.ErrDecided.
func (s *Store) CloseApproval(ctx context.Context, id string, state bot.ApprovalState, follow *bot.Item) error {
	if state != bot.ApprovalExpired && state != bot.ApprovalRevoked {
		return fmt.Errorf("pgstore: close approval: %q is not a state to close with", state)
	}
	op, args, then := newOp(), named{}, ` SELECT 1 FROM cond`
	if follow != nil {
		var err error
		if args, err = s.putArgs(*follow, op); err != nil {
			return fmt.Errorf("pgstore: close approval: %w", err)
		}
		then = sqlPut
	}
	args["a_id"], args["a_state"] = id, string(state)
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		var now []string
		b := &pgx.Batch{}
		b.Queue(`WITH cond AS (UPDATE approvals SET state = @a_state, decided = clock_timestamp() WHERE id = @a_id AND state = 'pending' RETURNING 1)`+then, args)
		b.Queue(`SELECT state FROM approvals WHERE id = $1`, id).Query(func(rows pgx.Rows) (err error) {
			now, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		err := s.batch(ctx, b)
		switch {
		case err != nil:
			return err
		case len(now) == 0:
			return bot.ErrNotFound
		case now[0] != string(state):
			return bot.ErrDecided
		}
		return nil
	})
	return wrap("close approval", err)
}

// DueApprovals lists the pending approvals that are due for a reminder or expiry.
func (s *Store) DueApprovals(ctx context.Context, limit int) ([]bot.Approval, error) {
	list, err := all(ctx, s, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE state = 'pending' AND due <= now() ORDER BY due, id LIMIT $1`, bound(limit))
	return list, wrap("due approvals", err)
}

// PostponeApproval moves the due time of a pending approval.
func (s *Store) PostponeApproval(ctx context.Context, id string, from, to time.Time) (bool, error) {
	op := newOp()
	var moved bool
	err := s.try(ctx, func(ctx context.Context, again bool) error {
		err := s.pool.QueryRow(ctx, `UPDATE approvals SET due = $3, op = $4 WHERE id = $1 AND state = 'pending' AND due = $2 RETURNING true`,
			id, stamp(from), stamp(to), op).Scan(&moved)
		if errors.Is(err, pgx.ErrNoRows) {
			moved, err = false, nil
			if again {
				err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM approvals WHERE id = $1 AND op = $2)`, id, op).Scan(&moved)
			}
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: postpone approval: %w", err)
	}
	return moved, nil
}

// RunApprovals lists all approvals of a run, oldest first.
func (s *Store) RunApprovals(ctx context.Context, thread, run string, limit int) ([]bot.Approval, error) {
	list, err := all(ctx, s, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE thread = $2 AND run = $3 ORDER BY created, id LIMIT $1`, bound(limit), thread, run)
	return list, wrap("approvals of a run", err)
}

// PendingApprovals lists the pending approvals of a thread, oldest first, expired ones included until they are
// closed.
func (s *Store) PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error) {
	return s.pending(ctx, `thread = $2`, limit, thread)
}

// TeamApprovals lists the pending approvals of a workspace's threads, oldest first, after a cursor.
func (s *Store) TeamApprovals(ctx context.Context, team string, after bot.Approval, limit int) ([]bot.Approval, error) {
	return s.pending(ctx, `starts_with(thread, $2 || '/') AND (created, id) > (coalesce($3, '-infinity'::timestamptz), $4)`, limit, team, stamp(after.Created), after.ID)
}

func (s *Store) pending(ctx context.Context, where string, limit int, args ...any) ([]bot.Approval, error) {
	list, err := all(ctx, s, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE state = 'pending' AND `+where+` ORDER BY created, id LIMIT $1`,
		append([]any{bound(limit)}, args...)...)
	return list, wrap("pending approvals", err)
}
