package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/phrase"
	"maru/phrase/intent"
	"maru/phrase/when"
)

// openAge is the time in which a time alone answers the question when something should be.
const openAge = time.Hour

// openID returns the ID of the note that names a person's newest reminder in a thread without a time.
func openID(t bot.Thread, u bot.User) string { return idOf("untimed\n", t.Key()+"\n"+u.ID) }

// askTime keeps what a reminder without a time is to say, and asks for the time; for one that repeats, for its times. Every question
// has a draft of its own, on which its buttons act.
func (s *Schedules) askTime(ctx context.Context, row calendar.Row, again bool, lang string) (string, []bot.Button, error) {
	row.State = calendar.Draft
	if err := s.keep(ctx, row); refusable(err) {
		return s.refusal(err, lang), nil, nil
	} else if err != nil && !errors.Is(err, calendar.ErrChanged) {
		return "", nil, fmt.Errorf("store schedule: %w", err)
	}
	n := s.fresh(openID(row.Thread, row.Owner), row.Thread, row.Owner, lang)
	n.State, n.Wish = calendar.Done, &calendar.Wish{IDs: []string{row.ID}}
	if was, err := s.Store.ScheduleByID(ctx, n.ID); err == nil {
		n.Version = was.Version
	} else if !errors.Is(err, bot.ErrNotFound) {
		return "", nil, fmt.Errorf("read the open question: %w", err)
	}
	if _, err := s.Store.PutSchedule(ctx, n, calendar.Limits{}); err != nil && !errors.Is(err, calendar.ErrChanged) { // another one is newer
		return "", nil, fmt.Errorf("store the open question: %w", err)
	}
	key := "schedule.when"
	if again {
		key = "schedule.when_again"
	}
	return phrase.Say(lang, key, literal(row.Text)), []bot.Button{button(row, "edit", lang), button(row, "answer", lang)}, nil
}

// openRow returns the draft about whose time a person was asked last in a thread; ok is false if none waits for it.
func (s *Schedules) openRow(ctx context.Context, t bot.Thread, u bot.User) (row calendar.Row, ok bool, err error) {
	n, err := s.Store.ScheduleByID(ctx, openID(t, u))
	if err == nil {
		row, err = s.Store.ScheduleByID(ctx, n.Wish.IDs[0])
	}
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return row, false, nil
	case err != nil:
		return row, false, fmt.Errorf("read the open question: %w", err)
	}
	return row, row.State == calendar.Draft && s.Now().Sub(row.Created).Abs() <= openAge, nil
}

// timed takes a message that says nothing but a time, or "remind me" at one, as the answer to [Schedules.askTime].
func (s *Schedules) timed(ctx context.Context, m bot.Message, lang string, wish intent.Wish, r when.Reading, zone *time.Location) (string, []bot.Button, error) {
	if !r.Found || errors.Is(r.Err, when.ErrVague) || strings.Trim(r.Rest, "?!.~ ") != "" && (!wish.Reminds || wish.Body != "") {
		return "", nil, nil
	}
	row, ok, err := s.openRow(ctx, placeOf(m), m.User)
	switch {
	case err != nil:
		return "", nil, err
	case !ok:
		return s.timedBefore(ctx, m, lang)
	case r.Err != nil:
		return s.refusal(r.Err, lang), nil, nil
	}
	open := row.ID
	row.ID, row.Version, row.Created = idOf("", m.Run()), 0, s.Now()
	row.Rule, row.Zone = r.Rule, zone.String()
	row, refused, err := s.book(ctx, row, true, lang)
	if refused != "" || err != nil { // the question stays open
		return refused, nil, err
	}
	if _, err = s.Store.DropSchedule(ctx, open); err != nil {
		return "", nil, fmt.Errorf("close the open question: %w", err)
	}
	text, buttons := s.booked(row, true, lang)
	return text, buttons, nil
}

// timedBefore says what an earlier attempt at a message made of it as an answer, text "" for nothing. A crash came between the end of the
// question and the answer.
func (s *Schedules) timedBefore(ctx context.Context, m bot.Message, lang string) (string, []bot.Button, error) {
	row, err := s.Store.ScheduleByID(ctx, idOf("", m.Run()))
	switch {
	case errors.Is(err, bot.ErrNotFound) || err == nil && row.Asked == m.Text: // the message's own wish
		return "", nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("read a schedule: %w", err)
	}
	text, buttons := s.booked(row, true, lang)
	return text, buttons, nil
}

// placeOf returns the thread of a message's schedule: a top-level message is answered in its channel.
func placeOf(m bot.Message) bot.Thread {
	t := m.Thread
	if m.Top || t.Direct && t.ID == m.ID {
		t.ID = ""
	}
	return t
}
