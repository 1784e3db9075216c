package schedule

import (
	"context"
	"strings"

	"maru/bot"
	"maru/bot/calendar"
	"maru/config"
	"maru/phrase"
	"maru/phrase/intent"
	"maru/phrase/when"
)

// saidLast returns what the reminder says that is the bot's last message in the thread of a message, "" if that is none.
func (s *Schedules) saidLast(ctx context.Context, m bot.Message) (string, error) {
	entry, err := s.lastEntry(ctx, m.Thread.Key())
	if err != nil {
		return "", err
	}
	for lang := range phrase.All("schedule.reminder") {
		if text, ok := strings.CutPrefix(entry.Text, phrase.Say(lang, "schedule.reminder", "")); ok {
			return strings.TrimSpace(text), nil
		}
	}
	return "", nil
}

// snooze says once more, at the time of a wish that moves something unnamed, what a reminder just said; text is "" if none did, or the wish
// names no time.
func (s *Schedules) snooze(ctx context.Context, m bot.Message, w intent.ScheduleChange, lang string, set config.Resolved) (text string, buttons []bot.Button, err error) {
	zone := s.Rules.ZoneFor(set, m.User, true)
	rule := when.Rule{}
	if by, span := when.Span(w.To); span && !w.Sets && !w.Earlier {
		rule.At = m.At.Add(by)
	} else if r := when.Read(w.To, m.At.In(zone)); r.Rest == "" {
		rule = r.Rule
	}
	said, err := s.saidLast(ctx, m)
	if err != nil || said == "" || rule.IsZero() {
		return "", nil, err
	}
	if err := s.Rules.MembersOnly(ctx, m.Thread, m.User, lang); err != nil {
		return "", nil, err
	}
	row := s.fresh(idOf("", m.Run()), placeOf(m), m.User, lang)
	row.Rule, row.Text, row.Zone, row.Asked, row.Kind, row.Channels = rule, said, zone.String(), m.Text, calendar.Remind, m.Channels
	return s.offer(ctx, row, true, lang)
}
