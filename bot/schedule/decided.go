package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase/intent"
)

// decideTime is how long at the top level, where each message begins a thread, "yes" or "cancel it" can answer the card of another one.
const decideTime = 10 * time.Minute

// Decided takes a message that only decides ([intent.DecidesLast]) as the answer to the schedule that the bot's last message shows: a yes
// confirms a draft, a no or a stop removes it, and what takes back removes a schedule that was just stored, too. text is "" if
// that message shows no schedule of this person, or the message decides nothing.
func (s *Schedules) Decided(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error) {
	if len(m.Files) > 0 || !intent.DecidesLast(m.Text) {
		return "", nil, nil
	}
	if text, buttons, err = s.again(ctx, m, lang); text != "" || err != nil {
		return text, buttons, err
	}
	last, err := s.lastRun(ctx, m)
	if err != nil || last == "" {
		return "", nil, err
	}
	r, err := s.Store.ScheduleByID(ctx, idOf("", last))
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
	case v != intent.Yes && r.State == calendar.Draft, r.State == calendar.Active && intent.TakesBack(m.Text):
		return s.once(ctx, r, string(intent.DropSchedules), m, lang)
	}
	return "", nil, nil
}

// lastRun returns the run of the bot's last message before m: in the thread of m or, where m begins one at the top level, in the
// thread of its channel that somebody wrote in last, if that was within [decideTime]. It is "" if there is none, or m was written before
// it was there.
func (s *Schedules) lastRun(ctx context.Context, m bot.Message) (string, error) {
	entry, err := s.lastEntry(ctx, m.Thread.Key())
	if err != nil || entry.Run != "" || !top(m) {
		return entry.Run, err
	}
	threads, err := s.Past.Threads(ctx, m.Thread.Platform, m.Thread.Team, m.Thread.Channel, 2)
	if err != nil {
		return "", fmt.Errorf("list threads: %w", err)
	}
	for _, t := range threads {
		if t.Thread.ID != m.Thread.ID {
			entry, err = s.lastEntry(ctx, t.Thread.Key())
			break
		}
	}
	if err != nil || entry.At.After(m.At.Add(clockSkew)) || m.At.Sub(entry.At) > decideTime {
		return "", err
	}
	return entry.Run, nil
}

// clockSkew is how far the platform's clock may be behind the bot's.
const clockSkew = 2 * time.Second

// lastEntry returns the last entry of a thread that the bot wrote, an empty one if there is none among the last few.
func (s *Schedules) lastEntry(ctx context.Context, thread string) (bot.Entry, error) {
	entries, err := s.Past.Transcript(ctx, thread, 4)
	if err != nil {
		return bot.Entry{}, fmt.Errorf("read transcript: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e bot.Entry) bool { return !e.Own || e.Deleted })
	return append([]bot.Entry{{}}, entries...)[len(entries)], nil
}
