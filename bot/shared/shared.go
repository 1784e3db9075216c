// Package shared changes notes of the record that several processes change. The notes of [bot.Notes] have one writer.
//
// It must not know what a note means.
package shared

import (
	"context"

	"maru/bot"
)

// Notes are short texts by key. SwapNote writes a value if the note holds before, "" for none, or already holds the
// value, and reports whether it does; otherwise it changes nothing.
type Notes interface {
	bot.Notes
	SwapNote(ctx context.Context, key, before, value string) (bool, error)
}

// Amend writes what change makes of a note. If another process changes the note in between, it begins again; each
// such attempt is another change's success.
func Amend(ctx context.Context, n Notes, key string, change func(was string) (string, error)) error {
	for {
		was, err := n.Note(ctx, key)
		if err != nil {
			return err
		}
		value, err := change(was)
		if err != nil {
			return err
		}
		if done, err := n.SwapNote(ctx, key, was, value); done || err != nil {
			return err
		}
	}
}
