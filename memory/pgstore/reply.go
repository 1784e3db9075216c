package pgstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// sqlSaveReply inserts a reply under the condition of a FROM clause that follows.
const sqlSaveReply = `INSERT INTO replies (run, thread, platform, item, ref, state, card, at)
	SELECT @r_run, @thread, @r_platform, @r_item, @r_ref::json, @r_state, @r_card::bytea, coalesce(@r_at::timestamptz, now())`

// replyArgs adds the columns of a reply.
func replyArgs(args named, thread string, r bot.Reply) error {
	th, err := bot.ParseThread(thread)
	if err != nil {
		return err
	}
	ref, err := json.Marshal(r.Ref)
	if err != nil {
		return err
	}
	args["r_run"], args["r_platform"], args["r_item"], args["r_ref"] = r.Run, th.Platform, r.Item, string(ref)
	args["r_state"], args["r_card"], args["r_at"] = string(r.State), []byte(r.Card), stamp(r.At)
	return nil
}

const replyColumns = `run, thread, item, ref, state, card, at`

// scanReply reads the columns of a reply.
func scanReply(r pgx.CollectableRow) (bot.Reply, error) {
	var v bot.Reply
	var ref, card []byte
	var at time.Time
	if err := r.Scan(&v.Run, &v.Thread, &v.Item, &ref, &v.State, &card, &at); err != nil {
		return bot.Reply{}, err
	}
	v.Card, v.At = card, at.UTC()
	if err := json.Unmarshal(ref, &v.Ref); err != nil {
		return bot.Reply{}, fmt.Errorf("decode the ref of %s: %w", v.Run, err)
	}
	return v, nil
}

// Open returns the reply of a run; it creates a missing one.
func (s *Store) Open(ctx context.Context, l bot.Lease, r bot.Reply) (stored bot.Reply, created bool, err error) {
	if r.Run == "" {
		return bot.Reply{}, false, errors.New("pgstore: open reply: it names no run")
	}
	r.State = cmp.Or(r.State, bot.ReplyOpen)
	args := leaseArgs(l)
	if err := replyArgs(args, l.Thread, r); err != nil {
		return bot.Reply{}, false, fmt.Errorf("pgstore: open reply: %w", err)
	}
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		var held, first bool
		var at *time.Time
		err := s.pool.QueryRow(ctx, `WITH `+sqlHeld+`, made AS (`+sqlSaveReply+` FROM held ON CONFLICT (run) DO NOTHING RETURNING at
			) SELECT EXISTS (SELECT 1 FROM held), (SELECT at FROM made), NOT EXISTS (SELECT 1 FROM replies WHERE thread = @thread AND run <> @r_run)`, args).
			Scan(&held, &at, &first)
		switch created = at != nil; {
		case err == nil && !held:
			return bot.ErrFenced
		case created:
			stored, stored.Thread, stored.At = r, l.Thread, when(at)
		case err == nil:
			stored, err = s.Reply(ctx, r.Run)
		}
		stored.First = first
		return err
	})
	if err != nil {
		return bot.Reply{}, false, fmt.Errorf("pgstore: open reply: %w", err)
	}
	return stored, created, nil
}

// SetRef stores the posted message of a reply.
func (s *Store) SetRef(ctx context.Context, l bot.Lease, run string, ref bot.Ref) error {
	args := leaseArgs(l)
	if err := replyArgs(args, l.Thread, bot.Reply{Run: run, Ref: ref}); err != nil {
		return fmt.Errorf("pgstore: set ref: %w", err)
	}
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		var held, found bool
		err := s.pool.QueryRow(ctx, `WITH `+sqlHeld+`, found AS (
				UPDATE replies SET ref = @r_ref::json FROM held WHERE run = @r_run AND thread = @thread RETURNING 1
			) SELECT EXISTS (SELECT 1 FROM held), EXISTS (SELECT 1 FROM found)`, args).Scan(&held, &found)
		switch {
		case err != nil:
			return err
		case !held:
			return bot.ErrFenced
		case !found:
			return bot.ErrNotFound
		}
		return nil
	})
	return wrap("set ref", err)
}

// Reply returns the reply of a run.
func (s *Store) Reply(ctx context.Context, run string) (bot.Reply, error) {
	r, err := one(ctx, s, scanReply, `SELECT `+replyColumns+` FROM replies WHERE run = $1`, run)
	return r, wrap("reply", err)
}

// OpenReplies lists the replies of a thread that are not final, oldest first.
func (s *Store) OpenReplies(ctx context.Context, thread string) ([]bot.Reply, error) {
	list, err := all(ctx, s, scanReply, `SELECT `+replyColumns+` FROM replies WHERE thread = $1 AND state = 'open' ORDER BY at, run`, thread)
	return list, wrap("open replies", err)
}
