package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// States of an item.
const (
	itemDone   = 1
	itemDead   = 2
	itemParked = 3
)

// sqlPut adds an item with its thread's row and its transcript entry, and notifies the replicas if @tell, but not of a
// message in a leased thread, whose holder finds it after its own. It follows cond, a table with one row or none.
const sqlPut = `, item AS (
	INSERT INTO items (id, thread, kind, ordlen, ord, body, at, op)
	SELECT @id, @thread, @kind, octet_length(@ord::text), @ord, @body::bytea, coalesce(@at::timestamptz, now()), @op FROM cond
	ON CONFLICT (id) DO NOTHING RETURNING at
), thread AS (
	INSERT INTO threads AS t (key, platform, team, channel, id, direct, known, created, updated, since)
	SELECT @thread, @platform, @team, @channel, @thread_id, @direct::boolean, true, now(), now(), at FROM item
	ON CONFLICT (key) DO UPDATE SET direct = t.direct OR excluded.direct, updated = excluded.updated,
		since = least(t.since, excluded.since), created = CASE WHEN t.known THEN t.created ELSE excluded.created END, known = true
	RETURNING owner <> '' AND until > now() AS leased
), entry AS (
	INSERT INTO entries (thread, id, own, author, person, text, run, sources, at, deleted)
	SELECT @thread, @e_id, @e_own::boolean, @e_author, @e_person, @e_text, @e_run, @e_sources::bytea, coalesce(@e_at::timestamptz, now()), @e_deleted::boolean
	FROM item WHERE @e_has::boolean
	ON CONFLICT (thread, id) DO NOTHING
) SELECT count(*) > 0, (SELECT count(pg_notify(@wake, @thread)) FROM thread
	WHERE @tell::boolean AND NOT (leased AND @kind::text = '` + string(bot.ItemMessage) + `')) FROM item`

// putArgs returns the arguments of sqlPut.
func (s *Store) putArgs(it bot.Item, op string) (named, error) {
	if it.ID == "" {
		return nil, errors.New("the item has no id")
	}
	th, err := bot.ParseThread(it.Thread)
	if err != nil {
		return nil, err
	}
	args := named{
		"id": it.ID, "thread": it.Thread, "kind": string(it.Kind), "ord": it.Order, "body": []byte(it.Body), "at": stamp(it.At), "op": op,
		"platform": th.Platform, "team": th.Team, "channel": th.Channel, "thread_id": th.ID, "direct": direct(it), "wake": s.channel(), "tell": true,
	}
	var e bot.Entry
	if it.Entry != nil {
		e = *it.Entry
	}
	args["e_has"] = it.Entry != nil
	entryArgs(args, e)
	return args, nil
}

// entryArgs adds the columns of a transcript entry.
func entryArgs(args named, e bot.Entry) {
	args["e_id"], args["e_own"], args["e_author"], args["e_person"] = e.ID, e.Own, clean(e.Author), e.User
	args["e_text"], args["e_run"], args["e_sources"] = clean(e.Text), e.Run, []byte(e.Sources)
	args["e_at"], args["e_deleted"] = stamp(e.At), e.Deleted
}

// direct reports whether an item's message is from a direct conversation, which the thread's key does not show.
func direct(it bot.Item) bool {
	var m struct {
		Thread struct {
			Direct bool `json:"direct"`
		} `json:"thread"`
	}
	return it.Kind == bot.ItemMessage && json.Unmarshal(it.Body, &m) == nil && m.Thread.Direct
}

// Put commits an item; false if its id exists already.
func (s *Store) Put(ctx context.Context, it bot.Item) (bool, error) {
	op := newOp()
	args, err := s.putArgs(it, op)
	if err != nil {
		return false, fmt.Errorf("pgstore: put item: %w", err)
	}
	var fresh bool
	err = s.try(ctx, func(ctx context.Context, again bool) error {
		b := &pgx.Batch{}
		queuePut(b, it, args, again, &fresh)
		return s.batch(ctx, b)
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: put item: %w", err)
	}
	return fresh, nil
}

// queuePut queues the statements of Put and sets fresh when they are sent.
func queuePut(b *pgx.Batch, it bot.Item, args named, again bool, fresh *bool) {
	b.Queue(`WITH cond AS (SELECT 1)`+sqlPut, args).QueryRow(func(r pgx.Row) error { return r.Scan(fresh, nil) })
	if it.Stops != "" {
		of := stopArgs(stopsOf(it))
		of["id"], of["op"] = it.ID, args["op"]
		b.Queue(sqlStopPending+sqlOfThread+` AND EXISTS (SELECT 1 FROM items WHERE id = @id AND op = @op)`, of)
	}
	if again { // the previous attempt may have put it
		b.Queue(`SELECT op = $2 FROM items WHERE id = $1`, it.ID, args["op"]).QueryRow(func(r pgx.Row) error { return r.Scan(fresh) })
	}
}

// sqlStopPending marks messages. The column that says why an item ended says why a pending one is to end.
const sqlStopPending = `UPDATE items i SET why = CASE i.why WHEN '' THEN @why ELSE i.why END
	WHERE i.state = 0 AND i.kind = @kind AND i.ordlen > 0 AND i.id <> ALL(@but::text[])
		AND (@before::text = '' OR (i.ordlen, i.ord) <= (octet_length(@before::text), @before::text))
		AND (@person::text = '' OR EXISTS (SELECT 1 FROM entries e WHERE e.thread = i.thread AND e.id = i.id AND e.person = @person::text))
		AND NOT EXISTS (SELECT 1 FROM approvals a JOIN replies r ON r.run = a.run WHERE a.thread = i.thread AND a.state = 'pending' AND r.item = i.id)
		AND `

// Whose messages sqlStopPending marks: a thread's, or those of a channel's threads with pending items.
const (
	sqlOfThread  = `i.thread = @thread`
	sqlOfChannel = `i.thread IN (SELECT key FROM threads WHERE ` + sqlPending + `)`
	sqlPending   = `known AND platform = @platform AND team = @team AND channel = @channel AND since IS NOT NULL`
)

func stopArgs(p bot.PendingStop) named {
	return named{
		"why": string(p.Why), "thread": p.Thread, "platform": p.Channel.Platform, "team": p.Channel.Team, "channel": p.Channel.Channel,
		"kind": string(bot.ItemMessage), "but": append([]string{}, p.But...), "before": p.Before, "person": p.User,
	}
}

// stopsOf selects the messages that an item stops when it is put.
func stopsOf(it bot.Item) bot.PendingStop {
	return bot.PendingStop{Thread: it.Thread, Why: it.Stops, Before: it.Order, But: append(slices.Clip(it.Spares), it.ID)}
}

// StopPending marks pending messages as stopped.
func (s *Store) StopPending(ctx context.Context, p bot.PendingStop) (items []string, err error) {
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		items = nil
		b := &pgx.Batch{}
		lock, of := `key = @thread`, sqlOfThread
		if p.Thread == "" {
			lock, of = sqlPending, sqlOfChannel
		}
		b.Queue(`SELECT 1 FROM threads WHERE `+lock+` ORDER BY key FOR UPDATE`, stopArgs(p)) // in the lock order of Put, Next and Finish
		b.Queue(sqlStopPending+of+` RETURNING i.id`, stopArgs(p)).Query(func(rows pgx.Rows) (err error) {
			items, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
		return s.batch(ctx, b)
	})
	return items, wrap("stop pending messages", err)
}

// sqlLock locks a thread. The next statement of its transaction sees all items and approvals added until then.
const sqlLock = `SELECT 1 FROM threads WHERE key = $1 FOR UPDATE`

// sqlNext hands out the first pending item under a lease. It follows a statement that has locked the thread.
const sqlNext = `next AS (
	UPDATE items SET attempts = attempts + 1 WHERE seq = (
		SELECT seq FROM items, held WHERE thread = @thread AND state = 0 ORDER BY ordlen, ord, seq LIMIT 1)
	RETURNING id, kind, ord, body, at, attempts - 1 AS attempts, why,
		NOT EXISTS (SELECT 1 FROM approvals WHERE approvals.thread = @thread AND approvals.state = 'pending') AS unasked
)`

// handed holds the columns of sqlNext, null if there is no item.
type handed struct {
	id, kind, ord *string
	why           *string
	body          []byte
	at            *time.Time
	attempts      *int
	unasked       *bool
}

func (h *handed) dest() []any {
	return []any{&h.id, &h.kind, &h.ord, &h.body, &h.at, &h.attempts, &h.why, &h.unasked}
}

func (h *handed) item(thread string) (bot.Item, bool) {
	if h.id == nil {
		return bot.Item{}, false
	}
	return bot.Item{
		ID: *h.id, Thread: thread, Kind: bot.ItemKind(*h.kind), Order: *h.ord, Body: h.body, At: when(h.at), Attempts: *h.attempts, Stopped: bot.StopReason(*h.why),
		Unasked: *h.unasked,
	}, true
}

// Next returns the first pending item of a leased thread and counts an attempt. If there is none it ends the
// lease.
func (s *Store) Next(ctx context.Context, l bot.Lease) (bot.Item, bool, error) {
	if _, ended := s.freed.LoadAndDelete(l.Token); ended {
		return bot.Item{}, false, nil
	}
	var h handed
	err := s.try(ctx, func(ctx context.Context, again bool) error {
		h = handed{}
		var held bool
		b := &pgx.Batch{}
		b.Queue(sqlLock, l.Thread) // or the lease would end with work left
		b.Queue(`WITH `+sqlHeld+`, `+sqlNext+`, freed AS (
			UPDATE threads SET owner = '', until = '-infinity' FROM held WHERE key = @thread AND NOT EXISTS (SELECT 1 FROM next))
			SELECT EXISTS (SELECT 1 FROM held), next.* FROM (SELECT 1) AS always LEFT JOIN next ON true`, leaseArgs(l)).
			QueryRow(func(r pgx.Row) error { return r.Scan(append([]any{&held}, h.dest()...)...) })
		err := s.batch(ctx, b)
		if err != nil || held {
			return err
		}
		if again { // the previous attempt may have found nothing and ended the lease
			var ended bool
			err := s.pool.QueryRow(ctx, `SELECT owner = '' FROM threads WHERE key = $1 AND token = $2`, l.Thread, l.Token).Scan(&ended)
			if err == nil && ended {
				return nil
			}
		}
		return bot.ErrFenced
	})
	if err != nil {
		return bot.Item{}, false, fmt.Errorf("pgstore: next item: %w", err)
	}
	it, found := h.item(l.Thread)
	return it, found, nil
}

// Finish ends an item with its outcome, in one transaction, and the lease if that was the last need of it and no other
// item is pending. It does not change an item that has ended.
func (s *Store) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	args, err := finishArgs(l, item, out)
	if err != nil {
		return fmt.Errorf("pgstore: finish item: %w", err)
	}
	query := sqlFinish
	if len(out.Files)+len(out.Jobs)+len(out.Withdraw) == 0 { // as of most answers
		query = sqlFinishPlain
	}
	err = s.try(ctx, func(ctx context.Context, again bool) error {
		var held, freed bool
		var over *bool // before this attempt; nil for an unknown item
		b := &pgx.Batch{}
		if len(out.Withdraw) > 0 { // in the lock order of Decide
			b.Queue(`SELECT 1 FROM approvals WHERE id = ANY($1) ORDER BY id FOR UPDATE`, out.Withdraw)
		}
		b.Queue(sqlLock, l.Thread) // to compute the age of the oldest item
		b.Queue(query, args).QueryRow(func(r pgx.Row) error { return r.Scan(&held, &over, &freed) })
		if err := s.batch(ctx, b); err != nil {
			return err
		}
		if freed || again && out.Last && !held && over != nil && *over { // by this attempt or the previous one
			s.freed.Store(l.Token, true)
			return nil
		}
		if !held {
			return bot.ErrFenced
		}
		if over == nil {
			return bot.ErrNotFound
		}
		return nil
	})
	return wrap("finish item", err)
}

// sqlFinish ends an item under a lease. A dead item keeps its question for inspection, a parked one for the next try. A reply's entry never sorts
// before the question: the platform's clock may be ahead of ours.
const (
	sqlFinish      = sqlEndItem + sqlFinishMore + sqlEndThread
	sqlFinishPlain = sqlEndItem + sqlEndThread

	sqlEndItem = `WITH ` + sqlHeld + `, ended AS (
	UPDATE items SET state = @state::smallint, why = @why, ended = now(), body = CASE WHEN @state::smallint >= 2 THEN body END
	FROM held WHERE id = @item AND thread = @thread AND state = 0 RETURNING 1
), reply AS (` + sqlSaveReply + ` FROM ended WHERE @r_has::boolean
	ON CONFLICT (run) DO UPDATE SET state = excluded.state, card = excluded.card,
		ref = CASE WHEN @r_keep::boolean THEN replies.ref ELSE excluded.ref END
), entry AS (
	INSERT INTO entries (thread, id, own, author, person, text, run, sources, at, deleted)
	SELECT @thread, @e_id, @e_own::boolean, @e_author, @e_person, @e_text, @e_run, @e_sources::bytea,
		greatest(coalesce(@e_at::timestamptz, now()), (SELECT at FROM entries WHERE thread = @thread AND id = @item)), @e_deleted::boolean
	FROM ended WHERE @e_has::boolean
	ON CONFLICT (thread, id) DO UPDATE SET text = excluded.text, run = excluded.run, sources = excluded.sources WHERE NOT entries.deleted
)`
	sqlFinishMore = `, files AS (` + sqlPutFiles + `ended
	ON CONFLICT (run, n) DO NOTHING
), jobs AS (
	INSERT INTO jobs (id, kind, person, body, at, due)
	SELECT j.id, j.kind, j.person, j.body, coalesce(j.at, now()), greatest(j.at, now())
	FROM ended, unnest(@j_ids::text[], @j_kinds::text[], @j_persons::text[], @j_bodies::bytea[], @j_ats::timestamptz[]) AS j(id, kind, person, body, at)
	ON CONFLICT (id) DO NOTHING
), withdrawn AS (
	UPDATE approvals SET state = 'revoked', decided = now() FROM ended
	WHERE id = ANY(@withdraw::text[]) AND thread = @thread AND state = 'pending'
)`
	sqlEndThread = `, rest AS (
	SELECT min(at) AS oldest, @last::boolean AND count(*) = 0 AS over FROM items WHERE thread = @thread AND state = 0 AND id <> @item
), thread AS (
	UPDATE threads SET updated = now(), title = CASE WHEN @title::text = '' THEN title ELSE @title END, since = oldest,
		owner = CASE WHEN over THEN '' ELSE owner END, until = CASE WHEN over THEN '-infinity' ELSE until END
	FROM ended, rest WHERE key = @thread RETURNING over
) SELECT EXISTS (SELECT 1 FROM held), (SELECT state <> 0 FROM items WHERE id = @item AND thread = @thread), coalesce((SELECT over FROM thread), false)`
)

// finishArgs returns the arguments of sqlFinish.
func finishArgs(l bot.Lease, item string, out bot.Outcome) (named, error) {
	args := leaseArgs(l)
	args["item"], args["why"], args["title"] = item, clean(out.Why), clean(out.Title)
	args["withdraw"], args["last"] = out.Withdraw, out.Last
	args["state"] = itemDone
	switch {
	case out.Park:
		args["state"] = itemParked
	case out.Dead:
		args["state"] = itemDead
	}
	jobArgs(args, out.Jobs)
	artifactArgs(args, out.Files)
	var r bot.Reply
	if out.Reply != nil {
		r = *out.Reply
	}
	args["r_has"], args["r_keep"] = out.Reply != nil, r.Ref.IsZero()
	if err := replyArgs(args, l.Thread, r); err != nil {
		return nil, err
	}
	var e bot.Entry
	if out.Entry != nil {
		e = *out.Entry
	}
	args["e_has"] = out.Entry != nil
	entryArgs(args, e)
	return args, nil
}

// Pending returns the number of pending items of a team, or of all with "", and the age of the oldest.
func (s *Store) Pending(ctx context.Context, team string) (int, time.Time, error) {
	type waiting struct {
		N      int
		Oldest *time.Time
	}
	w, err := one(ctx, s, pgx.RowToStructByPos[waiting], `SELECT count(*), min(at) FROM items
		WHERE state = 0 AND ($1 = '' OR starts_with(thread, $1 || '/'))`, team)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("pgstore: count pending items: %w", err)
	}
	return w.N, when(w.Oldest), nil
}
