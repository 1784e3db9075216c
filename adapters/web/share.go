package web

import (
	"context"
	"encoding/json"
	"time"

	"maru/bot"
)

// shareTime bounds the delay of a message by sharing it.
const shareTime = 500 * time.Millisecond

// sharedItem is a message's newest state for the readers on other replicas.
type sharedItem struct {
	From string    `json:"from"` // the sending hub
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Card *bot.Card `json:"card,omitempty"`
	Text string    `json:"text,omitempty"`
	Gone bool      `json:"gone,omitempty"`
}

// shareTopic returns the topic of a thread's messages.
func shareTopic(t bot.Thread) string { return "web/" + t.Key() }

// show puts a message into the thread here and on the other replicas. If sharing fails, their
// pages read it from the record when reopened.
func (a *Adapter) show(ctx context.Context, t bot.Thread, it item) {
	a.hub.put(t, it)
	if a.cfg.Events == nil {
		return
	}
	raw, err := json.Marshal(sharedItem{From: a.hub.epoch, ID: it.ID, At: it.At, Card: it.Card, Text: it.Text, Gone: it.Gone})
	if err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, shareTime)
		defer cancel()
		err = a.cfg.Events.Publish(ctx, shareTopic(t), raw)
	}
	if err != nil {
		a.cfg.Log.DebugContext(ctx, "publish to other replicas", "err", err)
	}
}

// shared subscribes to a thread's messages from other replicas; nil without an event bus.
func (a *Adapter) shared(ctx context.Context, t bot.Thread) <-chan []byte {
	if a.cfg.Events == nil {
		return nil
	}
	far, err := a.cfg.Events.Subscribe(ctx, shareTopic(t))
	if err != nil {
		a.cfg.Log.InfoContext(ctx, "no live events from other replicas", "err", err)
		return nil
	}
	return far
}

// takeShared applies a message from another replica.
func (a *Adapter) takeShared(t bot.Thread, raw []byte) {
	var s sharedItem
	if json.Unmarshal(raw, &s) != nil || s.From == a.hub.epoch || !idForm.MatchString(s.ID) {
		return
	}
	a.hub.put(t, item{ID: s.ID, At: s.At, Card: s.Card, Text: s.Text, Gone: s.Gone})
}
