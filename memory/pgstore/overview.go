package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/overview"
	"maru/memory/scan"
)

var _ overview.Store = (*Store)(nil)

// sqlShown holds for threads t that a list with @own as own team may show.
const sqlShown = `t.known AND (NOT t.direct OR @own <> '' AND starts_with(t.key, @own || '/'))`

// ListRuns lists runs of all threads, newest first. Names are looked up for the listed runs only.
func (s *Store) ListRuns(ctx context.Context, q overview.RunQuery) ([]overview.Run, error) {
	list, err := all(ctx, s, scan.Run, `SELECT l.id, platform, team, channel, tid, direct, title, agent, l.person, coalesce((SELECT e.author FROM entries e
			WHERE e.thread = l.thread AND e.person = l.person AND NOT e.own ORDER BY e.seq DESC LIMIT 1), ''), status, started, ended, worked, usage
		FROM (SELECT r.id, r.thread, t.platform, t.team, t.channel, t.id AS tid, t.direct, t.title, r.agent, r.person, r.status, r.started, r.ended, r.worked, r.usage
			FROM runs r JOIN threads t ON t.key = r.thread WHERE `+sqlShown+` AND (@agent = '' OR r.agent = @agent) AND (@status = '' OR r.status = @status)
				AND (@team = '' OR starts_with(t.key, @team || '/')) AND (@channel = '' OR t.channel = @channel) AND (@person = '' OR r.person = @person)
				AND (@from::timestamptz IS NULL OR r.started >= @from) AND (@to::timestamptz IS NULL OR r.started < @to)
				AND (@before = '' OR (coalesce(r.started, '-infinity'), r.id COLLATE "C") < (coalesce(@at::timestamptz, '-infinity'), @before COLLATE "C"))
			ORDER BY coalesce(r.started, '-infinity') DESC, r.id COLLATE "C" DESC LIMIT @limit) l ORDER BY coalesce(l.started, '-infinity') DESC, l.id COLLATE "C" DESC`,
		named{
			"own": q.Own, "agent": q.Agent, "status": q.Status, "team": q.Team, "channel": q.Channel, "person": q.User,
			"from": stamp(q.From), "to": stamp(q.To), "at": stamp(q.Before.Started), "before": q.Before.ID, "limit": bound(q.Limit),
		})
	return list, wrap("list runs", err)
}

// titled reads an approval with the title before its columns.
type titled struct {
	pgx.CollectableRow

	title *string
}

// Scan implements pgx.CollectableRow.
func (r titled) Scan(to ...any) error {
	return r.CollectableRow.Scan(append([]any{r.title}, to...)...)
}

// ListQuestions lists open questions of all threads, oldest first.
func (s *Store) ListQuestions(ctx context.Context, own string, now time.Time, limit int) ([]overview.Question, error) {
	read := func(r pgx.CollectableRow) (q overview.Question, err error) {
		q.Approval, err = scanApproval(titled{r, &q.Title})
		return q, err
	}
	list, err := all(ctx, s, read, `SELECT (SELECT t.title FROM threads t WHERE t.key = thread), `+approvalColumns+` FROM approvals
		WHERE state = 'pending' AND (expires IS NULL OR expires > @now) AND EXISTS (SELECT 1 FROM threads t WHERE t.key = thread AND `+sqlShown+`) ORDER BY created, id LIMIT @limit`,
		named{"own": own, "now": now, "limit": bound(limit)})
	return list, wrap("list questions", err)
}

// Private reports whether a thread is a direct conversation, or unknown.
func (s *Store) Private(ctx context.Context, thread string) (bool, error) {
	private, err := one(ctx, s, pgx.RowTo[bool], `SELECT direct FROM threads WHERE key = $1 AND known`, thread)
	if errors.Is(err, bot.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return true, fmt.Errorf("pgstore: private: %w", err)
	}
	return private, nil
}

// Direct lists the channels of direct conversations.
func (s *Store) Direct(ctx context.Context) ([]string, error) {
	list, err := all(ctx, s, scan.Channel, `SELECT DISTINCT platform, team, channel FROM threads WHERE direct`)
	return list, wrap("direct", err)
}

// People lists everybody with a run.
func (s *Store) People(ctx context.Context, limit int) ([]overview.Person, error) {
	list, err := all(ctx, s, scan.Person, `SELECT platform, team, l.person, n, last, coalesce((SELECT e.author FROM entries e
			WHERE e.thread = l.thread AND e.person = l.person AND NOT e.own ORDER BY e.seq DESC LIMIT 1), '')
		FROM (SELECT t.platform, t.team, r.person, count(*) AS n, max(r.started) AS last, (array_agg(r.thread ORDER BY r.started DESC NULLS LAST))[1] AS thread
			FROM runs r JOIN threads t ON t.key = r.thread WHERE t.known AND r.person <> '' GROUP BY t.platform, t.team, r.person) l
		ORDER BY last DESC NULLS LAST, platform, team, l.person LIMIT $1`, bound(limit))
	return list, wrap("people", err)
}
