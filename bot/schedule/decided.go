package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase/intent"
)

// decideTime is how long at the top level, where messages are in no thread, "yes" or "cancel it" can mean the schedule that a person has
// just asked for there.
const decideTime = 10 * time.Minute

// Decided takes a message that only decides ([intent.DecidesLast]) as the answer to the schedule that its author was shown last: a yes confirms
// a draft, a no removes it, and what takes back or stops removes a schedule that was just stored, too. last is the run of the bot's last
// message in the thread, "" if there is none. text is "" if that shows no schedule of this person.
func (s *Schedules) Decided(ctx context.Context, m bot.Message, last, lang string) (text string, buttons []bot.Button, err error) {
	if text, buttons, err = s.again(ctx, m, lang); text != "" || err != nil {
		return text, buttons, err
	}
	r, err := s.shownLast(ctx, m, last)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return "", nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("read the schedule shown last: %w", err)
	}
	v, _ := intent.Decide(m.Text)
	untimed := sameRule(r.Rule, calendar.Row{}.Rule)
	switch {
	case r.Owner.ID != m.User.ID || r.Wish != nil:
		return "", nil, nil
	case v == intent.Yes && r.State == calendar.Draft && !untimed:
		return s.once(ctx, r, "confirm", m, lang)
	case v == intent.No && r.State == calendar.Draft, v != intent.Yes && v != intent.No && r.State != calendar.Done:
		return s.once(ctx, r, string(intent.DropSchedules), m, lang)
	}
	return "", nil, nil
}

// shownLast returns the schedule on the last card that a message may answer: that of the thread's last run, or, at the top level, the
// one that the person asked for there within [decideTime].
func (s *Schedules) shownLast(ctx context.Context, m bot.Message, last string) (calendar.Row, error) {
	if !top(m) {
		return s.Store.ScheduleByID(ctx, idOf("", last))
	}
	n, err := s.Store.ScheduleByID(ctx, shownID(placeOf(m), m.User))
	if err != nil || n.Wish == nil || m.At.Sub(n.Created).Abs() > decideTime {
		return calendar.Row{}, errors.Join(err, bot.ErrNotFound)
	}
	return s.Store.ScheduleByID(ctx, n.Wish.IDs[0])
}

// shownID is the ID of the note that names the newest schedule which a person asked for in a place.
func shownID(t bot.Thread, u bot.User) string { return idOf("shown\n", t.Key()+"\n"+u.ID) }

// point notes under an ID which row is meant by what its owner says next in its place. A newer note wins.
func (s *Schedules) point(ctx context.Context, id string, row calendar.Row) error {
	n := s.fresh(id, row.Thread, row.Owner, row.Lang)
	n.State, n.Wish = calendar.Done, &calendar.Wish{IDs: []string{row.ID}}
	if was, err := s.Store.ScheduleByID(ctx, n.ID); err == nil {
		n.Version = was.Version
	} else if !errors.Is(err, bot.ErrNotFound) {
		return fmt.Errorf("read which schedule is meant: %w", err)
	}
	if _, err := s.Store.PutSchedule(ctx, n, calendar.Limits{}); err != nil && !errors.Is(err, calendar.ErrChanged) {
		return fmt.Errorf("note which schedule is meant: %w", err)
	}
	return nil
}
