package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"maru/bot"
)

// Bounds of conversations with other apps, which may answer the bot in turn. Adapters let no app through that the
// operator did not name, and none without a mention.
const (
	maxAppTurns = 3  // mentions by one app in a thread that are answered until anybody else writes in it
	maxAppHour  = 20 // mentions by apps in one channel that are answered in an hour
)

// appsNote is the note with the times of mentions by apps in a channel that were accepted within the last hour. It goes
// with the workspace: see Purge of the record.
func appsNote(m bot.Message) string {
	return "apps/" + m.Thread.TeamKey() + "/" + bot.Esc(m.Thread.Channel)
}

// hearApp reports whether a mention by another app is answered. Neither bound lets two bots talk to each other for good:
// the thread's ends a dialogue, the channel's one that begins a new thread each time. Both are in the record, so that a
// restart or another replica does not begin to count anew. A message that is delivered again counts once.
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
		in.log.InfoContext(ctx, "mention by an app ignored: it was answered often enough in its thread", "thread", m.Thread.Key(), "app", m.User.ID)
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
		in.log.WarnContext(ctx, "mention by an app ignored: too many in its channel", "thread", m.Thread.Key(), "app", m.User.ID)
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
