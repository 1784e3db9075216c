package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/shared"
)

// Limits on conversations with other apps, which may reply to the bot. Adapters pass on only mentions by apps that the
// operator has listed.
const (
	maxAppTurns = 3  // consecutive mentions by one app in a thread
	maxAppHour  = 20 // mentions by apps in one channel per hour
)

// appsNote names the note that holds the times of app mentions accepted in a channel within the last hour. The record's
// Purge removes it with the workspace.
func appsNote(m bot.Message) string {
	return "apps/" + m.Thread.TeamKey() + "/" + bot.Esc(m.Thread.Channel)
}

// hearApp reports whether to answer a mention by another app. The limit per thread ends a dialogue of two bots; the limit
// per channel ends one that starts a new thread each time. Both counts are in the record, so they survive restarts and
// hold across replicas. A redelivered message counts once.
func (in *Intake) hearApp(ctx context.Context, m bot.Message) (bool, error) {
	if m.Reach != bot.ReachMention {
		return false, nil
	}
	past, err := in.record.Transcript(ctx, m.Thread.Key(), 2*maxAppTurns+1)
	if err != nil {
		return false, fmt.Errorf("read transcript: %w", err)
	}
	said := 0
	for _, e := range slices.Backward(past) {
		if !e.Own && e.User != m.User.ID || said == maxAppTurns {
			break
		}
		if !e.Own && e.ID != m.Key() {
			said++
		}
	}
	if said == maxAppTurns {
		in.log.InfoContext(ctx, "mention by an app ignored: limit per thread reached", "thread", m.Thread.Key(), "app", m.User.ID)
		return false, nil
	}
	return in.countApp(ctx, m)
}

// countApp counts a mention by an app and reports whether it is within the channel's hourly limit.
func (in *Intake) countApp(ctx context.Context, m bot.Message) (within bool, err error) {
	err = shared.Amend(ctx, in.record, appsNote(m), func(text string) (string, error) {
		times := map[string]time.Time{} // of mentions
		if text != "" {
			if err := json.Unmarshal([]byte(text), &times); err != nil {
				return "", fmt.Errorf("decode note: %w", err)
			}
		}
		now := in.now()
		_, again := times[m.ID]
		maps.DeleteFunc(times, func(id string, at time.Time) bool { return id != m.ID && now.Sub(at) >= time.Hour })
		if within = again || len(times) < maxAppHour; !within || again {
			return text, nil
		}
		times[m.ID] = now
		raw, err := json.Marshal(times)
		return string(raw), err
	})
	if err != nil {
		return false, fmt.Errorf("count mentions by apps: %w", err)
	}
	if !within {
		in.log.WarnContext(ctx, "mention by an app ignored: hourly limit per channel reached", "thread", m.Thread.Key(), "app", m.User.ID)
	}
	return within, nil
}
