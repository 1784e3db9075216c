package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"maru/bot"
	"maru/bot/overview"
	"maru/memory/scan"
)

var _ overview.Store = (*Store)(nil)

// sqlShown holds for threads t that a list with ?1 as own team may show.
const sqlShown = `t.known = 1 AND (t.direct = 0 OR ?1 <> '' AND t.key >= ?1 || '/' AND t.key < ?1 || '0')`

// ListRuns lists runs of all threads, newest first. The inner query finds them by the columns before the traces, which
// are long; what follows those in the row, and names, is read for the listed runs only.
func (s *Store) ListRuns(ctx context.Context, q overview.RunQuery) ([]overview.Run, error) {
	return all(ctx, s, "list runs", scan.Run, `SELECT r.id, t.platform, t.team, t.channel, t.id, t.direct, t.title, r.agent, r.user, coalesce((SELECT e.author FROM entries e
			WHERE e.thread = r.thread AND e.user = r.user AND e.own = 0 ORDER BY e.seq DESC LIMIT 1), ''), r.status, r.started, r.ended, r.worked, r.usage
		FROM (SELECT r.id FROM runs r JOIN threads t ON t.key = r.thread WHERE `+sqlShown+` AND (?2 = '' OR r.agent = ?2) AND (?3 = '' OR r.status = ?3)
				AND (?4 = '' OR t.key >= ?4 || '/' AND t.key < ?4 || '0') AND (?5 = '' OR t.channel = ?5) AND (?6 = '' OR r.user = ?6)
				AND (?7 = 0 OR r.started >= ?7) AND (?8 = 0 OR r.started < ?8) AND (?10 = '' OR (r.started, r.id) < (?9, ?10))
			ORDER BY r.started DESC, r.id DESC LIMIT 0 + ?11) l JOIN runs r ON r.id = l.id JOIN threads t ON t.key = r.thread
		ORDER BY r.started DESC, r.id DESC`,
		q.Own, q.Agent, q.Status, q.Team, q.Channel, q.User, micros(q.From), micros(q.To), micros(q.Before.Started), q.Before.ID, bound(q.Limit))
}

// titled reads an approval with the title before its columns.
type titled struct {
	scanner

	title *string
}

// Scan implements scanner.
func (r titled) Scan(to ...any) error { return r.scanner.Scan(append([]any{r.title}, to...)...) }

// ListQuestions lists open questions of all threads, oldest first.
func (s *Store) ListQuestions(ctx context.Context, own string, now time.Time, limit int) ([]overview.Question, error) {
	read := func(r scanner) (q overview.Question, err error) {
		q.Approval, err = scanApproval(titled{r, &q.Title})
		return q, err
	}
	return all(ctx, s, "list questions", read, `SELECT (SELECT t.title FROM threads t WHERE t.key = thread), `+approvalColumns+` FROM approvals
		WHERE state = 'pending' AND (expires = 0 OR expires > ?2) AND EXISTS (SELECT 1 FROM threads t WHERE t.key = thread AND `+sqlShown+`) ORDER BY created, id LIMIT 0 + ?3`, own, micros(now), bound(limit))
}

// Private reports whether a thread is a direct conversation, or unknown.
func (s *Store) Private(ctx context.Context, thread string) (bool, error) {
	private, err := one(ctx, s, func(r scanner) (v bool, err error) { return v, r.Scan(&v) }, `SELECT direct FROM threads WHERE key = ? AND known = 1`, thread)
	if errors.Is(err, bot.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return true, fmt.Errorf("sqlitestore: private: %w", err)
	}
	return private, nil
}

// Direct lists the channels of direct conversations.
func (s *Store) Direct(ctx context.Context) ([]string, error) {
	return all(ctx, s, "direct", scan.Channel, `SELECT DISTINCT platform, team, channel FROM threads WHERE direct = 1`)
}

// People lists everybody with a run. In a query with max, SQLite takes r.thread from the row that has it.
func (s *Store) People(ctx context.Context, limit int) ([]overview.Person, error) {
	return all(ctx, s, "people", scan.Person, `SELECT platform, team, l.user, n, last, coalesce((SELECT e.author FROM entries e
			WHERE e.thread = l.thread AND e.user = l.user AND e.own = 0 ORDER BY e.seq DESC LIMIT 1), '')
		FROM (SELECT t.platform, t.team, r.user, count(*) AS n, max(r.started) AS last, r.thread FROM runs r JOIN threads t ON t.key = r.thread
			WHERE t.known = 1 AND r.user <> '' GROUP BY t.platform, t.team, r.user) l ORDER BY last DESC, platform, team, l.user LIMIT 0 + ?`, bound(limit))
}
