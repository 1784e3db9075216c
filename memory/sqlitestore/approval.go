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

const approvalColumns = `id, kind, thread, run, interrupt, digest, payload, allowed, ref, state, decision, decider, created, expires, decided`

// scanApproval reads the columns of an approval.
func scanApproval(r scanner) (bot.Approval, error) {
	var a bot.Approval
	var state string
	var payload, allowed, ref, decision []byte
	var created, expires, decided int64
	if err := r.Scan(&a.ID, &a.Kind, &a.Thread, &a.Run, &a.Interrupt, &a.Digest, &payload, &allowed, &ref, &state,
		&decision, &a.By, &created, &expires, &decided); err != nil {
		return bot.Approval{}, err
	}
	a.Payload, a.State, a.Decision = payload, bot.ApprovalState(state), decision
	a.Created, a.Expires, a.Decided = fromMicros(created), fromMicros(expires), fromMicros(decided)
	if err := errors.Join(json.Unmarshal(allowed, &a.Allowed), json.Unmarshal(ref, &a.Ref)); err != nil {
		return bot.Approval{}, fmt.Errorf("decode approval %s: %w", a.ID, err)
	}
	return a, nil
}

// CreateApproval stores a question to people under the thread's lease. The same
// question twice is stored once.
func (s *Store) CreateApproval(ctx context.Context, l bot.Lease, a bot.Approval) error {
	if a.ID == "" {
		return errors.New("sqlitestore: create approval: it has no id")
	}
	allowed, err := json.Marshal(a.Allowed)
	if err != nil {
		return fmt.Errorf("sqlitestore: create approval: %w", err)
	}
	ref, err := json.Marshal(a.Ref)
	if err != nil {
		return fmt.Errorf("sqlitestore: create approval: %w", err)
	}
	err = s.write.run(ctx, func(t *tx) error {
		if err := held(t, l); err != nil {
			return err
		}
		created := a.Created
		if created.IsZero() {
			created = s.cfg.Now()
		}
		_, err := t.exec(`INSERT INTO approvals (`+approvalColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', NULL, '', ?, ?, 0)
			ON CONFLICT (id) DO NOTHING`, a.ID, a.Kind, l.Thread, a.Run, a.Interrupt, a.Digest, blob(a.Payload), allowed, ref,
			micros(created), micros(a.Expires))
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlitestore: create approval: %w", err)
	}
	return nil
}

// ApprovalByID returns an approval.
func (s *Store) ApprovalByID(ctx context.Context, id string) (bot.Approval, error) {
	a, err := one(ctx, s, scanApproval, `SELECT `+approvalColumns+` FROM approvals WHERE id = ?`, id)
	if err != nil {
		return bot.Approval{}, fmt.Errorf("sqlitestore: approval: %w", err)
	}
	return a, nil
}

// PostedApproval stores which message carries the buttons.
func (s *Store) PostedApproval(ctx context.Context, id string, ref bot.Ref) error {
	raw, err := json.Marshal(ref)
	if err != nil {
		return fmt.Errorf("sqlitestore: posted approval: %w", err)
	}
	err = s.write.run(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE approvals SET ref = ? WHERE id = ?`, raw, id)
		if err == nil && n == 0 {
			return bot.ErrNotFound
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlitestore: posted approval: %w", err)
	}
	return nil
}

// Decide decides a pending approval; the first decision wins.
func (s *Store) Decide(ctx context.Context, id, by string, decision json.RawMessage, follow *bot.Item) (bot.Approval, error) {
	var a bot.Approval
	var won bool
	err := s.write.run(ctx, func(t *tx) error {
		now := s.cfg.Now()
		var err error
		if won, err = decide(t, id, by, decision, now); err != nil {
			return err
		}
		if won && follow != nil {
			if _, err := put(t, *follow, now); err != nil {
				return err
			}
		}
		a, err = approval(t, id)
		return err
	})
	if err != nil {
		return bot.Approval{}, fmt.Errorf("sqlitestore: decide: %w", err)
	}
	if !won {
		return a, fmt.Errorf("sqlitestore: decide: %w", bot.ErrDecided)
	}
	return a, nil
}

// decide is the compare-and-set; a pending approval whose time is over becomes
// expired instead.
func decide(t *tx, id, by string, decision json.RawMessage, now time.Time) (bool, error) {
	n, err := t.exec(`UPDATE approvals SET state = 'decided', decision = ?, decider = ?, decided = ?
		WHERE id = ? AND state = 'pending' AND (expires = 0 OR expires > ?)`, blob(decision), by, micros(now), id, micros(now))
	if err != nil || n > 0 {
		return n > 0, err
	}
	_, err = t.exec(`UPDATE approvals SET state = 'expired', decided = ? WHERE id = ? AND state = 'pending'`, micros(now), id)
	return false, err
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

// CloseApproval expires or revokes a pending approval. One that is so already
// stays so; one that is otherwise final is bot.ErrDecided.
func (s *Store) CloseApproval(ctx context.Context, id string, state bot.ApprovalState) error {
	if state != bot.ApprovalExpired && state != bot.ApprovalRevoked {
		return fmt.Errorf("sqlitestore: close approval: %q is not a state to close with", state)
	}
	err := s.write.run(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE approvals SET state = ?, decided = ? WHERE id = ? AND state = 'pending'`, string(state), micros(s.cfg.Now()), id)
		if err != nil || n > 0 {
			return err
		}
		a, err := approval(t, id)
		if err == nil && a.State != state {
			return bot.ErrDecided
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlitestore: close approval: %w", err)
	}
	return nil
}

// PendingApprovals lists what is pending in a thread, or everywhere, oldest
// first; those whose time is over are among them until somebody closes them.
func (s *Store) PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error) {
	query, args := `SELECT `+approvalColumns+` FROM approvals WHERE state = 'pending' ORDER BY created, id LIMIT ?`, []any{bound(limit)}
	if thread != "" {
		query, args = `SELECT `+approvalColumns+` FROM approvals WHERE thread = ? AND state = 'pending' ORDER BY created, id LIMIT ?`, []any{thread, bound(limit)}
	}
	list, err := all(ctx, s, scanApproval, query, args...)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: pending approvals: %w", err)
	}
	return list, nil
}
