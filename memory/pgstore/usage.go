package pgstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/modeluse"
	"maru/memory/scan"
)

// sqlCount adds the difference to a run's previously saved cost to the sums, and that of its parts to the sums by
// model, as [modeluse.Rows] does. Rows are locked in the order of their names, to prevent deadlocks.
const sqlCount = `WITH old AS (
	SELECT convert_from(usage, 'UTF8')::json AS u, status, worked AS took FROM runs WHERE id = @id FOR UPDATE
), sums AS (
	SELECT (SELECT count(*) FROM old) AS known, coalesce((SELECT (status = @failed)::int FROM old), 0) AS failed,
		coalesce((SELECT took FROM old), 0)::bigint AS took, coalesce((SELECT (u->>'calls')::bigint FROM old), 0) AS calls,
		coalesce((SELECT (u->>'input')::bigint FROM old), 0) AS input, coalesce((SELECT (u->>'output')::bigint FROM old), 0) AS output,
		coalesce((SELECT (u->>'cached')::bigint FROM old), 0) AS cached, coalesce((SELECT (u->>'cost')::double precision FROM old), 0) AS cost
), parts AS (
	SELECT 1 AS sign, part FROM json_array_elements(@parts::json) AS part
	UNION ALL SELECT -1, part FROM old, json_array_elements(CASE json_typeof(u->'parts') WHEN 'array' THEN u->'parts' ELSE '[]' END) AS part
), models AS (
	SELECT coalesce(part->>'purpose', '') || E'\t' || coalesce(part->>'model', '') || E'\t' || coalesce(part->>'host', '') AS name,
		sum(sign * (part->>'calls')::bigint) AS calls, sum(sign * (part->>'input')::bigint) AS input, sum(sign * (part->>'output')::bigint) AS output,
		sum(sign * (part->>'cached')::bigint) AS cached, sum(sign * (part->>'cost')::double precision) AS cost FROM parts GROUP BY 1
), rows AS (
	SELECT @day AS day, @person AS person, @agent AS agent, 1 - known AS runs, (@status = @failed)::int - failed AS failed, @took::bigint - took AS took,
		@calls::bigint - calls AS calls, @input::bigint - input AS input, @output::bigint - output AS output, @cached::bigint - cached AS cached,
		@cost::double precision - cost AS cost FROM sums
	UNION ALL SELECT @modelday, '', name, 0, 0, 0, calls, input, output, cached, cost FROM models
		WHERE calls <> 0 OR input <> 0 OR output <> 0 OR cached <> 0 OR cost <> 0
)
INSERT INTO usage AS v (day, team, channel, person, agent, runs, failed, took, calls, input, output, cached, cost)
	SELECT day, @team, @channel, person, agent, runs, failed, took, calls, input, output, cached, cost FROM rows ORDER BY day COLLATE "C", agent COLLATE "C"
	ON CONFLICT (team, day, channel, person, agent) DO UPDATE SET` + sqlAdded

// sqlAdded adds a row to existing sums.
const sqlAdded = `
		runs = v.runs + excluded.runs, failed = v.failed + excluded.failed, took = v.took + excluded.took, calls = v.calls + excluded.calls,
		input = v.input + excluded.input, output = v.output + excluded.output, cached = v.cached + excluded.cached, cost = v.cost + excluded.cost`

// countArgs returns the arguments of sqlCount.
func countArgs(r bot.Run) named {
	u := modeluse.CostOf(r.Usage)
	parts, err := json.Marshal(u.Parts)
	if err != nil || u.Parts == nil {
		parts = []byte("[]")
	}
	th, _ := bot.ParseThread(r.Thread) // a malformed key is counted as well, without a channel
	return named{
		"id": r.ID, "day": r.Day, "team": th.TeamKey(), "channel": th.Channel, "person": r.User, "agent": r.Agent,
		"status": r.Status, "failed": bot.RunFailed, "took": r.Worked.Microseconds(),
		"calls": u.Calls, "input": u.Input, "output": u.Output, "cached": u.Cached, "cost": u.Cost,
		"parts": string(parts), "modelday": modeluse.Day(r.Day),
	}
}

// Rated lists the ratings of answers.
func (s *Store) Rated(ctx context.Context, team string, from, to time.Time) ([]bot.Rated, error) {
	list, err := all(ctx, s, scan.Rated, `SELECT t.run, t.thread, r.person, r.agent, t.vote, t.at FROM ratings t JOIN runs r ON r.id = t.run
		WHERE ($1 = '' OR starts_with(t.thread, $1 || '/')) AND t.at >= $2 AND t.at < $3 ORDER BY t.at, t.run, t.who`, team, from, to)
	return list, wrap("rated", err)
}

// Usage lists the costs of runs.
func (s *Store) Usage(ctx context.Context, q bot.UsageQuery) ([]bot.Used, error) {
	from, to := modeluse.Days(q)
	list, err := all(ctx, s, scan.Used, `SELECT day, team, channel, person, agent, runs, failed, took, calls, input, output, cached, cost FROM usage
		WHERE ($1 = '' AND NOT $6 OR team = $1) AND ($2 = '' OR channel = $2) AND ($3 = '' OR person = $3) AND ($4 = '' OR day >= $4) AND day <= $5
		ORDER BY day, team, channel, person, agent`, q.Team, q.Channel, q.User, from, to, q.Own)
	return list, wrap("usage", err)
}

// Spend adds usage outside of runs.
func (s *Store) Spend(ctx context.Context, u bot.Used) error {
	b := &pgx.Batch{}
	add := func(u bot.Used) {
		b.Queue(`INSERT INTO usage AS v (day, team, channel, person, agent, runs, failed, took, calls, input, output, cached, cost)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (team, day, channel, person, agent) DO UPDATE SET`+sqlAdded,
			u.Day, u.Team, u.Channel, u.User, u.Column(), u.Runs, u.Failed, u.Took.Microseconds(), u.Calls, u.Input, u.Output, u.Cached, u.Cost)
	}
	add(u)
	if one, ok := modeluse.Row(u); ok {
		add(one)
	}
	if err := s.batch(ctx, b); err != nil {
		return fmt.Errorf("pgstore: spend: %w", err)
	}
	return nil
}
