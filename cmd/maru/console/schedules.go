package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/adapters/web"
	"maru/adapters/web/site"
	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/schedule"
	"maru/config"
)

var _ site.Schedules = (*Desk)(nil)

// maxOwn bounds the schedules of one person in the list.
const maxOwn = 1000

// ListSchedules implements site.Schedules.
func (d *Desk) ListSchedules(ctx context.Context, by bot.User, from bot.Thread) ([]site.Schedule, error) {
	rows, err := scheduleRows(ctx, d, by, from)
	if err != nil {
		return nil, err
	}
	out := make([]site.Schedule, len(rows))
	zones := zones{}
	for i, r := range rows {
		out[i] = scheduleOf(r, by, zones.of(r.Zone))
	}
	slices.SortStableFunc(out, func(a, b site.Schedule) int {
		if a.Paused != b.Paused {
			if b.Paused {
				return -1
			}
			return 1
		}
		return a.Due.Compare(b.Due)
	})
	return out, nil
}

// scheduleRows lists the rows that a person may see.
func scheduleRows(ctx context.Context, d *Desk, by bot.User, from bot.Thread) ([]calendar.Row, error) {
	if !by.Operator {
		rows, err := d.cfg.Record.Schedules(ctx, "", from.TeamKey(), by.ID, maxOwn)
		if err != nil {
			return nil, fmt.Errorf("list schedules: %w", err)
		}
		return rows, nil
	}
	rows, err := d.cfg.Record.AllSchedules(ctx)
	if err != nil {
		return nil, fmt.Errorf("list schedules: %w", err)
	}
	direct, err := d.cfg.Record.Direct(ctx)
	if err != nil {
		return nil, fmt.Errorf("list direct conversations: %w", err)
	}
	return slices.DeleteFunc(rows, func(r calendar.Row) bool { return privateSchedule(r, by, from, direct) }), nil
}

// privateSchedule reports whether a schedule belongs to another person's private conversation: it is in one, or reports to
// its owner in private.
func privateSchedule(r calendar.Row, by bot.User, from bot.Thread, direct []string) bool {
	team, home := r.Thread.TeamKey(), web.HomeOf(from, by.ID).TeamKey()
	if owners(team) && from.TeamKey() == own || r.Owner.ID == by.ID && (team == from.TeamKey() || team == home) {
		return false
	}
	return r.Thread.Direct || r.Gaps != nil || privateScope(r.Thread.ChannelScope(), by, from, direct)
}

// zones are time zones that were read already: reading one takes long.
type zones map[string]*time.Location

func (z zones) of(name string) *time.Location {
	if z[name] == nil {
		zone, err := time.LoadLocation(name)
		if err != nil {
			zone = time.UTC
		}
		z[name] = zone
	}
	return z[name]
}

func scheduleOf(r calendar.Row, by bot.User, zone *time.Location) site.Schedule {
	return site.Schedule{
		ID: r.ID, Thread: r.Thread, Owner: asker(bot.Message{Thread: r.Thread, User: r.Owner}, by.Locale), Text: r.Text, When: r.Rule.Words(by.Locale, zone), Zone: zoneWord(cmp.Or(r.Zone, "UTC"), by.Locale),
		Agent: r.Agent, Due: r.Due, Last: r.Last, Reminds: r.Kind == calendar.Remind, Paused: r.State == calendar.Paused, Why: r.Why, Mine: r.Owner.ID == by.ID,
		Runs: schedule.LastRuns(r),
	}
}

// zoneWord names a time zone as the setting does.
func zoneWord(name, lang string) string {
	key, _, _ := config.KeyNamed("time_zone")
	return key.Label(name, lang)
}

// LastRun implements site.Schedules.
func (d *Desk) LastRun(ctx context.Context, s site.Schedule) (run, status string, err error) {
	for _, id := range s.Runs {
		r, err := d.cfg.Record.RunByID(ctx, id)
		switch {
		case errors.Is(err, bot.ErrNotFound):
			continue
		case err != nil:
			return "", "", fmt.Errorf("read the last run of a schedule: %w", err)
		}
		return r.ID, r.Status, nil
	}
	return "", "", nil
}

// ChangeSchedule implements site.Schedules: it is a click on the schedule's own card in its channel.
func (d *Desk) ChangeSchedule(ctx context.Context, by bot.User, from bot.Thread, id, verb string) (said string, done bool, err error) {
	if !slices.Contains([]string{"pause", "resume", "run", "delete"}, verb) {
		return "", false, bot.ErrNotFound
	}
	rows, err := scheduleRows(ctx, d, by, from)
	if err != nil {
		return "", false, err
	}
	i := slices.IndexFunc(rows, func(r calendar.Row) bool { return r.ID == id })
	if i < 0 {
		return "", false, bot.ErrNotFound
	}
	before := rows[i]
	answer, err := d.Action(ctx, bot.Action{ID: schedule.Control + id, Verb: verb, Thread: before.Thread, User: by, At: d.cfg.Now()})
	if err != nil {
		return "", false, err
	}
	if answer.Card != nil {
		said = answer.Card.Worded().Text
	}
	after, err := d.cfg.Record.ScheduleByID(ctx, id)
	if errors.Is(err, bot.ErrNotFound) {
		return said, verb == "delete", nil
	}
	if err != nil {
		return said, false, fmt.Errorf("read a schedule: %w", err)
	}
	changed := after.Version != before.Version
	switch verb {
	case "delete":
		return said, false, nil
	case "pause":
		return said, after.State == calendar.Paused, nil
	case "resume":
		return said, changed && after.State == calendar.Active, nil
	}
	return said, changed, nil
}
