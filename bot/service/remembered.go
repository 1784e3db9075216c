package service

import (
	"context"
	"fmt"
	"time"

	"maru/bot"
)

var _ bot.Rememberer = (*Bot)(nil)

// rememberedThreads limits the threads of a channel that are searched.
const rememberedThreads = 20

// Remembered implements Rememberer.
func (b *Bot) Remembered(ctx context.Context, place bot.Thread, since time.Time, limit int) ([]bot.Message, error) {
	threads := []bot.Thread{place}
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
	var out []bot.Message
	for _, t := range threads {
		entries, err := b.cfg.Record.Transcript(ctx, t.Key(), limit)
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		for _, e := range entries {
			at, err := bot.ParseThread(e.ID) // the same form: platform/team/channel/id
			if err != nil || e.Own || e.Deleted || e.At.Before(since) {
				continue
			}
			if len(out) == limit {
				return out, nil
			}
			out = append(out, bot.Message{ID: at.ID, Thread: t, User: bot.User{ID: e.User, Name: e.Author}, Text: e.Text, At: e.At})
		}
	}
	return out, nil
}
