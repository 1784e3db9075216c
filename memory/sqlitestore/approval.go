package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/bot"
)

const approvalColumns = `id, kind, thread, run, interrupt, digest, payload, allowed, needs, agreed, ref, state, decision, decider, created, expires, due, decided`

// scanApproval reads the columns of an approval.
func scanApproval(r scanner) (bot.Approval, error) {
	var a bot.Approval
	var state string
	var payload, allowed, agreed, ref, decision []byte
	var created, expires, due, decided int64
	if err := r.Scan(&a.ID, &a.Kind, &a.Thread, &a.Run, &a.Interrupt, &a.Digest, &payload, &allowed, &a.Needs, &agreed, &ref, &state,
		&decision, &a.By, &created, &expires, &due, &decided); err != nil {
		return bot.Approval{}, err
	}
	a.Payload, a.State, a.Decision = payload, bot.ApprovalState(state), decision
	a.Created, a.Expires, a.Due, a.Decided = fromMicros(created), fromMicros(expires), fromMicros(due), fromMicros(decided)
	if err := errors.Join(json.Unmarshal(allowed, &a.Allowed), json.Unmarshal(agreed, &a.Agreed), json.Unmarshal(ref, &a.Ref)); err != nil {
		return bot.Approval{}, fmt.Errorf("decode approval %s: %w", a.ID, err)
	}
	return a, nil
}

// CreateApproval stores a question to people under the thread's lease. It is idempotent.
func (s *Store) CreateApproval(ctx context.Context, l bot.Lease, a bot.Approval) error {
	if a.ID == "" {
		return errors.New("sqlitestore: create approval: it has no id")
	}
	allowed, err1 := json.Marshal(a.Allowed)
	ref, err2 := json.Marshal(a.Ref)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("sqlitestore: create approval: %w", err)
	}
	err := s.write.run(ctx, func(t *tx) error {
		if err := held(t, l); err != nil {
			return err
		}
		created := a.Created
		if created.IsZero() {
			created = s.cfg.Now()
		}
		_, err := t.exec(`INSERT INTO approvals (`+approvalColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, 'pending', NULL, '', ?, ?, ?, 0)
			ON CONFLICT (id) DO NOTHING`, a.ID, a.Kind, l.Thread, a.Run, a.Interrupt, a.Digest, blob(a.Payload), allowed, a.Needs, ref,
			micros(created), micros(a.Expires), micros(a.Due))
		return err
	})
	return wrap("create approval", err)
}

// ApprovalByID returns an approval.
func (s *Store) ApprovalByID(ctx context.Context, id string) (bot.Approval, error) {
	a, err := one(ctx, s, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE id = ?`, id)
	return a, wrap("approval", err)
}

// PostedApproval stores the message that has the buttons.
func (s *Store) PostedApproval(ctx context.Context, id string, ref bot.Ref, due time.Time) error {
	raw, err := json.Marshal(ref)
	if err != nil {
		return fmt.Errorf("sqlitestore: posted approval: %w", err)
	}
	err = s.write.run(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE approvals SET ref = ?, due = ? WHERE id = ?`, raw, micros(due), id)
		if err == nil && n == 0 {
			return bot.ErrNotFound
		}
		return err
	})
	return wrap("posted approval", err)
}

// Decide applies a vote; the first decision wins.
func (s *Store) Decide(ctx context.Context, v bot.Vote) (bot.Approval, error) {
	var a bot.Approval
	var lost error
	err := s.write.run(ctx, func(t *tx) (err error) {
		if a, err = approval(t, v.Approval); err != nil {
			return err
		}
		now := s.cfg.Now()
		if lost = a.Vote(v, now); lost != nil {
			return nil
		}
		agreed, err := json.Marshal(a.Agreed)
		if err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE approvals SET state = ?, agreed = ?, decision = ?, decider = ?, decided = ? WHERE id = ? AND state = 'pending'`,
			string(a.State), agreed, blob(a.Decision), a.By, micros(a.Decided), a.ID); err != nil {
			return err
		}
		if a.State == bot.ApprovalDecided && v.Follow != nil {
			_, err = put(t, *v.Follow, now)
		}
		return err
	})
	if err = errors.Join(err, lost); err != nil {
		return a, fmt.Errorf("sqlitestore: decide: %w", err)
	}
	return a, nil
}

// approval reads an approval within a transaction.
func approval(t *tx, id string) (bot.Approval, error) {
	st, err := t.stmt(`SELECT ` + approvalColumns + ` FROM approvals WHERE id = ?`)
	if err != nil {
		return bot.Approval{}, err
	}
	a, err := scanApproval(st.QueryRowContext(context.Background(), id))
	if errors.Is(err, sql.ErrNoRows) {
		return bot.Approval{}, bot.ErrNotFound
	}
	return a, err
}

// CloseApproval expires or revokes a pending approval. It is idempotent for the same state; other final states
// return bot.ErrDecided.
func (s *Store) CloseApproval(ctx context.Context, id string, state bot.ApprovalState, follow *bot.Item) error {
	if state != bot.ApprovalExpired && state != bot.ApprovalRevoked {
		return fmt.Errorf("sqlitestore: close approval: %q is not a state to close with", state)
	}
	err := s.write.run(ctx, func(t *tx) error {
		now := s.cfg.Now()
		n, err := t.exec(`UPDATE approvals SET state = ?, decided = ? WHERE id = ? AND state = 'pending'`, string(state), micros(now), id)
		if err != nil {
			return err
		}
		if n > 0 && follow != nil {
			_, err = put(t, *follow, now)
		}
		if err != nil || n > 0 {
			return err
		}
		a, err := approval(t, id)
		if err == nil && a.State != state {
			return bot.ErrDecided
		}
		return err
	})
	return wrap("close approval", err)
}

// DueApprovals lists the pending approvals that are due for a reminder or expiry.
func (s *Store) DueApprovals(ctx context.Context, limit int) ([]bot.Approval, error) {
	return all(ctx, s, "due approvals", scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE state = 'pending' AND due > 0 AND due <= ? ORDER BY due, id LIMIT 0 + ?`,
		micros(s.cfg.Now()), bound(limit))
}

// PostponeApproval moves the due time of a pending approval.
func (s *Store) PostponeApproval(ctx context.Context, id string, from, to time.Time) (bool, error) {
	var moved bool
	err := s.write.run(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE approvals SET due = ? WHERE id = ? AND due = ? AND state = 'pending'`, micros(to), id, micros(from))
		moved = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: postpone approval: %w", err)
	}
	return moved, nil
}

// RunApprovals lists all approvals of a run, oldest first.
func (s *Store) RunApprovals(ctx context.Context, thread, run string, limit int) ([]bot.Approval, error) {
	return all(ctx, s, "approvals of a run", scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE thread = ? AND run = ? ORDER BY created, id LIMIT 0 + ?`, thread, run, bound(limit))
}

// PendingApprovals lists the pending approvals of a thread, oldest first, expired ones included until they are closed.
func (s *Store) PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error) {
	return s.pending(ctx, `thread = ?2`, limit, thread)
}

// TeamApprovals lists the pending approvals of a workspace's threads, oldest first, after a cursor. "0" follows "/".
func (s *Store) TeamApprovals(ctx context.Context, team string, after bot.Approval, limit int) ([]bot.Approval, error) {
	return s.pending(ctx, `thread >= ?2 || '/' AND thread < ?2 || '0' AND (created, id) > (?3, ?4)`, limit, team, micros(after.Created), after.ID)
}

func (s *Store) pending(ctx context.Context, where string, limit int, args ...any) ([]bot.Approval, error) {
	return all(ctx, s, "pending approvals", scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE state = 'pending' AND `+where+` ORDER BY created, id LIMIT 0 + ?1`,
		append([]any{bound(limit)}, args...)...)
}
