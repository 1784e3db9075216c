package schedule

import (
	"context"
	"errors"
	"fmt"

	"maru/bot"
	"maru/bot/calendar"
)

// Report stores a schedule that was made by a command and needs no card. An existing one stays unchanged.
func (s *Schedules) Report(ctx context.Context, r calendar.Row) error {
	r.State, r.Due = calendar.Active, r.Rule.Next(s.Now(), zoneOf(r))
	err := s.keep(ctx, r)
	switch {
	case errors.Is(err, calendar.ErrChanged):
		return nil
	case refusable(err):
		return &bot.Error{Code: bot.CodeBadCommand, Say: s.refusal(err, r.Lang)}
	case err != nil:
		return fmt.Errorf("store schedule: %w", err)
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

// Zone returns the name of the time zone for messages to a person.
func (s *Schedules) Zone(ctx context.Context, t bot.Thread, u bot.User) (string, error) {
	set, err := s.Rules.Settings(ctx, t, u)
	if err != nil {
		return "", fmt.Errorf("read the time zone: %w", err)
	}
	return s.Rules.ZoneFor(set, u, true).String(), nil
}
