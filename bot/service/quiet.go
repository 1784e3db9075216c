package service

import (
	"context"
	"time"

	"maru/bot"
	"maru/config"
)

// quietUntil reports whether it is the quiet hours of a person in a place, and
// when those end. A person's own hours are by their clock, a place's by the
// program's.
//
// In them nothing is said that nobody asked for: talk that is only overheard is
// left alone, whatever "engage" says, and reminders wait. Whoever speaks to the
// bot is answered.
func (b *Bot) quietUntil(set config.Resolved, u bot.User, now time.Time) (time.Time, bool) {
	hours, err := config.ParseHours(set.Quiet)
	if err != nil {
		return time.Time{}, false
	}
	zone := b.cfg.Zone
	if set.From["quiet_hours"] == config.Person {
		zone = b.rules.ZoneOf(u)
	}
	return hours.Over(now.In(zone))
}

// hush makes what was only overheard in quiet hours none of the bot's business.
func (b *Bot) hush(set config.Resolved, m bot.Message, h heard) heard {
	spoken := h == heardUs && m.Reach != bot.ReachAmbient
	if _, quiet := b.quietUntil(set, m.User, m.At); !quiet || spoken {
		return h
	}
	return heardOthers
}

// remindLater moves a reminder out of the quiet hours of whoever asked, and
// reports whether it did.
func (b *Bot) remindLater(ctx context.Context, row bot.Approval, now time.Time) bool {
	a, err := readAsked(row)
	if err != nil {
		return false // reminding says what is wrong with it
	}
	set, err := b.settings(ctx, a.w.Message.Thread, a.w.Message.User)
	if err != nil {
		return false
	}
	end, quiet := b.quietUntil(set, a.w.Message.User, now)
	if quiet {
		b.mine(ctx, row, earlier(end, row.Expires))
	}
	return quiet
}
