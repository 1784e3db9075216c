package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/config"
	"maru/phrase"
	"maru/phrase/when"
)

const (
	maxDue  = 50              // rows that one sweep fires
	punctal = 2 * time.Minute // a run up to so much later is not called late
	// maxMissed limits the missed due times counted after an outage: those of a year.
	maxMissed = 40000
)

// Sweep fires due schedules. Replicas may sweep concurrently: the record lets only one fire a row.
func (s *Schedules) Sweep(ctx context.Context) {
	s.syncTriggers(ctx)
	rows, err := s.Store.DueSchedules(ctx, s.Now(), maxDue)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "list due schedules", "err", err)
		}
		return
	}
	for _, r := range rows {
		if err := s.fire(ctx, r); err != nil && !errors.Is(err, calendar.ErrChanged) && ctx.Err() == nil { // another replica was first
			s.Log.WarnContext(ctx, "fire a schedule", "schedule", r.ID, "err", err)
		}
	}
}

// absent is an adapter whose people may be away.
type absent interface{ Away(t bot.Thread) bool }

// fire advances a row and enqueues its item. After an error, and while nobody is there to see the result, the row stays due.
func (s *Schedules) fire(ctx context.Context, r calendar.Row) error {
	a, ok := s.Adapters[r.Thread.Platform]
	if !ok {
		return fmt.Errorf("no adapter for platform %q", r.Thread.Platform)
	}
	if p, ok := a.(absent); ok && p.Away(r.Thread) {
		return nil
	}
	followed, skip, gone := s.current(r, s.workflows())
	if followed.Rule != r.Rule || followed.Zone != r.Zone { // its workflow changed and is not synced yet
		return s.syncTrigger(ctx, r, s.workflows())
	}
	r = followed
	now, zone := s.Now(), zoneOf(r)
	last, missed := r.Due, 0
	for next := r.Rule.Next(last, zone); !next.IsZero() && !next.After(now) && missed < maxMissed; next = r.Rule.Next(last, zone) {
		last = next
		missed++
	}
	moved := r
	moved.Last, moved.State, moved.Due = last, calendar.Done, time.Time{}
	if r.Rule.Repeats() {
		if moved.Due = r.Rule.Next(now, zone); !moved.Due.IsZero() {
			moved.State = calendar.Active
		}
	}
	key := strconv.FormatInt(last.Unix(), 10)
	late := now.Sub(last)
	if lost, err := s.lost(ctx, a, r); err != nil && late <= s.Late {
		return fmt.Errorf("look up the owner's rights: %w", err)
	} else if err == nil && lost.why != "" {
		moved.State, moved.Due, moved.Why = calendar.Paused, time.Time{}, phrase.Say(r.Lang, lost.why)
		return s.put(ctx, moved, said(r, key, now, phrase.Say(r.Lang, lost.notice, literal(r.Owner.Name), literal(r.Text))))
	}
	switch {
	case gone:
		moved.State, moved.Due, moved.Why = calendar.Paused, time.Time{}, skip
		return s.put(ctx, moved, said(r, key, now, phrase.Say(r.Lang, "schedule.paused_because", skip, literal(r.Text))))
	case skip != "":
		return s.put(ctx, moved, said(r, key, now, phrase.Say(r.Lang, "schedule.skipped_because", when.Zoned(last, r.Lang, zone), skip, literal(r.Text))))
	}
	if late > s.Late {
		return s.put(ctx, moved, said(r, key, now, phrase.Say(r.Lang, "schedule.skipped", when.Zoned(last, r.Lang, zone), literal(r.Text))))
	}
	return s.put(ctx, moved, due(r, key, now, note(r, late, missed)))
}

// put commits a row with its item and wakes the thread. It returns [calendar.ErrChanged] if the row has another version.
func (s *Schedules) put(ctx context.Context, moved calendar.Row, it bot.Item) error {
	won, err := s.Store.FireSchedule(ctx, moved, it)
	if err == nil && !won {
		err = calendar.ErrChanged
	}
	if err == nil {
		s.Threads.Wake(it.Thread)
	}
	return err
}

// right is one that the owner of a schedule needs at each run: the keys of why the schedule is paused without it, and of the
// notice about that.
type right struct{ why, notice string }

var (
	reads        = right{"schedule.paused_owner", "schedule.owner_gone"}
	administrate = right{"schedule.paused_admin", "schedule.admin_gone"}
)

// present is implemented by adapters that know a person as the platform says at this moment.
type present interface {
	PersonNow(ctx context.Context, t bot.Thread, id string) (bot.User, bool, error)
}

// lost returns the right that the owner needs and no longer has, if any. Platforms without membership data
// are trusted.
func (s *Schedules) lost(ctx context.Context, a bot.Adapter, r calendar.Row) (right, error) {
	where := r.Thread
	if r.Gaps != nil { // a private report on a channel
		where = *r.Gaps
	}
	if where.Direct {
		return right{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if members, ok := a.(bot.Members); ok {
		if may, err := members.Member(ctx, where, r.Owner.ID, ""); err != nil || !may {
			return reads, err
		}
	}
	owner := r.Owner
	if platform, ok := a.(present); ok && r.Gaps != nil {
		now, there, err := platform.PersonNow(ctx, where, owner.ID)
		if err != nil || !there {
			return reads, err
		}
		owner = now
	}
	if r.Gaps != nil && !s.Rules.May(where, owner, config.ChannelAdmin) {
		return administrate, nil
	}
	return right{}, nil
}

// note returns the line of an answer's card: the schedule's owner, and a delay.
func note(r calendar.Row, late time.Duration, missed int) string {
	words := r.Rule.Words(r.Lang, zoneOf(r))
	text := phrase.Say(r.Lang, "schedule.note", words, r.Owner.Name)
	if r.Owner.Name == "" { // in a terminal
		text = phrase.Say(r.Lang, "schedule.reminder", words)
	}
	if late > punctal {
		text += " · " + phrase.Say(r.Lang, "schedule.late", phrase.Span(late.Round(time.Minute)))
	}
	if missed > 0 {
		text += " · " + phrase.Say(r.Lang, "schedule.missed", missed)
	}
	return text
}

// due returns the item of a run.
func due(r calendar.Row, key string, now time.Time, note string) bot.Item {
	text := r.Text
	if r.Kind == calendar.Remind {
		text = phrase.Say(r.Lang, "schedule.reminder", text)
	}
	return item(r, key, now, text, bot.Due{ID: r.ID, Note: note, Say: r.Kind == calendar.Remind, Agent: r.Agent, Gaps: r.Gaps})
}

// said returns the item of a notice about a schedule.
func said(r calendar.Row, key string, now time.Time, text string) bot.Item {
	return item(r, key, now, text, bot.Due{ID: r.ID, Say: true})
}

// messageID names the message of a run by its due time, or by the version of the row that a person ran.
func messageID(r calendar.Row, key string) string { return "schedule-" + r.ID + "-" + key }

// LastRuns returns the runs that may be the row's newest, newest first: one started by a person at the last change
// of the row, and that of its last due time. A reminder has no run.
func LastRuns(r calendar.Row) []string {
	if r.Kind == calendar.Remind {
		return nil
	}
	keys := []string{nowKey(r.Version - 1)}
	if !r.Last.IsZero() {
		keys = append(keys, strconv.FormatInt(r.Last.Unix(), 10))
	}
	for i, key := range keys {
		keys[i] = bot.Message{ID: messageID(r, key), Thread: r.Thread}.Run()
	}
	return keys
}

// nowKey returns the key of a run that a person started at a version of the row.
func nowKey(version int64) string { return "now-" + strconv.FormatInt(version, 10) }

// item returns a message of a schedule in its owner's name, without the rights of an admin.
func item(r calendar.Row, key string, now time.Time, text string, d bot.Due) bot.Item {
	u := r.Owner
	u.Admin, u.Operator = false, false
	m := bot.Message{ID: messageID(r, key), Thread: r.Thread, User: u, Reach: bot.ReachMenu, Text: text, At: now, Channels: r.Channels, Schedule: &d}
	body, err := json.Marshal(m)
	if err != nil { // strings and times always encode
		panic("schedule: " + err.Error())
	}
	it := bot.Item{ID: m.Key(), Thread: m.Thread.Key(), Kind: bot.ItemMessage, Body: body}
	if !d.Say {
		it.Entry = &bot.Entry{ID: m.Key(), Thread: it.Thread, Author: u.Name, User: u.ID, Text: text, At: now}
	}
	return it
}
