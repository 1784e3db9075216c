package schedule

import (
	"context"
	"errors"
	"fmt"

	"maru/bot"
	"maru/bot/calendar"
)

// Report keeps a schedule that was made by a command of its own and needs no card. One that is there already stays as it is.
func (s *Schedules) Report(ctx context.Context, r calendar.Row) error {
	r.State, r.Due = calendar.Active, r.Rule.Next(s.Now(), zoneOf(r))
	err := s.keep(ctx, r)
	switch {
	case errors.Is(err, calendar.ErrChanged):
		return nil
	case refusable(err):
		return &bot.Error{Code: bot.CodeBadCommand, Say: s.refusal(err, r.Lang)}
	case err != nil:
		return fmt.Errorf("keep a schedule: %w", err)
	}
	return nil
}

// Unreport removes such a schedule, and reports whether it was there.
func (s *Schedules) Unreport(ctx context.Context, id string) (bool, error) {
	was, err := s.Store.DropSchedule(ctx, id)
	if err != nil {
		return false, fmt.Errorf("remove a schedule: %w", err)
	}
	return was, nil
}

// Zone names the time zone by which a person is told something at a place.
func (s *Schedules) Zone(ctx context.Context, t bot.Thread, u bot.User) (string, error) {
	set, err := s.Rules.Settings(ctx, t, u)
	if err != nil {
		return "", fmt.Errorf("read the time zone: %w", err)
	}
	return s.Rules.ZoneFor(set, u, true).String(), nil
}
