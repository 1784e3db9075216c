package place

import (
	"cmp"
	"time"

	"maru/bot"
	"maru/config"
)

// Moment formats a time for a card with readers in several time zones, with the zone's name.
func Moment(at time.Time, zone *time.Location) string { return at.In(zone).Format("01-02 15:04 MST") }

// ZoneOf is a person's time zone, or the program's if the platform does not tell it.
func (r *Rules) ZoneOf(u bot.User) *time.Location {
	own, err := time.LoadLocation(u.TimeZone)
	if u.TimeZone == "" || err != nil {
		return r.cfg.Zone
	}
	return own
}

// ZoneFor is the time zone by which a person's words about times are read in a place: for what concerns that person alone
// their own, then the place's; for what concerns the place its own, then the person's. The program's is the last.
func (r *Rules) ZoneFor(set config.Resolved, u bot.User, personal bool) *time.Location {
	place := cmp.Or(set.Zones[config.Channel], set.Zones[config.Workspace])
	own := cmp.Or(set.Zones[config.Person], u.TimeZone)
	names := []string{place, own}
	if personal {
		names = []string{own, place}
	}
	for _, name := range names {
		if z, err := time.LoadLocation(name); name != "" && err == nil {
			return z
		}
	}
	return r.cfg.Zone
}

// QuietUntil reports whether it is the quiet hours of a person in a place, and
// when those end. A person's own hours are by their clock, a place's by that
// of the place.
//
// In them nothing is said that nobody asked for: talk that is only overheard is
// left alone, whatever "engage" says, and reminders wait. Whoever speaks to the
// bot is answered.
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
