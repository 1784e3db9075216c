package bot

import (
	"context"
	"fmt"
	"time"
)

// Rememberer is an Intake that tells what it holds of what people wrote, so that
// an adapter that was away can look whether it still stands there as it was.
//
// Remembered lists people's messages since a moment, with their ids and threads:
// those of the thread, or for one without ID those of all threads of its channel,
// the newest threads first. What was deleted is not among them.
type Rememberer interface {
	Remembered(ctx context.Context, place Thread, since time.Time, limit int) ([]Message, error)
}

var _ Rememberer = (*Bot)(nil)

// rememberedThreads bounds the threads of a channel that are looked into.
const rememberedThreads = 20

// Remembered implements Rememberer.
func (b *Bot) Remembered(ctx context.Context, place Thread, since time.Time, limit int) ([]Message, error) {
	threads := []Thread{place}
	if place.ID == "" {
		list, err := b.cfg.Record.Threads(ctx, place.Platform, place.Team, place.Channel, rememberedThreads)
		if err != nil {
			return nil, fmt.Errorf("list threads: %w", err)
		}
		threads = threads[:0]
		for _, t := range list {
			if !t.Updated.Before(since) {
				t.Thread.Direct = t.Thread.Direct || place.Direct
				threads = append(threads, t.Thread)
			}
		}
	}
	var out []Message
	for _, t := range threads {
		entries, err := b.cfg.Record.Transcript(ctx, t.Key(), limit)
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		for _, e := range entries {
			at, err := ParseThread(e.ID) // the same form: platform/team/channel/id
			if err != nil || e.Own || e.Deleted || e.At.Before(since) {
				continue
			}
			if len(out) == limit {
				return out, nil
			}
			out = append(out, Message{ID: at.ID, Thread: t, User: User{ID: e.User, Name: e.Author}, Text: e.Text, At: e.At})
		}
	}
	return out, nil
}
