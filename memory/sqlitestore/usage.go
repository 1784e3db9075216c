package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/modeluse"
	"maru/memory/scan"
)

// count adds a run's cost to the sums; of a run that was saved before, the difference.
func count(t *tx, r bot.Run, isNew bool) error {
	if r.Day == "" {
		return nil
	}
	th, err := bot.ParseThread(r.Thread)
	if err != nil {
		return err
	}
	var was, status = []byte(nil), ""
	var worked int64
	if !isNew {
		if err := t.get(`SELECT usage, status, worked FROM runs WHERE id = ?`, []any{r.ID}, &was, &status, &worked); err != nil {
			return err
		}
	}
	before, after := modeluse.CostOf(was), modeluse.CostOf(r.Usage)
	sum := bot.Used{
		Day: r.Day, Team: th.TeamKey(), Channel: th.Channel, User: r.User, Agent: r.Agent,
		Runs: int(flag(isNew)), Failed: int(flag(r.Status == bot.RunFailed) - flag(status == bot.RunFailed)),
		Took: time.Duration(r.Worked.Microseconds()-worked) * time.Microsecond,
		Usage: agent.Usage{
			Calls: after.Calls - before.Calls, Input: after.Input - before.Input, Output: after.Output - before.Output,
			Cached: after.Cached - before.Cached, Cost: after.Cost - before.Cost,
		},
	}
	return add(t, append(modeluse.Rows(sum, before, after), sum)...)
}

// add adds to the sums, in one statement.
func add(t *tx, list ...bot.Used) error {
	var args []any
	for _, u := range list {
		args = append(args, u.Day, u.Team, u.Channel, u.User, u.Column(), u.Runs, u.Failed, u.Took.Microseconds(),
			u.Calls, u.Input, u.Output, u.Cached, u.Cost)
	}
	_, err := t.exec(`INSERT INTO usage (day, team, channel, person, agent, runs, failed, took, calls, input, output, cached, cost)
		VALUES `+rows(13, len(list))+` ON CONFLICT (team, day, channel, person, agent) DO UPDATE SET
			runs = runs + excluded.runs, failed = failed + excluded.failed, took = took + excluded.took, calls = calls + excluded.calls,
			input = input + excluded.input, output = output + excluded.output, cached = cached + excluded.cached, cost = cost + excluded.cost`, args...)
	return err
}

// Rated lists the ratings of answers.
func (s *Store) Rated(ctx context.Context, team string, from, to time.Time) ([]bot.Rated, error) {
	return all(ctx, s, "rated", scan.Rated, `SELECT t.run, t.thread, r.user, r.agent, t.vote, t.at FROM ratings t JOIN runs r ON r.id = t.run
		WHERE (?1 = '' OR substr(t.thread, 1, length(?1) + 1) = ?1 || '/') AND t.at >= ?2 AND t.at < ?3 ORDER BY t.at, t.run, t.who`,
		team, micros(from), micros(to))
}

// Usage lists the costs of runs.
func (s *Store) Usage(ctx context.Context, q bot.UsageQuery) ([]bot.Used, error) {
	from, to := modeluse.Days(q)
	return all(ctx, s, "usage", scan.Used, `SELECT day, team, channel, person, agent, runs, failed, took, calls, input, output, cached, cost FROM usage
		WHERE (?1 = '' AND NOT ?6 OR team = ?1) AND (?2 = '' OR channel = ?2) AND (?3 = '' OR person = ?3) AND (?4 = '' OR day >= ?4) AND day <= ?5
		ORDER BY day, team, channel, person, agent`, q.Team, q.Channel, q.User, from, to, q.Own)
}

// Spend adds usage outside of runs.
func (s *Store) Spend(ctx context.Context, u bot.Used) error {
	sums := []bot.Used{u}
	if one, ok := modeluse.Row(u); ok {
		sums = append(sums, one)
	}
	if err := s.write.run(ctx, func(t *tx) error { return add(t, sums...) }); err != nil {
		return fmt.Errorf("sqlitestore: spend: %w", err)
	}
	return nil
}
