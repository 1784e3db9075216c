package service

import (
	"context"
	"encoding/json"
	"errors"

	"maru/bot"
	"maru/bot/inbox"
	"maru/bot/parking"
	"maru/bot/reply"
	"maru/bot/turn"
)

// deaths holds the receivers of crashes; all nil if the record parks nothing.
type deaths struct {
	items inbox.Deaths
	jobs  inbox.JobDeaths
	turns turn.Deaths
}

// makeParking builds the detection of crashes.
func (b *Bot) makeParking() deaths {
	store, ok := b.cfg.Record.(parking.Store)
	if !ok {
		return deaths{}
	}
	d := &parking.Deaths{Store: store, Notes: b.cfg.Record, Owner: b.cfg.Owner, Now: b.cfg.Now, Log: b.cfg.Log}
	return deaths{items: d, jobs: d, turns: d}
}

// jobParked reports once, in the thread of a run, that its files are parked. Nobody waits for other jobs.
func (b *Bot) jobParked(ctx context.Context, j bot.Job) {
	var p reply.Parcel
	if j.Kind != bot.JobFiles || json.Unmarshal(j.Body, &p) != nil {
		return
	}
	adapter := b.adapters[p.To.Thread.Platform]
	if adapter == nil {
		return
	}
	key, card := "parked-"+bot.RunID(j.ID), parking.JobNotice(j.ID, p.To.Thread, p.Lang)
	err := b.replies.Patiently(ctx, p.To.Thread.Key(), func(ctx context.Context) error {
		if f, ok := adapter.(bot.Finder); ok { // by a process that died before the job was parked
			if _, found, err := f.Find(ctx, p.To, key); found || err != nil {
				return err
			}
		}
		_, err := adapter.Post(ctx, p.To, card, key)
		return err
	})
	if err != nil && ctx.Err() == nil {
		b.cfg.Log.WarnContext(ctx, "report parked job", "job", j.ID, "err", err)
	}
}

// threadOf returns the thread of a run, "" for a forgotten one.
func (b *Bot) threadOf(ctx context.Context, run string) (string, error) {
	r, err := b.cfg.Record.Reply(ctx, run)
	if errors.Is(err, bot.ErrNotFound) {
		return "", nil
	}
	return r.Thread, err
}
