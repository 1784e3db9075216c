package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase"
	"maru/phrase/when"
)

// idOf derives an ID from a kind and a key, mostly a run: a turn resumed after a crash finds what it stored.
func idOf(kind, key string) string {
	sum := sha256.Sum256([]byte(kind + key))
	return hex.EncodeToString(sum[:10])
}

// note returns a row that only holds a [calendar.Wish]. It is removed with old drafts.
func (s *Schedules) note(kind string, m bot.Message, lang string) calendar.Row {
	n := s.fresh(idOf(kind+"\n", m.Run()), m.Thread, m.User, lang)
	n.State = calendar.Done
	return n
}

// once makes a change that a message asks for. It is noted first: a turn resumed after a crash carries out the note instead of looking
// again for the schedule that the words mean, or moving it once more.
func (s *Schedules) once(ctx context.Context, r calendar.Row, verb string, m bot.Message, lang string) (string, []bot.Button, error) {
	n := s.note("change", m, lang)
	n.Text, n.Rule, n.Zone = r.Text, r.Rule, r.Zone
	n.Wish = &calendar.Wish{Verb: verb, IDs: []string{r.ID}, Version: r.Version}
	_, err := s.Store.PutSchedule(ctx, n, calendar.Limits{})
	switch {
	case errors.Is(err, calendar.ErrChanged): // this message's turn runs elsewhere, too
		return s.again(ctx, m, lang)
	case err != nil:
		return "", nil, fmt.Errorf("note a change of a schedule: %w", err)
	}
	return s.carryOut(ctx, n, m.User, lang)
}

// again carries out the note of an earlier attempt at a message; text is "" if there is none.
func (s *Schedules) again(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	n, err := s.Store.ScheduleByID(ctx, s.note("change", m, lang).ID)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return "", nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("read the note of a change: %w", err)
	}
	return s.carryOut(ctx, n, m.User, lang)
}

// carryOut makes the change of a note, unless it has been made, and says so.
func (s *Schedules) carryOut(ctx context.Context, n calendar.Row, u bot.User, lang string) (text string, buttons []bot.Button, err error) {
	w := n.Wish
	r, err := s.Store.ScheduleByID(ctx, w.IDs[0])
	switch {
	case errors.Is(err, bot.ErrNotFound) && w.Verb == "delete":
		return phrase.Say(lang, "schedule.deleted", literal(n.Text)), nil, nil
	case errors.Is(err, bot.ErrNotFound):
		return phrase.Say(lang, "schedule.gone"), nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("read a schedule: %w", err)
	case w.Verb == "delete" || r.Version == w.Version:
		if w.Verb == "move" {
			r.Rule = n.Rule
		}
		text, err = s.change(ctx, r, w.Verb, u, lang)
	case made(r, n):
		text = s.changed(r, w.Verb, lang)
	default:
		text = phrase.Say(lang, "schedule.changed")
	}
	if w.Verb == "move" {
		buttons = []bot.Button{button(r, "delete", lang), button(r, "edit", lang)}
	}
	return text, buttons, err
}

// made reports whether a row is as a note wants it, or has been run since.
func made(r, n calendar.Row) bool {
	switch n.Wish.Verb {
	case "run":
		return r.Ran >= n.Wish.Version
	case "pause":
		return r.State == calendar.Paused
	case "resume", "confirm":
		return r.State == calendar.Active
	}
	return sameRule(r.Rule, n.Rule)
}

// sameRule compares rules by their moments: a stored one has lost its time zone.
func sameRule(a, b when.Rule) bool {
	return a.At.Equal(b.At) && a.From.Equal(b.From) && a.Cron == b.Cron && a.Step == b.Step
}
