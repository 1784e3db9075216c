package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"maru/bot"
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
	text, err := in.record.Note(ctx, appsNote(m))
	if err != nil {
		return false, fmt.Errorf("read note: %w", err)
	}
	var times map[string]time.Time // of mentions
	if text != "" {
		if err := json.Unmarshal([]byte(text), &times); err != nil {
			return false, fmt.Errorf("decode note: %w", err)
		}
	}
	recent := map[string]time.Time{m.ID: in.now()}
	for id, at := range times {
		if id == m.ID || in.now().Sub(at) < time.Hour {
			recent[id] = at
		}
	}
	if _, again := times[m.ID]; !again && len(recent) > maxAppHour {
		in.log.WarnContext(ctx, "mention by an app ignored: hourly limit per channel reached", "thread", m.Thread.Key(), "app", m.User.ID)
		return false, nil
	}
	raw, err := json.Marshal(recent)
	if err == nil {
		err = in.record.SetNote(ctx, appsNote(m), string(raw))
	}
	if err != nil {
		return false, fmt.Errorf("write note: %w", err)
	}
	return true, nil
}
