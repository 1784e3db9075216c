package service

import (
	"maru/bot/inbox"
	"maru/bot/parking"
	"maru/bot/turn"
)

// deaths are who is told of deaths of processes; all nil if the record parks nothing.
type deaths struct {
	items inbox.Deaths
	jobs  inbox.JobDeaths
	turns turn.Deaths
}

// makeParking makes what counts deaths.
func (b *Bot) makeParking() deaths {
	store, ok := b.cfg.Record.(parking.Store)
	if !ok {
		return deaths{}
	}
	d := &parking.Deaths{Store: store, Notes: b.cfg.Record, Owner: b.cfg.Owner, Now: b.cfg.Now, Log: b.cfg.Log}
	return deaths{items: d, jobs: d, turns: d}
}
