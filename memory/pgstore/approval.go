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

const approvalColumns = `id, kind, thread, run, interrupt, digest, payload, allowed, ref, state, decision, decider, created, expires, decided`

// scanApproval reads the columns of an approval.
func scanApproval(r pgx.CollectableRow) (bot.Approval, error) {
	var a bot.Approval
	var payload, ref, decision []byte
	var expires, decided *time.Time
	if err := r.Scan(&a.ID, &a.Kind, &a.Thread, &a.Run, &a.Interrupt, &a.Digest, &payload, &a.Allowed, &ref, &a.State,
		&decision, &a.By, &a.Created, &expires, &decided); err != nil {
		return bot.Approval{}, err
	}
	a.Payload, a.Decision = payload, decision
	a.Created, a.Expires, a.Decided = a.Created.UTC(), when(expires), when(decided)
	if err := json.Unmarshal(ref, &a.Ref); err != nil {
		return bot.Approval{}, fmt.Errorf("decode approval %s: %w", a.ID, err)
	}
	return a, nil
}

// CreateApproval stores a question to people under the thread's lease. The same
// question twice is stored once.
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
	args["created"], args["expires"] = stamp(a.Created), stamp(a.Expires)
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		var held bool
		err := s.pool.QueryRow(ctx, `WITH `+sqlHeld+`, made AS (
				INSERT INTO approvals (id, kind, thread, run, interrupt, digest, payload, allowed, ref, state, created, expires)
				SELECT @id, @kind, @thread, @run, @interrupt, @digest, @payload::bytea, @allowed::text[], @ref::json, 'pending',
					coalesce(@created::timestamptz, now()), @expires::timestamptz FROM held ON CONFLICT (id) DO NOTHING
			) SELECT EXISTS (SELECT 1 FROM held)`, args).Scan(&held)
		if err == nil && !held {
			return bot.ErrFenced
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("pgstore: create approval: %w", err)
	}
	return nil
}

// ApprovalByID returns an approval.
func (s *Store) ApprovalByID(ctx context.Context, id string) (bot.Approval, error) {
	a, err := one(ctx, s, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE id = $1`, id)
	if err != nil {
		return bot.Approval{}, fmt.Errorf("pgstore: approval: %w", err)
	}
	return a, nil
}

// PostedApproval stores which message carries the buttons.
func (s *Store) PostedApproval(ctx context.Context, id string, ref bot.Ref) error {
	raw, err := json.Marshal(ref)
	if err != nil {
		return fmt.Errorf("pgstore: posted approval: %w", err)
	}
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, `UPDATE approvals SET ref = $2 WHERE id = $1`, id, string(raw))
		if err == nil && tag.RowsAffected() == 0 {
			return bot.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("pgstore: posted approval: %w", err)
	}
	return nil
}

// Decide decides a pending approval; the first decision wins. Decision, expiry
// and what follows are one transaction; who won is told by the row's op, so that
// a try whose answer was lost is recognised as the winner it was.
func (s *Store) Decide(ctx context.Context, id, by string, decision json.RawMessage, follow *bot.Item) (bot.Approval, error) {
	op := newOp()
	args := pgx.NamedArgs{}
	then := ` SELECT 1 FROM cond`
	if follow != nil {
		var err error
		if args, err = s.putArgs(*follow, op); err != nil {
			return bot.Approval{}, fmt.Errorf("pgstore: decide: %w", err)
		}
		then = sqlPut
	}
	args["a_id"], args["a_by"], args["a_decision"], args["op"] = id, by, []byte(decision), op
	var a bot.Approval
	var won bool
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		b := &pgx.Batch{}
		b.Queue(`WITH cond AS (
			UPDATE approvals SET state = 'decided', decision = @a_decision::bytea, decider = @a_by, decided = clock_timestamp(), op = @op
			WHERE id = @a_id AND state = 'pending' AND (expires IS NULL OR expires > clock_timestamp()) RETURNING 1)`+then, args)
		b.Queue(`UPDATE approvals SET state = 'expired', decided = now() WHERE id = $1 AND state = 'pending'`, id)
		var list []bot.Approval
		b.Queue(`SELECT `+approvalColumns+` FROM approvals WHERE id = $1`, id).Query(func(rows pgx.Rows) (err error) {
			list, err = pgx.CollectRows(rows, scanApproval)
			return err
		})
		b.Queue(`SELECT EXISTS (SELECT 1 FROM approvals WHERE id = $1 AND op = $2)`, id, op).QueryRow(func(r pgx.Row) error { return r.Scan(&won) })
		if err := s.batch(ctx, b); err != nil {
			return err
		}
		if len(list) == 0 {
			return bot.ErrNotFound
		}
		a = list[0]
		return nil
	})
	if err != nil {
		return bot.Approval{}, fmt.Errorf("pgstore: decide: %w", err)
	}
	if !won {
		return a, fmt.Errorf("pgstore: decide: %w", bot.ErrDecided)
	}
	return a, nil
}

// CloseApproval expires or revokes a pending approval. One that is so already
// stays so; one that is otherwise final is bot.ErrDecided.
func (s *Store) CloseApproval(ctx context.Context, id string, state bot.ApprovalState) error {
	if state != bot.ApprovalExpired && state != bot.ApprovalRevoked {
		return fmt.Errorf("pgstore: close approval: %q is not a state to close with", state)
	}
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		var now []string
		b := &pgx.Batch{}
		b.Queue(`UPDATE approvals SET state = $2, decided = now() WHERE id = $1 AND state = 'pending'`, id, string(state))
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
	if err != nil {
		return fmt.Errorf("pgstore: close approval: %w", err)
	}
	return nil
}

// PendingApprovals lists what is pending in a thread, or everywhere, oldest
// first; those whose time is over are among them until somebody closes them.
func (s *Store) PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error) {
	query, args := `SELECT `+approvalColumns+` FROM approvals WHERE state = 'pending' ORDER BY created, id LIMIT $1`, []any{bound(limit)}
	if thread != "" {
		query, args = `SELECT `+approvalColumns+` FROM approvals WHERE state = 'pending' AND thread = $2 ORDER BY created, id LIMIT $1`, []any{bound(limit), thread}
	}
	list, err := all(ctx, s, scanApproval, query, args...)
	if err != nil {
		return nil, fmt.Errorf("pgstore: pending approvals: %w", err)
	}
	return list, nil
}
