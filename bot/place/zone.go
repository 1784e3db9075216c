package place

import (
	"time"

	"maru/bot"
)

// Moment is a time on a card that several people read, who may be in several zones:
// it names its own.
func Moment(at time.Time, zone *time.Location) string { return at.In(zone).Format("01-02 15:04 MST") }

// ZoneOf is a person's time zone: where the platform does not tell it, the
// program's.
func (r *Rules) ZoneOf(u bot.User) *time.Location {
	own, err := time.LoadLocation(u.TimeZone)
	if u.TimeZone == "" || err != nil {
		return r.cfg.Zone
	}
	return own
}
