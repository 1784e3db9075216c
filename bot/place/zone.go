package place

import (
	"cmp"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/config"
	"maru/phrase"
)

// Moment formats a time for a card with readers in several time zones, with the zone's name.
func Moment(at time.Time, zone *time.Location) string { return at.In(zone).Format("01-02 15:04 MST") }

// Until is [Moment] for the time zone of each reader.
func Until(at time.Time, zone *time.Location) phrase.Timed {
	return phrase.Local(at, Moment(at, zone))
}

// ZoneOf returns a person's time zone, or the program's if the platform does not provide it.
func (r *Rules) ZoneOf(u bot.User) *time.Location {
	if own, ok := agent.Zone(u.TimeZone); ok {
		return own
	}
	return r.cfg.Zone
}

// ZoneFor returns the time zone for a person's time expressions: for personal matters the person's, then the
// channel's; for matters of the channel the channel's, then the person's. The program's is the last resort.
func (r *Rules) ZoneFor(set config.Resolved, u bot.User, personal bool) *time.Location {
	place := cmp.Or(set.Zones[config.Channel], set.Zones[config.Workspace])
	own := cmp.Or(set.Zones[config.Person], u.TimeZone)
	names := []string{place, own}
	if personal {
		names = []string{own, place}
	}
	for _, name := range names {
		if z, ok := agent.Zone(name); ok {
			return z
		}
	}
	return r.cfg.Zone
}

// QuietUntil reports whether it is a person's or channel's quiet hours, and when they end. A person's hours use
// their time zone, a channel's that of the channel.
//
// During quiet hours the bot ignores overheard messages, whatever "engage" says, and delays reminders. It still
// answers those who address it.
func (r *Rules) QuietUntil(set config.Resolved, u bot.User, now time.Time) (time.Time, bool) {
	hours, err := config.ParseHours(set.Quiet)
	if err != nil {
		return time.Time{}, false
	}
	zone := r.ZoneFor(set, u, true)
	if set.From["quiet_hours"] != config.Person {
		zone = r.ZoneFor(set, bot.User{}, false)
	}
	return hours.Over(now.In(zone))
}
