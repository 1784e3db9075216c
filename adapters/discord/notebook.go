package discord

import (
	"context"
	"sync"

	"maru/adapters/discord/place"
	"maru/bot"
)

// notebook stores the adapter's durable notes with the bot's, from Run on.
type notebook struct {
	mu    sync.Mutex
	notes bot.Notes // nil before Run
}

// open sets the notes to use.
func (n *notebook) open(notes bot.Notes) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = notes
}

func (n *notebook) get() bot.Notes {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notes
}

// IsOpen reports whether the notes are available.
func (n *notebook) IsOpen() bool { return n.get() != nil }

// Note reads a durable note; "" before Run.
func (n *notebook) Note(ctx context.Context, key string) (string, error) {
	if notes := n.get(); notes != nil {
		return notes.Note(ctx, place.Platform+"/"+key)
	}
	return "", nil
}

// SetNote writes a durable note; it does nothing before Run.
func (n *notebook) SetNote(ctx context.Context, key, value string) error {
	if notes := n.get(); notes != nil {
		return notes.SetNote(ctx, place.Platform+"/"+key, value)
	}
	return nil
}

// SwapNote is as in [bot.Notes]; it does nothing before Run.
func (n *notebook) SwapNote(ctx context.Context, key, before, value string) (bool, error) {
	if notes := n.get(); notes != nil {
		return notes.SwapNote(ctx, place.Platform+"/"+key, before, value)
	}
	return false, nil
}
